"""Compare files of a store with the checksums that were noted when they were written.

The checksum of a file is in ``.sums`` next to it (:mod:`wsd.storage.checksums`), or in the listing
that names the file (:mod:`wsd.artifacts.run_json`). A file of vectors also contains one per layer
(:mod:`wsd.artifacts.vectors`).
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from wsd.artifacts.run_json import is_listing, read_listing
from wsd.artifacts.vectors import VECTORS, check_vectors
from wsd.encoder.model_files import WEIGHTS
from wsd.errors import WsdError
from wsd.storage.checksums import SUMMED, checksum, noted_checksum

GONE = "is not there"
UNREAD = "cannot be read"
UNSUMMED = "has no checksum next to it"
# Returns the checksum of a file's content, or the problem of reading it.
Look = Callable[[Path], str]


def checksum_or_problem(path: Path) -> str:
    """Return the checksum of a file's content, or the problem of reading it."""
    try:
        if path.suffix == VECTORS and path.name != WEIGHTS:
            return check_vectors(path)
        return checksum(path)
    except WsdError as error:
        return error.problem
    except OSError as error:
        return f"{UNREAD}: {error.strerror}"


def damaged_files(path: Path, look: Look = checksum_or_problem) -> Iterator[tuple[Path, str]]:
    """Yield the damaged files among a file and the files that it lists, with their problems.

    Parameters
    ----------
    path : Path
    look : callable
        Like :func:`checksum_or_problem`; it may have a cache.
    """
    if problem := problem_of(path, look):
        yield path, problem
    elif is_listing(path):
        try:
            files = read_listing(path)
        except WsdError as error:
            yield path, error.problem
            return
        for name, expected in files.items():
            if problem := problem_of(path.parent / name, look, expected):
                yield path.parent / name, problem


def problem_of(path: Path, look: Look, expected: str | None = None) -> str:
    """Return the problem of a file, or an empty text.

    Parameters
    ----------
    path : Path
    look : callable
        As for :func:`damaged_files`.
    expected : str, optional
        The checksum of the file and in ``.sums``; the default is the one in ``.sums``.
    """
    try:
        if not path.is_file():
            return GONE
    except OSError as error:
        return f"{UNREAD}: {error.strerror}"
    actual = look(path)
    if not actual.startswith("crc32"):
        return actual
    noted = None
    if expected is None or path.suffix in SUMMED:
        try:
            noted = noted_checksum(path)
        except OSError as error:
            noted = f"none: {error.strerror}"
    expected = expected or noted
    if expected is None:
        return UNSUMMED
    if actual != expected:
        text = "the file has changed since it was written: its checksum was"
        return f"{text} {expected} and is {actual}"
    return "" if noted in (None, expected) else f"its checksum in .sums is not {expected}"
