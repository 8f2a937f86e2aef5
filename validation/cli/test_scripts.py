"""scripts/run, test and lint: what they refuse, in one line, before they install or build anything; and a run that is ended."""
import os
import shutil
import signal

import pytest
from jobs import interrupted
from programs import ROOT, run, stub


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """The scripts in a folder of their own, with programs that do nothing instead of those that install and build."""
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    for name in ("apt-get", "cmake", "ctest", "clang-tidy", "mpicxx", "ninja"):
        stub(tmp_path / "bin" / name, "exit 0")
    stub(tmp_path / "bin" / "dpkg-query", 'printf "installed %s\\n" "$@"')
    stub(tmp_path / "bin" / "mpirun", 'test "$1" = --version && exit\necho "$@"\ntrap "kill \\$!; exit 143" TERM\nsleep 1000 &\nwait')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    return tmp_path


@pytest.mark.parametrize(
    "command, text",
    [
        ("run -np two --", "run: -np: expected a number of ranks, found 'two'"),
        ("run -np 0 -- deck.yaml", "run: -np: expected a number of ranks, found '0'"),
        ("run -n -2 --", "run: -n: expected a number of ranks, found '-2'"),
        ("run -np 08 --", "run: -np: expected a number of ranks, found '08'"),
        ("run --bind-to none -np --", "run: -np: expected a number of ranks, found ''"),
        ("run -np 2", "run: -np is an option of mpirun, and those come first and end with --"),
        ("run --no-install -np 2", "run: -np is an option of mpirun, and those come first and end with --"),
        ("test unit", "test: 'unit' is no option, and ctest would ignore it and run everything: -R unit selects tests by name"),
        ("lint --fixx", "lint: no such option: --fixx"),
        ("lint --fix app", "lint: no such option: --fix app"),
    ],
)
def test_refused(tree, command, text):
    script, *arguments = command.split()
    out, err = run([f"scripts/{script}", *arguments], tree, status=2)
    assert (out, err) == ("", f"{text} (scripts/{script} --help)\n")
    assert not (tree / "build").exists()


def test_a_run_that_is_ended(tree):
    """A signal to the script alone, as a batch system sends it, ends the job."""
    status, out, _ = interrupted(signal.SIGTERM, ["scripts/run", "--no-install", "-np", "2", "--", "deck.yaml"], tree, "1000")
    assert (status, out) == (143, "-np 2 ./jacobi deck.yaml\n")
