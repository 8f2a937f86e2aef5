"""Starting the built programs in tests: JACOBI_BUILD names the build folder (else build/ of the project)."""
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("JACOBI_BUILD", ROOT / "build"))

# As scripts/run explains them: root, and more ranks than cores.
MPI_SETTINGS = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}

# Instead of the user's: what programs keep from run to run.
CACHE = pathlib.Path(tempfile.gettempdir()) / "jacobi-tests-cache"


def environment():
    return {**os.environ, **MPI_SETTINGS, "XDG_CACHE_HOME": str(CACHE)}


def run(command, cwd, status=0, timeout=60):
    """Runs a command, checks its exit status, and returns what it printed (stdout, stderr)."""
    command = [str(word) for word in command]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    # In a session of its own, so that its end reaches mpirun behind a launcher; mpirun then ends its ranks.
    with subprocess.Popen(command, cwd=cwd, text=True, env=environment(), start_new_session=True, **pipes) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except BaseException:
            os.killpg(process.pid, signal.SIGTERM)
            out, err = process.communicate()
            print(out, err)
            raise
    assert process.returncode == status, f"{command} ended with {process.returncode}\n{out}\n{err}"
    return out, err


def stub(path, text):
    """A program that does what the text, shell commands, says."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def reference(deck, out, cwd, **options):
    return run([BUILD / "reference", deck, "-o", out], cwd, **options)


def compare(*arguments, cwd, status=0):
    return run([BUILD / "compare", *arguments], cwd, status)


def jacobi(ranks, *arguments, cwd, launcher=(), **options):
    """Runs jacobi under mpirun; `launcher` is a command that goes before mpirun."""
    return run([*launcher, "mpirun", "-np", ranks, BUILD / "jacobi", *arguments], cwd, **options)


def jacobi_alone(*arguments, cwd, **options):
    """Runs jacobi as one process without mpirun, which is quicker."""
    return run([BUILD / "jacobi", *arguments], cwd, **options)


def sets(*settings):
    """The arguments that set keys of the deck: sets("solver.iterations=3")."""
    return [word for setting in settings for word in ("--set", setting)]


def printed_digest(out):
    """The digest in what jacobi printed, which has exactly one."""
    (digest,) = re.findall(r"^digest +([0-9a-f]{16})$", out, re.MULTILINE)
    return digest


def read_report(path):
    return json.loads(path.read_text(encoding="utf-8"))
