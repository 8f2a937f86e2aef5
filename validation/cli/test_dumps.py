"""output.every: a file a dump, each the field of its sweep, and an index that ParaView reads as a series in time."""
import json

import h5py
from programs import compare, jacobi, jacobi_alone, read_report, sets


def series(folder, name):
    """The dumps' names and times in an index."""
    index = json.loads((folder / f"{name}.vtkhdf.series").read_text())
    assert index["file-series-version"] == "1.0"
    return [(entry["name"], entry["time"]) for entry in index["files"]]


def test_one_file_a_dump(folder):
    (folder / "out").mkdir()
    out, _ = jacobi(3, "deck.yaml", *sets("output={file: out/u.vtkhdf, every: 3}", "report.file=u.json"), cwd=folder)
    names = ["u_000003.vtkhdf", "u_000006.vtkhdf", "u_000007.vtkhdf"]
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["u.vtkhdf.series", *names]
    assert series(folder / "out", "u") == list(zip(names, [3, 6, 7]))
    report = read_report(folder / "u.json")
    assert report["files"] == [f"out/{name}" for name in [*names, "u.vtkhdf.series"]]
    assert all(file in out for file in report["files"])

    for sweep, name in zip([3, 6, 7], names):
        alone = sets(f"solver.iterations={sweep}", "output.file=alone.vtkhdf", "report.file=alone.json")
        jacobi_alone("deck.yaml", *alone, cwd=folder)
        compare(f"out/{name}", "alone.vtkhdf", cwd=folder)
        with h5py.File(folder / "out" / name, "r") as file:
            attributes = file.attrs
            assert (attributes["iteration"], attributes["ranks"], attributes["precision"]) == (sweep, 3, "double")
            assert attributes["digest"] == read_report(folder / "alone.json")["digest"]
            assert attributes["residual_max"] == read_report(folder / "alone.json")["residual_max"]
            assert attributes["version"] == report["version"] and attributes["git"] == report["git"]
            assert attributes["decomposition"].tolist() == report["decomposition"]


def test_sweeps_that_are_no_checks(folder):
    """A dump between two checks has a residual of its own, and leaves the checks as they were."""
    settings = sets("output={file: u.h5, every: 5}", "solver.check_every=3", "report.file=u.json")
    jacobi_alone("deck.yaml", *settings, cwd=folder)
    assert [check["iteration"] for check in read_report(folder / "u.json")["checks"]] == [0, 3, 6, 7]
    with h5py.File(folder / "u_000005.h5", "r") as file:
        residual = file.attrs["residual_max"]
    jacobi_alone("deck.yaml", *sets("solver.iterations=5", "report.file=u.json"), cwd=folder)
    assert read_report(folder / "u.json")["residual_max"] == residual


def test_converged_at_a_dump(folder):
    goal = sets("solver={iterations: 100, tolerance: 0.5}", "output={file: u.h5, every: 1}", "report.file=u.json")
    jacobi_alone("deck.yaml", *goal, cwd=folder)
    last = read_report(folder / "u.json")["iterations"]
    names = [f"u_{sweep:06}.h5" for sweep in range(1, last + 1)]
    assert read_report(folder / "u.json")["files"] == [*names, "u.vtkhdf.series"], "each dump once"
    assert [name for name, _ in series(folder, "u")] == names


def test_no_sweep(folder):
    jacobi(2, "deck.yaml", *sets("solver.iterations=0", "output={file: u.h5, every: 5}"), cwd=folder)
    assert series(folder, "u") == [("u_000000.h5", 0)]
    compare("u_000000.h5", "u_000000.h5", cwd=folder)


def test_compressed(folder):
    jacobi(3, "deck.yaml", *sets("output={file: u.h5, compression: 4}"), cwd=folder)
    jacobi_alone("deck.yaml", *sets("output.file=v.h5"), cwd=folder)
    compare("u.h5", "v.h5", cwd=folder)
    with h5py.File(folder / "u.h5", "r") as file:
        assert file["u"].compression == "gzip"
