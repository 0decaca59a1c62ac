"""What a killed process left half-written: told from what is being written by the lock on it."""

import fcntl
import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path

PART = ".part"


def hold(handle: int) -> bool:
    """Lock an open file for this process, if no other has; it is free again once that is gone.

    Where a file system knows no locks, nothing is ever taken for free.
    """
    with suppress(OSError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def sweep(folder: Path) -> list[Path]:
    """Remove what killed processes left half-written below ``folder``, and say what.

    What a live process is writing is left alone.
    """
    parts = [
        Path(root) / name
        for root, folders, files in os.walk(folder)
        for name in (*folders, *files)
        if name.startswith(".") and name.endswith(PART)
    ]
    removed = []
    for path in sorted(parts):
        # What was in a folder that is removed is gone too.
        with suppress(FileNotFoundError):
            # Opening a pipe would wait for whoever writes to it; nothing of ours is one.
            kind = path.lstat().st_mode
            if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
                continue
            handle = os.open(path, os.O_RDONLY)
            try:
                if hold(handle):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
                    removed.append(path)
            finally:
                os.close(handle)
    return removed
