"""What scripts/gpu-record says of the commit that a record is about."""
import shutil
import subprocess

import pytest
from programs import BUILD, ROOT, run

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


def test_rehearsal_speaks_of_no_gpu(tmp_path):
    """What ran on the host's cores does not say that it ran on a GPU, under MPS or not."""
    command = [ROOT / "scripts/gpu-record", "--backend", "host", "--no-build", "--build", BUILD, "--commit", "393e1f0"]
    run([*command, "--only", "digests", "--only", "latency", "-o", "record.md"], tmp_path, timeout=200)
    lines = (tmp_path / "record.md").read_text().partition("\nResult:")[2]
    assert "MPS" not in lines and "one GPU" not in lines and "8 ranks, the host's cores" in lines, lines


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
