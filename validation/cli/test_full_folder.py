"""Output folders that are full or run full: a message, an exit status, and older files as they were."""
import re
import shutil

import pytest
from mounts import message, mounted, with_old_file
from programs import BUILD, compare, jacobi, jacobi_alone, printed_digest, run, sets

@pytest.fixture
def folder(folder):
    return with_old_file(folder)


def test_folder_too_small_from_the_start(folder):
    launcher = mounted("mount -t tmpfs -o size=96k full out", "cp old.h5 out/u.h5", after="cp -r out after")
    settings = sets("output.file=out/u.h5", "grid.cells=[30, 30, 30]")
    out, err = jacobi(2, "deck.yaml", *settings, cwd=folder, launcher=launcher, status=2)
    needed, free = (int(number) for number in re.search(r"needs (\d+) bytes.* only (\d+) bytes free", message(err)).groups())
    assert needed >= 30**3 * 8 and free < 96 << 10 and out == ""
    assert [path.name for path in (folder / "after").iterdir()] == ["u.h5"]
    assert (folder / "after" / "u.h5").read_bytes() == (folder / "old.h5").read_bytes()


class FullFolder:
    """`out` has room for the dump of sweep 2 beside an older file of sweep 4, but not for that of sweep 4."""

    def __init__(self, folder, room):
        self.folder = folder
        jacobi_alone("deck.yaml", *sets("grid.cells=[30, 30, 30]", "problem.seed=9", "output.file=old.h5"), cwd=folder)
        mount = f"mount -t tmpfs -o size={room} full out"
        self.launcher = mounted(mount, "cp old.h5 out/u_000004.h5", after="cp -r out after")

    def run(self, ranks, *settings, preloaded=None):
        """Runs into the lack of room; returns what was printed, and the message."""
        series = sets("grid.cells=[30, 30, 30]", "output={file: out/u.h5, every: 2}", *settings)
        launcher = [*self.launcher, *(["env", f"LD_PRELOAD={preloaded}"] if preloaded else [])]
        out, err = jacobi(ranks, "deck.yaml", *series, cwd=self.folder, launcher=launcher, status=1, timeout=40)
        after = self.folder / "after"
        names = sorted(path.name for path in after.iterdir())
        assert names == ["u.vtkhdf.series", "u_000002.h5", "u_000004.h5"], "no .part, no half a file"
        assert (after / "u_000004.h5").read_bytes() == (self.folder / "old.h5").read_bytes()
        compare("after/u_000002.h5", "after/u_000002.h5", cwd=self.folder)
        text = message(err)
        assert "out/u_000004.h5" in text
        return out, text


# The larger room would do for the field, but not for all that comes with it: another call of HDF5 would fail.
@pytest.mark.parametrize("ranks, room", [(2, "600k"), (3, "600k"), (3, "670k"), (1, "670k"), (8, "640k")])
def test_folder_that_runs_full(folder, ranks, room):
    out, text = FullFolder(folder, room).run(ranks, "solver.iterations=6")
    assert "No space left on device" in text and "Figure of Merit" not in out


def test_results_outlive_a_folder_that_runs_full(folder):
    out, text = FullFolder(folder, "600k").run(3, "solver.iterations=4")
    assert "No space left on device" in text
    assert printed_digest(out) and "Figure of Merit" in out and "Verification: SKIPPED" in out


# A file system that can neither reserve room nor tell how much it has.
NO_RESERVATION = """\
#include <errno.h>
static int refuse(void) { errno = EOPNOTSUPP; return -1; }
int fallocate(int file, int mode, long begin, long bytes) { return refuse(); }
int fallocate64(int file, int mode, long begin, long bytes) { return refuse(); }
int statvfs(const char* path, void* space) { return refuse(); }
int statvfs64(const char* path, void* space) { return refuse(); }
"""


@pytest.fixture
def no_reservation(folder):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler here")
    (folder / "shim.c").write_text(NO_RESERVATION)
    run([compiler, "-w", "-shared", "-fPIC", "-o", "shim.so", "shim.c"], folder)
    return folder / "shim.so"


@pytest.mark.parametrize("ranks, room", [(1, "600k"), (1, "670k"), (2, "600k"), (2, "670k"), (3, "600k"), (5, "600k")])
def test_hdf5_runs_into_a_full_folder(folder, no_reservation, ranks, room):
    """HDF5 fails while it writes: in a call on some rank, which then ends the job, or it waits for itself until the watchdog."""
    settings = ["solver.iterations=6", "comm.timeout_s=1"]
    _, text = FullFolder(folder, room).run(ranks, *settings, preloaded=no_reservation)
    assert "No space left on device" in text or (ranks > 1 and "has not ended within its limit" in text)


def test_reference_runs_into_a_full_folder(folder, no_reservation):
    launcher = [*mounted("mount -t tmpfs -o size=200k full out", "cp old.h5 out/u.h5", after="cp -r out after"), "env"]
    command = [BUILD / "reference", "deck.yaml", "-o", "out/u.h5", *sets("grid.cells=[30, 30, 30]")]
    _, err = run([*launcher, f"LD_PRELOAD={no_reservation}", *command], folder, status=1)
    assert re.fullmatch("reference: .*out/u.h5.*No space left on device.*\n", err)
    assert [path.name for path in (folder / "after").iterdir()] == ["u.h5"]
    assert (folder / "after" / "u.h5").read_bytes() == (folder / "old.h5").read_bytes()
