"""Starting the built programs in tests: JACOBI_BUILD names the build folder (else build/ of the project)."""
import json
import os
import pathlib
import re
import subprocess

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


def environment():
    return {**os.environ, **MPI_SETTINGS}


def run(command, cwd, status=0, timeout=60):
    """Runs a command, checks its exit status, and returns what it printed (stdout, stderr)."""
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, timeout=timeout, capture_output=True, text=True, env=environment()
    )
    assert done.returncode == status, f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout, done.stderr


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
