"""The needed files of the archive, each verified, unpacked as a whole.

Nothing else is unpacked, and no name inside the archive decides where a file goes. Line ends
become LF after the check, and nothing else is changed.
"""

import gzip
import hashlib
import tarfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn, Self

from wsd.corpora.archive_facts import SourceArchive
from wsd.corpora.coarsewsd20 import ARCHIVE, place
from wsd.errors import ConfigError, DownloadError
from wsd.storage.atomic import replacing_folder
from wsd.storage.checksums import DAMAGED

MEMBER_LIMIT = 64 * 2**20
# Of all that an archive unpacks to, needed or not: well above what the real ones have.
TOTAL_LIMIT = 512 * 2**20
# Members are parsed one by one, and each costs memory. The real archives have up to 2,500.
MEMBERS_LIMIT = 50_000
# Extended headers: a long name, or records of pax. The time that `tarfile` of Python before 3.11.10
# takes for one grows with the square of its size (CVE-2024-6232). Real ones have up to 142 bytes.
HEADER_LIMIT = 2**11
HEADERS_LIMIT = 2**20
EXTENDED = (
    tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK,
)  # fmt: skip


def changed_files(folder: Path) -> Iterator[Path]:
    """The files of CoarseWSD-20 that are there and no longer what was downloaded."""
    for name, expected in ARCHIVE.file_checksums().items():
        path = folder / place(name)
        data = path.read_bytes() if path.is_file() else None
        # Its line ends may have been CRLF, and were made LF after the check.
        if data is not None and expected not in map(_sha256, (data, data.replace(b"\n", b"\r\n"))):
            yield path


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def extract(archive: Path, out: Path, manifest: Mapping[str, str]) -> None:
    """Unpack the files of ``manifest`` and verify each; all of them reach ``out`` or none.

    Parameters
    ----------
    archive : Path
        A ``tar.gz`` with one top folder of any name. It is read once, front to back.
    out : Path
        Replaced as a whole; it must hold nothing but files of the manifest.
    manifest : mapping
        Path below the archive's top folder -> SHA-256.

    Raises
    ------
    DownloadError
        For something that is no ``tar.gz``, a damaged archive, a member that climbs out of it,
        and a needed file that is missing, changed, a link, or too large.
    ConfigError
        If ``out`` holds files that are not of the manifest.
    """
    # A link to a folder on another disk stays a link: the folder behind it is what is replaced.
    out = out.resolve()
    refuse_foreign_files(out, map(place, manifest))
    with replacing_folder(out) as staging:
        for name, data in verified(archive, manifest):
            target = staging / place(name)
            target.parent.mkdir(parents=True, exist_ok=True)
            # The gold files of four words have CRLF at their source, which the corpus step refuses.
            target.write_bytes(data.replace(b"\r\n", b"\n"))


def refuse_foreign_files(out: Path, files: Iterable[str]) -> None:
    """Replacing a folder deletes it, and a mistyped path may well be somebody's home.

    Parameters
    ----------
    out : Path
    files : iterable of str
        Paths below it of what may be there.

    Raises
    ------
    ConfigError
        For anything else that is there.
    """
    own = {out / name for name in files}
    if not out.exists():
        return
    for path in sorted(out.rglob("*")) if out.is_dir() else [out]:
        is_folder = path.is_dir() and not path.is_symlink()
        known = path.with_name(path.name.removesuffix(DAMAGED)) in own
        # The workflow manager leaves hidden marks of its own name in folders that it created.
        if not (is_folder or known or path.name.startswith(".snakemake")):
            what = f"will not replace what is not the dataset's: {path}"
            fix = "name a folder that does not exist yet, or an empty one"
            raise ConfigError(what, where=str(out), fix=fix)


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
    """The files of the manifest, each checked, and at the end whether that was all.

    Raises
    ------
    DownloadError
        As :func:`extract`.
    """
    missing = dict.fromkeys(manifest)
    try:
        # Not tarfile's own "r|gz": that one checks neither the gzip checksum nor its end.
        kind = type("_CheckedOnce", (_Checked,), {})  # whose counts begin anew
        with (
            _Bounded(archive) as stream,
            tarfile.open(fileobj=stream, mode="r|", tarinfo=kind) as tar,
        ):
            for member in tar:
                # Of a header, or of the records before it. To pass over more than there is would
                # take `tarfile` as many steps as it says.
                if not 0 <= member.size <= TOTAL_LIMIT:
                    raise DownloadError(f"refused: a member of {str(member.size)[:20]} bytes")
                name = _name_below_top(member.name)
                if name not in manifest:
                    continue
                data = _read_member(tar, member, name)
                came = _sha256(data)
                if came != manifest[name]:
                    hashes = f"expected SHA-256 {manifest[name]}, came {came}"
                    raise DownloadError(f"{name} is not the file it should be: {hashes}")
                yield name, data
                missing.pop(name, None)
    except DownloadError as error:
        raise DownloadError(error.what, where=str(archive)) from None
    # tarfile lets a ValueError through for some malformed headers, and calls itself for each header
    # that follows another.
    except (
        tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, RecursionError, ValueError,
    ) as error:  # fmt: skip
        what = f"not a tar.gz archive, or a damaged or incomplete one: {error}"
        raise DownloadError(what, where=str(archive)) from error
    if missing:
        first, *others = missing
        more = f" and {len(others)} more" if others else ""
        raise DownloadError(f"the archive lacks {first}{more}", where=str(archive))


class _Bounded(gzip.GzipFile):
    """Ends in an error at ``TOTAL_LIMIT``: a bomb is small until it is unpacked."""

    _left = TOTAL_LIMIT

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        self._left -= len(data)
        if self._left < 0:
            raise DownloadError(f"refused: the archive unpacks to more than {TOTAL_LIMIT} bytes")
        return data


class _Checked(tarfile.TarInfo):
    """Refuses headers that would take `tarfile` hours, or more memory than there is."""

    _members_left = MEMBERS_LIMIT
    _bytes_left = HEADERS_LIMIT

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Parse one header, before `tarfile` reads what belongs to it."""
        member = super().frombuf(buf, encoding, errors)
        cls._members_left -= 1
        if cls._members_left < 0:
            raise DownloadError(f"refused: the archive has more than {MEMBERS_LIMIT} members")
        if not 0 <= member.size <= TOTAL_LIMIT:
            raise DownloadError(f"refused: a member of {member.size} bytes")
        if member.type == tarfile.GNUTYPE_SPARSE:
            raise _sparse()
        if member.type in EXTENDED:
            cls._bytes_left -= member.size
            if member.size > HEADER_LIMIT or cls._bytes_left < 0:
                what = f"refused: the archive has a header of {member.size} bytes"
                limits = f"{HEADER_LIMIT} in one, {HEADERS_LIMIT} in all"
                raise DownloadError(f"{what} (at most {limits})")
        return member

    def _proc_gnusparse_10(self, *_: Any) -> NoReturn:
        """Refuse a map of holes in the data of a member, whose length nothing limits."""
        raise _sparse()


def _sparse() -> DownloadError:
    return DownloadError("refused: the archive has a sparse file")


def _name_below_top(name: str) -> str:
    parts = name.replace("\\", "/").split("/")
    if parts[0] == "" or parts[0].endswith(":") or ".." in parts:
        what = f"refused: the archive has a member that climbs out of its folder: {name!r}"
        raise DownloadError(what)
    return "/".join([part for part in parts if part not in ("", ".")][1:])


def _read_member(tar: tarfile.TarFile, member: tarfile.TarInfo, name: str) -> bytes:
    source = tar.extractfile(member) if member.isreg() else None
    if source is None:
        raise DownloadError(f"refused: {name} is not a regular file but a link or a folder")
    if member.size > MEMBER_LIMIT:
        raise DownloadError(f"refused: {name} has {member.size} bytes, more than {MEMBER_LIMIT}")
    return source.read()
