"""How every result reaches the disk, and how a later step knows that it is still what was written.

A file is written beside its place, under a hidden name that ends in ``.part``, and renamed into it
once its bytes are on the disk: a crash or a power cut leaves the old file or the new one. What a
killed process leaves behind is told from what is being written by the lock on it.

Tables are Parquet with one JSON object of provenance in the schema's metadata. Of every file that
later steps read (tables, CSV, JSON) the checksum is kept in ``.sums`` beside it, and checked when
it is read: CRC-32, which finds what disks and cables do and costs nothing to speak of; it is no
protection against people.
"""

import errno
import fcntl
import hashlib
import json
import os
import shutil
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsd.errors import DamageError, ResultError, StorageError

if TYPE_CHECKING:
    import pyarrow as pa

METADATA_KEY = b"wsd"
PART = ".part"
SUMS = ".sums"
SUMMED = (".csv", ".json", ".parquet")
PROBE_BYTES = 2**16
# What a file of another kind, or a damaged one, leads to while it is taken apart; among runtime
# errors what Arrow cannot do with a column, and what is nested too deep.
UNEXPECTED = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
# Clocks of a cluster's machines may differ by less.
FUTURE_SECONDS = 60.0
AGAIN = "run the same command again: what is finished is not made again"
FIXES = {
    errno.ENOSPC: f"make room on that disk and {AGAIN}",
    errno.EDQUOT: f"your quota is used up: make room and {AGAIN}",
    errno.EROFS: f"the disk is mounted read-only: make it writable, or work elsewhere; {AGAIN}",
    errno.EACCES: f"make the folder writable for you, or work in another; {AGAIN}",
    errno.EPERM: f"make the folder writable for you, or work in another; {AGAIN}",
}


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
        raise StorageError(
            f"{path} could not be written: {os.strerror(error.errno)}",
            where=str(path),
            fix=FIXES.get(error.errno, f"see to it, and {AGAIN}"),
        ) from error


def _concerns(path: Path, named: object) -> bool:
    """Whether an error is about a file's folder, one above, or what is in it; most name nothing."""
    if named is None:
        return True
    # A temporary file is named in full by the library that makes it.
    path, other = path.absolute(), Path(str(named)).absolute()
    return path.parent in other.parents or other in path.parents


def check_target(path: Path) -> None:
    """Refuse to put a file in the place of what is none: a folder, a device, a pipe.

    Raises
    ------
    StorageError
    """
    if path.exists() and not path.is_file():
        kind = "a folder" if path.is_dir() else "a device or a pipe"
        raise StorageError(
            f"{path} could not be written: it is {kind}, not a file",
            where=str(path),
            fix="name a file to write",
        )


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
    with storing(path), _renamed(path, noted=path.suffix in SUMMED) as temporary:
        yield temporary


@contextmanager
def _renamed(path: Path, *, noted: bool) -> Iterator[Path]:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=PART)
    temporary = Path(name)
    try:
        hold(handle)
        yield temporary
        temporary.chmod(0o666 & ~_umask())
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
    with storing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}.", suffix=PART))
        handle = os.open(work, os.O_RDONLY)
        try:
            hold(handle)
            new, old = work / "new", work / "old"
            new.mkdir()
            yield new
            _sync_all(new)
            if path.exists():
                path.replace(old)
            new.replace(path)
        finally:
            shutil.rmtree(work, ignore_errors=True)
            os.close(handle)


def _sync_all(folder: Path) -> None:
    """Have the bytes of every file below a folder on the disk."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask


def hold(handle: int) -> bool:
    """Lock an open file for this process, if no other has; it is free again once that is gone.

    Where a file system knows no locks, nothing is ever taken for free.
    """
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def sweep(folder: Path) -> list[Path]:
    """Remove what killed processes left half-written below ``folder``, and say what.

    What a live process is writing is left alone.
    """
    parts = [
        Path(root) / name
        for root, folders, files in os.walk(folder)
        for name in (*folders, *files)
        if name.startswith(".") and name.endswith(PART)
    ]
    removed = []
    for path in sorted(parts):
        # What was in a folder that is removed is gone too.
        with suppress(FileNotFoundError):
            handle = os.open(path, os.O_RDONLY)
            try:
                if hold(handle):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
                    removed.append(path)
            finally:
                os.close(handle)
    return removed


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


def from_the_future(folder: Path) -> list[Path]:
    """Date files that are dated in the future as of now, and say which.

    The workflow manager compares times. Of a file made while the clock was ahead, a later change
    of what it was made from would go unnoticed.
    """
    now = time.time()
    found = []
    for root, _, names in os.walk(folder):
        for path in (Path(root) / name for name in names):
            with suppress(FileNotFoundError):
                if path.lstat().st_mtime > now + FUTURE_SECONDS:
                    os.utime(path, (now, now), follow_symlinks=False)
                    found.append(path)
    return sorted(found)


def checksum(path: Path) -> str:
    """CRC-32 and size of a file, as they stand in ``.sums``."""
    crc, size = 0, 0
    with path.open("rb") as file:
        while block := file.read(2**20):
            crc, size = zlib.crc32(block, crc), size + len(block)
    return f"crc32 {crc:08x} {size}"


def verify(path: Path) -> None:
    """Check a file's bytes against the checksum that was noted when it was written.

    A file of which none was noted, such as one from elsewhere, is not checked.

    Raises
    ------
    DamageError
        If they differ.
    """
    try:
        noted = (path.parent / SUMS / path.name).read_bytes().strip()
        found = checksum(path).encode()
    except FileNotFoundError:
        return
    if noted != found:
        raise DamageError(
            f"the file is not what was written: noted was {noted.decode(errors='replace')}, "
            f"here is {found.decode()}",
            path=path,
        )


def set_aside(path: Path) -> Path:
    """Rename a damaged file, so that it counts as missing and can still be looked at."""
    aside = path.with_name(f"{path.name}.damaged")
    path.replace(aside)
    return aside


def write_text(path: Path, text: str) -> None:
    """Write ``text`` as UTF-8 with LF line ends, whole or not at all.

    What UTF-8 cannot say, such as a byte of an argument that was not UTF-8, becomes an escape.
    """
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")


def write_json(path: Path, value: Any) -> None:
    """Write ``value`` as sorted, indented JSON, whole or not at all."""
    write_text(path, json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


def read_json(path: Path) -> Any:
    """Read a JSON file that an earlier step wrote."""
    with _reading(path, "not valid JSON", (RecursionError, ValueError)):
        return json.loads(path.read_text(encoding="utf-8"))


@contextmanager
def _reading(path: Path, otherwise: str, errors: tuple[type[Exception], ...]) -> Iterator[None]:
    """Verify a file of an earlier step, and turn what reading it leads to into one error."""
    verify(path)
    try:
        yield
    except FileNotFoundError:
        raise ResultError("a file of an earlier step is missing", where=str(path)) from None
    except errors as error:
        fix = "delete the file and run again"
        raise ResultError(f"{otherwise}: {error}", where=str(path), fix=fix) from None


def sha256(path: Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def expecting(path: Path) -> Iterator[None]:
    """Turn what a file of another kind, or a damaged one, leads to into one clear error."""
    try:
        yield
    except UNEXPECTED as error:
        raise ResultError(
            f"the file does not hold what it should: {type(error).__name__} {error}",
            where=str(path),
            fix="delete the file and run again",
        ) from error


def write_table(path: Path, table: "pa.Table", provenance: dict[str, Any]) -> None:
    """Write a Parquet table with its provenance, whole or not at all."""
    import pyarrow.parquet as pq

    packed = json.dumps(provenance, sort_keys=True).encode()
    # An opened file: Arrow takes paths that are UTF-8 alone.
    with replacing(path) as temporary, temporary.open("wb") as file:
        pq.write_table(
            table.replace_schema_metadata({METADATA_KEY: packed}), file, compression="zstd"
        )


def read_table(path: Path) -> tuple["pa.Table", dict[str, Any]]:
    """Read a Parquet table that :func:`write_table` wrote, and its provenance."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    foreign = (pa.ArrowException, OSError, KeyError, RecursionError, TypeError, ValueError)
    with _reading(path, "not a table of this program", foreign):
        # `partitioning=None`: a folder called `a=b` above the file must not add a column.
        table = pq.read_table(path, partitioning=None)
        provenance = json.loads(table.schema.metadata[METADATA_KEY])
        if not isinstance(provenance, dict):
            raise TypeError("its provenance is no object")
    return table, provenance
