"""What the hardware's counters say of the marching kernels, by ncu: memory and shared memory, a pass at a time."""
import csv
import json
import pathlib
import shutil

from .figures import QUIET, cells_text
from .launch import Failure
from .record import IMPOSSIBLE, MEASURED, Line

READ, WRITTEN = "dram__bytes_read.sum", "dram__bytes_write.sum"
L2_SECTORS = "lts__t_sectors_op_read.sum"  # of 32 bytes
DRAM = "dram__throughput.avg.pct_of_peak_sustained_elapsed"
SHARED = "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed"
L1 = "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed"  # with shuffles and global loads
TIME = "gpu__time_duration.sum"  # ns
METRICS = (READ, WRITTEN, L2_SECTORS, DRAM, SHARED, L1, TIME)

# Problem, cells, sweeps a pass.
CASES = (
    ("laplace", (512, 512, 512), 1), ("laplace", (1000, 1000, 1000), 1), ("laplace", (777, 601, 433), 1), ("poisson", (512, 512, 512), 1),
    ("laplace", (512, 512, 512), 4), ("laplace", (1024, 1024, 1024), 4), ("poisson", (512, 512, 512), 4),
)  # fmt: skip


def launches(text):
    """Of each launch in ncu's raw page as CSV, the metrics as numbers. The row under the names has their units."""
    rows = list(csv.DictReader(line for line in text.splitlines() if line.startswith('"')))
    return [{name: float(row[name].replace(",", "")) for name in METRICS if row.get(name)} for row in rows[1:]]


def figures(seen, cells):
    """Of one pass over so many cells, from all its launches: bytes a cell, and utilisation weighted by time."""
    time = sum(launch[TIME] for launch in seen)

    def a_cell(metric, unit=1):
        return f"{unit * sum(launch[metric] for launch in seen) / cells:.2f}"

    def share(metric):
        return f"{sum(launch[metric] * launch[TIME] for launch in seen) / time:.0f}"

    return {
        "read, B a cell": a_cell(READ), "written": a_cell(WRITTEN), "read from the L2": a_cell(L2_SECTORS, 32),
        "DRAM %": share(DRAM), "shared memory %": share(SHARED), "L1 %": share(L1), "µs": f"{time / 1000:.0f}",
    }  # fmt: skip


class Counters:
    def __init__(self, record, launcher):
        self.record, self.launcher = record, launcher

    def measure(self, env):
        for kind, cells, depth in CASES:
            for precision in ("double", "float"):
                name = f"{kind} {cells_text(cells)} {precision}, {depth} {'sweep' if depth == 1 else 'sweeps'} a pass"

                def work(kind=kind, cells=cells, depth=depth, precision=precision, name=name):
                    if self.launcher.backend != "cuda":
                        return Line(name, IMPOSSIBLE, "no kernels on the host back end")
                    if shutil.which("ncu") is None:
                        return Line(name, IMPOSSIBLE, "no ncu here")
                    return Line(name, MEASURED, figures=self.one_pass(kind, cells, depth, precision, env))

                self.record.run(name, work)

    def one_pass(self, kind, cells, depth, precision, env):
        settings = {
            **QUIET, "problem.kind": kind, "grid.cells": cells, "solver.precision": precision, "solver.temporal_depth": depth,
            "solver.iterations": 6 * depth, "device.plan": "auto",
        }  # fmt: skip
        # The shape of passes is found without ncu, and kept for the run under it.
        plan = self.launcher.jacobi(1, "gpu-512.yaml", settings, env=env)["plan"]["file"]
        strips = json.loads(pathlib.Path(plan).read_text(encoding="utf-8"))["plan"].get("strips", 1)  # a launch each
        log = self.launcher.scratch / "counters.csv"
        log.unlink(missing_ok=True)
        wrapper = [
            "ncu", "--clock-control", "none", "--csv", "--page", "raw", "--print-units", "base", "--log-file", log, "--metrics", ",".join(METRICS),
            "--kernel-name", "regex:march", "--launch-skip", 2 * strips, "--launch-count", strips,
        ]  # fmt: skip
        self.launcher.jacobi(1, "gpu-512.yaml", settings, 120, env, wrapper=wrapper)
        text = log.read_text(encoding="utf-8") if log.exists() else ""
        seen = launches(text)
        if len(seen) != strips or any(metric not in launch for launch in seen for metric in METRICS):
            raise Failure(f"ncu shows {len(seen)} of {strips} launches, or not their metrics", text)
        return figures(seen, cells[0] * cells[1] * cells[2])
