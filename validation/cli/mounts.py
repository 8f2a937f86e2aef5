"""File systems of a test's own, so that a full or read-only folder is one for root, too."""
import os
import re
import subprocess

import pytest
from programs import jacobi_alone, sets

NAMESPACE = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]


def require_mounts(folder):
    """Skips the test where mounting is not allowed."""
    try:
        tried = subprocess.run([*NAMESPACE, "mount", "-t", "tmpfs", "none", str(folder)], capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("there is no unshare here")
    if tried.returncode != 0:
        pytest.skip(f"mounting in a namespace of its own is not allowed here: {tried.stderr.strip()}")


def mounted(*steps, after="true"):
    """A launcher: runs its command where the shell commands `steps` have been run, then `after`, which sees the same mounts."""
    script = " && ".join(steps) + ' && "$@"\nstatus=$?\n' + after + "\nexit $status"
    return [*NAMESPACE, "sh", "-c", script, "sh"]


def with_old_file(folder):
    """The folder, now with an empty folder `out` to mount something on, and a file `old.h5` of an earlier run of its deck."""
    (folder / "out").mkdir()
    require_mounts(folder / "out")
    jacobi_alone("deck.yaml", *sets("output.file=old.h5"), cwd=folder)
    return folder


def message(err):
    """The program's own message, which must be there once."""
    (line,) = re.findall("^jacobi: (.*)$", err, re.MULTILINE)
    return line
