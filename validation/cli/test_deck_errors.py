"""Faults of a deck reach the user through mpirun once, on standard error, each with its place: not once a rank."""
import re

import pytest
from programs import jacobi

CASES = {
    "unknown": (
        "grid: {cells: [9, 7, 5]}\nsolver: {iterations: 3, tolerence: 1}\n",
        [r"deck.yaml:2:25: solver\.tolerence: unknown key.*solver\.tolerance"],
    ),
    "duplicate": (
        "grid:\n  cells: [9, 7, 5]\n  length: [1, 1, 1]\n  cells: [8, 7, 5]\nsolver: {iterations: 3}\n",
        [r"deck.yaml:4:3: grid\.cells: duplicate key.*line 2, column 3"],
    ),
    "several": (
        "grid: {cells: [9, 0, 5]}\nproblem: {kind: heat}\nsolver: {iterations: many, precision: double}\n",
        [
            r"deck.yaml:1:19: grid\.cells\[1\]: expected an integer >= 1, found \"0\"",
            r"deck.yaml:2:17: problem\.kind: expected .*laplace.*found \"heat\"",
            r"deck.yaml:3:22: solver\.iterations: expected an integer.*found \"many\"",
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_once_with_its_place(tmp_path, name):
    deck, faults = CASES[name]
    (tmp_path / "deck.yaml").write_text(deck)
    out, err = jacobi(3, "deck.yaml", cwd=tmp_path, status=2)
    assert out == ""
    found = [line for line in err.splitlines() if "deck.yaml" in line]
    assert len(found) == len(faults), err
    for line, fault in zip(found, faults):
        assert re.fullmatch(fault, line), f"{line}\nis not {fault}"
