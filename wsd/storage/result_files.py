"""Read the files of earlier steps: turn a missing, damaged or wrong file into one clear error."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from reprlib import Repr
from typing import TYPE_CHECKING, Any, TypeVar

from wsd.errors import ResultError, wrong_file
from wsd.storage.checksums import verify

if TYPE_CHECKING:
    from pydantic import BaseModel

Model = TypeVar("Model", bound="BaseModel")
# The exceptions that a wrong file can cause. A RuntimeError comes from Arrow for a column that it
# cannot convert, and from Python for content that is nested too deeply.
UNEXPECTED = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
# The most files that an error lists next to a missing file.
MOST = 8
WRONG_CONTENT = "the file does not have the expected content"


def require(condition: object, message: str) -> None:
    """Raise a ValueError unless a condition holds; :func:`parsing` makes it name the file."""
    if not condition:
        raise ValueError(message)


def validated(model: type[Model], fields: Any) -> Model:
    """Return an object with checked fields; raise a ValueError that names the first wrong field."""
    from pydantic import ValidationError

    try:
        return model.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
    place, shown = ".".join(map(str, first["loc"])), Repr().repr(first["input"])
    found = "" if first["type"] == "missing" else f" {shown}"
    raise ValueError(f"{place}{found}: {first['msg']}".lstrip())


@contextmanager
def parsing(
    path: Path, message: str = WRONG_CONTENT, errors: tuple[type[Exception], ...] = UNEXPECTED
) -> Iterator[None]:
    """Turn exceptions that a wrong or damaged file causes into one error about the file.

    Parameters
    ----------
    path : Path
    message : str
        The problem with the file.
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
    """Refuse a path that is not a file, and list the files that the user may mean.

    Raises
    ------
    ResultError
        If the file is missing, is a folder or a device, or lies below a file.
    """
    if path.is_file():
        return
    if path.exists():  # reading a device may never end
        problem = f"a {'folder' if path.is_dir() else 'device or pipe'} in place of a file"
        raise ResultError(problem, where=str(path), fix="name a file")
    blocked = [part for part in path.parents if os.path.lexists(part) and not part.is_dir()]
    if blocked:
        problem = "a file in place of a folder"
        raise ResultError(problem, where=str(blocked[0]), fix="name a folder")
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
    """Do the same as :func:`parsing`, after checking that the file exists and its checksum."""
    require_file(path)
    verify(path)
    with parsing(path, message, errors):
        yield
