"""Unpack and verify the needed files of an archive, either all of them or none.

Other files are not unpacked, and names in the archive do not decide where a file goes. After the
check, line ends become LF; nothing else is changed.
"""

import gzip
import hashlib
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn, Self

from wsd.corpora.archive_checksums import SourceArchive
from wsd.corpora.coarsewsd20 import place
from wsd.errors import ConfigError, DownloadError
from wsd.storage.atomic import replacing_folder
from wsd.storage.checksums import DAMAGED

MEMBER_LIMIT = 64 * 2**20
# The most that an archive may unpack to, well above the real ones.
TOTAL_LIMIT = 512 * 2**20
# Each member costs memory. The real archives have up to 2,500.
MEMBERS_LIMIT = 50_000
# Extended headers are long names and records of pax. Before Python 3.11.10, the time that `tarfile`
# takes grows with the square of their size (CVE-2024-6232). Real ones have up to 142 bytes.
HEADER_LIMIT = 2**11
HEADERS_LIMIT = 2**20
EXTENDED = (
    tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK,
)  # fmt: skip


# How kinds of archives begin; any other is a tar.gz.
ZIP, XZ = b"PK", b"\xfd7zXZ\0"
# The most memory that unpacking a tar.xz may take. The strongest preset takes 65 MiB.
XZ_MEMORY = 128 * 2**20
XZ_CHUNK = 2**16


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def extract(archive: Path, out: Path, manifest: Mapping[str, str]) -> None:
    """Verify the files of ``manifest``, and write either all of them to ``out`` or none.

    Parameters
    ----------
    archive : Path
        A ``tar.gz``, ``tar.xz`` or ``zip`` with one top folder of any name.
    out : Path
        Replaced as a whole. It must hold no files except those of the manifest.
    manifest : mapping of str to str
        The SHA-256 of each file, by its path below the archive's top folder.

    Raises
    ------
    DownloadError
        For a file that is no such archive, a damaged archive, a member outside the top folder,
        and a needed file that is missing, changed, a link, or too large.
    ConfigError
        If ``out`` holds files that are not in the manifest.
    """
    # A link to a folder on another disk stays a link: the folder behind it is replaced.
    out = out.resolve()
    refuse_foreign_files(out, map(place, manifest))
    with replacing_folder(out) as folder:
        for name, data in verified(archive, manifest):
            target = folder / place(name)
            target.parent.mkdir(parents=True, exist_ok=True)
            # The gold files of four words have CRLF, which the corpus step refuses.
            target.write_bytes(data.replace(b"\r\n", b"\n"))


def refuse_foreign_files(out: Path, files: Iterable[str]) -> None:
    """Refuse to replace a folder that has other files: a mistyped path may be a home folder.

    Parameters
    ----------
    out : Path
    files : iterable of str
        Relative paths of the files that may be in it.

    Raises
    ------
    ConfigError
        For anything else in the folder.
    """
    own = {out / name for name in files}
    if not out.exists():
        return
    for path in sorted(out.rglob("*")) if out.is_dir() else [out]:
        is_folder = path.is_dir() and not path.is_symlink()
        known = path.with_name(path.name.removesuffix(DAMAGED)) in own
        # Snakemake leaves hidden files of its own in folders that it created.
        if not (is_folder or known or path.name.startswith(".snakemake")):
            problem = f"refused to replace {path}, which does not belong to the dataset"
            fix = "name an empty folder, or a folder that does not exist yet"
            raise ConfigError(problem, where=str(out), fix=fix)


def refuse_foreign_names(out: Path, names: Container[str]) -> None:
    """Refuse to replace a folder that has files of other names, at any depth.

    Raises
    ------
    ConfigError
    """
    files = (path.relative_to(out) for path in out.rglob("*") if path.is_file())
    own = [path.as_posix() for path in files if path.name.removesuffix(DAMAGED) in names]
    refuse_foreign_files(out, own)


def check_archive(archive: Path, source: SourceArchive) -> None:
    """Read a whole archive, and verify every file that is needed; nothing is unpacked.

    Raises
    ------
    DownloadError
        As :func:`extract`; also if there is no such file.
    """
    if not archive.is_file():
        raise DownloadError("the archive does not exist, or is not a file", where=str(archive))
    for _ in verified(archive, source.file_checksums()):
        pass


def verified(archive: Path, manifest: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the manifest, each verified; at the end check that none is missing.

    Raises
    ------
    DownloadError
        As :func:`extract`.
    """
    missing = dict.fromkeys(manifest)
    with archive.open("rb") as file:
        start = file.read(len(XZ))
    kind = "zip" if start.startswith(ZIP) else "tar.xz" if start == XZ else "tar.gz"
    members = _zip_members if kind == "zip" else _tar_members
    try:
        for name, data in members(archive, kind, manifest):
            digest = _sha256(data)
            if digest != manifest[name]:
                hashes = f"expected SHA-256 {manifest[name]}, came {digest}"
                raise DownloadError(f"{name} is not the file it should be: {hashes}")
            yield name, data
            missing.pop(name, None)
    except DownloadError as error:
        raise DownloadError(error.problem, where=str(archive)) from None
    # For some malformed headers, tarfile raises ValueError, or calls itself for each header. For an
    # encrypted member, and an unknown compression, zipfile raises RuntimeError.
    except (
        tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError,
        zipfile.BadZipFile, RuntimeError, ValueError,
    ) as error:  # fmt: skip
        problem = f"not a {kind} archive, or a damaged or incomplete one: {error}"
        raise DownloadError(problem, where=str(archive)) from error
    if missing:
        first, *others = missing
        more = f" and {len(others)} more" if others else ""
        raise DownloadError(f"the archive lacks {first}{more}", where=str(archive))


def _tar_members(archive: Path, kind: str, wanted: Container[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the wanted files of a tar archive, which is read once, front to back."""
    # A new class for each archive, so that its counts start anew.
    members = type("_CountedMember", (_LimitedMember,), {})
    opened = _LimitedXz if kind == "tar.xz" else _LimitedGzip
    # The mode "r|gz" of tarfile checks neither the gzip checksum nor its end.
    with (
        opened(archive) as stream,
        tarfile.open(fileobj=stream, mode="r|", tarinfo=members) as tar,
    ):
        for member in tar:
            # This size may come from an extended header. `tarfile` would take as many steps as it
            # says to skip the member.
            if not 0 <= member.size <= TOTAL_LIMIT:
                raise DownloadError(f"refused: a member of {str(member.size)[:20]} bytes")
            name = _name_below_top(member.name)
            if name in wanted:
                yield name, _read_member(tar, member, name)


def _zip_members(archive: Path, _: str, wanted: Container[str]) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(archive) as packed:
        if len(packed.infolist()) > MEMBERS_LIMIT:
            raise DownloadError(f"refused: the archive has more than {MEMBERS_LIMIT} members")
        for member in packed.infolist():
            name = _name_below_top(member.filename)
            if name in wanted:
                _check_size(member.file_size, name)
                yield name, packed.read(member)


class _LimitedGzip(gzip.GzipFile):
    """Raises an error beyond ``TOTAL_LIMIT``: a small file can unpack to any size."""

    _left = TOTAL_LIMIT

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        self._left -= len(data)
        if self._left < 0:
            raise DownloadError(f"refused: the archive unpacks to more than {TOTAL_LIMIT} bytes")
        return data


class _LimitedXz(io.RawIOBase):
    """Unpacks an xz file with limited memory; raises an error beyond ``TOTAL_LIMIT``."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self._unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY)
        self._left = TOTAL_LIMIT

    def read(self, size: int = -1) -> bytes:
        data = b""
        while not data and not self._unpacker.eof:
            packed = self._file.read(XZ_CHUNK) if self._unpacker.needs_input else b""
            if self._unpacker.needs_input and not packed:
                raise EOFError("it ends before its end mark")
            data = self._unpacker.decompress(packed, size)
        self._left -= len(data)
        if self._left < 0:
            raise DownloadError(f"refused: the archive unpacks to more than {TOTAL_LIMIT} bytes")
        return data

    def close(self) -> None:
        self._file.close()
        super().close()


class _LimitedMember(tarfile.TarInfo):
    """Refuses headers that would cost `tarfile` hours, or too much memory."""

    _members_left = MEMBERS_LIMIT
    _bytes_left = HEADERS_LIMIT

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Parse one header, before `tarfile` reads the data that belongs to it."""
        member = super().frombuf(buf, encoding, errors)
        cls._members_left -= 1
        if cls._members_left < 0:
            raise DownloadError(f"refused: the archive has more than {MEMBERS_LIMIT} members")
        if not 0 <= member.size <= TOTAL_LIMIT:
            raise DownloadError(f"refused: a member of {member.size} bytes")
        if member.type == tarfile.GNUTYPE_SPARSE:
            cls._refuse_sparse()
        if member.type in EXTENDED:
            cls._bytes_left -= member.size
            if member.size > HEADER_LIMIT or cls._bytes_left < 0:
                problem = f"refused: the archive has a header of {member.size} bytes"
                limits = f"{HEADER_LIMIT} in one, {HEADERS_LIMIT} in all"
                raise DownloadError(f"{problem} (at most {limits})")
        return member

    @staticmethod
    def _refuse_sparse(*_: Any) -> NoReturn:
        raise DownloadError("refused: the archive has a sparse file")

    # Called for a map of holes in the data of a member, whose length nothing limits.
    _proc_gnusparse_10 = _refuse_sparse


def _name_below_top(name: str) -> str:
    parts = name.replace("\\", "/").split("/")
    if parts[0] == "" or parts[0].endswith(":") or ".." in parts:
        problem = f"refused: the archive has a member outside its folder: {name!r}"
        raise DownloadError(problem)
    return "/".join([part for part in parts if part not in ("", ".")][1:])


def _read_member(tar: tarfile.TarFile, member: tarfile.TarInfo, name: str) -> bytes:
    source = tar.extractfile(member) if member.isreg() else None
    if source is None:
        raise DownloadError(f"refused: {name} is not a regular file but a link or a folder")
    _check_size(member.size, name)
    return source.read()


def _check_size(size: int, name: str) -> None:
    if size > MEMBER_LIMIT:
        raise DownloadError(f"refused: {name} has {size} bytes, more than {MEMBER_LIMIT}")
