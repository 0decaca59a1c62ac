"""Checksums of what decides a run's files and is not in its config: code, and files from outside.

Files go by their content, not by their dates. A checksum is kept by the file's size, inode and both
times, so that weights are not read again each time: nobody can change a file and leave its time of
change (ctime) as it was.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from wsd.run import step_code
from wsd.storage.atomic import write_text
from wsd.storage.checksums import sha256

SEEN = "seen.json"
# Names the map of the run that a job works for; and in it, the digest of the whole program.
MAP, PROGRAM = "WSD_RUN_MAP", "program"


class Seen:
    """What was found in files, and by which signs a file is known to be as it was.

    Parameters
    ----------
    cache : Path
        Where it is kept; a file that cannot be read is as good as none.
    """

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self._known: dict[str, list[object]] = {}
        with suppress(OSError, ValueError, AttributeError):
            self._known = dict(json.loads(cache.read_text(encoding="utf-8")))
        self._read = dict(self._known)

    def find(self, path: Path, look: Callable[[Path], str]) -> str:
        """What ``look`` says of a file, now or the last time that the file was like this."""
        name, signs = str(path.absolute()), _signs(path)
        known = self._known.get(name)
        if isinstance(known, list) and known[:-1] == signs and isinstance(known[-1], str):
            return known[-1]
        found = look(path)
        self._known[name] = [*signs, found]
        return found

    def forget_missing(self) -> None:
        """Drop files that are gone."""
        self._known = {name: of for name, of in self._known.items() if os.path.lexists(name)}

    def keep(self) -> None:
        """Write down what was found, if there is anything new."""
        if self._known != self._read:
            write_text(self._cache, json.dumps(self._known, sort_keys=True))
            self._read = dict(self._known)


def _signs(path: Path) -> list[object]:
    status = path.stat()
    return [status.st_size, status.st_ino, status.st_mtime_ns, status.st_ctime_ns]


class Digests:
    """SHA-256 of code and of files from outside.

    Parameters
    ----------
    seen : Seen
    known : mapping, optional
        Those of the run that this process works for: they are not computed again.

    Attributes
    ----------
    used : dict of str to str
        All that were asked for.
    """

    def __init__(self, seen: Seen, known: Mapping[str, str] | None = None) -> None:
        self._seen, self._known = seen, known or {}
        self.used: dict[str, str] = {}

    def code(self, step: str) -> str:
        """Of the modules that a step runs."""
        return self._get(f"step {step}", lambda: step_code.checksum(step))

    def file(self, path: Path) -> str:
        """Of a file's content.

        Raises
        ------
        OSError
            If it cannot be read.
        """
        return self._get(f"file {path}", lambda: self._seen.find(path, sha256))

    def files(self, folder: Path, names: Iterable[str]) -> str:
        """Of several files in a folder, together; one that is missing counts too."""

        def compute() -> str:
            paths = [folder / name for name in names]
            sums = [self._seen.find(path, sha256) if path.is_file() else "" for path in paths]
            return hashlib.sha256(json.dumps([*names, *sums]).encode()).hexdigest()

        return self._get(f"folder {folder}", compute)

    def _get(self, name: str, compute: Callable[[], str]) -> str:
        if name not in self.used:
            self.used[name] = self._known.get(name) or compute()
        return self.used[name]
