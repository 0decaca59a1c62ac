"""Get an archive of a built-in corpus, and unpack its verified files.

The host packs an archive anew for each request, so the archive's own checksum is not stable.
Therefore, the checksum of each file that we need is pinned. No other file is unpacked, and names in
the archive do not decide where a file goes.
"""

import gzip
import hashlib
import lzma
import os
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from wsd.errors import ConfigError, DownloadError
from wsd.storage.checksums import DAMAGED

# Attempts after a failure, each after a longer wait.
RETRIES = 3
# How long to wait for data, on connecting and in the middle of the file.
TIMEOUT_SECONDS = 30.0
# What one file, and all files together, may unpack to; well above the real archives.
MEMBER_LIMIT = 64 * 2**20
TOTAL_LIMIT = 512 * 2**20
# Each member costs memory. The real archives have up to 2,500.
MEMBERS_LIMIT = 50_000
# How kinds of archives begin; any other is a tar.gz.
ZIP, XZ = b"PK", b"\xfd7zXZ\0"
# What `tarfile` and `zipfile` raise for damaged archives. Some malformed headers are a ValueError
# or a RecursionError, and an encrypted member of a zip archive is a RuntimeError.
DAMAGES = (
    tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, lzma.LZMAError, zlib.error, EOFError,
    RuntimeError, ValueError, OverflowError,
)  # fmt: skip


@dataclass(frozen=True)
class SourceArchive:
    """An archive at a public host.

    Attributes
    ----------
    title : str
        The title of the corpus.
    url : str
    file : str
        The name of the archive in the cache.
    variable : str
        The environment variable that names a local copy.
    checksums : Path
        A file with a line per needed file: SHA-256, and path below the archive's top folder.
    """

    title: str
    url: str
    file: str
    variable: str
    checksums: Path

    def file_checksums(self) -> dict[str, str]:
        """Return the SHA-256 of each needed file, by its path below the archive's top folder."""
        lines = self.checksums.read_text(encoding="utf-8").splitlines()
        return {name: digest for digest, name in (line.split(maxsplit=1) for line in lines)}

    @property
    def alternatives(self) -> str:
        """Advice if the archive cannot be downloaded."""
        return (
            f"set {self.variable}=FILE to a local copy of the archive, "
            "or use the built-in corpus: --configfile config/quickstart.yaml"
        )


@contextmanager
def available(source: SourceArchive) -> Iterator[Path]:
    """Give the path of the archive: a local copy that its variable names, or the cached download.

    If the block raises a DownloadError, the archive is bad. It is then removed from the cache, so
    that the next run downloads it again. A local copy is never removed.

    Raises
    ------
    DownloadError
        If the archive cannot be obtained, or is bad; with advice for this archive.
    """
    local = os.environ.get(source.variable)
    if local and not Path(local).is_file():
        problem = "the local archive does not exist, or is not a file"
        fix = f"correct {source.variable}; the archive comes from {source.url}"
        raise DownloadError(problem, where=local, fix=fix)
    archive = Path(local) if local else fetch_archive(source)
    try:
        yield archive
    except DownloadError as error:
        where, problem = str(archive), "the file was not changed"
        fix = f"replace it with a complete copy of {source.url}"
        if not local:
            archive.unlink(missing_ok=True)
            where, problem = f"{archive}, from {source.url}", "it was removed from the cache"
            fix = f"run the command again; if that fails in the same way, {source.alternatives}"
        raise DownloadError(f"{error.problem}; {problem}", where=where, fix=fix) from error


def fetch_archive(source: SourceArchive) -> Path:
    """Return the path of the archive in the cache; download it if it is not there yet.

    Raises
    ------
    DownloadError
        If it cannot be downloaded, or the cache cannot be written.
    """
    import pooch
    from requests.exceptions import RequestException

    folder = cache_folder()
    client = pooch.create(
        path=folder,
        base_url="",
        registry={source.file: None},
        urls={source.file: source.url},
        retry_if_failed=RETRIES,
    )
    transfer = pooch.HTTPDownloader(
        progressbar=sys.stderr.isatty(),
        timeout=TIMEOUT_SECONDS,
        # If the server compressed the transfer, the file would be a bare tar.
        headers={"Accept-Encoding": "identity"},
    )
    try:
        return Path(client.fetch(source.file, downloader=transfer))
    except RequestException as error:
        inner = error.args[0] if error.args else error
        # urllib3 nests the cause in an error of its own.
        reason = f"{getattr(inner, 'reason', inner)} (attempts: {RETRIES + 1})"
        problem = f"the {source.title} archive could not be downloaded: {reason}"
        raise DownloadError(problem, where=source.url, fix=source.alternatives) from error
    except OSError as error:
        problem = f"the archive could not be written to the cache: {error}"
        fix = "set WSD_CACHE to a folder that can be written, with room for the archive"
        raise DownloadError(problem, where=str(folder), fix=fix) from error


def cache_folder() -> Path:
    """Return the folder of downloaded archives: ``$WSD_CACHE``, or the user's cache folder."""
    import pooch

    return Path(os.environ.get("WSD_CACHE") or pooch.os_cache("wsd")).expanduser()


def verified(archive: Path, manifest: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the manifest, each verified; at the end check that none is missing.

    Parameters
    ----------
    archive : Path
        A ``tar.gz``, ``tar.xz`` or ``zip`` with one top folder of any name.
    manifest : mapping of str to str
        The SHA-256 of each file, by its path below the archive's top folder.

    Raises
    ------
    DownloadError
        For a file that is no such archive, a damaged archive, a member outside the top folder,
        and a needed file that is missing, changed, a link, or too large.
    """
    missing = dict.fromkeys(manifest)
    with archive.open("rb") as file:
        start = file.read(len(XZ))
    kind = "zip" if start.startswith(ZIP) else "tar.xz" if start == XZ else "tar.gz"
    try:
        for number, (path, size, read) in enumerate(_members(archive, kind), 1):
            if number > MEMBERS_LIMIT:
                problem = f"refused: the archive has more than {MEMBERS_LIMIT} members"
                raise DownloadError(problem)
            if not 0 <= size <= TOTAL_LIMIT:
                raise DownloadError(f"refused: a member of {str(size)[:20]} bytes")
            name = _name_below_top(path)
            if name not in manifest:
                continue
            if size > MEMBER_LIMIT:
                raise DownloadError(f"refused: {name} has {size} bytes, more than {MEMBER_LIMIT}")
            data = read()
            digest = hashlib.sha256(data).hexdigest()
            if digest != manifest[name]:
                hashes = f"expected SHA-256 {manifest[name]}, came {digest}"
                raise DownloadError(f"{name} is not the file it should be: {hashes}")
            yield name, data
            missing.pop(name, None)
    except DownloadError as error:
        raise DownloadError(error.problem, where=str(archive)) from None
    except DAMAGES as error:
        problem = f"not a {kind} archive, or a damaged or incomplete one: {str(error)[:100]}"
        raise DownloadError(problem, where=str(archive)) from error
    if missing:
        first, *others = missing
        more = f" and {len(others)} more" if others else ""
        raise DownloadError(f"the archive lacks {first}{more}", where=str(archive))


class _Limited:
    """A stream that raises an error beyond ``TOTAL_LIMIT``: a small file can unpack to any size."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._left = TOTAL_LIMIT

    def read(self, size: int) -> bytes:
        data: bytes = self._stream.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise DownloadError(f"refused: the archive unpacks to more than {TOTAL_LIMIT} bytes")
        return data


def _members(archive: Path, kind: str) -> Iterator[tuple[str, int, Callable[[], bytes]]]:
    """Yield the name and size of each member, and a function that reads it.

    An archive is read once, front to back. A link has no content of its own.
    """
    if kind == "zip":
        with zipfile.ZipFile(archive) as packed:
            for entry in packed.infolist():
                yield entry.filename, entry.file_size, partial(packed.read, entry)
        return
    with (lzma.open if kind == "tar.xz" else gzip.open)(archive) as stream:
        limited: Any = _Limited(stream)
        tar = tarfile.open(fileobj=limited, mode="r|")  # noqa: SIM115 - the stream is closed
        for member in tar:
            source = tar.extractfile(member) if member.isreg() else None
            yield member.name, member.size, source.read if source else bytes


def _name_below_top(name: str) -> str:
    parts = name.replace("\\", "/").split("/")
    if parts[0] == "" or parts[0].endswith(":") or ".." in parts:
        raise DownloadError(f"refused: the archive has a member outside its folder: {name!r}")
    return "/".join([part for part in parts if part not in ("", ".")][1:])


def refuse_foreign_files(out: Path, names: Container[str]) -> None:
    """Refuse to replace a folder that has other files: a mistyped path may be a home folder.

    Parameters
    ----------
    out : Path
    names : container of str
        The names of the files that may be in it, at any depth.

    Raises
    ------
    ConfigError
        For any other file in the folder.
    """
    for path in sorted(out.rglob("*")) if out.is_dir() else [out] if out.exists() else []:
        is_folder = path.is_dir() and not path.is_symlink()
        known = path.name.removesuffix(DAMAGED) in names and path != out
        # Snakemake leaves hidden files of its own in folders that it created.
        if not (is_folder or known or path.name.startswith(".snakemake")):
            problem = f"refused to replace {path}, which does not belong to the dataset"
            fix = "name an empty folder, or a folder that does not exist yet"
            raise ConfigError(problem, where=str(out), fix=fix)
