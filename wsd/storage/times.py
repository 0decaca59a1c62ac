"""Dates of files that were made while a machine's clock was ahead."""

import os
import time
from contextlib import suppress
from pathlib import Path

# Clocks of a cluster's machines may differ by less.
FUTURE_SECONDS = 60.0


def from_the_future(folder: Path) -> list[Path]:
    """Date files that are dated in the future as of now, and say which.

    The workflow manager compares times. Of a file made while the clock was ahead, a later change
    of what it was made from would go unnoticed.
    """
    now = time.time()
    found = []
    for root, _, names in os.walk(folder):
        for path in (Path(root) / name for name in names):
            with suppress(FileNotFoundError):
                if path.lstat().st_mtime > now + FUTURE_SECONDS:
                    os.utime(path, (now, now), follow_symlinks=False)
                    found.append(path)
    return sorted(found)
