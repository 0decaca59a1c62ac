"""Remove the temporary files of killed processes; a running process locks its own."""

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path

from wsd.storage.file_lock import lock_file

PART = ".part"


def remove_abandoned(folder: Path) -> list[Path]:
    """Remove the temporary files that killed processes left below ``folder``, and list them."""
    parts = [
        Path(root) / name
        for root, folders, files in os.walk(folder)
        for name in (*folders, *files)
        if name.startswith(".") and name.endswith(PART)
    ]
    removed = []
    for path in sorted(parts):
        # A file in a folder that was removed no longer exists.
        with suppress(FileNotFoundError):
            # Not one of our files. Opening a pipe would wait for a writer.
            kind = path.lstat().st_mode
            if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
                continue
            handle = os.open(path, os.O_RDONLY)
            try:
                # On a disk without locks, the file may be in use, so it stays.
                if lock_file(handle):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
                    removed.append(path)
            finally:
                os.close(handle)
    return removed
