"""compare and reference: verdicts, exit statuses and what they print."""
import shutil

import h5py
import numpy as np
import pytest
from programs import BUILD, compare, reference, run

DECK = """\
grid: {cells: [6, 5, 4]}
problem: {kind: random, seed: 3}
solver: {iterations: 4, check_every: 2, precision: double}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "deck.yaml").write_text(DECK)
    reference("deck.yaml", "a.h5", tmp_path)
    shutil.copy(tmp_path / "a.h5", tmp_path / "b.h5")
    return tmp_path


def mixed(h):
    """The digest's 64-bit mixer, in Python's integers."""
    mask = 2**64 - 1
    h = ((h ^ (h >> 30)) * 0xBF58476D1CE4E5B9) & mask
    h = ((h ^ (h >> 27)) * 0x94D049BB133111EB) & mask
    return h ^ (h >> 31)


def digest(values):
    bits = np.where(np.isnan(values), np.float64("nan"), values).ravel().view(np.uint64)
    return sum(mixed(mixed((i + 0x9E3779B97F4A7C15) % 2**64) ^ int(b)) for i, b in enumerate(bits)) % 2**64


def change(path, cell, value, sign=True):
    """Sets one cell (x, y, z); with `sign` the digest too, as a program would that meant to."""
    with h5py.File(path, "r+") as file:
        file["u"][cell[2], cell[1], cell[0]] = value
        if sign:
            file.attrs["digest"] = f"{digest(file['u'][()]):016x}"


def test_equal(folder):
    out, _ = compare("a.h5", "b.h5", cwd=folder)
    assert "differing cells: 0 of 120\n" in out and "equal: bit for bit\n" in out
    with h5py.File(folder / "a.h5", "r") as file:
        assert f"digest {digest(file['u'][()]):016x}\n" in out, "the digest as DESIGN defines it, computed independently"


def test_different_cell(folder):
    with h5py.File(folder / "a.h5", "r") as file:
        before = file["u"][3, 1, 2]
    change(folder / "b.h5", (2, 1, 3), before + 0.25)
    out, _ = compare("a.h5", "b.h5", cwd=folder, status=3)
    assert "differing cells: 1 of 120\n" in out and "at x y z = 2 1 3: " in out and out.endswith("different\n")
    out, _ = compare("a.h5", "b.h5", "--tolerance", "0.26", cwd=folder)
    assert "equal: within 0.26\n" in out
    out, _ = compare("a.h5", "b.h5", "--tolerance", "0.24", cwd=folder, status=3)
    assert "different: by more than 0.24\n" in out


def test_last_bit(folder):
    with h5py.File(folder / "a.h5", "r") as file:
        before = file["u"][3, 4, 5]
    change(folder / "b.h5", (5, 4, 3), np.nextafter(before, 2))
    out, _ = compare("a.h5", "b.h5", cwd=folder, status=3)
    assert "differing cells: 1 of 120\n" in out


def test_negative_zero_differs_by_nothing(folder):
    change(folder / "a.h5", (0, 0, 0), 0.0)
    change(folder / "b.h5", (0, 0, 0), -0.0)
    out, _ = compare("a.h5", "b.h5", cwd=folder, status=3)
    assert "differing cells: 1 of 120\nlargest difference: 0 at" in out
    compare("a.h5", "b.h5", "--tolerance", "0", cwd=folder)


def test_nan(folder):
    change(folder / "a.h5", (1, 0, 0), np.float64("nan"))
    out, _ = compare("a.h5", "b.h5", "--tolerance", "1e300", cwd=folder, status=3)
    assert "largest difference: inf at x y z = 1 0 0: nan and" in out
    change(folder / "b.h5", (1, 0, 0), -np.array([0x7FF8DEAD00000000], np.uint64).view(np.float64)[0])
    compare("a.h5", "b.h5", cwd=folder)


def test_damaged(folder):
    change(folder / "a.h5", (1, 2, 3), 5.0, sign=False)
    shutil.copy(folder / "a.h5", folder / "b.h5")
    out, _ = compare("a.h5", "b.h5", "--tolerance", "10", cwd=folder, status=3)
    assert "a.h5: damaged" in out and "b.h5: damaged" in out and "differing cells: 0" in out


def test_other_kinds(folder):
    (folder / "shape.yaml").write_text(DECK.replace("[6, 5, 4]", "[4, 5, 6]"))
    (folder / "float.yaml").write_text(DECK.replace("double", "float"))
    reference("shape.yaml", "shape.h5", folder)
    reference("float.yaml", "float.h5", folder)
    out, _ = compare("a.h5", "shape.h5", cwd=folder, status=3)
    assert "different: 6 x 5 x 4 double and 4 x 5 x 6 double\n" in out
    compare("a.h5", "float.h5", "--tolerance", "10", cwd=folder, status=3)
    compare("float.h5", "float.h5", cwd=folder)


def test_unusable(folder):
    (folder / "text.h5").write_text("no HDF5")
    for arguments, words in [
        (["a.h5", "none.h5"], ["none.h5", "No such file"]),
        (["text.h5", "a.h5"], ["text.h5"]),
        (["a.h5"], ["required"]),
        (["a.h5", "b.h5", "--tolerance", "-1"], ["tolerance"]),
        (["a.h5", "b.h5", "--tolerance", "nan"], ["tolerance"]),
        (["a.h5", "b.h5", "--what"], ["--what"]),
    ]:
        _, err = compare(*arguments, cwd=folder, status=2)
        assert all(word in err for word in words), err


def test_reference_stops(folder):
    out, _ = reference("deck.yaml", "a.h5", folder)
    assert [line.split()[1] for line in out.splitlines() if line.startswith("sweep")] == ["0", "2", "4"]
    tolerance = [BUILD / "reference", "deck.yaml", "--set"]
    out, _ = run([*tolerance, "solver.tolerance=1e-9"], folder, status=4)
    assert "tolerance not reached" in out
    out, _ = run([*tolerance, "solver.tolerance=0.99", "--set", "solver.iterations=1000", "--set", "solver.check_every=7"], folder)
    assert "converged after 7 iterations" in out
    _, err = run([BUILD / "reference", "none.yaml"], folder, status=2)
    assert "none.yaml" in err
    _, err = run([BUILD / "reference", "deck.yaml", "-o", "none/a.h5"], folder, status=2)
    assert "folder none" in err
    deck = (folder / "deck.yaml").read_bytes()
    (folder / "link.yaml").symlink_to("deck.yaml")
    for name in ("deck.yaml", "link.yaml", "../" + folder.name + "/deck.yaml"):
        _, err = run([BUILD / "reference", "deck.yaml", "-o", name], folder, status=2)
        assert f"{name} is the deck too" in err
    assert (folder / "deck.yaml").read_bytes() == deck
    keep = ["--set", "output.file=u.h5", "--set", "output.overwrite=false"]
    _, err = run([BUILD / "reference", "deck.yaml", "-o", "a.h5", *keep], folder, status=2)
    assert "a.h5 exists" in err
