"""The facts of CoarseWSD-20: where it comes from, which files are needed and where they are put,
its training sets, and the systems whose outputs its authors published.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from wsd.artifacts.dataset import DATA
from wsd.artifacts.training_set import FULL, setting

DRAWS = (1, 2, 3)
# In the order to show them in: what each is a part of the full set by.
TRAINS = (
    "balanced",
    *(f"{percent}pct" for percent in (1, 5, 10, 25, 50, 100)),
    *(f"nshot-{shots}.set{draw}" for shots in (1, 3, 10, 30) for draw in DRAWS),
)


def draws(name: str) -> tuple[str, ...]:
    """The training sets of a setting, in the order of the draws; none for an unknown one."""
    return tuple(train for train in (FULL, *TRAINS) if setting(train)[0] == name)


COMMIT = "d8728bc5f0bbd2a14cdeb19aa71844fb89a31cb6"
URL = f"https://github.com/danlou/bert-disambiguation/archive/{COMMIT}.tar.gz"
ARCHIVE_NAME = f"bert-disambiguation-{COMMIT}.tar.gz"
CHECKSUMS = DATA / "coarsewsd20.sha256"
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


def file_checksums() -> dict[str, str]:
    """Checksum of each file that is needed, by its path below the archive's top folder."""
    lines = CHECKSUMS.read_text(encoding="utf-8").splitlines()
    return {name: digest for digest, name in (line.split(maxsplit=1) for line in lines)}


def place(name: str) -> str:
    """Where a file of the manifest is put: a path below the folder that is downloaded to."""
    for pattern, target in LAYOUT:
        if match := re.fullmatch(pattern, name):
            return match.expand(target)
    raise ValueError(f"{name} has no place in the layout")


def downloaded_files() -> tuple[str, ...]:
    """Every file that a download puts there, as paths below its folder; nothing is downloaded."""
    return tuple(sorted(map(place, file_checksums())))


def words_of_trains() -> dict[str, tuple[str, ...]]:
    """The words, sorted, of each training set besides the full one; nothing is downloaded."""
    found: dict[str, list[str]] = {}
    for file in downloaded_files():
        folder, *rest = PurePosixPath(file).parts
        if folder == "trains" and rest[-1] == "train.data.txt":
            found.setdefault(rest[0], []).append(rest[1])
    return {train: tuple(words) for train, words in found.items()}


ARCHIVE = f"https://github.com/danlou/bert-disambiguation/tree/{COMMIT}"
PAPER = "Loureiro, Rezaee, Pilehvar and Camacho-Collados, Computational Linguistics 47(2), 2021"


@dataclass(frozen=True)
class System:
    """A published system: what it is, where its outputs come from, how they were made.

    Attributes
    ----------
    name : str
        Also the folder below ``published``, and the model's name in tables.
    title : str
    outputs : str
        The folder of the archive that holds the outputs.
    protocol : str
        Encoder, layers, classifier and training set, in words, after the scripts of the same
        repository: ``create_1nn_vecs.py``, ``eval_1nn.py``, ``ftx_baseline.py``.
    view, layers, classifier, estimator, blocks, width, parameters
        The same as keys of our tables. Layer 0 of a system without blocks is a word's type.
    """

    name: str
    title: str
    outputs: str
    protocol: str
    view: str
    layers: str
    classifier: str
    estimator: str
    blocks: int
    width: int
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """The paper to cite, and the address of the outputs."""
        return f"{PAPER}; {ARCHIVE}/{self.outputs}"


def _nearest_centroid(size: str, blocks: int, width: int) -> System:
    encoder = f"bert-{size}-uncased"
    return System(
        name=f"1nn-{encoder}",
        title=f"BERT-{size}, nearest centroid",
        outputs=f"results/CoarseWSD-20/1nn/{encoder}",
        protocol=(
            f"{encoder}, not fine-tuned; the sum of the last four hidden states, the mean over "
            "the focal word's pieces; a sense's vector is the mean over its instances in the full "
            "training set; the sense of the word whose vector has the greatest cosine"
        ),
        view="focal",
        layers="sum-last-4",
        classifier="published-1nn",
        estimator="nearest_centroid",
        blocks=blocks,
        width=width,
        parameters={"metric": "cosine"},
    )


def _fasttext(name: str, title: str, vectors: str, width: int) -> System:
    return System(
        name=f"fasttext-{name}",
        title=f"fastText, {title}",
        outputs=f"results/CoarseWSD-20/fasttext/{name}",
        protocol=(
            f"fastText's supervised classifier, one per word, {width} dimensions, {vectors}; the "
            "mean of the vectors of all words of the sentence; full training set, 25 epochs, "
            "learning rate 0.5, one-versus-all loss, so that scores do not sum to 1"
        ),
        view="sentence",
        layers="0",
        classifier="published-fasttext",
        estimator="fasttext",
        blocks=0,
        width=width,
        parameters={"epoch": 25, "loss": "ova", "lr": 0.5},
    )


SYSTEMS = {
    system.name: system
    for system in (
        _fasttext("base-100d", "trained on the set", "no vectors to start from", 100),
        _fasttext(
            "crawl-300d-2M",
            "pretrained on Common Crawl",
            "starting from the vectors crawl-300d-2M",
            300,
        ),
        _nearest_centroid("base", 12, 768),
        _nearest_centroid("large", 24, 1024),
    )
}
