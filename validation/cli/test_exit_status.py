"""Exit statuses of INTERFACE.md, each with a message that says why."""
import os
import re
import shutil

import pytest
from programs import BUILD, compare, jacobi, jacobi_alone, printed_digest, read_report, reference, run, sets

# The sum of two neighbours exceeds the largest double from sweep 3 on; until then every number is finite.
DIVERGING = """\
grid: {cells: [9, 1, 3], length: [1000, 1e9, 1e9], periodic: [false, true, true]}
problem: {kind: laplace, faces: {x-: 1.7e308, x+: 1.7e308}}
solver: {iterations: 100, check_every: 2, tolerance: 1e-9}
"""


def cuda():
    """What --list says of CUDA: "" where it is usable."""
    out, _ = jacobi_alone("--list", cwd="/")
    return "".join(re.findall(r"^  cuda +not usable: (.*)$", out, re.MULTILINE))


def test_done(folder):
    _, err = jacobi_alone("deck.yaml", cwd=folder)
    assert err == ""


def test_standard_output_that_cannot_be_written(folder):
    for arguments in ("deck.yaml", "--help"):
        out, err = run(["sh", "-c", f"{BUILD}/jacobi {arguments} > /dev/full"], folder, status=1)
        assert out == "" and "standard output cannot be written" in err


def test_backend_that_this_machine_lacks(folder):
    reason = cuda()
    if not reason:
        pytest.skip("there is a CUDA device here")
    built = "this build has no CUDA" not in reason
    _, err = jacobi_alone("deck.yaml", *sets("device.backend=cuda"), cwd=folder, status=1 if built else 2)
    assert "device.backend: cuda" in err
    assert (reason if built else "not in this build") in err


def test_transport_that_the_back_end_lacks(folder):
    built = "this build has no CUDA" not in cuda()
    forced = sets("device.backend=host", "comm.transport=ipc")
    _, err = jacobi(2, "deck.yaml", *forced, cwd=folder, status=1 if built else 2)
    assert "comm.transport: ipc" in err


def test_forced_transport_leaves_self_edges(folder):
    periodic = sets("grid.periodic=[true, true, true]", "comm.transport=shm", "device.backend=host", "report.file=u.json")
    jacobi(2, "deck.yaml", *periodic, cwd=folder)
    assert {edge["transport"] for edge in read_report(folder / "u.json")["edges"]} == {"self", "shm"}


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["none.yaml"], ["none.yaml", "No such file"]),
        (["/proc/self/mem"], ["/proc/self/mem", "Input/output error"]),  # what no one can read, root included
        (["."], [".", "directory"]),
        ([], ["DECK"]),
        (["deck.yaml", "deck.yaml"], ["deck.yaml", "not expected"]),
        (["deck.yaml", "--sets", "a=1"], ["--sets"]),
        (["deck.yaml", "--set"], ["--set"]),
        (["deck.yaml", "--restart", "u.h5"], ["--restart"]),
        (["deck.yaml", *sets("solver.iteration=3")], ["solver.iteration", "unknown", "solver.iterations"]),
        (["deck.yaml", *sets("comm.ranks=[2, 1, 1]")], ["comm.ranks", "2 ranks", "1"]),
        (["deck.yaml", *sets("grid.cells=[3000000, 3000000, 3000000]")], ["grid.cells"]),
        (["deck.yaml", *sets("verify.kind=exact")], ["verify.kind"]),
        (["deck.yaml", *sets("output.file=none/u.h5")], ["none/u.h5", "folder none", "No such file"]),
        (["deck.yaml", *sets("output.file=.")], ["folder"]),
        (["deck.yaml", *sets("output.file=deck.yaml/u.h5")], ["deck.yaml", "folder"]),
        (["deck.yaml", "--report", "none/u.json"], ["none/u.json", "folder none", "No such file"]),
        (["deck.yaml", *sets("report.csv=none/u.csv")], ["none/u.csv", "folder none", "No such file"]),
        (["deck.yaml", *sets("output.file=u", "report.file=u")], ["output.file", "report.file"]),
        (["deck.yaml", *sets("output.file=u"), "--report", "u"], ["output.file", "--report"]),
        (["deck.yaml", *sets("output.file=u"), "--report", "sub/../u"], ["output.file", "--report"]),
        (["deck.yaml", *sets("output.file=./u", "report.csv=u")], ["output.file", "report.csv"]),
        (["deck.yaml", *sets("report.csv=u"), "--report", "./u"], ["report.csv", "--report"]),
        (["deck.yaml", "--report", "./deck.yaml"], ["the deck", "--report"]),
        (["deck.yaml", "--report", "link.yaml"], ["the deck", "--report"]),
        (["link.yaml", *sets("report.csv=deck.yaml")], ["the deck", "report.csv"]),
        (["deck.yaml", *sets("output.file=deck.yaml")], ["the deck", "output.file"]),
        (["deck.yaml", *sets("output={file: u.h5, every: 3}"), "--report", "sub/../u_000006.h5"], ["sweep 6", "--report"]),
        (["deck.yaml", *sets("output={file: u.h5, every: 3}", "report.csv=u.vtkhdf.series")], ["index", "report.csv"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_bad_deck_option_or_file(folder, arguments, words):
    (folder / "sub").mkdir()
    (folder / "link.yaml").symlink_to("deck.yaml")
    before = sorted((path.name, path.is_file() and path.read_text()) for path in folder.iterdir())
    out, err = jacobi_alone(*arguments, cwd=folder, status=2)
    assert out == "" and all(word in err for word in words), err
    assert sorted((path.name, path.is_file() and path.read_text()) for path in folder.iterdir()) == before


@pytest.mark.parametrize("path, kind", [("pipe", "a pipe"), ("/dev/zero", "a device"), ("sub", "a directory")])
def test_only_regular_files_are_read(folder, path, kind):
    """Nobody writes into that pipe: whoever opens it waits for ever."""
    os.mkfifo(folder / "pipe")
    (folder / "sub").mkdir()
    where = f"{path}: cannot be read: it is {kind}"
    assert where in jacobi_alone(path, cwd=folder, status=2, timeout=20)[1]
    assert where in reference(path, "r.h5", cwd=folder, status=2, timeout=20)[1]
    _, err = jacobi(2, "deck.yaml", *sets(f"device.plan={path}"), cwd=folder, status=2, timeout=20)
    assert f"device.plan: {where}" in err
    jacobi_alone("deck.yaml", *sets("output.file=u.h5"), cwd=folder)
    _, err = run([BUILD / "compare", "u.h5", path], folder, status=2, timeout=20)
    assert path in err and f"it is {kind}" in err, err


def test_too_many_ranks(folder):
    out, err = jacobi(5, "deck.yaml", *sets("grid.cells=[2, 1, 2]"), cwd=folder, status=2)
    assert out == "" and len(re.findall("^jacobi: .*5 ranks.*$", err, re.MULTILINE)) == 1, err


def test_blocks_too_thin(folder):
    """What can be done depends on why the block is thin: a grid that is its own neighbour gets no thicker with fewer ranks."""
    deep = sets("solver.temporal_depth=3", "grid.cells=[9, 8, 4]", "grid.periodic=[false, false, true]")
    thin = sets("grid.cells=[9, 8, 2]")
    _, err = jacobi_alone("deck.yaml", *deep, *thin, *sets("device.backend=host"), cwd=folder, status=2)
    assert "solver.temporal_depth: 3 halo layers, but the grid is only 2 cells thick along z, which is periodic" in err, err
    assert "Use at most 2, or more grid.cells along z" in err and "ranks" not in err
    _, err = jacobi(2, "deck.yaml", *deep, *sets("device.backend=host", "comm.ranks=[1, 1, 2]"), cwd=folder, status=2)
    assert "2 ranks as 1 x 1 x 2 cut a block only 2 cells thick along z" in err and "use at most 2, or other comm.ranks" in err, err


@pytest.mark.parametrize("name, every", [("u.h5", 0), ("u_000007.h5", 3), ("u_000003.h5", 3)])
def test_existing_file(folder, name, every):
    (folder / name).write_text("of another run")
    keep = sets("output.file=u.h5", f"output.every={every}", "output.overwrite=false", "report.file=u.json")
    _, err = jacobi_alone("deck.yaml", *keep, cwd=folder, status=2)
    assert name in err and "exists" in err
    assert (folder / name).read_text() == "of another run" and not (folder / "u.json").exists()
    jacobi_alone("deck.yaml", *keep, *sets("output.overwrite=true"), cwd=folder)
    compare(name, name, cwd=folder)


# Where a run may end before its last sweep: at a check (here every second sweep) that finds it diverged, were it only the first.
@pytest.mark.parametrize("name", ["u.vtkhdf.series", "u_000004.h5", "u_000000.h5"])
def test_existing_file_of_a_series(folder, name):
    (folder / name).write_text("of another run")
    keep = sets("output={file: u.h5, every: 3, overwrite: false}")
    _, err = jacobi_alone("deck.yaml", *keep, cwd=folder, status=2)
    assert name in err and "exists" in err and len(list(folder.iterdir())) == 2


def test_files_beside_a_series(folder):
    """No run of this deck writes these."""
    names = ["u_000005.h5", "u_000009.h5", "u_3.h5", "u_000003.h5x", "v_000003.h5", "u_.h5", "u.h5"]
    for name in names:
        (folder / name).write_text("of another run")
    jacobi_alone("deck.yaml", *sets("output={file: u.h5, every: 3, overwrite: false}"), cwd=folder)
    assert all((folder / name).read_text() == "of another run" for name in names)


@pytest.mark.parametrize("ranks", [1, 3])
def test_diverged(folder, ranks):
    (folder / "diverging.yaml").write_text(DIVERGING)
    out, err = jacobi(ranks, "diverging.yaml", *sets("report.file=u.json"), cwd=folder, status=3)
    assert re.search(r"^Verification: FAIL \(diverged by sweep 2: the residual's maximum is inf\)$", out, re.MULTILINE), out
    report = read_report(folder / "u.json")
    assert report["iterations"] == 2, "the check of sweep 2 is the first to see it, and nothing runs after it"
    assert (report["converged"], report["verification"]["passed"], report["residual_max"]) == (False, False, "inf")


def test_diverged_from_the_start(folder):
    """The initial field is 0, but its update is out of range already: what is not finite is the residual."""
    (folder / "diverging.yaml").write_text(DIVERGING)
    out, _ = jacobi_alone("diverging.yaml", *sets("grid.cells=[1, 1, 3]", "output.file=u.h5"), cwd=folder, status=3)
    assert "Verification: FAIL (diverged by sweep 0: the residual's maximum is inf)\n" in out
    compare("u.h5", "u.h5", cwd=folder)


@pytest.mark.parametrize("ranks", [1, 2])
def test_unknown_instruction_set(folder, monkeypatch, ranks):
    monkeypatch.setenv("JACOBI_ISA", "zzz")
    out, err = jacobi(ranks, "deck.yaml", *sets("output.file=u.h5"), cwd=folder, status=2)
    (line,) = re.findall("^jacobi: (.*)$", err, re.MULTILINE)
    assert "JACOBI_ISA" in line and "portable" in line and "zzz" in line and out == ""
    assert not (folder / "u.h5").exists()


def test_compare_differs(folder):
    jacobi_alone("deck.yaml", *sets("output.file=a.h5"), cwd=folder)
    jacobi_alone("deck.yaml", *sets("output.file=b.h5", "problem.seed=4"), cwd=folder)
    compare("a.h5", "b.h5", cwd=folder, status=3)
    shutil.copy(folder / "a.h5", folder / "b.h5")
    compare("a.h5", "b.h5", cwd=folder)


def test_exact_that_cannot_be_decided(folder):
    """After so many sweeps the field differs from that of the sweep before by less than rounding may."""
    long = sets("problem={kind: laplace}", "solver.iterations=3000", "report.file=u.json")
    (folder / "deck.yaml").write_text("grid: {cells: [5, 4, 6]}\nsolver: {iterations: 1}\n")
    verdict = r"^Verification: SKIPPED \((nothing was verified: .*: cannot tell sweep 3000 from 2999,.*)\)$"
    for asked, status in [("auto", 0), ("exact", 3)]:
        out, err = jacobi(2, "deck.yaml", *long, *sets(f"verify.kind={asked}"), cwd=folder, status=status)
        (said,) = re.findall(verdict, out, re.MULTILINE)
        expected = f"jacobi: verify.kind: exact was asked for, but {said}\n" if status else ""
        assert err.partition("---")[0] == expected
        assert read_report(folder / "u.json")["verification"]["passed"] is None


def test_tolerance_not_reached(folder):
    goal = sets("solver.tolerance=1e-9", "report.file=u.json", "output.file=u.h5")
    out, _ = jacobi(2, "deck.yaml", *goal, cwd=folder, status=4)
    report = read_report(folder / "u.json")
    assert (report["iterations"], report["converged"]) == (7, False)
    assert report["digest"] == printed_digest(out)
    compare("u.h5", "u.h5", cwd=folder)


def test_ipc_hello(tmp_path):
    out, _ = run(["mpirun", "--tag-output", "-np", 2, BUILD / "ipc_hello"], tmp_path)
    assert out.splitlines() and all(line.startswith("[1,1]<stdout>:") for line in out.splitlines()), "only rank 1 prints"
    assert out.endswith("Hello, World!\n")
    _, err = run([BUILD / "ipc_hello"], tmp_path, status=2)
    assert "mpirun -np 2" in err
