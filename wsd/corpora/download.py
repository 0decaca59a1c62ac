"""The dataset's archive: fetched once, every file checked, laid out for the steps that read it.

The host packs a source archive anew on request, so the archive's own checksum is not stable.
What is pinned is the content: ``data/coarsewsd20.sha256`` lists the checksum of each file that
is needed, and nothing else is unpacked. No name inside the archive decides where a file goes.
Line ends become LF after the check, and nothing else is changed. The archive stays in a cache.

What is laid out: a folder per word and ``LICENSE``; ``trains/<train>/<word>/``, the other
training sets; ``outofdomain.tsv``; ``published/<system>/<word>.jsonl``, the authors' own outputs,
and ``published/centroids/``, their sense vectors. Left out: the class maps and test files that
stand beside each of the other training sets, which repeat those of the words.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wsd.arguments import add_out_folder
from wsd.artifacts.dataset import DATASETS
from wsd.corpora.archive import extract, refuse_foreign_files
from wsd.corpora.coarsewsd20 import ARCHIVE_NAME, URL, file_checksums
from wsd.errors import DownloadError
from wsd.logs import log

# Further attempts after a failure that may pass, each after a longer wait. An answer such as 404 is
# final.
RETRIES = 3
# Without any data, on connecting or in the middle of the file.
TIMEOUT_SECONDS = 30.0
LOG_EVERY_SECONDS = 10.0
WAYS_ON = (
    "set WSD_COARSEWSD20_ARCHIVE=FILE to a local copy of the archive, "
    "or use the built-in corpus: --configfile config/quickstart.yaml"
)


def download_dataset(out: Path, archive: Path | None = None) -> None:
    """Put CoarseWSD-20 at ``out``, each file verified.

    It is laid out as :func:`wsd.corpora.coarsewsd20.place` says.

    Parameters
    ----------
    out : Path
        Replaced as a whole, once everything is verified; it must hold nothing else.
    archive : Path, optional
        A local copy of the source archive, used in place of a download and never removed.

    Raises
    ------
    DownloadError
        If the archive cannot be had, or is not what it should be. A downloaded archive that
        turns out bad is removed from the cache, so that the next run fetches it again.
    ConfigError
        If ``out`` holds files that are not the dataset's.
    """
    manifest = file_checksums()
    refuse_foreign_files(out, manifest)
    dataset = DATASETS["coarsewsd20"]
    log.info("%s is licensed %s. When you use it, cite:", dataset.title, dataset.licence)
    log.info("%s", dataset.citation)
    if archive is not None and not archive.is_file():
        what = "the local archive does not exist, or is not a file"
        fix = f"correct WSD_COARSEWSD20_ARCHIVE; the archive comes from {URL}"
        raise DownloadError(what, where=str(archive), fix=fix)
    packed = archive or fetch_archive()
    try:
        extract(packed, out, manifest)
    except DownloadError as error:
        if archive is not None:
            what = f"{error.what}; the file was left as it is"
            fix = f"replace it with a complete copy of {URL}"
            raise DownloadError(what, where=str(archive), fix=fix) from error
        packed.unlink(missing_ok=True)
        what = f"{error.what}; the downloaded archive was removed from the cache"
        fix = f"run the command again to fetch it anew; if it fails the same way, {WAYS_ON}"
        raise DownloadError(what, where=f"{packed}, from {URL}", fix=fix) from error


def fetch_archive() -> Path:
    """Path of the archive in the cache, downloaded if it is not there yet.

    Raises
    ------
    DownloadError
        If it cannot be had, or the cache cannot be written.
    """
    import pooch
    from requests.exceptions import RequestException

    folder = cache_folder()
    client = pooch.create(
        path=folder,
        base_url="",
        registry={ARCHIVE_NAME: None},
        urls={ARCHIVE_NAME: URL},
        retry_if_failed=RETRIES,
    )
    try:
        return Path(client.fetch(ARCHIVE_NAME, downloader=_downloader()))
    except RequestException as error:
        raise _not_had(f"{_reason(error)} (attempts: {RETRIES + 1})") from error
    except OSError as error:
        what = f"the archive could not be written to the cache: {error}"
        fix = "set WSD_CACHE to a folder that can be written, with room for the archive"
        raise DownloadError(what, where=str(folder), fix=fix) from error


def cache_folder() -> Path:
    """Where downloaded archives are kept: ``$WSD_CACHE``, or else the user's cache folder."""
    import pooch

    chosen = os.environ.get("WSD_CACHE") or pooch.os_cache("wsd")
    return Path(chosen).expanduser()


def _not_had(reason: str) -> DownloadError:
    what = f"the CoarseWSD-20 archive could not be downloaded: {reason}"
    return DownloadError(what, where=URL, fix=WAYS_ON)


def _downloader() -> Callable[[str, str, Any], None]:
    import pooch
    from requests.exceptions import HTTPError

    transfer = pooch.HTTPDownloader(
        progressbar=True if sys.stderr.isatty() else _LogProgress(),
        chunk_size=2**16,
        timeout=TIMEOUT_SECONDS,
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
                raise _not_had(_reason(error)) from error
            raise

    return download


def _reason(error: Exception) -> str:
    """What went wrong, without the client's nesting of one exception in another."""
    from requests import exceptions as failures
    from urllib3.exceptions import NameResolutionError, ReadTimeoutError

    inner = error.args[0] if error.args else error
    inner = getattr(inner, "reason", inner)
    if isinstance(error, failures.HTTPError) and error.response is not None:
        return f"the server answered {error.response.status_code} {error.response.reason}"
    if isinstance(error, failures.Timeout) or isinstance(inner, ReadTimeoutError):
        return f"no data came for {TIMEOUT_SECONDS:g} s"
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


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_out_folder(parser, "folder for the corpus files")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    archive = os.environ.get("WSD_COARSEWSD20_ARCHIVE")
    download_dataset(args.out, Path(archive) if archive else None)
