"""Whether a file is still what was written.

Of every file that later steps read (tables, CSV, JSON) the checksum is kept in ``.sums`` beside
it, and checked when it is read: CRC-32, which finds what disks and cables do and costs nothing
to speak of; it is no protection against people.
"""

import hashlib
import zlib
from contextlib import suppress
from pathlib import Path

from wsd.errors import DamageError, StorageError

SUMS = ".sums"
# The folder of a dataset's results in which every file has a checksum.
STORE = "store"
SUMMED = (".csv", ".json", ".parquet")
# How the name of a file ends that was set aside.
DAMAGED = ".damaged"


def checksum(path: Path) -> str:
    """CRC-32 and size of a file, as they stand in ``.sums``."""
    crc, size = 0, 0
    with path.open("rb") as file:
        while block := file.read(2**20):
            crc, size = zlib.crc32(block, crc), size + len(block)
    return f"crc32 {crc:08x} {size}"


def has_checksum(path: Path) -> bool:
    """Whether a checksum of the file was noted."""
    return (path.parent / SUMS / path.name).is_file()


def noted_checksum(path: Path) -> str | None:
    """The checksum that was noted when a file was written; None where none was."""
    with suppress(FileNotFoundError):
        note = path.parent / SUMS / path.name
        return note.read_text(encoding="utf-8", errors="replace").strip()
    return None


def is_as_noted(path: Path) -> bool:
    """Whether a file is there, and is what its checksum says."""
    return path.is_file() and noted_checksum(path) == checksum(path)


def note_checksum(path: Path) -> None:
    """Note the checksum of a file, of a folder that gets its name when it is whole."""
    note = path.parent / SUMS / path.name
    note.parent.mkdir(exist_ok=True)
    note.write_text(f"{checksum(path)}\n")


def verify(path: Path) -> None:
    """Check a file's bytes against the checksum that was noted when it was written.

    A file of which none was noted, such as one from elsewhere, is not checked.

    Raises
    ------
    DamageError
        If they differ.
    StorageError
        If the checksum cannot be read, because a folder or a file is in its place.
    """
    note = path.parent / SUMS / path.name
    try:
        noted = note.read_bytes().strip()
        found = checksum(path).encode()
    except FileNotFoundError:
        return
    except (IsADirectoryError, NotADirectoryError):
        blocked = note if note.is_dir() else note.parent
        what = f"the checksum of {path.name} cannot be read"
        fix = (
            "a folder stands where a file should be, or a file where a folder should be: remove it"
        )
        raise StorageError(what, where=str(blocked), fix=fix) from None
    if noted != found:
        both = f"noted was {noted.decode(errors='replace')}, here is {found.decode()}"
        raise DamageError(f"the file is not what was written: {both}", path=path)


def set_aside(path: Path) -> Path:
    """Rename a damaged file, so that it counts as missing and can still be looked at."""
    aside = path.with_name(f"{path.name}{DAMAGED}")
    path.replace(aside)
    return aside


def sha256(path: Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
