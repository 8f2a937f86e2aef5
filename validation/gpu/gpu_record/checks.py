"""The tests of a record: bits, digests, the teaching example, the sanitizer."""
import itertools
import json
import os
import re
import shutil
import sys

from . import launch, machine
from .launch import ONE_VISIBLE, Failure, Skipped
from .record import FAILED, IMPOSSIBLE, PASSED, Line

RUNGS = ("barrier", "event", "stream", "flag", "persistent")

# Small decks, each verified by itself too. The digest of each must be the host back end's.
DECKS = {
    "eigenmode, double": ("eigenmode.yaml", {}),
    "random, float": ("random.yaml", {"solver.precision": "float"}),
    "poisson, double": ("poisson.yaml", {"solver.iterations": 200, "solver.tolerance": 0}),
}


def transports(report):
    """Of the edges between distinct ranks."""
    return sorted({edge["transport"] for edge in report["edges"] if edge["rank"] != edge["neighbour"]})


class Checks:
    def __init__(self, record, launcher, devices, small):
        self.record, self.launcher, self.devices, self.small = record, launcher, devices, small
        self.expected = {}  # digests of the host back end, by deck

    def bits(self, ranks, how, env, one_in=1):
        """`one_in`: every so manieth case; all of them on many ranks take minutes."""
        some = f", one case in {one_in}" if one_in > 1 else ""
        name = f"bits_test on {ranks} {'rank' if ranks == 1 else 'ranks'}, {how}{some}"

        def work():
            try:
                output = self.launcher.run(ranks, [self.launcher.program("bits_test"), self.launcher.backend, str(one_in)], 180, env)
            except Skipped as reason:
                return Line(name, IMPOSSIBLE, str(reason))
            found = re.search(r"passed, (\d+) checks", output)
            return Line(name, PASSED, f"{found[1]} checks a rank") if found else Line(name, FAILED, "no verdict", output=output)

        self.record.run(name, work)

    def stress(self, ranks, how, env):
        """Ranks out of step, NaN in halos that have been used."""
        name = f"stress_test on {ranks} ranks, {how}"

        def work():
            try:
                output = self.launcher.run(ranks, [self.launcher.program("stress_test"), "1", self.launcher.backend], 120, env)
            except Skipped as reason:
                return Line(name, IMPOSSIBLE, str(reason))
            found = re.search(r"passed, (\d+) checks", output)
            return Line(name, PASSED, f"{found[1]} checks a rank") if found else Line(name, FAILED, "no verdict", output=output)

        self.record.run(name, work)

    def hello(self, env):
        name = "ipc_hello on 2 ranks"

        def work():
            output = self.launcher.run(2, [self.launcher.program("ipc_hello")], env=env)
            on_host = "No GPU" in output
            if "Hello, World!" not in output or on_host != (self.launcher.backend == "host"):
                raise Failure("it did not say hello from the memory asked for", output)
            return Line(name, PASSED, output.strip().splitlines()[-1])

        self.record.run(name, work)

    def digest_of_host(self, deck):
        if deck not in self.expected:
            file, settings = DECKS[deck]
            self.expected[deck] = self.launcher.jacobi(1, file, settings, backend="host")["digest"]
        return self.expected[deck]

    def digests(self, ranks, how, env, rungs, decks=tuple(DECKS), wrapper=()):
        for deck in decks:
            name = f"{deck}, {ranks} {'rank' if ranks == 1 else 'ranks'}, {how}"

            def work(deck=deck, name=name):
                wanted, seen = self.digest_of_host(deck), set()
                for rung in rungs:
                    file, settings = DECKS[deck]
                    report = self.launcher.jacobi(ranks, file, {**settings, "comm.sync": rung}, env=env, wrapper=wrapper)
                    if report["digest"] != wanted:
                        raise Failure(f"{rung}: digest {report['digest']}, the host's is {wanted}", "")
                    if report["backend"] != self.launcher.backend:
                        raise Failure(f"{rung}: ran on the back end {report['backend']}", "")
                    seen.update(transports(report))
                expected = {"ipc" if self.launcher.backend == "cuda" else "shm"} if ranks > 1 else set()
                if seen != expected:
                    raise Failure(f"transports between ranks: {', '.join(sorted(seen)) or 'none'}", "")
                return Line(name, PASSED, f"{wanted} = host; {', '.join(rungs)}" + "".join(f"; {t}" for t in seen))

            self.record.run(name, work)

    def beyond_caches(self, ranks, how, env, rungs):
        """Blocks that no cache holds: large blocks go through other kernels than the decks'. The x axis is periodic."""
        cuts = [(2, 2, 2)] if ranks == 8 else [tuple(ranks if a == axis else 1 for a in range(3)) for axis in range(3 if ranks > 1 else 1)]
        cases = [
            *((cut, cells, precision, 1, 1) for cut in cuts for cells, precision in (((320, 192, 200), "float"), ((161, 190, 187), "double"))),
            (cuts[0], (161, 190, 187), "double", 1, 3),
            *((cut, (320, 190, 187), "float", 4, 1) for cut in cuts),
        ]  # fmt: skip
        for cut, cells, precision, depth, strips in cases:
            cells = tuple(n // 16 for n in cells) if self.small else cells
            each = f"random, {' x '.join(map(str, cells))} each, {' x '.join(map(str, cut))} {'rank' if ranks == 1 else 'ranks'}"
            name = f"{each}, {precision}, depth {depth}{f', {strips} strips' if strips > 1 else ''}, {how}"
            settings = {
                "grid.cells": tuple(n * k for n, k in zip(cells, cut)), "grid.periodic": (True, False, False), "problem.kind": "random",
                "solver.precision": precision, "solver.iterations": 31, "solver.check_every": 10, "verify.kind": "none",
            }  # fmt: skip

            def work(name=name, settings=settings, depth=depth, cut=cut, strips=strips):
                wanted = self.launcher.jacobi(1, "gpu-512.yaml", settings, backend="host")["digest"]
                ways = [rung for rung in rungs if depth == 1 or rung != "persistent"]
                for rung in ways:
                    more = {"comm.ranks": cut, "comm.sync": rung, "solver.temporal_depth": depth}
                    if strips > 1:
                        more["device.plan"] = str(self.plan_in_strips(strips))
                    digest = self.launcher.jacobi(ranks, "gpu-512.yaml", settings | more, env=env)["digest"]
                    if digest != wanted:
                        raise Failure(f"{rung}: digest {digest}, the host's is {wanted}", "")
                return Line(name, PASSED, f"{wanted} = host; {', '.join(ways)}")

            self.record.run(name, work)

    def plan_in_strips(self, strips):
        """A file with a shape of passes in double that measuring finds in larger planes only (kernels/README.md)."""
        path = self.launcher.scratch / f"strips-{strips}.json"
        shape = {"sweeps": 1, "width": 64, "height": 8, "warps": 4, "ahead": 1, "chunk": 5, "strips": strips}
        path.write_text(json.dumps({"schema": "jacobi-plan/1", "plan": shape}), encoding="utf-8")
        return path

    def large(self, env):
        """More than 2^31 cells on one rank, every cell's bits against the host back end's."""
        cells = (40, 40, 40) if self.small else (1291, 1291, 1291)
        name = f"digest at {cells[0]}³, float, 5 sweeps"
        needed = 2 * 4 * cells[0] * cells[1] * cells[2] * 1.1
        settings = {
            "grid.cells": cells, "problem.kind": "random", "solver.precision": "float", "solver.iterations": 5, "verify.kind": "none",
        }  # fmt: skip

        def work():
            if machine.memory_available_bytes() < needed:
                return Line(name, IMPOSSIBLE, f"the host back end needs {needed / 2**30:.0f} GiB of memory")
            if self.devices and self.devices[0].free_mib * 2**20 < needed:
                return Line(name, IMPOSSIBLE, f"it needs {needed / 2**30:.0f} GiB of device memory")
            host, device = (self.launcher.jacobi(1, "gpu-512.yaml", settings, 120, env, backend) for backend in ("host", None))
            if host["digest"] != device["digest"]:
                raise Failure(f"digest {device['digest']}, the host's is {host['digest']}", "")
            return Line(name, PASSED, f"{host['digest']} = host")

        self.record.run(name, work)

    def sanitizer(self, env):
        """compute-sanitizer around each rank of a run with all axes periodic: every direction has an edge."""
        settings = {
            "grid.cells": (32, 32, 32), "grid.periodic": (True, True, True), "problem.kind": "random", "solver.iterations": 5,
            "solver.check_every": 2, "verify.kind": "reference", "comm.timeout_s": 60,
        }  # fmt: skip
        large = {"grid.cells": (161, 190, 187)}  # beyond the caches, as in beyond_caches
        for tool, ranks, rung, depth, more in (
            ("memcheck", 1, "flag", 1, large), ("memcheck", 2, "event", 1, large), ("memcheck", 1, "flag", 4, large),
            *(case + ({},) for case in (
            ("memcheck", 1, "event", 1), ("memcheck", 1, "flag", 4), ("memcheck", 1, "persistent", 1), ("memcheck", 2, "event", 4),
            ("racecheck", 1, "flag", 1), ("racecheck", 1, "flag", 4), ("racecheck", 1, "persistent", 1), ("racecheck", 2, "event", 3),
            ("synccheck", 1, "persistent", 1), ("synccheck", 1, "flag", 4),
            )),
        ):  # fmt: skip
            name = f"{tool}, {ranks} {'rank' if ranks == 1 else 'ranks'}, {rung}, {depth} {'sweep' if depth == 1 else 'sweeps'} a pass"
            if more:
                name += f", {' x '.join(map(str, more['grid.cells']))}"

            def work(tool=tool, ranks=ranks, rung=rung, depth=depth, more=more, name=name):
                if shutil.which("compute-sanitizer") is None:
                    return Line(name, IMPOSSIBLE, "no compute-sanitizer here")
                if self.launcher.backend != "cuda":
                    return Line(name, IMPOSSIBLE, "no kernels on the host back end")
                log = self.launcher.scratch / f"{tool}-{ranks}-{rung}-{depth}-{len(more)}"
                wrapper = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "9", "--log-file", f"{log}.%p"]
                fault = None
                deck = {**settings, **more, "comm.sync": rung, "solver.temporal_depth": depth}
                watched = {}
                if tool == "racecheck":  # slow: the shape of passes is found without it, and kept
                    watched = {"JACOBI_RACECHECK": "1"}  # kernels/README.md
                    deck["device.plan"] = "auto"
                    self.launcher.jacobi(ranks, "gpu-512.yaml", deck, env=env)
                try:
                    self.launcher.jacobi(ranks, "gpu-512.yaml", deck, 90, {**env, **watched}, wrapper=wrapper)
                except Failure as raised:
                    fault = raised
                logs = "".join(path.read_text(errors="replace") for path in sorted(log.parent.glob(f"{log.name}.*")))
                summaries = re.findall(r"(?:ERROR|RACECHECK) SUMMARY: .*", logs)
                clean = len(summaries) == ranks and all(" 0 errors" in s or " 0 hazards" in s for s in summaries)
                if fault or not clean:
                    why = [str(fault)] if fault else []
                    raise Failure("; ".join(why + summaries) or "no summary", logs + (fault.output if fault else ""))
                return Line(name, PASSED, "; ".join(sorted(set(summaries))))

            self.record.run(name, work)

    def doctor_tests(self):
        """The doctor's tests on GPUs (pytest's marker gpu)."""
        tests = self.launcher.root / "validation" / "cli"

        def work(name="tests of the doctor on GPUs"):
            # The distribution's modules belong to its own Python.
            pythons = [p for p in ("/usr/bin/python3", sys.executable) if launch.call([p, "-c", "import pytest"], 30)[0] == 0]
            if not pythons:
                return Line(name, IMPOSSIBLE, "no pytest here")
            command = [pythons[0], "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "-m", "gpu", tests]
            env = {**os.environ, "JACOBI_BUILD": str(self.launcher.build), "PYTHONDONTWRITEBYTECODE": "1"}
            status, output = launch.call(command, 300, env)
            counts = re.findall(r"(\d+ (?:passed|failed|skipped|errors?))", output.strip().splitlines()[-1] if output.strip() else "")
            if status not in (0, 5):  # 5: no test was found
                raise Failure("not done after 300 s" if status is None else ", ".join(counts) or f"exit status {status}", output)
            verdict = PASSED if any("passed" in count for count in counts) else IMPOSSIBLE
            reasons = "; ".join(sorted(set(re.findall(r"^SKIPPED \[\d+\] \S+: (.*)$", output, re.MULTILINE))))
            return Line(name, verdict, ", ".join(counts) + (f" ({reasons})" if reasons else ""))

        self.record.run("tests of the doctor on GPUs", work)

    def doctor(self, ranks, how, env):
        """What it says of this machine is kept word for word. That something has to be given up here is no failure of the program."""
        name = f"doctor on {ranks} ranks, {how}"

        def work():
            try:
                output = self.launcher.run(ranks, [self.launcher.program("doctor")], 120, env)
            except Failure as fault:
                if fault.status != 1 or "\nVerdict: " not in fault.output:
                    raise
                output = fault.output
            self.record.keep(name, output)
            verdict = re.search(r"^Verdict: (.*)$", output, re.MULTILINE)
            if not verdict:
                raise Failure("no verdict", output)
            return Line(name, PASSED, verdict[1])

        self.record.run(name, work)

    def visible_orders(self):
        """One visible GPU a rank, in every order: ranks must find each other's device whatever number it has for them."""
        count = len(self.devices)
        orders = list(itertools.permutations(range(count))) if count <= 3 else [
            order for shift in range(count) for order in ([(i + shift) % count for i in range(count)], [(shift - i) % count for i in range(count)])
        ]  # fmt: skip
        for order in orders:
            env = {"ORDER": ",".join(self.devices[i].uuid for i in order)}
            how = f"GPUs {' '.join(map(str, order))}, each rank sees its own"
            self.digests(count, how, env, ("event", "flag"), decks=("random, float",), wrapper=ONE_VISIBLE)
