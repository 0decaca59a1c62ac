"""What an interrupted extraction has done already, so that the next goes on from there.

Beside the vectors of a word, in a folder that the workflow manager knows nothing of and so leaves
alone, lie the unfinished files and a journal: one line that says what is being made, and one per
batch with its rows and the checksum of its vectors. A batch counts as done if its line is whole and
the vectors in the files have that checksum; nothing else has to reach the disk in any order. Work
on something else, under other settings or by other code, is thrown away.
"""

import fcntl
import hashlib
import json
import logging
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

log = logging.getLogger("wsd")

FOLDER = ".unfinished"
JOURNAL = "journal.jsonl"
# How a command is run, not what it computes.
ASIDE = ("wsd.cli", "wsd.errors", "wsd.logs", "wsd.running")


class Journal:
    """The batches done, of one word by one model; a context, and locked while it is open.

    Parameters
    ----------
    folder : Path
        For the journal and the unfinished files.
    making : dict
        Everything that decides what the vectors are; JSON. The code of this package is added.
    what : str
        For messages.

    Attributes
    ----------
    found : list of (rows, checksum)
        What the journal of an earlier try says; empty if there was none, or not of the same.
    """

    def __init__(self, folder: Path, making: dict[str, Any], what: str) -> None:
        self.folder, self.what = folder, what
        key = json.dumps({**making, "code": _code()}, sort_keys=True)
        self._key = hashlib.sha256(key.encode()).hexdigest()
        self._file = self._locked()
        self.found = self._read()

    def _locked(self) -> int:
        """The journal's file, once no other process works on it."""
        while True:
            self.folder.mkdir(parents=True, exist_ok=True)
            file = os.open(self.folder / JOURNAL, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                log.info("%s: another process is at work on this; waiting for it", self.what)
                fcntl.flock(file, fcntl.LOCK_EX)
            except OSError as error:  # a file system without locks
                log.debug("%s: not locked: %s", self.what, error)
            if os.fstat(file).st_nlink:
                return file
            os.close(file)  # the other one has finished, and removed it

    def _read(self) -> list[tuple[list[int], int]]:
        size = os.fstat(self._file).st_size
        text = os.pread(self._file, size, 0).decode("utf-8", "replace")
        lines = text.split("\n")[:-1]  # the last, if it is not whole, is not counted
        if size and lines[:1] != [self._key]:
            log.warning("%s: unfinished work on something else is thrown away", self.what)
            return []
        found = []
        for line in lines[1:]:
            try:
                rows, crc = json.loads(line)
                found.append(([int(row) for row in rows], int(crc)))
            except (TypeError, ValueError):
                break  # torn by a power cut; what follows is not to be trusted either
        return found

    def begin(self, done: Sequence[tuple[Sequence[int], int]] = ()) -> None:
        """Write the journal anew, with these batches as done."""
        os.ftruncate(self._file, 0)
        os.write(self._file, f"{self._key}\n".encode())
        for rows, crc in done:
            self.add(rows, crc)

    def add(self, rows: Sequence[int], crc: int) -> None:
        """Note a batch whose vectors are in the files."""
        os.write(self._file, (json.dumps([list(map(int, rows)), crc]) + "\n").encode())

    def remove(self) -> None:
        """Remove the folder: all is done, or nothing of it can be used."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> "Journal":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._file)


def _code() -> str:
    """SHA-256 over the package's modules that run here: other code may compute other vectors."""
    hasher = hashlib.sha256()
    for name, module in sorted(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if name.startswith("wsd.") and name not in ASIDE and file:
            hasher.update(name.encode() + b"\0" + Path(file).read_bytes())
    return hasher.hexdigest()
