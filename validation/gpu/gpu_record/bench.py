"""The program bench on one GPU: of each problem, size and precision the best depth, as a ratio to the bound of one pass."""
import json

from .figures import BYTES, cells_text, mark
from .launch import Failure
from .record import FAILED, IMPOSSIBLE, PASSED, Line

MUST = 1.9  # times what one pass through memory could reach at the copy bandwidth
SIZES = ((512, 512, 512), (1024, 1024, 1024), (777, 601, 433))
PROBLEMS = ("laplace", "random", "poisson")


class BenchTable:
    """A size at a time, so that what one costs is not lost with another."""

    def __init__(self, record, launcher, devices, small):
        self.record, self.launcher, self.devices, self.small = record, launcher, devices, small

    def measure(self, env):
        for cells in SIZES:
            if self.small:
                cells = tuple(max(4, n // 32) for n in cells)
            needed = 3.2 * BYTES["double"] * cells[0] * cells[1] * cells[2] / 2**20
            if self.devices and self.devices[0].free_mib < needed:
                self.record.add(Line(f"bench at {cells_text(cells)}", IMPOSSIBLE, f"it needs {needed / 1024:.0f} GiB of device memory"))
                continue
            self.record.run(f"bench at {cells_text(cells)}", lambda cells=cells: self.size(cells, env))

    def size(self, cells, env):
        """Adds a line for each problem and precision; returns one for the run."""
        file = self.launcher.scratch / "bench.json"
        file.unlink(missing_ok=True)
        options = {
            "--sizes": "x".join(map(str, cells)), "--depths": "1,2,3,4", "--rungs": "auto", "--problem": ",".join(PROBLEMS),
            "--backend": self.launcher.backend, "--seconds": "0.005" if self.small else "0.2", "--json": file, "--set": "comm.timeout_s=20",
        }  # fmt: skip
        command = [self.launcher.program("bench"), *(word for pair in options.items() for word in pair)]
        try:
            output = self.launcher.run(1, command, 240, env)
        except Failure as fault:  # other bits (3): the table says which
            return Line(f"bench at {cells_text(cells)}", FAILED, str(fault), output=fault.output)
        document = json.loads(file.read_text(encoding="utf-8"))
        for problem in PROBLEMS:
            for precision in BYTES:
                self.record.add(self.best(document, cells, problem, precision))
        self.record.keep(f"bench at {cells_text(cells)}", output)
        refused = sorted({row["reason"] for row in document["refused"]})
        note = f"{len(document['rows'])} configurations, the same bits in each group" + "".join(f"; {reason}" for reason in refused)
        return Line(f"bench at {cells_text(cells)}", PASSED, note)

    @staticmethod
    def best(document, cells, problem, precision):
        name = f"{problem} {cells_text(cells)} {precision}, best depth"
        rows = [row for row in document["rows"] if (row["problem"], row["precision"]) == (problem, precision)]
        if not rows:
            return Line(name, IMPOSSIBLE, "; ".join(row["reason"] for row in document["refused"][:1]))
        # The fastest of the group's copies: one that was disturbed would flatter the row behind it.
        bound = max(row["bound"]["one_pass_glups"] for row in rows)
        ratio = {row["temporal_depth"]: row["glups"]["median"] / bound for row in rows}
        top = max(rows, key=lambda row: row["glups"]["median"])
        depth = top["temporal_depth"]
        figures = {
            "depth": depth,
            "GLUP/s": f"{top['glups']['median']:.1f}",
            "copy bound": f"{bound:.1f}",
            "x one pass": f"{ratio[depth]:.3f}",
            "must": MUST,
            "spread": f"{top['spread']:.3f}",
            "µs a sweep": f"{top['us_per_sweep']['median']:.0f}",
        }
        others = ", ".join(f"depth {other}: {ratio[other]:.3f}" for other in ratio if other != depth)
        return Line(name, mark(ratio[depth], MUST), others, figures)
