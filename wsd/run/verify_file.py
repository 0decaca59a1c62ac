"""Whether a file of a store is what was written.

What was written is its checksum: in ``.sums`` beside it (:mod:`wsd.storage.checksums`), or in the
listing that names it (:mod:`wsd.artifacts.run_map`). A file of vectors has one of each layer in
itself too (:mod:`wsd.artifacts.vectors`).
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from wsd.artifacts.run_map import is_listing, listed
from wsd.artifacts.vectors import VECTORS, check_vectors
from wsd.encoder.model_files import WEIGHTS
from wsd.errors import WsdError
from wsd.storage.checksums import SUMMED, checksum, noted_checksum

GONE = "is not there"
UNREAD = "cannot be read"
UNSUMMED = "has no checksum beside it"
# What a file holds, as a checksum; or what is wrong, in words.
Look = Callable[[Path], str]


def content(path: Path) -> str:
    """The checksum of what a file holds; of damaged vectors, what is wrong."""
    try:
        if path.suffix == VECTORS and path.name != WEIGHTS:
            return check_vectors(path)
        return checksum(path)
    except WsdError as error:
        return error.what
    except OSError as error:
        return f"{UNREAD}: {error.strerror}"


def wrong(path: Path, look: Look = content) -> Iterator[tuple[Path, str]]:
    """Every file that is not what was written, of a file and of what it lists, and why.

    Parameters
    ----------
    path : Path
    look : callable
        As :func:`content`, which may have been asked before.
    """
    if said := unlike(path, noted(path), look):
        yield path, said
    elif is_listing(path):
        try:
            files = listed(path)
        except WsdError as error:
            yield path, error.what
            return
        for name, expected in files.items():
            one = path.parent / name
            if said := unlike(one, expected, look) or unlike_note(one, expected):
                yield one, said


def noted(path: Path) -> str | None:
    """The checksum in ``.sums`` beside a file; what is wrong with that, if it cannot be read."""
    try:
        return noted_checksum(path)
    except OSError as error:
        return f"none: {error.strerror}"


def unlike_note(path: Path, expected: str) -> str:
    """What is wrong with the checksum in ``.sums``, by which those who read a table go."""
    said = noted(path) if path.suffix in SUMMED else None
    return "" if said in (None, expected) else f"its checksum in .sums is not {expected}"


def unlike(path: Path, expected: str | None, look: Look) -> str:
    """What is wrong with a file that should have a checksum; nothing if it is as it should be."""
    try:
        if not path.is_file():
            return GONE
    except OSError as error:
        return f"{UNREAD}: {error.strerror}"
    found = look(path)
    if not found.startswith("crc32"):
        return found
    if expected is None:
        return UNSUMMED
    if found == expected:
        return ""
    return f"the file is not what was written: noted was {expected}, here is {found}"
