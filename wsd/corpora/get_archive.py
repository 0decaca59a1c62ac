"""Get an archive: a local copy, or one that is downloaded once and stays in a cache."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wsd.corpora.archive_checksums import SourceArchive
from wsd.errors import DownloadError
from wsd.logs import log

# Attempts after a temporary failure, each after a longer wait. An answer such as 404 is final.
RETRIES = 3
# How long to wait for data, on connecting and in the middle of the file.
TIMEOUT_SECONDS = 30.0
LOG_EVERY_SECONDS = 10.0


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
        if local:
            problem = f"{error.problem}; the file was not changed"
            fix = f"replace it with a complete copy of {source.url}"
            raise DownloadError(problem, where=local, fix=fix) from error
        archive.unlink(missing_ok=True)
        problem = f"{error.problem}; the downloaded archive was removed from the cache"
        fix = f"run the command again; if that fails in the same way, {source.alternatives}"
        raise DownloadError(problem, where=f"{archive}, from {source.url}", fix=fix) from error


def fetch_archive(source: SourceArchive) -> Path:
    """Return the path of the archive in the cache; download it if it is not there yet.

    Raises
    ------
    DownloadError
        If it cannot be downloaded, or the cache cannot be written.
    """
    import pooch
    from requests.exceptions import HTTPError, RequestException

    def download(url: str, output_file: str, client: Any) -> None:
        transfer = pooch.HTTPDownloader(
            progressbar=True if sys.stderr.isatty() else _LogProgress(),
            chunk_size=2**16,
            timeout=TIMEOUT_SECONDS,
            # If the server compressed the transfer, the file would be a bare tar.
            headers={"Accept-Encoding": "identity"},
        )
        try:
            transfer(url, output_file, client)
        except HTTPError as error:
            status = error.response.status_code if error.response is not None else 0
            if 400 <= status < 500 and status not in (408, 429):
                # pooch does not know this error, so it does not try again.
                raise _failed(source, _reason(error)) from error
            raise

    folder = cache_folder()
    client = pooch.create(
        path=folder,
        base_url="",
        registry={source.file: None},
        urls={source.file: source.url},
        retry_if_failed=RETRIES,
    )
    try:
        return Path(client.fetch(source.file, downloader=download))
    except RequestException as error:
        raise _failed(source, f"{_reason(error)} (attempts: {RETRIES + 1})") from error
    except OSError as error:
        problem = f"the archive could not be written to the cache: {error}"
        fix = "set WSD_CACHE to a folder that can be written, with room for the archive"
        raise DownloadError(problem, where=str(folder), fix=fix) from error


def cache_folder() -> Path:
    """Return the folder of downloaded archives: ``$WSD_CACHE``, or the user's cache folder."""
    import pooch

    return Path(os.environ.get("WSD_CACHE") or pooch.os_cache("wsd")).expanduser()


def _failed(source: SourceArchive, reason: str) -> DownloadError:
    problem = f"the {source.title} archive could not be downloaded: {reason}"
    return DownloadError(problem, where=source.url, fix=source.alternatives)


def _reason(error: Exception) -> str:
    """Return the cause of a failure in words, without the client's nested exceptions."""
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
    """Logs a line every few seconds. It replaces the progress bar if stderr is not a terminal."""

    def __init__(self) -> None:
        self.total = 0  # set by pooch
        self._done = 0
        self._next = time.monotonic() + LOG_EVERY_SECONDS

    def update(self, amount: int) -> None:
        self._done += amount
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + LOG_EVERY_SECONDS
            total = f" of {self.total / 1e6:.1f}" if self.total else ""
            log.info("downloaded %.1f%s MB", self._done / 1e6, total)

    def reset(self) -> None:
        self._done = 0

    def close(self) -> None:
        """Do nothing: pooch calls it at the end."""
