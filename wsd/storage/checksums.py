"""Check with checksums that a file has not changed since it was written.

Every file that later steps read (tables, CSV, JSON) has a checksum, in the folder ``.sums`` next to
it, which is checked on reading. CRC-32 is fast and detects faults of disks and cables, but no
deliberate change.
"""

import hashlib
import zlib
from contextlib import suppress
from pathlib import Path

from wsd.errors import DamageError

SUMS = ".sums"
# The folder of a dataset's results in which every file has a checksum.
STORE = "store"
SUMMED = (".csv", ".json", ".parquet")
# The suffix of a damaged file that was set aside.
DAMAGED = ".damaged"


def checksum(path: Path) -> str:
    """Return CRC-32 and size of a file, as written to ``.sums``."""
    crc, size = 0, 0
    with path.open("rb") as file:
        while block := file.read(2**20):
            crc, size = zlib.crc32(block, crc), size + len(block)
    return f"crc32 {crc:08x} {size}"


def noted_checksum(path: Path) -> str | None:
    """Return the checksum of a file when it was written, or None."""
    with suppress(FileNotFoundError):
        note = path.parent / SUMS / path.name
        return note.read_text(encoding="utf-8", errors="replace").strip()
    return None


def is_as_noted(path: Path) -> bool:
    """Return whether a file exists and matches the checksum from its writing."""
    return path.is_file() and noted_checksum(path) == checksum(path)


def note_checksum(path: Path) -> None:
    """Write the checksum of a file in a temporary folder."""
    note = path.parent / SUMS / path.name
    note.parent.mkdir(exist_ok=True)
    note.write_text(f"{checksum(path)}\n")


def verify(path: Path) -> None:
    """Check a file against the checksum from its writing.

    A file without a checksum, such as a file from another program, is not checked.

    Raises
    ------
    DamageError
        If the checksums differ.
    """
    noted = noted_checksum(path)
    if noted is not None and noted != (actual := checksum(path)):
        problem = (
            f"the file has changed since it was written: its checksum was {noted} and is {actual}"
        )
        raise DamageError(problem, path=path)


def set_aside(path: Path) -> Path:
    """Rename a damaged file, so that it counts as missing and can still be inspected."""
    aside = path.with_name(f"{path.name}{DAMAGED}")
    path.replace(aside)
    return aside


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
