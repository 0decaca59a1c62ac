"""Unpack and verify the needed files of an archive, either all of them or none.

Other files are not unpacked, and names in the archive do not decide where a file goes. After the
check, line ends become LF; nothing else is changed.
"""

import gzip
import hashlib
import tarfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
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


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def extract(archive: Path, out: Path, manifest: Mapping[str, str]) -> None:
    """Verify the files of ``manifest``, and write either all of them to ``out`` or none.

    Parameters
    ----------
    archive : Path
        A ``tar.gz`` with one top folder of any name. It is read once, front to back.
    out : Path
        Replaced as a whole. It must hold no files except those of the manifest.
    manifest : mapping of str to str
        The SHA-256 of each file, by its path below the archive's top folder.

    Raises
    ------
    DownloadError
        For a file that is not a ``tar.gz``, a damaged archive, a member outside the top folder,
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
    try:
        # A new class for each archive, so that its counts start anew.
        members = type("_CountedMember", (_LimitedMember,), {})
        # The mode "r|gz" of tarfile checks neither the gzip checksum nor its end.
        with (
            _LimitedGzip(archive) as stream,
            tarfile.open(fileobj=stream, mode="r|", tarinfo=members) as tar,
        ):
            for member in tar:
                # This size may come from an extended header. `tarfile` would take as many steps
                # as it says to skip the member.
                if not 0 <= member.size <= TOTAL_LIMIT:
                    raise DownloadError(f"refused: a member of {str(member.size)[:20]} bytes")
                name = _name_below_top(member.name)
                if name not in manifest:
                    continue
                data = _read_member(tar, member, name)
                digest = _sha256(data)
                if digest != manifest[name]:
                    hashes = f"expected SHA-256 {manifest[name]}, came {digest}"
                    raise DownloadError(f"{name} is not the file it should be: {hashes}")
                yield name, data
                missing.pop(name, None)
    except DownloadError as error:
        raise DownloadError(error.problem, where=str(archive)) from None
    # For some malformed headers, tarfile raises ValueError, or calls itself for each header.
    except (
        tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, RecursionError, ValueError,
    ) as error:  # fmt: skip
        problem = f"not a tar.gz archive, or a damaged or incomplete one: {error}"
        raise DownloadError(problem, where=str(archive)) from error
    if missing:
        first, *others = missing
        more = f" and {len(others)} more" if others else ""
        raise DownloadError(f"the archive lacks {first}{more}", where=str(archive))


class _LimitedGzip(gzip.GzipFile):
    """Raises an error beyond ``TOTAL_LIMIT``: a small file can unpack to any size."""

    _left = TOTAL_LIMIT

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        self._left -= len(data)
        if self._left < 0:
            raise DownloadError(f"refused: the archive unpacks to more than {TOTAL_LIMIT} bytes")
        return data


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
    if member.size > MEMBER_LIMIT:
        raise DownloadError(f"refused: {name} has {member.size} bytes, more than {MEMBER_LIMIT}")
    return source.read()
