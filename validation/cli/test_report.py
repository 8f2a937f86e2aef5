"""The report of a run (JSON) and its line in a table (CSV)."""
import csv
import math
import re

import pytest
from documented import documented, keys_of
from programs import jacobi, jacobi_alone, read_report, sets

# INTERFACE.md, "Report"
KEYS = """version git host ranks nodes backend devices precision cells decomposition sync overlap temporal_depth edges
iterations converged residual_max residual_l2 digest time_s us_per_iteration glups phases bound verification deck""".split()

OPPOSITE = {axis + side: axis + other for axis in "xyz" for side, other in ["-+", "+-"]}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    deck = "grid: {cells: [9, 7, 8], periodic: [true, false, true]}\nproblem: {kind: eigenmode}\nsolver: {iterations: 40}\n"
    (folder / "deck.yaml").write_text(deck)
    settings = sets("comm={ranks: [1, 2, 2], sync: barrier, overlap: false}", "device.backend=host", "output.file=u.vtkhdf")
    jacobi(4, "deck.yaml", "--report", "u.json", *settings, cwd=folder)
    return read_report(folder / "u.json")


def test_keys(report):
    assert report["schema"] == "jacobi-report/1"
    assert [key for key in KEYS if key not in report] == []
    assert {"setup", "solve", "output", "total"} <= report["time_s"].keys()
    assert {"interior", "boundary", "wait"} <= report["phases"].keys()
    assert {"copy_gbs", "one_pass_glups", "share"} <= report["bound"].keys()
    assert {"kind", "passed", "error"} <= report["verification"].keys()


def test_every_key_is_documented(report):
    """And nothing else is. The resolved deck's keys are those of decks."""
    written = {re.sub(r"^transports\.\w+", "transports.NAME", re.sub(r"^(deck\.resolved)\..*", r"\1", key)) for key in keys_of(report)}
    assert written == documented("Keys of the report")


def test_configuration(report):
    expected = {
        "ranks": 4,
        "nodes": 1,
        "backend": "host",
        "precision": "double",
        "cells": [9, 7, 8],
        "decomposition": [1, 2, 2],
        "sync": "barrier",
        "overlap": False,
        "temporal_depth": 1,
        "iterations": 40,
        "converged": False,
        "files": ["u.vtkhdf"],
    }
    assert {key: report[key] for key in expected} == expected
    resolved = report["deck"]["resolved"]
    assert resolved["solver"]["check_every"] == 50, "defaults are filled in"
    assert resolved["comm"]["sync"] == "barrier" and resolved["report"]["file"] == "u.json", "options, too"


def test_edges(report):
    edges = {(edge["rank"], edge["direction"]): edge for edge in report["edges"]}
    assert len(edges) == len(report["edges"]) == 4 * (2 + 1 + 2), "x and z are periodic, y has one neighbour"
    for (rank, direction), edge in edges.items():
        back = edges[edge["neighbour"], OPPOSITE[direction]]
        assert back["neighbour"] == rank and back["transport"] == edge["transport"] and edge["reason"]
        assert edge["transport"] == ("self" if edge["neighbour"] == rank else "shm")
        assert (edge["neighbour"] == rank) == (direction[0] == "x")


def test_traffic(report):
    """Cells of the faces between ranks, both ways: one between the two ranks along y, two along z, whose ends meet."""
    between, selves = 2 * 9 * 8 + 4 * 9 * 7, 2 * 7 * 8
    assert report["transports"] == {
        "shm": {"edges": 12, "bytes_per_sweep": 8.0 * between},
        "self": {"edges": 8, "bytes_per_sweep": 8.0 * selves},
    }
    for transport, traffic in report["transports"].items():
        assert traffic["bytes_per_sweep"] == sum(e["bytes_per_sweep"] for e in report["edges"] if e["transport"] == transport)


def test_rates(report):
    seconds = report["time_s"]
    assert report["glups"] == pytest.approx(9 * 7 * 8 * 40 / seconds["solve"] / 1e9)
    assert report["us_per_iteration"] == pytest.approx(seconds["solve"] / 40 * 1e6)
    assert report["bound"]["one_pass_glups"] == pytest.approx(report["bound"]["copy_gbs"] / 16)
    assert report["bound"]["share"] == pytest.approx(report["glups"] / report["bound"]["one_pass_glups"])
    assert 0 < seconds["setup"] + seconds["solve"] + seconds["output"] <= seconds["total"]


def rates(peer):
    return [peer["copy_gbs"], *(peer["store_gbs"][axis] for axis in "xyz")]


def plausible(peer):
    """Neither zero nor faster than any memory, and a flag between nanoseconds and what the slowest of schedulers makes of it."""
    return all(1e-4 < rate < 1e5 for rate in rates(peer)) and 1e-3 < peer["flag_us"] < 1e5


def test_peer_memory(folder):
    """Between two ranks; a rank's own where it has no other neighbour; not without neighbours, and none of it takes long."""
    larger = "grid.cells=[20, 18, 16]"
    for ranks, settings, memory in [
        (2, ["comm.ranks=[1, 1, 2]"], "shm"),
        (3, ["comm.ranks=[3, 1, 1]", "grid.periodic=[true, true, false]"], "shm"),
        (1, ["grid.periodic=[true, true, true]"], "self"),
    ]:
        jacobi(ranks, "deck.yaml", "--report", "u.json", *sets("device.backend=host", larger, *settings), cwd=folder)
        peer = read_report(folder / "u.json")["bound"]["peer"]
        assert peer["memory"] == memory and peer["reason"] == "" and plausible(peer), peer
    jacobi_alone("deck.yaml", "--report", "u.json", *sets("device.backend=host", larger), cwd=folder)
    peer = read_report(folder / "u.json")["bound"]["peer"]
    assert peer["memory"] is None and peer["flag_us"] is None and rates(peer) == [None] * 4
    assert "no rank has a neighbour" in peer["reason"]


def test_residual_of_the_stored_field(report):
    """Of an eigenmode the residual is mu times the field, and its L2 norm that of the sine product."""
    wave = [2 * math.pi / 9, math.pi / 8, 2 * math.pi / 8]
    weight = [9**2, 8**2, 8**2]
    eigenvalue = sum(w * math.cos(a) for w, a in zip(weight, wave)) / sum(weight)
    mu = 2 * sum(weight) * (1 - eigenvalue)
    # Mean of sin^2 over an axis' cells: 1/2 on a periodic one, (n + 1)/(2n) between faces.
    mean = 0.5 * (8 / (2 * 7)) * 0.5
    assert report["residual_l2"] == pytest.approx(mu * eigenvalue**40 * math.sqrt(mean), rel=1e-9)
    largest = math.prod(max(math.sin(a * i) for i in range(1, n + 1)) for a, n in zip(wave, [9, 7, 8]))
    assert report["residual_max"] == pytest.approx(mu * eigenvalue**40 * largest, rel=1e-9)


def test_option_takes_precedence(folder):
    jacobi_alone("deck.yaml", "--report", "b.json", *sets("report.file=a.json"), cwd=folder)
    assert read_report(folder / "b.json")["deck"]["overrides"] == ["report.file=a.json"]
    assert not (folder / "a.json").exists() and not list(folder.glob("*.part"))


def test_csv_grows_by_a_line_a_run(folder):
    for ranks in [1, 2]:
        jacobi(ranks, "deck.yaml", *sets("report={csv: u.csv, file: u.json}"), cwd=folder)
    header, *lines = (folder / "u.csv").read_text().splitlines()
    assert len(lines) == 2 and set(header.split(",")) == documented("CSV")
    with open(folder / "u.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["ranks"] for row in rows] == ["1", "2"]
    assert rows[0]["digest"] == rows[1]["digest"] == read_report(folder / "u.json")["digest"]


def test_foreign_csv_is_left_alone(folder):
    (folder / "u.csv").write_text("a,b\n1,2\n")
    _, err = jacobi_alone("deck.yaml", *sets("report.csv=u.csv"), cwd=folder, status=1)
    assert "u.csv" in err and "header" in err
    assert (folder / "u.csv").read_text() == "a,b\n1,2\n"
