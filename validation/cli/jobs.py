"""A job under mpirun while it runs: tests, and ../gpu/gpu_record, stop or kill one of its ranks."""
import contextlib
import os
import pathlib
import signal
import subprocess
import time

from programs import BUILD, environment


def command_line(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except OSError:
        return []


def state(pid):
    """A process' state and parent, as /proc tells them; ("gone", 0) for none."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return "gone", 0
    return fields[0], int(fields[1])


def children(pid):
    return [int(entry.name) for entry in pathlib.Path("/proc").glob("[0-9]*") if state(entry.name)[1] == pid]


def descendants(pid):
    return [each for child in children(pid) for each in (child, *descendants(child))]


class Job:
    """A program (in the build folder, or a path) under mpirun in a folder, as a context: whatever becomes of the test, nothing of the
    job is left after it."""

    def __init__(self, ranks, *arguments, cwd, program="jacobi", env=None):
        self.out, self.err = cwd / "stdout", cwd / "stderr"
        command = ["mpirun", "-np", str(ranks), str(BUILD / program), *arguments]
        with open(self.out, "w") as out, open(self.err, "w") as err:
            self.mpirun = subprocess.Popen(command, cwd=cwd, stdout=out, stderr=err, env=environment() | (env or {}))
        self.ranks = ranks
        self.pids = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pid in self.running():
            os.kill(pid, signal.SIGKILL)
        self.mpirun.terminate()  # before its ranks are known, it alone can end them
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.mpirun.wait(10)
        self.mpirun.kill()
        self.mpirun.wait()

    def await_sweeps(self, printed="\nedges "):
        """Returns when rank 0 has printed its table, which it does right before the first sweep, and a bit later."""
        self.await_that(lambda: printed in self.out.read_text())
        time.sleep(0.3)
        for pid in children(self.mpirun.pid):
            variables = dict(word.partition("=")[::2] for word in pathlib.Path(f"/proc/{pid}/environ").read_text().split("\0"))
            self.pids[int(variables["OMPI_COMM_WORLD_RANK"])] = pid
        assert sorted(self.pids) == list(range(self.ranks))

    def await_that(self, condition, seconds=30):
        end = time.monotonic() + seconds
        while not condition():
            assert self.mpirun.poll() is None and time.monotonic() < end, self.err.read_text()
            time.sleep(0.02)

    def signal(self, rank, number):
        os.kill(self.pids[rank], number)

    def ended(self, seconds):
        """The job's exit status and its standard error, at most so many seconds from now."""
        return self.mpirun.wait(seconds), self.err.read_text()

    def running(self):
        """Ranks that are still there."""
        return running(self.pids.values())


def running(pids, grace=1.0):
    """Those of the processes that are still there. One that has ended and that nobody has waited for (Z) is not; one that was killed just
    before mpirun ended may need a moment for it on a busy machine."""
    end = time.monotonic() + grace
    while True:
        left = [pid for pid in pids if state(pid)[0] not in ("gone", "Z", "X")]
        if not left or time.monotonic() > end:
            return left
        time.sleep(0.02)


def interrupted(number, command, cwd, awaited, seconds=30):
    """Sends a script a signal while a process that it started, mpirun apart, runs with the argument `awaited`; returns the script's exit
    status and what it printed (stdout, stderr), when nothing is left of all that it started."""
    # A test that is run in the background may ignore SIGINT, and hand that on.
    command = ["env", "--default-signal", *map(str, command)]
    seen = set()
    with subprocess.Popen(command, cwd=cwd, env=environment(), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as script:
        try:
            end = time.monotonic() + seconds
            while not any(awaited in words and words[0] != "mpirun" for words in map(command_line, seen)):
                assert script.poll() is None and time.monotonic() < end, f"nothing runs with {awaited}"
                time.sleep(0.02)
                seen = set(descendants(script.pid))
            script.send_signal(number)
            out, err = script.communicate(timeout=seconds)
            assert running(seen) == []
        finally:
            for pid in (script.pid, *running(seen, 0)):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
    return script.returncode, out, err
