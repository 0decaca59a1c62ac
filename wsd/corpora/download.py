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

import argparse
import logging
import os
from pathlib import Path

from wsd.arguments import add_out
from wsd.artifacts.dataset import DATASETS
from wsd.corpora.archive import extract, refuse_foreign_files
from wsd.corpora.coarsewsd20 import URL, file_checksums
from wsd.corpora.fetch import WAYS_ON, fetch_archive
from wsd.errors import DownloadError

log = logging.getLogger("wsd")


def download_dataset(out: Path, archive: Path | None = None) -> None:
    """Put CoarseWSD-20 at ``out``, laid out as :func:`place` says, each file verified.

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


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_out(parser, "folder for the corpus files")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    archive = os.environ.get("WSD_COARSEWSD20_ARCHIVE")
    download_dataset(args.out, Path(archive) if archive else None)
