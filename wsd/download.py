"""The dataset's archive: fetched once, every file checked, laid out for the steps that read it.

The host packs a source archive anew on request, so the archive's own checksum is not stable.
What is pinned is the content: ``data/coarsewsd20.sha256`` lists the checksum of each file that
is needed, and nothing else is unpacked. No name inside the archive decides where a file goes.
Line ends become LF after the check, and nothing else is changed.

What is laid out: a folder per word and ``LICENSE``; ``trains/<train>/<word>/``, the other
training sets; ``outofdomain.tsv``; ``published/<system>/<word>.jsonl``, the authors' own outputs,
and ``published/centroids/``, their sense vectors. Left out: the class maps and test files that
stand beside each of the other training sets, which repeat those of the words.
"""

import gzip
import hashlib
import logging
import os
import re
import sys
import tarfile
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from wsd.datasets import DATA, DATASETS
from wsd.errors import ConfigError, DownloadError
from wsd.files import replacing_folder

COMMIT = "d8728bc5f0bbd2a14cdeb19aa71844fb89a31cb6"
URL = f"https://github.com/danlou/bert-disambiguation/archive/{COMMIT}.tar.gz"
ARCHIVE_NAME = f"bert-disambiguation-{COMMIT}.tar.gz"
MANIFEST = DATA / "coarsewsd20.sha256"
MEMBER_LIMIT = 64 * 2**20
# Of all that the archive unpacks to, needed or not: twice what the real one has.
TOTAL_LIMIT = 128 * 2**20
LOG_EVERY_SECONDS = 10.0

# From a path below the archive's top folder to one below `source`.
LAYOUT = (
    (r"data/CoarseWSD-20/(.+)", r"\1"),
    (r"data/CoarseWSD-20_balanced/(\w+)/(train\.\w+\.txt)", r"trains/balanced/\1/\2"),
    (r"data/CoarseWSD-20_ratios/(\d+pct)/(\w+)/(train\.\w+\.txt)", r"trains/\1/\2/\3"),
    (
        r"data/CoarseWSD-20_nshot/(set\d)/([a-z]+)_(\d+)/(train\.\w+\.txt)",
        r"trains/nshot-\3.\1/\2/\4",
    ),
    (r"data/CoarseWSD-20\.(outofdomain\.tsv)", r"\1"),
    (r"results/CoarseWSD-20/(1nn|fasttext)/([\w-]+)/(\w+\.jsonl)", r"published/\1-\2/\3"),
    (r"vectors/CoarseWSD-20\.([\w-]+\.txt)", r"published/centroids/\1"),
)

WAYS_ON = (
    "set WSD_COARSEWSD20_ARCHIVE=FILE to a local copy of the archive, "
    "or use the built-in corpus: --configfile config/quickstart.yaml"
)

log = logging.getLogger("wsd")


def coarsewsd20_manifest() -> dict[str, str]:
    """Checksum of each file that is needed, by its path below the archive's top folder."""
    lines = MANIFEST.read_text(encoding="utf-8").splitlines()
    return {name: digest for digest, name in (line.split(maxsplit=1) for line in lines)}


def place(name: str) -> str:
    """Where a file of the manifest is put: a path below the folder that is downloaded to."""
    for pattern, target in LAYOUT:
        if match := re.fullmatch(pattern, name):
            return match.expand(target)
    raise ValueError(f"{name} has no place in the layout")


def coarsewsd20_files() -> tuple[str, ...]:
    """Every file that a download puts there, as paths below its folder; nothing is downloaded."""
    return tuple(sorted(map(place, coarsewsd20_manifest())))


def coarsewsd20_trains() -> dict[str, tuple[str, ...]]:
    """The words, sorted, of each training set besides the full one; nothing is downloaded."""
    found: dict[str, list[str]] = {}
    for file in coarsewsd20_files():
        folder, *rest = PurePosixPath(file).parts
        if folder == "trains" and rest[-1] == "train.data.txt":
            found.setdefault(rest[0], []).append(rest[1])
    return {train: tuple(words) for train, words in found.items()}


def changed_files(folder: Path) -> Iterator[Path]:
    """The files of a download that are there and no longer what the manifest says."""
    for name, expected in coarsewsd20_manifest().items():
        path = folder / place(name)
        data = path.read_bytes() if path.is_file() else None
        # Its line ends may have been CRLF, and were made LF after the check.
        if data is not None and expected not in map(_sha256, (data, data.replace(b"\n", b"\r\n"))):
            yield path


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def download_coarsewsd20(
    out: Path,
    *,
    archive: Path | None = None,
    url: str = URL,
    cache: Path | None = None,
    retries: int = 3,
    timeout: float = 30.0,
    manifest: Mapping[str, str] | None = None,
) -> None:
    """Put CoarseWSD-20 at ``out``, laid out as :func:`place` says, each file verified.

    Parameters
    ----------
    out : Path
        Replaced as a whole, once everything is verified; it must hold nothing else.
    archive : Path, optional
        A local copy of the source archive, used in place of a download and never removed.
    url, cache, retries, timeout
        See :func:`fetch_archive`.
    manifest : mapping, optional
        Path below the archive's top folder -> SHA-256; by default the dataset's own.

    Raises
    ------
    DownloadError
        If the archive cannot be had, or is not what it should be. A downloaded archive that
        turns out bad is removed from the cache, so that the next run fetches it again.
    ConfigError
        If ``out`` holds files that are not the dataset's.
    """
    manifest = coarsewsd20_manifest() if manifest is None else manifest
    _refuse_foreign_files(out, manifest)
    dataset = DATASETS["coarsewsd20"]
    log.info("%s is licensed %s. When you use it, cite:", dataset.title, dataset.licence)
    log.info("%s", dataset.citation)
    if archive is not None and not archive.is_file():
        raise DownloadError(
            "the local archive does not exist, or is not a file",
            where=str(archive),
            fix=f"correct WSD_COARSEWSD20_ARCHIVE; the archive comes from {URL}",
        )
    packed = archive or fetch_archive(url=url, cache=cache, retries=retries, timeout=timeout)
    try:
        extract(packed, out, manifest)
    except DownloadError as error:
        if archive is not None:
            raise DownloadError(
                f"{error.what}; the file was left as it is",
                where=str(archive),
                fix=f"replace it with a complete copy of {URL}",
            ) from error
        packed.unlink(missing_ok=True)
        raise DownloadError(
            f"{error.what}; the downloaded archive was removed from the cache",
            where=f"{packed}, from {url}",
            fix=f"run the command again to fetch it anew; if it fails the same way, {WAYS_ON}",
        ) from error


def fetch_archive(
    *, url: str = URL, cache: Path | None = None, retries: int = 3, timeout: float = 30.0
) -> Path:
    """Path of the archive in the cache, downloaded if it is not there yet.

    Parameters
    ----------
    url : str
        Address of the archive.
    cache : Path, optional
        By default ``$WSD_CACHE``, or else the user's cache folder.
    retries : int
        Further attempts after a failure that may pass, each after a longer wait. An answer
        such as 404 is final.
    timeout : float
        Seconds without any data, on connecting or in the middle of the file.
    """
    import pooch
    from requests.exceptions import RequestException

    folder = cache_folder(cache)
    client = pooch.create(
        path=folder,
        base_url="",
        registry={ARCHIVE_NAME: None},
        urls={ARCHIVE_NAME: url},
        retry_if_failed=retries,
    )
    try:
        return Path(client.fetch(ARCHIVE_NAME, downloader=_downloader(timeout)))
    except RequestException as error:
        raise _not_had(url, f"{_reason(error, timeout)} (attempts: {retries + 1})") from error
    except OSError as error:
        raise DownloadError(
            f"the archive could not be written to the cache: {error}",
            where=str(folder),
            fix="set WSD_CACHE to a folder that can be written, with room for the archive",
        ) from error


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
    _refuse_foreign_files(out, manifest)
    with replacing_folder(out) as staging:
        for name, data in _verified(archive, manifest):
            target = staging / place(name)
            target.parent.mkdir(parents=True, exist_ok=True)
            # The gold files of four words have CRLF at their source, which the corpus step refuses.
            target.write_bytes(data.replace(b"\r\n", b"\n"))


def _refuse_foreign_files(out: Path, manifest: Mapping[str, str]) -> None:
    """Replacing a folder deletes it, and a mistyped path may well be somebody's home."""
    own = {out / place(name) for name in manifest}
    if not out.exists():
        return
    for path in sorted(out.rglob("*")) if out.is_dir() else [out]:
        is_folder = path.is_dir() and not path.is_symlink()
        # The workflow manager leaves hidden marks of its own name in folders that it created.
        if not (is_folder or path in own or path.name.startswith(".snakemake")):
            raise ConfigError(
                f"will not replace what is not the dataset's: {path}",
                where=str(out),
                fix="name a folder that does not exist yet, or an empty one",
            )


def check_archive(archive: Path) -> None:
    """Read a whole archive, and verify every file of the dataset in it; nothing is unpacked.

    Raises
    ------
    DownloadError
        As :func:`extract`; also if there is no such file.
    """
    if not archive.is_file():
        raise DownloadError("the archive does not exist, or is not a file", where=str(archive))
    for _ in _verified(archive, coarsewsd20_manifest()):
        pass


def _verified(archive: Path, manifest: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    """The files of the manifest, each checked, and at the end whether that was all."""
    missing = dict.fromkeys(manifest)
    try:
        # Not tarfile's own "r|gz": that one checks neither the gzip checksum nor its end.
        with _Bounded(archive) as stream, tarfile.open(fileobj=stream, mode="r|") as tar:
            for member in tar:
                name = _name_below_top(member.name, archive)
                if name not in manifest:
                    continue
                data = _read_member(tar, member, name, archive)
                came = _sha256(data)
                if came != manifest[name]:
                    raise DownloadError(
                        f"{name} is not the file it should be: expected SHA-256 {manifest[name]}, "
                        f"came {came}",
                        where=str(archive),
                    )
                yield name, data
                missing.pop(name, None)
    # tarfile lets a ValueError through for some malformed headers.
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, ValueError) as error:
        raise DownloadError(
            f"not a tar.gz archive, or a damaged or incomplete one: {error}", where=str(archive)
        ) from error
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
            raise DownloadError(
                f"refused: the archive unpacks to more than {TOTAL_LIMIT} bytes",
                where=str(self.name),
            )
        return data


def _name_below_top(name: str, archive: Path) -> str:
    parts = name.replace("\\", "/").split("/")
    if parts[0] == "" or parts[0].endswith(":") or ".." in parts:
        raise DownloadError(
            f"refused: the archive has a member that climbs out of its folder: {name!r}",
            where=str(archive),
        )
    return "/".join([part for part in parts if part not in ("", ".")][1:])


def _read_member(tar: tarfile.TarFile, member: tarfile.TarInfo, name: str, archive: Path) -> bytes:
    source = tar.extractfile(member) if member.isreg() else None
    if source is None:
        raise DownloadError(
            f"refused: {name} is not a regular file but a link or a folder", where=str(archive)
        )
    if member.size > MEMBER_LIMIT:
        raise DownloadError(
            f"refused: {name} has {member.size} bytes, more than {MEMBER_LIMIT}",
            where=str(archive),
        )
    return source.read()


def cache_folder(cache: Path | None = None) -> Path:
    """Where downloaded archives are kept."""
    import pooch

    chosen = cache or os.environ.get("WSD_CACHE") or pooch.os_cache("wsd")
    return Path(chosen).expanduser()


def _not_had(url: str, reason: str) -> DownloadError:
    return DownloadError(
        f"the CoarseWSD-20 archive could not be downloaded: {reason}", where=url, fix=WAYS_ON
    )


def _downloader(timeout: float) -> Callable[[str, str, Any], None]:
    import pooch
    from requests.exceptions import HTTPError

    transfer = pooch.HTTPDownloader(
        progressbar=True if sys.stderr.isatty() else _LogProgress(),
        chunk_size=2**16,
        timeout=timeout,
        # A server that compresses on the way would hand over a bare tar.
        headers={"Accept-Encoding": "identity"},
    )

    def download(url: str, output_file: str, client: Any) -> None:
        try:
            transfer(url, output_file, client)
        except HTTPError as error:
            status = error.response.status_code if error.response is not None else 0
            if 400 <= status < 500 and status not in (408, 429):
                # Not an error that pooch knows, so that it does not ask again in vain.
                raise _not_had(url, _reason(error, timeout)) from error
            raise

    return download


def _reason(error: Exception, timeout: float) -> str:
    """What went wrong, without the client's nesting of one exception in another."""
    from requests import exceptions as failures
    from urllib3.exceptions import NameResolutionError, ReadTimeoutError

    inner = error.args[0] if error.args else error
    inner = getattr(inner, "reason", inner)
    if isinstance(error, failures.HTTPError) and error.response is not None:
        return f"the server answered {error.response.status_code} {error.response.reason}"
    if isinstance(error, failures.Timeout) or isinstance(inner, ReadTimeoutError):
        return f"no data came for {timeout:g} s"
    if isinstance(error, failures.ChunkedEncodingError):
        return "the connection broke off before the end of the file"
    if isinstance(inner, NameResolutionError):
        return "the host name cannot be resolved: no network, or no name service"
    if isinstance(error, failures.SSLError | failures.ProxyError):
        return f"{type(error).__name__}: {inner}"
    if isinstance(error, failures.ConnectionError):
        return f"no connection to the host: {str(inner).rsplit(': ', 1)[-1]}"
    return str(error)


class _LogProgress:
    """Takes the place of a progress bar where stderr is a file: a line every few seconds."""

    def __init__(self) -> None:
        self.total = 0

    @property
    def total(self) -> int:
        return self._total

    @total.setter
    def total(self, total: int) -> None:
        # pooch announces the size at the start of each attempt, and never says that one failed.
        self._total, self._done = total, 0
        self._next = time.monotonic() + LOG_EVERY_SECONDS

    def update(self, amount: int) -> None:
        self._done += amount
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + LOG_EVERY_SECONDS
            of_total = f" of {self._total / 1e6:.1f}" if self._total else ""
            log.info("downloaded %.1f%s MB", self._done / 1e6, of_total)

    def reset(self) -> None:
        self._done = 0

    def close(self) -> None:
        """Nothing is held open."""
