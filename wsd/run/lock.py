"""Lock the results of a dataset for one run at a time; the lock ends with its process."""

import os
import socket
import sys
import time
from pathlib import Path
from typing import TextIO

from wsd.errors import WsdError, visible
from wsd.storage.atomic import check_writable, write_errors
from wsd.storage.file_lock import lock_file

LOCK = ".lock"


class BusyError(WsdError):
    """Another run is computing results of this dataset."""


def begin(dataset: Path) -> TextIO:
    """Create and lock the folder of a dataset's results; the caller keeps the file open.

    Raises
    ------
    BusyError
        If another run uses the folder; names its process, host and command.
    StorageError
        If the folder cannot be written, or its disk is full.
    """
    check_writable(dataset)
    path = dataset / LOCK
    with write_errors(path):
        file = path.open("a+", encoding="utf-8")
    if (locked := lock_file(file)) is False:
        problem = f"another run is using these results: {path.read_text(encoding='utf-8').strip()}"
        fix = "wait until it has finished, or end it; there is nothing to unlock, and -n works"
        raise BusyError(problem, where=str(dataset.absolute()), fix=fix)
    if locked is None:
        say(f"{dataset.absolute()}: no locks here: start no second run in this folder")
    file.truncate(0)
    since, command = time.strftime("%F %T"), " ".join(sys.argv)
    print(
        f"process {os.getpid()} on {socket.gethostname()}, {since}: {command}",
        file=file,
        flush=True,
    )
    return file


def say(text: str) -> None:
    """Print a message on the standard error of the run."""
    print(visible(text), file=sys.stderr, flush=True)
