"""Compare files of a store with the checksums that were noted when they were written.

The checksum of a file is in ``.sums`` beside it (:mod:`wsd.storage.checksums`), or in the listing
that names the file (:mod:`wsd.artifacts.run_map`). A file of vectors also has one per layer inside
(:mod:`wsd.artifacts.vectors`).
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from wsd.artifacts.run_map import is_listing, read_listing
from wsd.artifacts.vectors import VECTORS, check_vectors
from wsd.encoder.model_files import WEIGHTS
from wsd.errors import WsdError
from wsd.storage.checksums import SUMMED, checksum, noted_checksum

GONE = "is not there"
UNREAD = "cannot be read"
UNSUMMED = "has no checksum beside it"
# Returns the checksum of a file's content, or what is wrong with the file in words.
Look = Callable[[Path], str]


def content(path: Path) -> str:
    """Return the checksum of a file's content, or what is wrong with the file in words."""
    try:
        if path.suffix == VECTORS and path.name != WEIGHTS:
            return check_vectors(path)
        return checksum(path)
    except WsdError as error:
        return error.problem
    except OSError as error:
        return f"{UNREAD}: {error.strerror}"


def wrong(path: Path, look: Look = content) -> Iterator[tuple[Path, str]]:
    """Yield every damaged file, among a file and the files that it lists, with what is wrong.

    Parameters
    ----------
    path : Path
    look : callable
        As :func:`content`; it may have a cache.
    """
    if problem := unlike(path, noted(path), look):
        yield path, problem
    elif is_listing(path):
        try:
            files = read_listing(path)
        except WsdError as error:
            yield path, error.problem
            return
        for name, expected in files.items():
            file = path.parent / name
            if problem := unlike(file, expected, look) or unlike_note(file, expected):
                yield file, problem


def noted(path: Path) -> str | None:
    """Return the checksum in ``.sums`` beside a file, or why it cannot be read."""
    try:
        return noted_checksum(path)
    except OSError as error:
        return f"none: {error.strerror}"


def unlike_note(path: Path, expected: str) -> str:
    """Return what is wrong with the checksum in ``.sums``, which readers of tables go by."""
    note = noted(path) if path.suffix in SUMMED else None
    return "" if note in (None, expected) else f"its checksum in .sums is not {expected}"


def unlike(path: Path, expected: str | None, look: Look) -> str:
    """Return what is wrong with a file that should have a checksum; empty if nothing is."""
    try:
        if not path.is_file():
            return GONE
    except OSError as error:
        return f"{UNREAD}: {error.strerror}"
    actual = look(path)
    if not actual.startswith("crc32"):
        return actual
    if expected is None:
        return UNSUMMED
    if actual == expected:
        return ""
    return f"the file has changed since it was written: its checksum was {expected} and is {actual}"
