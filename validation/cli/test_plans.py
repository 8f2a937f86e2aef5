"""Shapes of passes: kept from run to run, measured anew, or given (device.plan)."""
import json

import pytest
import programs
from programs import jacobi, jacobi_alone, printed_digest, read_report, sets

HOST = sets("device.backend=host")
CUDA = sets("device.backend=cuda")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache of the test's own."""
    folder = tmp_path / "cache"
    monkeypatch.setattr(programs, "CACHE", folder)
    return folder


def document(**plan):
    return json.dumps({"schema": "jacobi-plan/1", "plan": plan})


@pytest.mark.parametrize("setting", ["auto", "measure", "plan.json"])
def test_host_has_nothing_to_choose(folder, cache, setting):
    (folder / "plan.json").write_text(document(chunk=5))
    out, _ = jacobi(2, "deck.yaml", *HOST, "--report", "u.json", *sets(f"device.plan={setting}"), cwd=folder)
    report = read_report(folder / "u.json")
    nobody = {"measured": 0, "cached": 0, "given": 0}
    assert report["plan"] == {"source": None, "file": None, "reason": "the back end host has nothing to choose", "ranks": nobody}
    assert report["deck"]["resolved"]["device"]["plan"] == setting
    assert ("\nplan           not applicable (the back end host" in out) == (setting != "auto")
    assert not cache.exists()


@pytest.mark.parametrize(
    "text, words",
    [
        (None, ["none.json", "No such file"]),
        ("", ["plan.json is no plan: not valid JSON", "line 1"]),
        ("chunk: 5", ["plan.json is no plan: not valid JSON", "line 1"]),
        ('{"schema": "jacobi-plan/0"}', ['plan.json is no plan: expected an object with "schema": "jacobi-plan/1", found "jacobi-plan/0"']),
        (document(chunk="5"), ["plan.json is no plan", "integers"]),
    ],
)
@pytest.mark.parametrize("ranks", [1, 3])
def test_file_that_is_no_plan(folder, ranks, text, words):
    if text is not None:
        (folder / "plan.json").write_text(text)
    settings = sets("device.plan=" + ("none.json" if text is None else "plan.json"), "report.file=u.json")
    out, err = jacobi(ranks, "deck.yaml", *settings, cwd=folder, status=2)
    assert out == "" and len(err.partition("\n---")[0].splitlines()) == 1, err
    assert err.startswith("jacobi: device.plan: ") and all(word in err for word in words), err
    assert not (folder / "u.json").exists()


def test_misspelt_word(folder):
    for setting, word in [("mesure", "measure"), ("Auto", "auto"), ("plans/p.json", None)]:
        _, err = jacobi_alone("deck.yaml", *sets(f"device.plan={setting}"), cwd=folder, status=2)
        assert f"device.plan: {setting}: cannot be read: No such file or directory" in err
        assert (f"did you mean {word}?" in err) if word else ("mean" not in err), err
    (folder / "mesure").write_text(document(chunk=5))
    jacobi_alone("deck.yaml", *HOST, *sets("device.plan=mesure"), cwd=folder)


def test_results_do_not_replace_it(folder):
    (folder / "plan.json").write_text(document(chunk=5))
    _, err = jacobi_alone("deck.yaml", *sets("device.plan=./plan.json", "report.file=plan.json"), cwd=folder, status=2)
    assert "device.plan" in err and "report.file" in err


def plan_of(folder, *settings, ranks=1):
    """A run on GPUs: what its report says of the plan and the shape of passes, and the digest."""
    more = sets("grid.cells=[70, 60, 50]", *settings)
    out, _ = jacobi(ranks, "deck.yaml", *CUDA, *more, "--report", "u.json", cwd=folder)
    report = read_report(folder / "u.json")
    assert f"\nplan           {report['plan']['source']}" in out
    return report["plan"], report["pass_shape"], printed_digest(out)


@pytest.mark.gpu
@pytest.mark.parametrize("depth", [1, 4])
def test_kept_from_run_to_run(folder, cache, depth):
    deep = f"solver.temporal_depth={depth}"
    plan, shape, digest = plan_of(folder, deep)
    (file,) = (cache / "jacobi" / "plans").iterdir()
    assert (plan["source"], plan["reason"], plan["file"]) == ("measured", "none was kept", str(file))
    assert plan_of(folder, deep)[0]["source"] == "cached"
    assert plan_of(folder, deep)[1:] == (shape, digest)
    assert plan_of(folder, deep, "solver.precision=float")[0]["source"] == "measured"
    assert plan_of(folder, deep, "device.plan=measure")[0]["reason"] == "asked for"

    kept = json.loads(file.read_text())
    kept["plan"]["warps"] = 999
    file.write_text(json.dumps(kept))
    plan, _, same = plan_of(folder, deep)
    assert (plan["source"], plan["reason"], same) == ("measured", "the one kept does not fit", digest)
    file.write_text("{")
    assert plan_of(folder, deep)[0]["reason"] == "what was kept is no plan"
    assert plan_of(folder, deep)[0]["source"] == "cached"


@pytest.mark.gpu
@pytest.mark.parametrize("depth", [1, 4])
def test_given(folder, cache, depth):
    deep = f"solver.temporal_depth={depth}"
    _, _, digest = plan_of(folder, deep)
    (file,) = (cache / "jacobi" / "plans").iterdir()
    given = json.loads(file.read_text())
    given["plan"].update({"chunk": 7} if depth == 1 else {"chunks": 9})
    (folder / "plan.json").write_text(json.dumps({"schema": given["schema"], "plan": given["plan"]}))
    plan, shape, same = plan_of(folder, deep, "device.plan=plan.json")
    assert (plan["source"], plan["file"], same) == ("given", "plan.json", digest)
    assert ("7 planes each" if depth == 1 else "9 chunks") in shape
    for settings in (["grid.cells=[70, 60, 6]"], [f"solver.temporal_depth={5 - depth}"]):
        wrong = sets("grid.cells=[70, 60, 50]", deep, "device.plan=plan.json", *settings)
        _, err = jacobi_alone("deck.yaml", *CUDA, *wrong, cwd=folder, status=1)
        assert "device.plan: plan.json does not fit" in err


@pytest.mark.gpu
def test_kept_nowhere(folder, cache):
    cache.write_text("a file")
    plan, _, _ = plan_of(folder)
    assert plan["source"] == "measured" and plan["file"] is None and "cannot be kept: Not a directory" in plan["reason"]


@pytest.mark.gpu
def test_ranks_that_write_at_once(folder, cache):
    """Two equal blocks, one key: both measure and keep, then both take what was kept."""
    split = ["comm.ranks=[1, 1, 2]", "solver.temporal_depth=1"]
    assert plan_of(folder, *split, ranks=2)[0]["ranks"]["given"] == 0
    assert len(list((cache / "jacobi" / "plans").iterdir())) == 1
    assert plan_of(folder, *split, ranks=2)[0]["ranks"] == {"measured": 0, "cached": 2, "given": 0}
