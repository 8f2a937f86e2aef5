"""scripts/plot draws snapshots and reports, names the picture, and says what it cannot use."""
import json

import pytest
from matplotlib import image
from programs import ROOT, reference, run

PLOT = ROOT / "scripts" / "plot"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "deck.yaml").write_text("grid: {cells: [9, 6, 4]}\nproblem: {kind: random}\nsolver: {iterations: 1}\n")
    reference("deck.yaml", "u.vtkhdf", tmp_path)
    report = {"schema": "jacobi-report/1", "cells": [9, 6, 4], "ranks": 2, "phases": {"interior": 1, "wait": 1, "boundary": 0}}
    (tmp_path / "u.json").write_text(json.dumps(report))
    return tmp_path


def colours(path):
    """Number of colours in the middle of a picture: of the field, without the colour bar."""
    picture = image.imread(path)
    height, width = picture.shape[:2]
    picture = picture[height * 3 // 10 : height * 6 // 10, width * 2 // 10 : width * 7 // 10]
    return len({tuple(pixel) for pixel in picture.reshape(-1, picture.shape[-1]).tolist()})


def test_snapshot(folder):
    out, _ = run([PLOT, "u.vtkhdf"], folder)
    assert out == "u.png\n"
    assert colours(folder / "u.png") >= 8
    out, _ = run([PLOT, "u.vtkhdf", "-o", "z.png", "--axis", "z", "--index", "3"], folder)
    assert out == "z.png\n" and (folder / "z.png").exists()


def test_report(folder):
    out, _ = run([PLOT, "u.json"], folder)
    assert out == "u_phases.png\n"
    assert colours(folder / "u_phases.png") >= 2


def test_unusable(folder):
    (folder / "text").write_text("text")
    (folder / "other.json").write_text("{}")
    for arguments, words in [
        (["none.vtkhdf"], ["none.vtkhdf: No such file"]),
        (["text"], ["text: neither an HDF5 file nor JSON"]),
        (["other.json"], ["other.json: no jacobi report"]),
        (["u.vtkhdf", "--index", "6"], ["axis y has cells 0 to 5"]),
        (["u.vtkhdf", "-o", "none/u.png"], ["none/u.png"]),
        (["u.json", "--axis", "z"], ["u.json: --axis and --index are for snapshots"]),
        (["u.json", "--index", "0"], ["u.json: --axis and --index are for snapshots"]),
    ]:
        _, err = run([PLOT, *arguments], folder, status=2)
        assert all(word in err for word in words) and "Traceback" not in err, err
