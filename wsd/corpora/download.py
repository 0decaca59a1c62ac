"""Download CoarseWSD-20, check every file, and sort the files into the folder of the corpus.

``data/coarsewsd20.sha256`` lists the checksum of each file that we need. No other file is unpacked.

The folder has these parts:

- ``LICENSE``, and a folder per word;
- ``trains/<train>/<word>/``: the other training sets; their class maps and test files are left out,
  since the word's folder has the same files;
- ``outofdomain.tsv``: the out-of-domain test sentences;
- ``published/<system>/<word>.jsonl``: the outputs of the authors' systems;
- ``published/centroids/``: their sense vectors.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path, PurePath

from wsd.arguments import add_listings, add_out_folder
from wsd.artifacts.dataset import DATASETS
from wsd.artifacts.run_json import list_folders
from wsd.corpora.archives import available, refuse_foreign_files, verified
from wsd.corpora.coarsewsd20 import ARCHIVE, place
from wsd.logs import log
from wsd.storage.atomic import replacing_folder


def download_dataset(out: Path) -> None:
    """Download and verify CoarseWSD-20, and write it to ``out``.

    Parameters
    ----------
    out : Path
        Replaced as a whole, after every file is verified. It must hold no other files.

    Raises
    ------
    DownloadError
        If the archive cannot be obtained, or a file in it is missing or wrong.
    ConfigError
        If ``out`` holds files that are not the dataset's.
    """
    manifest = ARCHIVE.file_checksums()
    refuse_foreign_files(out, {PurePath(place(name)).name for name in manifest})
    log_licence("coarsewsd20")
    with available(ARCHIVE) as archive:
        extract(archive, out, manifest)


def extract(archive: Path, out: Path, manifest: Mapping[str, str]) -> None:
    """Verify the files of ``manifest``, and write either all of them to ``out`` or none.

    Line ends become LF; nothing else is changed.

    Raises
    ------
    DownloadError
        As :func:`wsd.corpora.archives.verified`.
    """
    # A link to a folder on another disk stays a link: the folder behind it is replaced.
    with replacing_folder(out.resolve()) as folder:
        for name, data in verified(archive, manifest):
            target = folder / place(name)
            target.parent.mkdir(parents=True, exist_ok=True)
            # The gold files of four words have CRLF, which the corpus step refuses.
            target.write_bytes(data.replace(b"\r\n", b"\n"))


def log_licence(name: str) -> None:
    """Log the licence of a built-in dataset and what to cite."""
    dataset = DATASETS[name]
    log.info("%s is licensed %s. When you use it, cite:", dataset.title, dataset.licence)
    log.info("%s", dataset.citation)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_listings(parser)
    add_out_folder(parser, "folder for the corpus files")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    download_dataset(args.out)
    list_folders(args.listings)
