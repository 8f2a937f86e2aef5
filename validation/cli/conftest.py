"""What the tests of this folder share: an empty folder with a small deck in it, and the marker of those that need GPUs."""
import re
import signal
import subprocess

import pytest

DECK = """\
grid: {cells: [9, 7, 5]}
problem: {kind: random, seed: 3}
solver: {iterations: 7, check_every: 2}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "deck.yaml").write_text(DECK)
    return tmp_path


def list_gpus():
    """UUIDs of the GPUs here."""
    try:
        listing = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:
        return []
    return re.findall(r"UUID: (GPU-[0-9a-f-]+)", listing)


GPUS = list_gpus()


@pytest.fixture
def gpus():
    return GPUS


def pytest_configure(config):
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # gpu-record's end of it: the job under way is ended too
    config.addinivalue_line("markers", "gpu(count=1): needs that many GPUs; `pytest -m gpu` runs all of them on a GPU host")


def pytest_runtest_setup(item):
    for marker in item.iter_markers("gpu"):
        needed = marker.args[0] if marker.args else 1
        if len(GPUS) < needed:
            pytest.skip(f"needs {needed} GPU{'' if needed == 1 else 's'}, found {len(GPUS)}")
