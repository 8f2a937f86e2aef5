"""When a run ends by itself: at a check that meets the tolerance, on all ranks in the same sweep; else after the last sweep."""
import re

import pytest
from programs import jacobi, jacobi_alone, read_report, reference, sets

DECK = """\
grid: {cells: [9, 7, 5]}
problem: {kind: laplace, faces: {x-: 1, y+: 0.5}}
solver: {iterations: 1000, check_every: 3, tolerance: 0.05}
report: {file: u.json}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "deck.yaml").write_text(DECK)
    return tmp_path


def test_same_sweep_on_any_number_of_ranks(folder):
    out, _ = reference("deck.yaml", "r.h5", folder)
    sweep = int(re.search(r"converged after (\d+) iterations", out)[1])
    jacobi_alone("deck.yaml", *sets(f"solver.iterations={sweep}", "solver.tolerance=0"), cwd=folder)
    fixed = read_report(folder / "u.json")
    for ranks, sync in [(1, "event"), (3, "barrier"), (5, "event")]:
        jacobi(ranks, "deck.yaml", *sets(f"comm.sync={sync}"), cwd=folder)
        report = read_report(folder / "u.json")
        assert report["converged"] and report["iterations"] == sweep and sweep % 3 == 0
        assert report["digest"] == fixed["digest"], "some rank did not stop there"
        assert report["checks"] == fixed["checks"], "the L2 norm, too, is the same for any decomposition"
        *before, last = [check["residual_max"] for check in report["checks"]]
        assert last <= 0.05 * before[0] < before[-1]


def test_checks(folder):
    for iterations, every, expected in [(7, 3, [0, 3, 6, 7]), (6, 3, [0, 3, 6]), (2, 50, [0, 2]), (0, 3, [0]), (5, 0, [5])]:
        counts = sets(f"solver.iterations={iterations}", f"solver.check_every={every}", "solver.tolerance=0")
        jacobi_alone("deck.yaml", *counts, cwd=folder)
        report = read_report(folder / "u.json")
        assert [check["iteration"] for check in report["checks"]] == expected
        assert report["iterations"] == iterations and report["converged"] is False


def test_only_at_the_end_never_stops_early(folder):
    jacobi_alone("deck.yaml", *sets("solver.check_every=0", "solver.iterations=200"), cwd=folder)
    report = read_report(folder / "u.json")
    assert report["iterations"] == 200 and report["converged"] is True
    jacobi_alone("deck.yaml", *sets("solver.check_every=0", "solver.iterations=4"), cwd=folder, status=4)


def test_zero_first_residual_has_converged(folder):
    jacobi(2, "deck.yaml", *sets("problem.faces={x-: 0, y+: 0}"), cwd=folder)
    report = read_report(folder / "u.json")
    assert report["converged"] is True and report["iterations"] == 0 and report["residual_max"] == 0
