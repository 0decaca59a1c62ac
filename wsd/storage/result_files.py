"""Read the files of earlier steps: turn a missing, damaged or wrong file into one clear error."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wsd.errors import ResultError, wrong_file
from wsd.storage.atomic import file_in_the_way
from wsd.storage.checksums import verify

# The exceptions that parsing a wrong file can raise. Arrow raises a RuntimeError for a column that
# it cannot convert, and Python for content that is nested too deep.
UNEXPECTED = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
# An error lists at most so many of the files next to a missing one.
MOST = 8
WRONG_CONTENT = "the file does not have the expected content"


def require(condition: object, message: str) -> None:
    """Raise a ValueError, which :func:`parsing` turns into an error about the file."""
    if not condition:
        raise ValueError(message)


@contextmanager
def parsing(
    path: Path, message: str = WRONG_CONTENT, errors: tuple[type[Exception], ...] = UNEXPECTED
) -> Iterator[None]:
    """Turn exceptions that a wrong or damaged file causes into one error about the file.

    Parameters
    ----------
    path : Path
    message : str
        What is wrong with the file.
    errors : tuple of exception types

    Raises
    ------
    ResultError
    """
    try:
        yield
    except errors as error:
        raise wrong_file(f"{message}: {type(error).__name__} {error}", path) from error


def require_file(path: Path) -> None:
    """Refuse a path without a file, and list the files that may be meant.

    Raises
    ------
    ResultError
        If the file is missing, is a folder or a device, or lies below a file.
    """
    if path.is_file():
        return
    if path.exists():  # a device may have no end
        problem = f"a {'folder' if path.is_dir() else 'device or pipe'} in place of a file"
        raise ResultError(problem, where=str(path), fix="name a file")
    if blocked := file_in_the_way(path):
        problem = "a file in place of a folder"
        raise ResultError(problem, where=str(blocked), fix="name a folder")
    files = path.parent.iterdir() if path.parent.is_dir() else ()
    names = sorted(file.name for file in files if file.suffix == path.suffix and file.is_file())
    listed = f" ({', '.join(names[:MOST])}{', ...' if names[MOST:] else ''})" if names else ""
    problem = "a file of an earlier step is missing"
    fix = f"name an existing file{listed}; snakemake creates the files of a run"
    raise ResultError(problem, where=str(path), fix=fix)


@contextmanager
def reading_result(
    path: Path, message: str = WRONG_CONTENT, errors: tuple[type[Exception], ...] = UNEXPECTED
) -> Iterator[None]:
    """Do the same as :func:`parsing` for a file that must exist and match its checksum."""
    require_file(path)
    verify(path)
    with parsing(path, message, errors):
        yield
