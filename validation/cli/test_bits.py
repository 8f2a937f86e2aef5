"""Same deck, same bits: on any number of ranks, with each rung, with and without overlap, in each of the host's instruction
sets. The serial reference says which bits.
"""
import pathlib

import h5py
import pytest
from programs import compare, jacobi, jacobi_alone, printed_digest, read_report, reference, sets

GRID = "grid: {cells: [19, 13, 11], length: [1, 0.7, 1.3], periodic: [false, true, false]}\n"
PROBLEMS = {
    "laplace": "problem: {kind: laplace, faces: {x-: 0.5, z+: -1}}\n",
    "eigenmode": "problem: {kind: eigenmode, mode: [2, 3, 1]}\n",
    "poisson": "problem: {kind: poisson, mode: [3, 0, 2]}\n",
    "random": "problem: {kind: random, seed: 5, faces: {x+: 0.25, z-: 1}}\n",
}


class Expected:
    """A deck, and what the reference makes of it."""

    def __init__(self, folder, problem, precision):
        self.deck = folder / f"{problem}_{precision}.yaml"
        self.file = self.deck.with_suffix(".h5")
        solver = f"solver: {{iterations: 25, check_every: 10, precision: {precision}}}\n"
        self.deck.write_text(GRID + PROBLEMS[problem] + solver)
        reference(self.deck, self.file, cwd=folder)
        with h5py.File(self.file, "r") as file:
            self.digest = file.attrs["digest"]
            self.residual_max = float(file.attrs["residual_max"])


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """Expected of a problem and precision, made when first asked for."""
    folder = tmp_path_factory.mktemp("reference")
    made = {}

    def of(problem, precision):
        if (problem, precision) not in made:
            made[problem, precision] = Expected(folder, problem, precision)
        return made[problem, precision]

    return of


@pytest.mark.parametrize(
    "problem, precision, ranks, sync, overlap",
    [
        ("laplace", "double", 1, "barrier", "true"),
        ("laplace", "float", 3, "event", "false"),
        ("laplace", "double", 8, "event", "true"),
        ("eigenmode", "float", 2, "barrier", "false"),
        ("eigenmode", "double", 5, "event", "true"),
        ("eigenmode", "float", 8, "barrier", "true"),
        ("poisson", "double", 3, "barrier", "true"),
        ("poisson", "float", 5, "barrier", "false"),
        ("poisson", "double", 8, "event", "false"),
        ("random", "double", 2, "event", "true"),
        ("random", "float", 1, "event", "false"),
        ("random", "double", 5, "barrier", "false"),
    ],
)
def test_any_way_of_running(expected, tmp_path, problem, precision, ranks, sync, overlap):
    known = expected(problem, precision)
    ways = sets(f"comm.sync={sync}", f"comm.overlap={overlap}", "output.file=u.vtkhdf", "report.file=u.json")
    out, _ = jacobi(ranks, known.deck, *ways, cwd=tmp_path)
    report = read_report(tmp_path / "u.json")
    assert (report["ranks"], report["sync"], report["overlap"]) == (ranks, sync, overlap == "true")
    assert printed_digest(out) == report["digest"] == known.digest
    assert report["residual_max"] == known.residual_max
    same, _ = compare(known.file, "u.vtkhdf", cwd=tmp_path)
    assert "equal: bit for bit\n" in same


@pytest.mark.parametrize("precision", ["double", "float"])
@pytest.mark.parametrize("isa", ["portable", "avx2", "avx512"])
def test_any_instruction_set(expected, tmp_path, monkeypatch, isa, precision):
    known = expected("random", precision)
    monkeypatch.setenv("JACOBI_ISA", isa)
    words = pathlib.Path("/proc/cpuinfo").read_text().split()
    if not {"avx512": {"avx512f"}, "avx2": {"avx2", "fma"}, "portable": set()}[isa] <= set(words):
        _, err = jacobi_alone(known.deck, cwd=tmp_path, status=2)
        assert "JACOBI_ISA" in err and f"found {isa}" in err
        return
    out, _ = jacobi_alone(known.deck, *sets("device.backend=host", "report.file=u.json"), cwd=tmp_path)
    assert printed_digest(out) == known.digest
    name = read_report(tmp_path / "u.json")["devices"][0]["name"]
    assert name.startswith({"avx512": "AVX-512", "avx2": "AVX2"}.get(isa, isa)), "the variable had no effect"


def test_any_number_of_threads(expected, tmp_path):
    known = expected("random", "double")
    for threads in [1, 3, 20]:
        out, _ = jacobi_alone(known.deck, *sets("device.backend=host", f"device.threads={threads}"), cwd=tmp_path)
        assert printed_digest(out) == known.digest, f"{threads} threads"


def test_deck_of_a_snapshot_repeats_the_run(expected, tmp_path):
    known = expected("random", "double")
    jacobi(3, known.deck, *sets("output.file=u.vtkhdf", "solver.iterations=9"), cwd=tmp_path)
    with h5py.File(tmp_path / "u.vtkhdf", "r") as file:
        (tmp_path / "again.yaml").write_text(file.attrs["deck"])
    jacobi_alone("again.yaml", *sets("output.file=again.vtkhdf"), cwd=tmp_path)
    compare("u.vtkhdf", "again.vtkhdf", cwd=tmp_path)
