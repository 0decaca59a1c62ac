"""Facts about CoarseWSD-20: its archive, the layout of its files, and its training sets."""

import re
from itertools import chain
from pathlib import PurePosixPath

from wsd.artifacts.dataset import DATA, DATASETS
from wsd.corpora.archives import SourceArchive

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
