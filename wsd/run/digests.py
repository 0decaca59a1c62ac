"""Compute the checksums of code and of foreign files, which are part of the keys of results.

A checksum depends only on the content of a file, not on its date. It is cached under the file's
size, inode and both times, so that not every run reads large weights. Nobody can change a file
without changing its time of change (ctime).
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from wsd.run import modules_of_step
from wsd.storage.atomic import write_text
from wsd.storage.checksums import sha256

SEEN = ".seen.json"
# The environment variable with the map of a job's run; the entry in the map for the whole program.
MAP, PROGRAM = "WSD_RUN_MAP", "program"


class Seen:
    """A cache of results about files, valid while their size, inode and times do not change.

    Parameters
    ----------
    cache : Path
        The file of the cache; a file that cannot be read counts as empty.
    """

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self._known: dict[str, list[object]] = {}
        with suppress(OSError, ValueError, AttributeError):
            self._known = dict(json.loads(cache.read_text(encoding="utf-8")))
        self._read = dict(self._known)

    def find(self, path: Path, look: Callable[[Path], str]) -> str:
        """Return ``look(path)``, from the cache if the file has not changed."""
        status, name = path.stat(), str(path.absolute())
        signs = [status.st_size, status.st_ino, status.st_mtime_ns, status.st_ctime_ns]
        known = self._known.get(name)
        if isinstance(known, list) and known[:-1] == signs and isinstance(known[-1], str):
            return known[-1]
        result = look(path)
        self._known[name] = [*signs, result]
        return result

    def forget_missing(self) -> None:
        """Drop the entries of missing files."""
        self._known = {name: entry for name, entry in self._known.items() if os.path.lexists(name)}

    def keep(self) -> None:
        """Write the cache, if anything is new."""
        if self._known != self._read:
            write_text(self._cache, json.dumps(self._known, sort_keys=True))
            self._read = dict(self._known)


class Digests:
    """The SHA-256 of code and of foreign files.

    Parameters
    ----------
    seen : Seen
    known : mapping, optional
        The digests of the run that this job belongs to; they are not computed again.

    Attributes
    ----------
    used : dict of str to str
        All digests that this object has returned.
    """

    def __init__(self, seen: Seen, known: Mapping[str, str] | None = None) -> None:
        self._seen, self._known = seen, known or {}
        self.used: dict[str, str] = {}

    def code(self, step: str) -> str:
        """Return the digest of the modules that a step runs."""
        return self._get(f"step {step}", lambda: modules_of_step.checksum(step))

    def file(self, path: Path) -> str:
        """Return the digest of a file's content.

        Raises
        ------
        OSError
            If the file cannot be read.
        """
        return self._get(f"file {path}", lambda: self._seen.find(path, sha256))

    def files(self, folder: Path, names: Iterable[str]) -> str:
        """Return one digest of several files in a folder; a missing file counts too."""

        def compute() -> str:
            paths = [folder / name for name in names]
            sums = [self._seen.find(path, sha256) if path.is_file() else "" for path in paths]
            return hashlib.sha256(json.dumps([*names, *sums]).encode()).hexdigest()

        return self._get(f"folder {folder}", compute)

    def _get(self, name: str, compute: Callable[[], str]) -> str:
        if name not in self.used:
            self.used[name] = self._known.get(name) or compute()
        return self.used[name]
