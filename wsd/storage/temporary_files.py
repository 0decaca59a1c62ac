"""Remove the temporary files of killed processes: a process locks the one that it writes."""

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
        # What was in a folder that is removed is gone too.
        with suppress(FileNotFoundError):
            # Opening a pipe would wait for whoever writes to it; nothing of ours is one.
            kind = path.lstat().st_mode
            if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
                continue
            handle = os.open(path, os.O_RDONLY)
            try:
                # On a disk without locks nobody knows, and the file stays.
                if lock_file(handle):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
                    removed.append(path)
            finally:
                os.close(handle)
    return removed
