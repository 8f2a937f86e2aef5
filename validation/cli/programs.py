"""Starting the built programs in tests: JACOBI_BUILD names the build folder (else build/ of the project)."""
import os
import pathlib
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


def run(command, cwd, status=0, timeout=60):
    """Runs a command, checks its exit status, and returns what it printed (stdout, stderr)."""
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, timeout=timeout, capture_output=True, text=True, env={**os.environ, **MPI_SETTINGS}
    )
    assert done.returncode == status, f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout, done.stderr


def reference(deck, out, cwd, **options):
    return run([BUILD / "reference", deck, "-o", out], cwd, **options)


def compare(*arguments, cwd, status=0):
    return run([BUILD / "compare", *arguments], cwd, status)


def jacobi(ranks, *arguments, cwd, **options):
    return run(["mpirun", "-np", ranks, BUILD / "jacobi", *arguments], cwd, **options)
