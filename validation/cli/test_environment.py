"""A small /dev/shm, and folders that are read-only or have no room for a report: a message, an exit status, and older files as they were."""
import re

import pytest
from mounts import message, mounted, with_old_file
from programs import jacobi, printed_digest, sets

HOST = sets("device.backend=host")


@pytest.fixture
def folder(folder):
    return with_old_file(folder)


def test_small_dev_shm(folder):
    small = mounted("mount -t tmpfs -o size=24m shm /dev/shm")
    out, err = jacobi(2, "deck.yaml", *HOST, *sets("grid.cells=[130, 130, 130]"), cwd=folder, launcher=small, status=1)
    text = message(err)
    needed, room = (int(number) for number in re.search(r"(\d+) bytes.* room for (\d+)", text).groups())
    assert needed >= 2 * 130**3 * 8 and room <= 24 << 20
    assert "/dev/shm" in text and "--shm-size" in text and out == ""
    out, _ = jacobi(2, "deck.yaml", *HOST, cwd=folder, launcher=small)
    assert "Figure of Merit" in out


def test_small_dev_shm_for_one_of_two_nodes(folder):
    """Rank 2 is alone on its pretended node and needs none; it ends with the others, with one message."""
    small = mounted("mount -t tmpfs -o size=24m shm /dev/shm")
    settings = sets("grid.cells=[130, 130, 130]", "comm.virtual_nodes=2", "comm.timeout_s=20")
    out, err = jacobi(3, "deck.yaml", *HOST, *settings, cwd=folder, launcher=small, status=1)
    assert re.search(r"the fields of 2 ranks on \S+ need \d+ bytes of shared memory, but /dev/shm has room for \d+:", message(err)) and out == ""


def test_one_rank_needs_no_dev_shm(folder):
    none = mounted("mount -t tmpfs -o size=4k,ro shm /dev/shm")
    jacobi(1, "deck.yaml", *HOST, cwd=folder, launcher=none)


@pytest.mark.parametrize("key, name", [("output.file", "old.h5"), ("output.file", "new.h5"), ("report.file", "u.json")])
def test_read_only_folder(folder, key, name):
    (folder / "old.h5").rename(folder / "out" / "old.h5")
    before = (folder / "out" / "old.h5").read_bytes()
    launcher = mounted("mount --bind out out", "mount -o remount,bind,ro out")
    out, err = jacobi(2, "deck.yaml", *sets(f"{key}=out/{name}"), cwd=folder, launcher=launcher, status=2)
    assert f"out/{name}" in message(err) and "Read-only file system" in err and out == ""
    assert [path.name for path in (folder / "out").iterdir()] == ["old.h5"]
    assert (folder / "out" / "old.h5").read_bytes() == before


@pytest.mark.parametrize("key", ["report.file", "report.csv"])
def test_no_room_for_the_report(folder, key):
    fill = "{ cat /dev/zero >out/fill || true; } 2>/dev/null"
    launcher = mounted("mount -t tmpfs -o size=16k full out", "echo old >out/u", fill, after="cp -r out after")
    out, err = jacobi(2, "deck.yaml", *sets(f"{key}=out/v"), cwd=folder, launcher=launcher, status=1)
    assert "out/v" in message(err) and "No space left on device" in err
    assert printed_digest(out) and "Figure of Merit" in out and "Verification: SKIPPED" in out, "the results are not lost"
    names = {path.name for path in (folder / "after").iterdir()}
    assert {"u", "fill"} <= names <= {"u", "fill", "v"} and not (folder / "after" / "v.part").exists()
    assert not (folder / "after" / "v").exists() or (folder / "after" / "v").read_text() == ""
