"""What a file of another kind, or a damaged one, leads to while it is taken apart becomes one
error.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wsd.errors import ResultError, outdated
from wsd.storage.checksums import verify

# What a file of another kind, or a damaged one, leads to while it is taken apart; among runtime
# errors what Arrow cannot do with a column, and what is nested too deep.
UNEXPECTED = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


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


@contextmanager
def reading_of_step(
    path: Path, otherwise: str = HELD, errors: tuple[type[Exception], ...] = UNEXPECTED
) -> Iterator[None]:
    """As :func:`expecting`, of a file of an earlier step: it must be there, as it was written."""
    if not path.exists():
        what = "a file of an earlier step is missing"
        raise ResultError(what, where=str(path), fix="run snakemake")
    if path.is_dir():
        raise ResultError(
            "a folder, and not the file of a step", where=str(path), fix="name a file"
        )
    verify(path)
    with expecting(path, otherwise, errors):
        yield
