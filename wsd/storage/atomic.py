"""A file or folder reaches its place whole or not at all.

It is written beside its place, under a hidden name that ends in ``.part``, and renamed into it
once its bytes are on the disk: a crash or a power cut leaves the old file or the new one. What
the disk refuses is one error that names the file.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wsd.errors import OF_MACHINE, StorageError, advice, are_related
from wsd.storage.checksums import STORE, SUMMED, SUMS, checksum
from wsd.storage.file_lock import lock_file
from wsd.storage.partial import PART

PROBE_BYTES = 2**16
AGAIN = "run the same command again: what is finished is not made again"


@contextmanager
def storing(path: Path) -> Iterator[None]:
    """Turn what the disk refuses while ``path`` is written into one error that names it.

    An error about some other file, which is read meanwhile, passes unchanged.
    """
    try:
        yield
    except OSError as error:
        if error.errno is None or not _concerns(path, error.filename):
            raise
        why, fix = os.strerror(error.errno), f"{advice(error.errno)}; then {AGAIN}"
        if error.errno not in OF_MACHINE and (blocked := blocking(path)):
            why = f"{blocked} is not a folder"
            fix = f"move it, or choose another path; then {AGAIN}"
        elif (place := error.filename2 or error.filename) and PART not in str(place):
            why += f": {place}"
        what = f"{path} could not be written: {why}"
        raise StorageError(what, where=str(path), fix=fix) from error


def _concerns(path: Path, named: object) -> bool:
    """Whether an error is about a file's folder, one above, or what is in it; most name nothing."""
    # A temporary file is named in full by the library that makes it.
    return named is None or are_related(path.parent, str(named))


def blocking(path: Path) -> Path | None:
    """What stands above a path, and is not a folder."""
    return next((one for one in path.parents if os.path.lexists(one) and not one.is_dir()), None)


def check_target(path: Path) -> None:
    """Refuse to put a file in the place of what is none: a folder, a device, a pipe.

    Raises
    ------
    StorageError
    """
    if path.exists() and not path.is_file():
        kind = "a folder" if path.is_dir() else "a device or a pipe"
        what = f"{path} could not be written: it is {kind}, not a file"
        raise StorageError(what, where=str(path), fix="name a file to write")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path beside ``path``; rename it there if the block succeeds.

    The temporary file is removed if the block raises, so that no half-written file is left.

    Raises
    ------
    StorageError
        If the disk is full, the folder cannot be written, or something other than a file is there.
    """
    check_target(path)
    with (
        storing(path),
        _renamed(path, noted=path.suffix in SUMMED or STORE in path.parts) as temporary,
    ):
        yield temporary


@contextmanager
def _renamed(path: Path, *, noted: bool) -> Iterator[Path]:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=PART)
    temporary = Path(name)
    try:
        lock_file(handle)
        yield temporary
        temporary.chmod(0o666 & ~umask())
        os.fsync(handle)
        if noted:
            # First: a file without its checksum would be one that nobody checks.
            with _renamed(path.parent / SUMS / path.name, noted=False) as note:
                note.write_text(f"{checksum(temporary)}\n")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
        os.close(handle)


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """Give an empty folder beside ``path``; put it in its place if the block succeeds.

    Between the two renames at the end there is a moment without any folder at ``path``.
    """
    with storing(path), beside(path) as work:
        new, old = work / "new", work / "old"
        new.mkdir()
        yield new
        _sync_all(new)
        if path.exists():
            path.replace(old)
        new.replace(path)


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """Give an empty hidden folder beside ``path``, and remove it at the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}.", suffix=PART))
    handle = os.open(work, os.O_RDONLY)
    try:
        lock_file(handle)
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)
        os.close(handle)


def _sync_all(folder: Path) -> None:
    """Have the bytes of every file below a folder on the disk."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())


def umask() -> int:
    """What this process takes off the permissions of what it writes."""
    found = os.umask(0)
    os.umask(found)
    return found


def probe(folder: Path) -> None:
    """Write a little below ``folder`` and remove it.

    Raises
    ------
    StorageError
        If the disk is full, or the folder cannot be written.
    """
    with storing(folder / "probe"):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".", suffix=PART) as file:
            file.write(bytes(PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())


def write_text(path: Path, text: str) -> None:
    """Write ``text`` as UTF-8 with LF line ends, whole or not at all.

    What UTF-8 cannot say, such as a byte of an argument that was not UTF-8, becomes an escape.
    """
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
