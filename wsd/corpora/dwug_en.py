"""Download DWUG EN and write it as a corpus without senses, with its judgments and change.

Every file is verified. The corpus is that of ``wsd import`` for the unpacked archive.
"""

import argparse
import tempfile
from importlib.metadata import version
from pathlib import Path

from wsd.arguments import add_listings, add_out_folder
from wsd.artifacts.dataset import (
    ABOUT,
    CHANGE,
    DATA,
    DATASETS,
    EXTRA_UNLABELLED,
    FORMAT,
    JUDGMENTS,
    MANIFEST,
    UNLABELLED_FILE,
)
from wsd.artifacts.reserved_names import DWUG_EN
from wsd.artifacts.run_json import list_folders
from wsd.corpora.archives import SourceArchive, available, refuse_foreign_names, verified
from wsd.corpora.download import log_licence
from wsd.corpora.importer import dwug_folder, import_usage_graphs
from wsd.corpora.importer.table_cells import Options
from wsd.corpora.importer.write_corpus import lay_out_unlabelled
from wsd.logs import log
from wsd.storage.checksums import sha256

ARCHIVE = SourceArchive(
    title="DWUG EN",
    url=f"{DATASETS[DWUG_EN].source}/files/dwug_en.zip",
    file="dwug_en-3.0.0.zip",
    variable="WSD_DWUG_EN_ARCHIVE",
    checksums=DATA / f"{DWUG_EN}.sha256",
)


def write_dataset(out: Path) -> None:
    """Write the folder of DWUG EN.

    Parameters
    ----------
    out : Path
        Replaced as a whole. It must hold no other files.

    Raises
    ------
    DownloadError
        If the archive cannot be obtained, or is damaged or wrong.
    ConfigError
        If ``out`` holds files that are not the dataset's.
    """
    refuse_foreign_names(out, (UNLABELLED_FILE, EXTRA_UNLABELLED, JUDGMENTS, CHANGE, MANIFEST))
    log_licence(DWUG_EN)
    with available(ARCHIVE) as archive, tempfile.TemporaryDirectory() as folder:
        for name, data in verified(archive, ARCHIVE.file_checksums()):
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        graphs = dwug_folder.read(Path(folder), Options())
    manifest = {
        "format": FORMAT,
        "labelled": False,
        "name": DWUG_EN,
        **{key: getattr(DATASETS[DWUG_EN], key) for key in ABOUT},
        "imported": [{"file": ARCHIVE.url, "checksums_sha256": sha256(ARCHIVE.checksums)}],
        "version": version("wsd"),
    }
    tables = import_usage_graphs.further_files(graphs, sorted(graphs.rows))
    lay_out_unlabelled(out, graphs.rows, manifest, noted=True, further_files=tables)
    log.info(
        "%d words, %d uses, %d judgments",
        len(graphs.rows), sum(map(len, graphs.rows.values())), len(graphs.judgments),
    )  # fmt: skip


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_listings(parser)
    add_out_folder(parser, "folder for the corpus files")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    write_dataset(args.out)
    list_folders(args.listings)
