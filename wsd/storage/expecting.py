"""What a file of another kind, or a damaged one, leads to while it is taken apart becomes one
error.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wsd.errors import ResultError, outdated
from wsd.storage.atomic import blocking
from wsd.storage.checksums import verify

# What a file of another kind, or a damaged one, leads to while it is taken apart; among runtime
# errors what Arrow cannot do with a column, and what is nested too deep.
UNEXPECTED = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


# Of the files beside a missing one, how many an error names.
MOST = 8
HELD = "the file does not hold what it should"


def require(condition: object, otherwise: str) -> None:
    """Refuse, within :func:`expecting`, a file that does not hold what it should."""
    if not condition:
        raise ValueError(otherwise)


@contextmanager
def expecting(
    path: Path, otherwise: str = HELD, errors: tuple[type[Exception], ...] = UNEXPECTED
) -> Iterator[None]:
    """Turn what a file of another kind, or a damaged one, leads to into one clear error.

    Parameters
    ----------
    path : Path
    otherwise : str
        What is to be said of the file.
    errors : tuple of exception types
        What it may lead to.
    """
    try:
        yield
    except errors as error:
        raise outdated(f"{otherwise}: {type(error).__name__} {error}", path) from error


def check_there(path: Path) -> None:
    """Refuse a file of a step that is none, with what may have been meant.

    Raises
    ------
    ResultError
        If it is missing, a folder or a device, or if what should be its folder is a file.
    """
    if path.is_file():
        return
    if path.exists():  # a device may have no end
        what = f"a {'folder' if path.is_dir() else 'device or pipe'}, and not the file of a step"
        raise ResultError(what, where=str(path), fix="name a file")
    if blocked := blocking(path):
        what, fix = "a file, and not a folder with files of steps", "name a folder"
        raise ResultError(what, where=str(blocked), fix=fix)
    beside = path.parent.iterdir() if path.parent.is_dir() else ()
    there = sorted(one.name for one in beside if one.suffix == path.suffix and one.is_file())
    named = f" ({', '.join(there[:MOST])}{', ...' if there[MOST:] else ''})" if there else ""
    what = "a file of an earlier step is missing"
    fix = f"name one that is there{named}; snakemake makes those of a run"
    raise ResultError(what, where=str(path), fix=fix)


@contextmanager
def reading_of_step(
    path: Path, otherwise: str = HELD, errors: tuple[type[Exception], ...] = UNEXPECTED
) -> Iterator[None]:
    """As :func:`expecting`, of a file of an earlier step: it must be there, as it was written."""
    check_there(path)
    verify(path)
    with expecting(path, otherwise, errors):
        yield
