"""The measurements of a record. Each is a report's own figure; shares are of the copy bound measured in the same run."""
import itertools

from .record import FAILED, IMPOSSIBLE, MEASURED, MEETS, MISSES, Line

ONE_PASS_MUST = {"double": 0.88, "float": 0.92}
WEAK_SCALING_MUST = {1: 0.97, 4: 0.95}  # by sweeps a pass
ALWAYS_OVERLAP = ("flag", "persistent")  # within their passes, whatever comm.overlap is
RUNGS = ("barrier", "event", "stream", "flag", "persistent")
# By cells an axis of a rank's block, and rung. Two GPUs:
RUNG_MUST_US = {64: {"barrier": 20, "event": 14, "stream": 13, "flag": 12, "persistent": 5}, 128: {"persistent": 9}}
ONE_RANK_MUST_US = {64: {"flag": 11, "persistent": 4.5}, 128: {"persistent": 8.5}}  # periodic axes
SHARED_MUST_US = {64: {"flag": 14, "persistent": 8}}  # two ranks under MPS

QUIET = {"solver.check_every": 0, "verify.kind": "none"}
BYTES = {"double": 8, "float": 4}


def mark(value, must, smaller=False):
    if must is None:
        return MEASURED
    return MEETS if (value <= must if smaller else value >= must) else MISSES


def cells_text(cells):
    return f"{cells[0]}³" if len(set(cells)) == 1 else " x ".join(map(str, cells))


class Figures:
    def __init__(self, record, launcher, devices, small):
        self.record, self.launcher, self.devices, self.small = record, launcher, devices, small

    def shrunk(self, cells):
        """Rehearsals run the same lines on a few thousand cells."""
        return tuple(max(4, n // 16) for n in cells) if self.small else cells

    def sweeps(self, count):
        return max(2, count // 1000) if self.small else count

    def settings(self, cells, sweeps, precision="double", **more):
        everything = {"grid.cells": cells, "solver.iterations": self.sweeps(sweeps), "solver.precision": precision, **QUIET}
        return {**everything, **{key.replace("__", "."): value for key, value in more.items()}}

    def one_pass(self, env):
        for kind, cells, sweeps in (
            ("laplace", (512, 512, 512), 2000),
            ("laplace", (1000, 1000, 1000), 400),
            ("laplace", (777, 601, 433), 1500),
            ("poisson", (512, 512, 512), 1500),
        ):
            cells = self.shrunk(cells)
            for precision, must in ONE_PASS_MUST.items():
                name = f"{kind} {cells_text(cells)} {precision}"

                def work(kind=kind, cells=cells, sweeps=sweeps, precision=precision, must=must, name=name):
                    needed = (3 if kind == "poisson" else 2) * BYTES[precision] * cells[0] * cells[1] * cells[2] / 2**20 * 1.05
                    if self.devices and self.devices[0].free_mib < needed:
                        return Line(name, IMPOSSIBLE, f"it needs {needed / 1024:.0f} GiB of device memory")
                    report = self.launcher.jacobi(1, "gpu-512.yaml", self.settings(cells, sweeps, precision, problem__kind=kind, solver__temporal_depth=1), env=env)
                    bound = report["bound"]
                    figures = {
                        "GLUP/s": f"{report['glups']:.1f}",
                        "copy bound": f"{bound['one_pass_glups']:.1f}",
                        "share": f"{bound['share']:.3f}",
                        "must": must,
                        "µs a sweep": f"{report['us_per_iteration']:.0f}",
                    }
                    return Line(name, mark(bound["share"], must), figures=figures)

                self.record.run(name, work)

    def latency(self, ranks, how, env, periodic, must=None):
        """Microseconds a sweep of small blocks, one block a rank along z."""
        must = must or {}
        small, large = self.shrunk((64, 128))
        # Depth, overlap: plain passes with and without, deep ones with.
        ways = ((1, True), (1, False), (4, True))
        for edge in (small, large):
            for rung in RUNGS:
                for depth, overlap in ways:
                    if (rung in ALWAYS_OVERLAP and not overlap) or (rung == "persistent" and depth > 1):
                        continue
                    text = f"{', overlap' if overlap else ''}{f', {depth} sweeps a pass' if depth > 1 else ''}"
                    name = f"{edge}³ each, {ranks} {'rank' if ranks == 1 else 'ranks'} {how}, {rung}{text}"

                    def work(edge=edge, rung=rung, overlap=overlap, depth=depth, name=name):
                        more = {"comm.sync": rung, "comm.overlap": overlap, "comm.ranks": (1, 1, ranks), "grid.periodic": (periodic,) * 3}
                        more["solver.temporal_depth"] = depth
                        settings = {**self.settings((edge, edge, edge * ranks), 5000, problem__kind="random"), **more}
                        report = self.launcher.jacobi(ranks, "gpu-512.yaml", settings, env=env)
                        us = report["us_per_iteration"]
                        limit = must.get(edge, {}).get(rung) if overlap else None
                        figures = {"µs a sweep": f"{us:.1f}"} | ({"must": f"≤ {limit}"} if limit else {})
                        return Line(name, mark(us, limit, smaller=True), figures=figures)

                    self.record.run(name, work)

    def weak_scaling(self):
        """512^3 a GPU: the time of a sweep on one GPU over that on more, cut along each axis."""
        count = len(self.devices)
        (edge,) = self.shrunk((512,))
        for precision, (depth, must) in itertools.product(BYTES, WEAK_SCALING_MUST.items()):
            alone = {}
            for ranks in sorted({1, 2, 4, 8, count}):
                if ranks > count:
                    break
                for axis in range(3) if ranks > 1 else (2,):
                    where = f"{ranks} GPUs along {'xyz'[axis]}" if ranks > 1 else "one GPU"
                    name = f"{edge}³ each, {precision}, {depth} {'sweep' if depth == 1 else 'sweeps'} a pass, {where}"

                    def work(ranks=ranks, axis=axis, name=name, precision=precision, depth=depth, must=must, alone=alone):
                        split = tuple(ranks if a == axis else 1 for a in range(3))
                        settings = self.settings(tuple(edge * n for n in split), 400, precision, solver__temporal_depth=depth)
                        report = self.launcher.jacobi(ranks, "gpu-512.yaml", {**settings, "comm.ranks": split})
                        us = report["us_per_iteration"]
                        efficiency = alone.setdefault("us", us) / us
                        figures = {"GLUP/s": f"{report['glups']:.1f}", "µs a sweep": f"{us:.0f}", "efficiency": f"{efficiency:.3f}"}
                        limit = must if ranks > 1 else None
                        return Line(name, mark(efficiency, limit), figures=figures | ({"must": limit} if limit else {}))

                    self.record.run(name, work)

    def ladder(self, ladder, sizes):
        """A line a row of the table; what could not be had is a line too, with the reason."""
        name = f"{ladder.title()}, {', '.join(cells_text((edge,) * 3) for edge in sizes)} each"

        def add(row):
            self.record.add(Line(f"{cells_text((row.edge,) * 3)}, {row.transport}, {row.rung}", MEASURED, figures=row.figures()))

        def work():
            for row in ladder.measure(sizes):
                add(row)
            for note in ladder.notes:
                self.record.add(Line(note.partition(":")[0], FAILED if note in ladder.failures else IMPOSSIBLE, note.partition(": ")[2]))
            return Line(name, MEASURED if ladder.rows else FAILED)

        self.record.run(name, work)
