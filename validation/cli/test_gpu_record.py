"""What scripts/gpu-record says of the commit that a record is about, of what its lines ran on, of programs that are missing, and when it is
interrupted."""
import argparse
import contextlib
import importlib.machinery
import importlib.util
import os
import shutil
import signal
import subprocess
import sys

import pytest
from jobs import interrupted
from programs import ROOT, run, stub

# A section that starts no program where no two GPUs are visible.
QUICK = ["scripts/gpu-record", "--backend", "host", "--no-build", "--only", "several", "-o", "record.md"]
GIT = ["git", "-c", "user.name=nobody", "-c", "user.email=nobody@localhost"]


def git(tree, *arguments):
    return subprocess.run([*GIT, *arguments], cwd=tree, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A copy of the parts that the script needs, and the names of the programs, which QUICK does not start."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    (tmp_path / "build-gpu").mkdir()
    for program in ("jacobi", "bench", "doctor", "ipc_hello", "bits_test", "stress_test", "waits_test"):
        (tmp_path / "build-gpu" / program).touch()
    for folder in ("scripts", "validation/gpu", "validation/cli"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def said_commit(tree, *options):
    """What the record says, and what the script said of it."""
    _, err = run([*QUICK, *options], tree)
    (row,) = [line for line in (tree / "record.md").read_text().splitlines() if line.startswith("| commit |")]
    return row.removeprefix("| commit | ").removesuffix(" |"), err


@pytest.mark.parametrize("text", ["", "COMMIT", "HEAD", "unknown", "$(git describe)", "abc123", "deadbeef dirty"])
def test_no_commit(tree, text):
    _, err = run([*QUICK, "--commit", text], tree, status=2)
    assert f"'{text}' is no commit" in err and not (tree / "record.md").exists()


def test_no_programs(tree):
    (tree / "build-gpu" / "bits_test").unlink()
    _, err = run(QUICK, tree, status=2)
    assert err.endswith("gpu-record: no program bits_test in " + str(tree / "build-gpu") + ": leave out --no-build, or name another folder with --build\n"), err
    assert "jacobi" in run([*QUICK, "--build", "none"], tree, status=2)[1] and not (tree / "record.md").exists()


def test_wrong_options(tree):
    for option, text in [
        (["--architectures", "90"], "--architectures: nothing is compiled with --no-build\n"),
        (["-o", "/proc/none/r.md"], "gpu-record: -o: /proc/none/r.md: there is no folder /proc/none\n"),
        (["-o", "scripts/run/r.md"], "gpu-record: -o: scripts/run/r.md: there is no folder scripts/run\n"),
    ]:
        _, err = run([*QUICK, *option], tree, status=2)
        assert err.endswith(text) and "Traceback" not in err, err


@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted(tree, number, status):
    """The ranks are ended, and the record has the lines until then."""
    stub(tree / "build-gpu" / "ipc_hello", "sleep 1000")
    said = f"interrupted by {number.name} during ipc_hello on 2 ranks"
    found, out, err = interrupted(number, [*QUICK, "--only", "basics"], tree, str(tree / "build-gpu" / "ipc_hello"))
    assert found == status and f"\ngpu-record: {said}\n" in "\n" + err and "Traceback" not in err, err
    assert said in out and out.endswith("record: record.md\n"), out
    record = (tree / "record.md").read_text()
    assert "| one rank a GPU | not possible here |" in record and f"| {said} | **failed** | the lines from there on were not run |" in record


def test_interrupted_build(tree, monkeypatch):
    stub(tree / "bin" / "cmake", "sleep 1000; true")
    monkeypatch.setenv("PATH", f"{tree / 'bin'}:{os.environ['PATH']}")
    status, _, err = interrupted(signal.SIGTERM, [word for word in QUICK if word != "--no-build"], tree, "1000")
    assert status == 143 and err.endswith("\ngpu-record: interrupted by SIGTERM during the build\n"), err
    assert not (tree / "record.md").exists()


def test_rehearsal_speaks_of_no_gpu(tmp_path, monkeypatch):
    """What runs on the host's cores does not say that it runs on a GPU, under MPS or not: every section's lines, with programs that all fail."""
    loader = importlib.machinery.SourceFileLoader("gpu_record_script", str(ROOT / "scripts" / "gpu-record"))
    script = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    monkeypatch.setattr(sys, "path", list(sys.path))
    loader.exec_module(script)

    def fail(*_, **__):
        raise script.launch.Failure("a program", "", 1)

    for owner, name in ((script.launch, "call"), (script.launch.Launcher, "run"), (script.Failures, "strike")):
        monkeypatch.setattr(owner, name, fail)
    record = script.Record()
    session = script.Session(argparse.Namespace(backend="host", build=tmp_path), record, tmp_path)
    for section in script.SECTIONS:
        with contextlib.suppress(script.launch.Failure):
            script.SECTIONS[section](session)
    names = [*record.sections, *(line.name for line in record.lines() if line.note != "a rehearsal uses no GPUs")]
    assert len(names) > 100 and "bits_test on 8 ranks, the host's cores, one case in 8" in names, names
    assert not [name for name in names if "MPS" in name or "one GPU" in name or "a GPU" in name], names


def test_counters_of_ncu(monkeypatch):
    """Columns without numbers stand among the metrics, and figures of a pass in two launches are sums, or weighted by time."""
    monkeypatch.syspath_prepend(str(ROOT / "validation" / "gpu"))
    counters = importlib.import_module("gpu_record.counters")
    names = ["ID", "device__attribute_cc__mode", *counters.METRICS]
    rows = [names, ["", "", *["unit"] * 7], ["0", "No-CC", "1,600", "800", "100", "80", "10", "30", "1000"], ["1", "No-CC", "800", "400", "50", "50", "40", "60", "500"]]
    seen = counters.launches("==PROF== noise\n" + "\n".join(",".join(f'"{word}"' for word in row) for row in rows))
    assert list(counters.figures(seen, 300).values()) == ["8.00", "4.00", "16.00", "70", "20", "40", "2"]


def test_copy_without_git(tree):
    said, err = said_commit(tree)
    assert said.startswith("unknown (") and "its commit is unknown" in err
    assert said_commit(tree, "--commit", "v0.1.0-3-g393e1f0a-dirty") == ("v0.1.0-3-g393e1f0a-dirty", "")


def test_copy_that_was_made_a_repository(tree):
    git(tree, "init", "-q")
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "-m", "a copy")
    assert said_commit(tree)[0].startswith("unknown (")
    assert said_commit(tree, "--commit", "393e1f0") == ("393e1f0", "")


def test_checkout(tree):
    git(tree, "init", "-q")
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "-m", "one")
    git(tree, "commit", "-q", "--allow-empty", "-m", "two")
    head = git(tree, "rev-parse", "HEAD")
    said, _ = said_commit(tree)
    assert head.startswith(said) and len(said) >= 7
    (tree / "scripts" / "run").write_text("changed")
    assert said_commit(tree)[0] == said + "-dirty"
    assert said_commit(tree, "--commit", head)[0] == head
    assert said_commit(tree, "--commit", "393e1f0")[0] == f"393e1f0 (as --commit says; HEAD here is {said}-dirty)"
