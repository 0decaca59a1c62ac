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
import os
import shutil
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.vectors import VectorsWriter
from wsd.errors import ModelError
from wsd.logs import log

UNFINISHED = ".unfinished"
JOURNAL = "journal.jsonl"


class Journal:
    """The batches done, of one word by one model; locked while it is open.

    Parameters
    ----------
    folder : Path
        For the journal and the unfinished files.
    making : dict
        Everything that decides what the vectors are; JSON. The code of this package is added.
        ``provenance`` goes into the files' metadata, ``shapes`` has a view's (layers, instances,
        width).
    what : str
        For messages.

    Attributes
    ----------
    found : list of (rows, checksum)
        What the journal of an earlier try says; empty if there was none, or not of the same.
    """

    def __init__(self, folder: Path, making: dict[str, Any], what: str) -> None:
        self.folder, self.making, self.what = folder, making, what
        key = json.dumps({**making, "code": code_digest()}, sort_keys=True)
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

    def begin(self, done: Sequence[tuple[Sequence[int], int]]) -> None:
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

    def close(self) -> None:
        """Close the file, and give it free for others; once is enough."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


class UnfinishedVectors:
    """The vectors of one word by one model while they are made.

    Parameters
    ----------
    journal : Journal
        The files lie in its folder.
    batched : sequence of str
        The views that come batch by batch.

    Attributes
    ----------
    done : set of int
        The instances whose batches are in the files, those that an interrupted pass left included.
    """

    def __init__(self, journal: Journal, batched: Sequence[str]) -> None:
        self._journal = journal
        self._writers = {
            view: VectorsWriter(
                journal.folder / f"{view}.safetensors",
                shape,
                {"wsd": json.dumps({**journal.making["provenance"], "view": view}, sort_keys=True)},
                resume=bool(journal.found),
            )
            for view, shape in journal.making["shapes"].items()
        }
        self._batched = [self._writers[view] for view in batched]
        whole = all(writer.resumed for writer in self._writers.values())
        batches = self._batches_as_noted() if whole else []
        if journal.found and not batches:
            log.warning("%s: the unfinished files are damaged, and are thrown away", journal.what)
        journal.begin(batches)
        self.done = {row for rows, _ in batches for row in rows}

    def _batches_as_noted(self) -> list[tuple[list[int], int]]:
        """The batches of an interrupted pass whose vectors are in the files, as they were."""
        found, what = self._journal.found, self._journal.what
        as_noted = [(rows, crc) for rows, crc in found if self._checksum(rows) == crc]
        if as_noted:
            sentences, instances = sum(len(rows) for rows, _ in as_noted), self._batched[0].shape[1]
            log.info("%s: %d of %d sentences were done before", what, sentences, instances)
        if damaged := len(found) - len(as_noted):
            log.warning("%s: %d unfinished batches are damaged, and done again", what, damaged)
        return as_noted

    def _checksum(self, rows: Sequence[int]) -> int | None:
        """Of what the files hold of a batch; None for rows that there are not."""
        crc = 0
        for writer in self._batched:
            if not all(0 <= row < writer.shape[1] for row in rows):
                return None
            crc = writer.checksum(rows, crc)
        return crc

    def put(self, view: str, vectors: np.ndarray) -> None:
        """Store all vectors of a view that does not come batch by batch."""
        self._writers[view].put(range(vectors.shape[1]), vectors)

    def add(self, rows: Sequence[int], of_views: np.ndarray) -> None:
        """Store a batch, of shape (batched views, layers, len(rows), width), and note it."""
        crc = 0
        for writer, vectors in zip(self._batched, of_views, strict=True):
            vectors = np.ascontiguousarray(vectors, dtype="<f4")
            writer.put(rows, vectors)
            crc = zlib.crc32(vectors.data, crc)
        self._journal.add(rows, crc)
        self.done.update(rows)

    def finish(self, out: Path) -> None:
        """Close the files, move them to their place, and remove the folder."""
        for writer in self._writers.values():
            writer.close()
        for view, writer in self._writers.items():
            writer.path.replace(out / f"{view}.safetensors")
        self._journal.remove()

    def leave(self, error: BaseException) -> None:
        """Close the files as they are, to be gone on with."""
        for writer in self._writers.values():
            writer.leave()
        if isinstance(error, ModelError):
            self._journal.remove()  # the same again would end the same way


def code_digest() -> str:
    """SHA-256 over the package's modules that run here: other code may compute other vectors."""
    hasher = hashlib.sha256()
    for name, module in sorted(sys.modules.items()):
        file = getattr(module, "__file__", None)
        # Modules beside the rooms, and what looks after a run, say how a command is run.
        room = name.split(".")[1:-1]
        if name.startswith("wsd.") and room and room[0] != "run" and file:
            hasher.update(name.encode() + b"\0" + Path(file).read_bytes())
    return hasher.hexdigest()
