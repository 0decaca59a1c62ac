"""Read the files of a ``.zip`` without unpacking it."""

import re
import zipfile
from pathlib import Path, PurePosixPath
from typing import cast

from wsd.errors import CorpusError

SUFFIX = ".zip"
# The most that the files of an archive may unpack to, all together, and the most files.
TOTAL_LIMIT = 2**30
FILES_LIMIT = 10_000
# The bit of a file's flags that says that it is encrypted.
ENCRYPTED = 0x1


class Member(zipfile.Path):
    """A file of an archive, with the methods of a Path that the readers use."""

    def with_name(self, name: str) -> "Member":
        """Return the file of another name in the same folder."""
        return cast(Member, cast(zipfile.Path, self.parent) / name)


def expand(files: list[Path]) -> list[Path]:
    """Return the files; each archive is replaced by the files in it."""
    return [part for path in files for part in (_files_of(path) if _is_archive(path) else [path])]


def _is_archive(path: Path) -> bool:
    return path.suffix.lower() == SUFFIX and path.is_file()


def _files_of(path: Path) -> list[Path]:
    """Return the files of an archive, except hidden ones and those with an absolute path.

    Nothing is written, so that a name with ``..`` does no harm. ``zipfile`` reads no more of a file
    than the archive's list says, so that the check of the sizes holds.

    Raises
    ------
    CorpusError
        For a file that is no archive, and an archive that is encrypted, too large or empty.
    """
    fix = "pack the files again, without a password; or unpack them, and name them"
    try:
        archive = zipfile.ZipFile(path)
    except zipfile.BadZipFile as error:
        raise CorpusError(f"not a .zip: {error}", where=str(path), fix=fix) from None
    entries = [entry for entry in archive.infolist() if _is_wanted(entry)]
    if any(entry.flag_bits & ENCRYPTED for entry in entries):
        raise CorpusError("the archive is encrypted", where=str(path), fix=fix)
    size = sum(entry.file_size for entry in entries)
    if size > TOTAL_LIMIT or len(entries) > FILES_LIMIT:
        problem = f"the archive unpacks to {len(entries):,} files of {size / 2**20:,.0f} MiB"
        problem += f", more than {FILES_LIMIT:,} files or {TOTAL_LIMIT / 2**20:,.0f} MiB"
        raise CorpusError(problem, where=str(path), fix="import its files in parts")
    if not entries:
        raise CorpusError("the archive has no file", where=str(path), fix=fix)
    return [cast(Path, Member(archive, entry.filename)) for entry in entries]


def _is_wanted(entry: zipfile.ZipInfo) -> bool:
    parts = PurePosixPath(entry.filename).parts
    hidden = "__MACOSX" in parts or any(re.match(r"/|\.(?!\.?\Z)", part) for part in parts)
    return not entry.is_dir() and not hidden
