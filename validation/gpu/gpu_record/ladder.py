"""The ladder: every rung over every transport at several sizes, as one table, for scripts/ladder and scripts/gpu-record."""
import dataclasses
import itertools
import re

from .figures import ALWAYS_OVERLAP, QUIET, cells_text
from .launch import Failure
from .stopping import during

RUNGS = ("barrier", "event", "stream", "flag", "persistent")
TRANSPORTS = ("auto", "shm", "ipc", "mpi", "nccl")
SHARED = {"cuda": "ipc", "host": "shm"}  # the back ends' own way to a neighbour's memory
REFUSALS = ("cannot be", "no transport", "not in this build")  # in what jacobi says when it is asked for what it cannot have here
STAGED = ("mpi", "barrier")  # what mapped memory exists to beat


@dataclasses.dataclass
class Row:
    edge: int  # cells of a rank's block along an axis
    transport: str
    rung: str
    overlap: bool
    us: float
    share: float
    over_barrier: float = None  # how many times as fast as the rung `barrier` over the same transport
    over_staged: float = None  # and as `barrier` over MPI

    def figures(self):
        """The columns of a table, as text."""
        times = {"x barrier": self.over_barrier, "x staged MPI": self.over_staged}
        return {
            "µs a sweep": f"{self.us:.1f}" if self.us < 1000 else f"{self.us:.0f}",
            "share": f"{self.share:.3f}",
            "overlap": "yes" if self.overlap else "no",
            **{name: f"{value:.2f}" for name, value in times.items() if value},
        }


def factors(ranks):
    """The flattest split into x, y and z that is nearest to a cube, x split last: its faces are strided in memory."""
    splits = [(x, y, ranks // x // y) for x in range(1, ranks + 1) for y in range(1, ranks + 1) if ranks % (x * y) == 0]
    return min((split for split in splits if split == tuple(sorted(split))), key=sum)


def listing(launcher):
    return launcher.run(1, [launcher.program("jacobi"), "--list"])


def listed(launcher):
    """The transports that `jacobi --list` knows, with what it says of them."""
    text = listing(launcher).partition("\ntransports")[2].partition("\nrungs")[0]
    return dict(re.findall(r"^  (\w+) +(.*)$", text, re.MULTILINE))


def why_no_cuda(launcher):
    """Why the CUDA back end cannot be used, as `jacobi --list` says; nothing where it can."""
    return "".join(re.findall(r"^  cuda +not usable: (.*)$", listing(launcher), re.MULTILINE))


class Ladder:
    """Measures one number of ranks. What cannot be had leaves its reason in `notes`, once, and no row."""

    def __init__(self, launcher, ranks, env=None, precision="double", split=None, periodic=None, sweeps=None, overlaps=(True, False)):
        self.launcher, self.ranks, self.env, self.precision = launcher, ranks, env, precision
        self.split = split or factors(ranks)
        # A rank alone has no neighbour but itself.
        self.periodic = ranks == 1 if periodic is None else periodic
        self.sweeps, self.overlaps = sweeps, overlaps
        self.rows, self.notes = [], []
        self.failures = []  # of the notes those that are no refusals

    def transports(self, asked=None):
        """Those to try: as asked for, else the back end's own and MPI."""
        if self.ranks == 1:
            self.note("one rank: its edges are its own, so there is no transport to choose and no staged MPI to compare with")
            return ("self",)
        if asked:
            return tuple(asked)
        known = listed(self.launcher)
        if "mpi" not in known:
            self.note("mpi: this build has no such transport (jacobi --list)")
        return (SHARED[self.launcher.backend],) + (("mpi",) if "mpi" in known else ())

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    def measure(self, sizes, rungs=RUNGS, transports=None, progress=lambda row: None):
        lost = set()  # transports that this run cannot have, whatever the rung
        for edge, transport, rung in itertools.product(sizes, self.transports(transports), rungs):
            if transport in lost:
                continue
            try:
                with during(f"{cells_text((edge,) * 3)}, {transport}, {rung}"):
                    row = self.best(edge, transport, rung)
            except Failure as fault:
                refused = fault.status in (1, 2) and any(words in str(fault) for words in REFUSALS)
                if not refused:
                    self.failures.append(f"{cells_text((edge,) * 3)}, {transport}, {rung}: {fault}")
                    self.note(self.failures[-1])
                    continue
                whole = "comm.transport" in str(fault)
                self.note(f"{transport}: {fault}" if whole else f"{transport}, {rung}: {fault}")
                if whole:
                    lost.add(transport)
                continue
            self.rows.append(row)
            progress(row)
        self.compare()
        return self.rows

    def best(self, edge, transport, rung):
        """The faster of with and without overlap, between which some rungs know no difference."""
        tried = self.overlaps[:1] if rung in ALWAYS_OVERLAP else self.overlaps
        return min((self.one(edge, transport, rung, overlap) for overlap in tried), key=lambda row: row.us)

    def one(self, edge, transport, rung, overlap):
        cells = tuple(edge * n for n in self.split)
        settings = {
            **QUIET, "grid.cells": cells, "grid.periodic": (self.periodic,) * 3, "problem.kind": "random", "comm.ranks": self.split,
            "solver.precision": self.precision, "solver.iterations": self.count(edge), "comm.sync": rung, "comm.overlap": overlap,
            "comm.transport": "auto" if transport == "self" else transport,
        }  # fmt: skip
        report = self.launcher.jacobi(self.ranks, "gpu-512.yaml", settings, 120, self.env)
        return Row(edge, transport, rung, overlap, report["us_per_iteration"], report["bound"]["share"])

    def count(self, edge):
        """Sweeps that take some tenths of a second."""
        if self.sweeps:
            return self.sweeps
        if self.launcher.backend == "host":
            return max(5, min(200, 40_000_000 // (edge**3 * self.ranks)))
        return max(150, min(5000, 25_000_000_000 // edge**3))

    def compare(self):
        if self.ranks > 1 and not any((row.transport, row.rung) == STAGED for row in self.rows):
            self.note("staged MPI: no row of `barrier` over mpi, so nothing is compared with it")
        us = {(row.edge, row.transport, row.rung): row.us for row in self.rows}
        for row in self.rows:
            barrier, staged = us.get((row.edge, row.transport, "barrier")), us.get((row.edge, *STAGED))
            row.over_barrier = barrier / row.us if barrier else None
            row.over_staged = staged / row.us if staged else None

    def title(self):
        each = "x".join(map(str, self.split))
        return f"{self.ranks} {'rank' if self.ranks == 1 else 'ranks'} ({each}), {self.precision}, axes {'' if self.periodic else 'not '}periodic"

    def table(self):
        """For the terminal, footnotes below."""
        columns = list(dict.fromkeys(name for row in self.rows for name in row.figures()))
        lines = [["cells a rank", "transport", "rung", *columns]]
        for row in self.rows:
            figures = row.figures()
            lines.append([cells_text((row.edge,) * 3), row.transport, row.rung, *(figures.get(name, "-") for name in columns)])
        widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
        left = 3  # columns of text
        text = "".join(
            "  ".join(f"{cell:<{w}}" if i < left else f"{cell:>{w}}" for i, (cell, w) in enumerate(zip(line, widths))).rstrip() + "\n" for line in lines
        )
        return f"{self.title()}\n\n{text}" + "".join(f"\n[{i}] {note}" for i, note in enumerate(self.notes, 1)) + ("\n" if self.notes else "")

    def document(self):
        """For programs."""
        return {
            "schema": "jacobi-ladder/1", "backend": self.launcher.backend, "ranks": self.ranks, "decomposition": self.split,
            "precision": self.precision, "periodic": self.periodic,
            "rows": [{"cells": (row.edge,) * 3, **dataclasses.asdict(row)} for row in self.rows], "notes": self.notes,
        }  # fmt: skip
