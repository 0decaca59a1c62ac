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
import re
from collections.abc import Mapping
from itertools import chain
from pathlib import Path, PurePath, PurePosixPath

from wsd.arguments import add_listings, add_out_folder
from wsd.artifacts.dataset import DATA, DATASETS
from wsd.artifacts.run_json import list_folders
from wsd.corpora.archives import SourceArchive, available, refuse_foreign_files, verified
from wsd.logs import log
from wsd.storage.atomic import replacing_folder

# The training sets of each setting, in the order in which they are shown. The settings with n
# instances per sense have three draws each.
DRAWS = {
    **{name: (name,) for name in ("balanced", "1pct", "5pct", "10pct", "25pct", "50pct", "100pct")},
    **{f"nshot-{n}": tuple(f"nshot-{n}.set{draw}" for draw in (1, 2, 3)) for n in (1, 3, 10, 30)},
}
TRAINS = tuple(chain.from_iterable(DRAWS.values()))
COMMIT = "d8728bc5f0bbd2a14cdeb19aa71844fb89a31cb6"
ARCHIVE = SourceArchive(
    title=DATASETS["coarsewsd20"].title,
    url=f"{DATASETS['coarsewsd20'].source}/archive/{COMMIT}.tar.gz",
    file=f"bert-disambiguation-{COMMIT}.tar.gz",
    variable="WSD_COARSEWSD20_ARCHIVE",
    checksums=DATA / "coarsewsd20.sha256",
)
# From a path below the archive's top folder to a path below `source`.
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


def place(name: str) -> str:
    """Return the path, below the folder of the download, of a file of the archive."""
    for pattern, target in LAYOUT:
        if match := re.fullmatch(pattern, name):
            return match.expand(target)
    raise ValueError(f"{name} has no place in the layout")


def downloaded_files() -> tuple[str, ...]:
    """Return the paths of all files below the folder of the download, without downloading."""
    return tuple(sorted(map(place, ARCHIVE.file_checksums())))


def words_of_trains() -> dict[str, tuple[str, ...]]:
    """Return the sorted words of each training set except the full one, without downloading."""
    words: dict[str, list[str]] = {}
    for file in downloaded_files():
        folder, *rest = PurePosixPath(file).parts
        if folder == "trains" and rest[-1] == "train.data.txt":
            words.setdefault(rest[0], []).append(rest[1])
    return {train: tuple(names) for train, names in words.items()}


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
