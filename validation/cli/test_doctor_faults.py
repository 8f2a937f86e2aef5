"""The doctor on machines made ill: `doctor_faults` is the same program with failures injected by JACOBI_FAULT (app/doctor/faults.hpp).
It names what fails, and always ends."""
import json
import re

import pytest
from doctoring import doctor, only_failure, verdict


def faulty(ranks, fault, *arguments, cwd):
    """Runs doctor_faults on the host's memory: it must fail in time, and leave nothing running."""
    env = {"JACOBI_FAULT": fault, "CUDA_VISIBLE_DEVICES": ""}
    # Seconds a step, which healthy ranks must not need on a busy machine either. Without limits it would not end at all.
    return doctor(ranks, "--timeout", "2", *arguments, cwd=cwd, env=env, program="doctor_faults", status=1, timeout=120)


@pytest.mark.parametrize(
    "fault, step, text",
    [
        ("drop_writes:1", "data", r"of what rank 1 stored, \d+ of \d+ words did not arrive at rank 0"),
        ("drop_flags:1", "flags", r"flags do not: flag 1 of rank 1 has not arrived at rank 0"),
        ("no_ipc:1", "memory", r"memory cannot be opened: opening refused"),
    ],
)
def test_pairs_that_fail(tmp_path, fault, step, text):
    """Of three ranks, the pairs with rank 1 fail, the other one works."""
    out, _ = faulty(3, fault, "--json", "d.json", cwd=tmp_path)
    assert re.search(text, only_failure(out, "pairs"))
    verdict(out, "FAIL")
    document = json.loads((tmp_path / "d.json").read_text())
    assert document["full_function"] is False
    for pair in document["pairs"]:
        ill = pair["from"] == 1 if step == "data" else 1 in (pair["from"], pair["to"])
        assert (pair[step]["state"] == "failed") == ill, pair
        assert 1 in (pair["from"], pair["to"]) or pair["flags"]["state"] == "ok", pair


def test_all_writes_dropped(tmp_path):
    out, _ = faulty(2, "drop_writes", cwd=tmp_path)
    assert "data does not arrive" in only_failure(out, "pairs")
    assert len(re.findall(r"^ +\d(?: +(?:-|FAIL))+$", out, re.MULTILINE)) == 6, "no figure for what did not arrive"


@pytest.mark.parametrize("step", ["facts", "nodes", "shared window", "pairs on the host", "inside pairs on the host", "the end"])
def test_rank_that_hangs(tmp_path, step):
    """It is named with the step, and the other two are examined all the same."""
    out, err = faulty(3, f"hang:1:{step}", "--json", "d.json", cwd=tmp_path)
    text = only_failure(out, "ranks")
    assert re.match(r"rank 1 .*did not report from the step \"" + step.removeprefix("inside ") + '"', text), text
    assert step == "facts" or ", stopped)" in text
    assert "ranks are lost" in err
    document = json.loads((tmp_path / "d.json").read_text())
    working = {(p["from"], p["to"]) for p in document["pairs"] if p["flags"]["state"] == "ok"}
    assert {(0, 2), (2, 0)} <= working
    assert document["ranks"][1]["lost"] != "" and document["ranks"][2]["lost"] == ""


@pytest.mark.parametrize("step", ["finding out which ranks share memory", "making a shared window"])
def test_rank_that_hangs_in_a_collective_call(tmp_path, step):
    """Rank 0 is stuck in it, too: the report comes from its watchdog."""
    out, err = faulty(3, f"hang:2:inside {step}", cwd=tmp_path)
    text = only_failure(out, "ranks")
    assert f'the step "{step}" did not end' in text and re.search(r"; rank 2 \(\S+, process \d+, stopped\)", text)
    assert f"rank 0: {step} has not ended within its limit" in err


def test_rank_0_hangs(tmp_path):
    _, err = faulty(2, "hang:0:nodes", cwd=tmp_path)
    assert re.search(r"rank 1 on \S+: rank 0 has not called the roll of step \"nodes\"", err)
