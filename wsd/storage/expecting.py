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


def require(condition: object, otherwise: str) -> None:
    """Refuse, within :func:`expecting`, a file that does not hold what it should."""
    if not condition:
        raise ValueError(otherwise)


@contextmanager
def reading_of_step(
    path: Path, otherwise: str, errors: tuple[type[Exception], ...]
) -> Iterator[None]:
    """Verify a file of an earlier step, and turn what reading it leads to into one error."""
    verify(path)
    try:
        yield
    except FileNotFoundError:
        raise ResultError("a file of an earlier step is missing", where=str(path)) from None
    except errors as error:
        raise outdated(f"{otherwise}: {error}", path) from None


@contextmanager
def expecting(path: Path) -> Iterator[None]:
    """Turn what a file of another kind, or a damaged one, leads to into one clear error."""
    try:
        yield
    except UNEXPECTED as error:
        what = f"the file does not hold what it should: {type(error).__name__} {error}"
        raise outdated(what, path) from error
