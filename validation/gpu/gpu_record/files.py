"""Files that a script will write when its work is done."""
import os
import tempfile


def unwritable(path):
    """Why the file could not be written, or nothing. Asked before the work that it would hold; leaves nothing behind."""
    if path.is_dir():
        return f"{path} is a folder"
    if not path.parent.is_dir():
        return f"{path}: there is no folder {path.parent}"
    try:
        if path.exists():
            with open(path, "ab"):
                pass
        else:
            with tempfile.TemporaryFile(dir=path.parent):
                pass
    except OSError as fault:
        return f"{path}: {os.strerror(fault.errno)}"
    return ""
