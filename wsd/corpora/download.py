"""CoarseWSD-20's archive: fetched once, every file checked, laid out for the steps that read it.

``data/coarsewsd20.sha256`` lists the checksum of each file that is needed, and nothing else is
unpacked. No name inside the archive decides where a file goes. Line ends become LF after the check,
and nothing else is changed.

What is laid out: a folder per word and ``LICENSE``; ``trains/<train>/<word>/``, the other
training sets; ``outofdomain.tsv``; ``published/<system>/<word>.jsonl``, the authors' own outputs,
and ``published/centroids/``, their sense vectors. Left out: the class maps and test files that
stand beside each of the other training sets, which repeat those of the words.
"""

import argparse
from pathlib import Path

from wsd.arguments import add_listings, add_out_folder
from wsd.artifacts.dataset import DATASETS
from wsd.artifacts.run_map import list_folders
from wsd.corpora.coarsewsd20 import ARCHIVE, place
from wsd.corpora.get_archive import at_hand
from wsd.corpora.unpack_archive import extract, refuse_foreign_files
from wsd.logs import log


def download_dataset(out: Path) -> None:
    """Put CoarseWSD-20 at ``out``, each file verified.

    It is laid out as :func:`wsd.corpora.coarsewsd20.place` says.

    Parameters
    ----------
    out : Path
        Replaced as a whole, once everything is verified; it must hold nothing else.

    Raises
    ------
    DownloadError
        If the archive cannot be had, or is not what it should be.
    ConfigError
        If ``out`` holds files that are not the dataset's.
    """
    manifest = ARCHIVE.file_checksums()
    refuse_foreign_files(out, map(place, manifest))
    dataset = DATASETS["coarsewsd20"]
    log.info("%s is licensed %s. When you use it, cite:", dataset.title, dataset.licence)
    log.info("%s", dataset.citation)
    with at_hand(ARCHIVE) as packed:
        extract(packed, out, manifest)


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_listings(parser)
    add_out_folder(parser, "folder for the corpus files")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    download_dataset(args.out)
    list_folders(args.listings)
