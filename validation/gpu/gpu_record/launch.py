"""Starting the built programs under mpirun, each with a time limit."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess

# Root, and more ranks than cores, are fine here; a rank's threads may use all cores. What is set already stays.
MPI_SETTINGS = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
}

# Run by each rank in front of its program: the ORDER's entry of its node rank is the one GPU that it sees.
ONE_VISIBLE = ["sh", "-c", 'export CUDA_VISIBLE_DEVICES=$(echo "$ORDER" | cut -d, -f$((OMPI_COMM_WORLD_LOCAL_RANK + 1))); exec "$@"', "sh"]


class Failure(Exception):
    """A program that did not do what it should; `output` is the end of what it printed, `status` its exit status if that is it."""

    def __init__(self, message, output, status=None):
        super().__init__(message)
        self.output = output
        self.status = status


class Skipped(Exception):
    """The program says that it cannot run here (exit status 77)."""


def call(command, timeout, env=None, cwd=None):
    """Runs a command; returns (status, output), with status 127, as shells have it, where it cannot be started. Past the limit it is
    ended, with all that it started, and the status is None. Whatever else ends the wait, a signal for one, leaves nothing of it either."""
    try:
        process = subprocess.Popen(
            [str(word) for word in command], env=env, cwd=cwd, text=True, errors="replace", start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
    except OSError as fault:
        return 127, f"{fault.filename}: {fault.strerror}"
    try:
        output, _ = process.communicate(timeout=timeout)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        return None, _end(process)
    except BaseException:
        _end(process)
        raise


def _end(process):
    """Ends a process and its group; returns what they printed."""
    for number in (signal.SIGTERM, signal.SIGKILL):  # mpirun ends its ranks, which have process groups of their own
        with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
            os.killpg(process.pid, number)
            return process.communicate(timeout=10)[0]
    return "(a process that could not be ended holds the output)"


class Launcher:
    """Starts programs of a build folder on the back end that the record is about."""

    root = pathlib.Path(__file__).resolve().parents[3]

    def __init__(self, build, backend, scratch):
        self.build = pathlib.Path(build).resolve()
        self.backend = backend
        self.scratch = pathlib.Path(scratch)
        # Shapes of passes are measured by every run, and what is kept of them is not the user's: figures depend on no earlier run.
        self.env = {**MPI_SETTINGS, **os.environ, "XDG_CACHE_HOME": str(self.scratch / "cache")}

    def run(self, ranks, command, timeout=60, env=None):
        """Output of `command` on `ranks` ranks. Raises Failure unless it ends with status 0 in time, Skipped for 77."""
        # A waiting rank that spins takes the core from the rank that it waits for, where there are no more cores than ranks.
        idle = {"OMPI_MCA_mpi_yield_when_idle": "1"} if ranks >= len(os.sched_getaffinity(0)) else {}
        status, output = call(["mpirun", "-np", ranks, *command], timeout, {**idle, **self.env, **(env or {})}, self.build)
        if status == 77:
            raise Skipped(output.strip())
        if status is None:
            raise Failure(f"not done after {timeout} s", output)
        if status != 0:
            raise Failure(f"exit status {status}: {_reason(output)}", output, status)
        return output

    def program(self, name):
        return self.build / name

    def arguments(self, deck, settings, backend=None):
        """What jacobi is given for a deck in inputs/ with `settings`."""
        everything = {"device.backend": backend or self.backend, "device.plan": "measure", "comm.timeout_s": 20, **settings}
        return [str(self.build / "inputs" / deck), *(word for key, value in everything.items() for word in ("--set", f"{key}={_yaml(value)}"))]

    def jacobi(self, ranks, deck, settings, timeout=60, env=None, backend=None, wrapper=()):
        """The report of a run of a deck in inputs/ with `settings`, deck keys and their values."""
        report = self.scratch / "report.json"
        report.unlink(missing_ok=True)
        command = [*wrapper, self.program("jacobi"), *self.arguments(deck, settings, backend), "--quiet", "--report", report]
        output = self.run(ranks, command, timeout, env)
        if not report.exists():
            raise Failure("no report was written", output)
        return json.loads(report.read_text(encoding="utf-8"))


def _yaml(value):
    return json.dumps(list(value) if isinstance(value, tuple) else value) if not isinstance(value, str) else value


def _reason(output):
    """The line of a program's output that most likely says what went wrong."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if any(word in line.lower() for word in ("error", "jacobi:", "bench:", "doctor:", "rank ", "fail"))]
    return (telling or lines or ["no output"])[0][:200]
