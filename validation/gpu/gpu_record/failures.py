"""Ranks that stop or die amid their sweeps: the job ends in bounded time and says why, and what it ran on is left clean."""
import pathlib
import re
import signal
import subprocess
import tempfile
import time

from jobs import Job

from . import machine
from .checks import DECKS, RUNGS
from .launch import Failure
from .record import IMPOSSIBLE, PASSED, Line

RANKS, VICTIM = 2, 1
HEAD_START_S = 2  # by which a host waits longer for its device than kernels wait for other ranks
# Past comm.timeout_s: that, the batch that is under way (about a second), and the end of the processes, with the driver's clearing up.
MARGIN_S = HEAD_START_S + 1 + 4


class Failures:
    def __init__(self, record, launcher, checks, small):
        self.record, self.launcher, self.checks = record, launcher, checks
        self.rungs = RUNGS[::4] if small else RUNGS  # a rehearsal is for the script; cli/test_failures.py has all rungs of the host
        # On a GPU: tiles that stay on the chip in persistent passes, and a time amid the third or fourth batch; and blocks that no
        # cache holds, whose kernels wait otherwise (march_in_order).
        self.small_blocks, self.large_blocks = [((12, 10, 16), (1, 1, RANKS)), ((20, 12, 12), (RANKS, 1, 1))] if small else [
            ((96, 96, 96), (1, 1, RANKS)), ((640, 192, 200), (RANKS, 1, 1))
        ]  # fmt: skip
        self.timeout_s, self.sweeping_s = (1, 0.3) if small else (2, 1.5)

    def measure(self, how, served, under_mps):
        """`served`: a context, anew for each line, whose value is the ranks' environment."""
        self.waits(how, served)
        for rung in self.rungs:
            for number in (signal.SIGSTOP, signal.SIGKILL):
                self.struck(rung, number, self.small_blocks, how, served, under_mps)
        for number in (signal.SIGSTOP, signal.SIGKILL):
            self.struck("flag", number, self.large_blocks, how, served, under_mps)

    def waits(self, how, served):
        name = f"waits_test on {RANKS} ranks, {how}"

        def work():
            try:
                with served() as env:
                    output = self.launcher.run(RANKS, [self.launcher.program("waits_test"), self.launcher.backend], 60, env)
            except machine.NoMps as reason:
                return Line(name, IMPOSSIBLE, str(reason))
            self.record.keep(name, output)
            return Line(name, PASSED, "a rank that does not come is named, with direction and generations, in every rung")

        self.record.run(name, work)

    def struck(self, rung, number, blocks, how, served, under_mps):
        """A line: one rank is sent a signal, and afterwards the same ranks must do a short run right."""
        large = ", large blocks" if blocks == self.large_blocks else ""
        name = f"{rung}{large}, a rank {'stopped' if number == signal.SIGSTOP else 'killed'}, {how}"

        def work():
            try:
                with served() as env:
                    note = self.strike(rung, number, blocks, env, under_mps)
                    spoilt = self.short_run(rung, env)
                if spoilt and under_mps:
                    # What becomes of an MPS server whose client dies with work under way is undefined: another one must do.
                    note += f"; the MPS server was of no use afterwards ({spoilt}), another one was"
                    with served() as env:
                        spoilt = self.short_run(rung, env)
            except machine.NoMps as reason:
                return Line(name, IMPOSSIBLE, str(reason))
            if spoilt:
                raise Failure(f"{note}; afterwards: {spoilt}", spoilt.output)
            return Line(name, PASSED, f"{note}; a short run afterwards is right")

        self.record.run(name, work)

    def strike(self, rung, number, blocks, env, under_mps):
        """How the job ended. Raises Failure where it did not as it should."""
        cells, cut = blocks
        settings = {
            "grid.cells": cells, "problem.kind": "random", "solver.iterations": 20_000_000, "solver.check_every": 0, "verify.kind": "none",
            "comm.sync": rung, "comm.ranks": cut, "comm.timeout_s": self.timeout_s,
        }  # fmt: skip
        folder = pathlib.Path(tempfile.mkdtemp(prefix="struck", dir=self.launcher.scratch))
        arguments = self.launcher.arguments("gpu-512.yaml", settings)
        with Job(RANKS, *arguments, cwd=folder, program=self.launcher.program("jacobi"), env=self.launcher.env | env) as job:
            job.await_sweeps()
            time.sleep(self.sweeping_s)
            job.signal(VICTIM, number)
            begin, limit = time.monotonic(), self.timeout_s + MARGIN_S
            try:
                status, err = job.ended(limit)
            except subprocess.TimeoutExpired:
                raise Failure(f"the job has not ended {limit} s after the signal", job.err.read_text()) from None
            seconds = time.monotonic() - begin
            left = job.running()
        if left:
            raise Failure(f"ranks that are left: processes {', '.join(map(str, left))}", err)
        said = self.of_stopped(rung, cut, status, err) if number == signal.SIGSTOP else self.of_killed(status, err, under_mps)
        return f"{said}; the job ended after {seconds:.1f} s (at most {limit} s)"

    def of_stopped(self, rung, cut, status, err):
        """The part of the message that says what was waited for."""
        if status != 1:
            raise Failure(f"exit status {status}, not 1", err)
        if not re.search(rf"in no state to answer: rank {VICTIM} \(\S+, process \d+, stopped\)$", err, re.MULTILINE):
            raise Failure("the message does not say that the rank is stopped", err)
        seconds = f"waited (?:{self.timeout_s}|{self.timeout_s + HEAD_START_S}) s for"
        direction = re.escape("any (barrier)" if rung == "barrier" else f"{'xyz'[cut.index(RANKS)]}+")
        for wanted in (
            rf"rank 0 \(\S+\) {seconds} generation (?P<expected>\d+) of rank {VICTIM} \(\S+\) in direction {direction}, which is at (?P<seen>\d+)",
            # It did its passes of the batch, which a device goes on with when its host is stopped.
            rf"{seconds} all ranks at generation (?P<expected>\d+) \(end of a batch\): rank {VICTIM} \(\S+, seen at (?P<seen>\d+)\) has not come",
            # Stopped right where all meet, which it had reached.
            rf"{seconds} all ranks at generation \d+ \(end of a batch\): all have come, so one of them has stopped or died since",
            rf"rank 0 \(\S+\): the barrier of generation \d+ did not complete within {self.timeout_s} s",
        ):
            found = re.search(rf"rank 0 on \S+: ({wanted})", err)
            if not found:
                continue
            at = found.groupdict()
            # All ranks' generations may be the same where they meet.
            if at and int(at["seen"]) > int(at["expected"]) - ("all ranks" not in wanted):
                raise Failure("the rank is said to be where it was waited for", err)
            return found[1]
        raise Failure("the message does not say what was waited for", err)

    @staticmethod
    def of_killed(status, err, under_mps):
        if status == 0:
            raise Failure("exit status 0", err)
        # Under MPS the other rank's kernels may fault on the memory that went with the killed one, before mpirun has seen its end.
        fault = re.search(r"rank 0 on \S+: (.*\(cudaError\w+\))", err)
        if under_mps and fault:
            return f"exit status {status}, {fault[1]}"
        if not re.search(rf"process rank {VICTIM} .*Killed", err):
            raise Failure("mpirun does not say that the rank was killed", err)
        return f"exit status {status}"

    def short_run(self, rung, env):
        """What is wrong with a run of the same ranks, or nothing."""
        deck = "random, float"
        file, settings = DECKS[deck]
        try:
            wanted = self.checks.digest_of_host(deck)
            found = self.launcher.jacobi(RANKS, file, {**settings, "comm.sync": rung}, timeout=20, env=env)["digest"]
            if found != wanted:
                raise Failure(f"digest {found}, the host's is {wanted}", "")
        except Failure as fault:
            return fault
        return None
