"""Write files and folders atomically: they are complete, or do not exist.

A file is written to a hidden file in the same folder, whose name ends in ``.part``. It is renamed
when its bytes are on the disk: a crash or a power cut leaves the old file or the new file. An error
of the disk becomes one error that names the file.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wsd.errors import StorageError
from wsd.storage.checksums import STORE, SUMMED, SUMS, checksum
from wsd.storage.file_lock import lock_file
from wsd.storage.temporary_files import PART

AGAIN = "run the same command again: it keeps what is finished"


@contextmanager
def write_errors(path: Path) -> Iterator[None]:
    """Turn an error of the disk into a StorageError that names ``path``, the file to write."""
    try:
        yield
    except OSError as error:
        problem = f"{path} could not be written: {error}"
        fix = f"make room, or choose another path; then {AGAIN}"
        raise StorageError(problem, where=str(path), fix=fix) from error


def check_target(path: Path) -> None:
    """Refuse to overwrite anything but a regular file.

    Raises
    ------
    StorageError
    """
    if path.exists() and not path.is_file():
        kind = "a folder" if path.is_dir() else "a device or a pipe"
        problem = f"{path} could not be written: it is {kind}, not a file"
        raise StorageError(problem, where=str(path), fix="name a file to write")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path next to ``path``; rename it if the block succeeds.

    If the block raises, the temporary file is removed.

    Raises
    ------
    StorageError
        If the disk is full, the folder cannot be written, or the path is not a regular file.
    """
    check_target(path)
    with (
        write_errors(path),
        _renamed(path, checked=path.suffix in SUMMED or STORE in path.parts) as temporary,
    ):
        yield temporary


@contextmanager
def _renamed(path: Path, *, checked: bool) -> Iterator[Path]:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=PART)
    temporary = Path(name)
    try:
        lock_file(handle)
        yield temporary
        temporary.chmod(0o666 & ~umask())
        os.fsync(handle)
        if checked:
            # First the checksum, because a file without a checksum is never checked.
            with _renamed(path.parent / SUMS / path.name, checked=False) as note:
                note.write_text(f"{checksum(temporary)}\n")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
        os.close(handle)


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """Yield an empty folder next to ``path``; let it replace ``path`` if the block succeeds.

    Between two renames, ``path`` does not exist for a moment.
    """
    with write_errors(path), working_folder(path) as work:
        new, old = work / "new", work / "old"
        new.mkdir()
        yield new
        for file in filter(Path.is_file, new.rglob("*")):
            with file.open("rb") as opened:
                os.fsync(opened.fileno())
        if path.exists():
            path.replace(old)
        new.replace(path)


@contextmanager
def working_folder(path: Path) -> Iterator[Path]:
    """Yield an empty hidden folder next to ``path``, and remove it at the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}.", suffix=PART))
    handle = os.open(work, os.O_RDONLY)
    try:
        lock_file(handle)
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)
        os.close(handle)


def umask() -> int:
    """Return the file mode creation mask of this process."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_text(path: Path, text: str) -> None:
    """Write ``text`` atomically as UTF-8 with LF line ends.

    A character that UTF-8 cannot express, such as a byte of an argument, is escaped.
    """
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
