"""Write files and folders atomically: they are complete, or do not exist.

A file is written to a hidden file in the same folder, whose name ends in ``.part``. It is renamed
when its bytes are on the disk: a crash or a power cut leaves the old file or the new file. An error
of the disk becomes one error that names the file.

A running process locks its hidden files. A lock ends with the process, however that ends, so that
the hidden files of killed processes can be removed.
"""

import errno
import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from wsd.errors import StorageError
from wsd.storage.checksums import STORE, SUMMED, SUMS, checksum

# The last error comes from NFS, which locks only files that are open for writing, and no folders.
WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EBADF)


def lock_file(file: int | IO[Any]) -> bool | None:
    """Lock an open file with :func:`fcntl.flock`, until it is closed.

    Parameters
    ----------
    file : int or file
        A descriptor or an open file. On NFS, it must be open for writing.

    Returns
    -------
    bool or None
        True if the file is locked now, False if another process holds the lock, None if files
        cannot be locked here, as on some network mounts.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in WITHOUT_LOCKS:
            raise
        return None
    return True


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


PART = ".part"


def remove_abandoned(folder: Path) -> list[Path]:
    """Remove the temporary files that killed processes left below ``folder``, and list them."""
    parts = [
        Path(root) / name
        for root, folders, files in os.walk(folder)
        for name in (*folders, *files)
        if name.startswith(".") and name.endswith(PART)
    ]
    removed = []
    for path in sorted(parts):
        # A file in a folder that was removed no longer exists.
        with suppress(FileNotFoundError):
            # Not one of our files. Opening a pipe would wait for a writer.
            kind = path.lstat().st_mode
            if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
                continue
            handle = os.open(path, os.O_RDONLY)
            try:
                # On a disk without locks, the file may be in use, so it stays.
                if lock_file(handle):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
                    removed.append(path)
            finally:
                os.close(handle)
    return removed
