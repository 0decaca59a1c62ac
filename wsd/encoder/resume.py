"""What an interrupted extraction has done already, so that the next goes on from there.

Beside the vectors of a word, in a folder that the workflow manager knows nothing of and so leaves
alone, lie the unfinished files and a journal: a line per part of the word, with the checksums of
all rows so far, written once these are on the disk. The folder's name is a digest of what is being
made, so that work on something else is not taken up.
"""

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.run_map import DIGITS
from wsd.artifacts.vectors import VectorsWriter
from wsd.artifacts.view_names import DRAWN
from wsd.errors import ModelError
from wsd.logs import done_before, log

UNFINISHED = ".unfinished"
JOURNAL = "journal.jsonl"


class UnfinishedVectors:
    """The vectors of one word by one model while they are made; no other process works on them.

    Parameters
    ----------
    folder : Path
        For folders of unfinished work.
    making : dict
        Everything that decides what the vectors are; JSON. ``provenance`` goes into the files'
        metadata, ``shapes`` has a view's (layers, instances, width).
    batched : sequence of str
        The views that come part by part.
    part : int
        Rows of a part.
    what : str
        For messages.

    Attributes
    ----------
    rows : int
        How many are in the files, those that an interrupted pass left included.
    """

    def __init__(
        self, folder: Path, making: dict[str, Any], batched: Sequence[str], part: int, what: str
    ) -> None:
        key = hashlib.sha256(json.dumps(making, sort_keys=True).encode()).hexdigest()
        self.folder, self.part = folder / key[:DIGITS], part
        self._journal = self._locked(what)
        provenance, self._writers = making["provenance"], {}
        self._instances = provenance["instances"]
        for view, shape in making["shapes"].items():
            # The seed is no part of what has none: a run with another finds the same file.
            seed = provenance["seed"] if view == DRAWN else None
            about = json.dumps({**provenance, "seed": seed, "view": view}, sort_keys=True)
            path = self.folder / f"{view}.safetensors"
            self._writers[view] = VectorsWriter(path, shape, {"wsd": about})
        self._batched = [self._writers[view] for view in batched]
        self.rows = self._resumed(what)

    def _locked(self, what: str) -> FileIO:
        """The journal, once no other process works on it."""
        while True:
            self.folder.mkdir(parents=True, exist_ok=True)
            file = FileIO(self.folder / JOURNAL, "a+")
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                log.info("%s: another process is at work on this; waiting for it", what)
                fcntl.flock(file, fcntl.LOCK_EX)
            except OSError as error:  # a file system without locks
                log.debug("%s: not locked: %s", what, error)
            if os.fstat(file.fileno()).st_nlink:
                return file
            file.close()  # the other one has finished, and removed it

    def _resumed(self, what: str) -> int:
        """How many rows an interrupted pass left in the files, if they are as it wrote them."""
        self._journal.seek(0)
        *lines, torn = self._journal.read().split(b"\n")
        self._journal.truncate(self._journal.tell() - len(torn))
        rows = len(lines) * self.part
        for writer in self._batched:
            writer.resume(rows)
        if not lines or lines[-1] == self._line():
            if rows:
                said = f"{what}: {rows} of {self._instances} sentences were done before"
                log.info(said, extra=done_before(rows))
            return rows
        log.warning("%s: the unfinished files are damaged, and are thrown away", what)
        self._journal.truncate(0)
        for writer in self._batched:
            writer.resume(0)
        return 0

    def _line(self) -> bytes:
        return json.dumps([writer.sums for writer in self._batched]).encode()

    def put(self, view: str, vectors: np.ndarray) -> None:
        """Store all vectors of a view that does not come part by part."""
        self._writers[view].add(vectors)

    def add(self, of_views: np.ndarray) -> None:
        """Store a part, of shape (batched views, layers, rows, width), and note it."""
        for writer, vectors in zip(self._batched, of_views, strict=True):
            writer.add(vectors)
        self.rows += of_views.shape[2]
        if self.rows < self._instances:
            for writer in self._batched:
                writer.sync()
            self._journal.write(self._line() + b"\n")

    def finish(self, out: Path, names: Mapping[str, str]) -> None:
        """Close the files, move them to their places, and remove the folder."""
        for writer in self._writers.values():
            writer.close()
        for view, writer in self._writers.items():
            writer.path.replace(out / names[view])
        self._remove()

    def leave(self, error: BaseException) -> None:
        """Close the files as they are, to be gone on with."""
        for writer in self._writers.values():
            writer.leave()
        if isinstance(error, ModelError):
            self._remove()  # the same again would end the same way
        self._journal.close()

    def _remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        with suppress(OSError):  # there may be other work
            self.folder.parent.rmdir()
        self._journal.close()
