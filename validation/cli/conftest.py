"""What the tests of this folder share: an empty folder with a small deck in it."""
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
