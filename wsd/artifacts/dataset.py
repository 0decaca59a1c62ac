"""The corpora the pipeline knows: their words, where they come from, and what they ask of users.

Some are built in. Another is a folder that ``wsd import`` wrote, with a manifest.
"""

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import wsd
from wsd.artifacts import noad
from wsd.artifacts.reserved_names import check_reserved
from wsd.artifacts.senses import NOTHING, Given, SenseText, called
from wsd.errors import ConfigError, unknown_choice
from wsd.storage.file_names import file_name, is_plain_name

DATA = Path(wsd.__file__).parent / "data"
MANIFEST = "dataset.json"
FORMAT = 1
# Of one word, and the one of all words.
FILES = (
    "classes_map.txt", "train.data.txt", "train.gold.txt", "test.data.txt", "test.gold.txt",
)  # fmt: skip
FURTHER = "outofdomain.tsv"
# In place of those, of a word without senses.
UNLABELLED_FILE = "sentences.txt"
# Of a corpus of pairs (:mod:`wsd.artifacts.pair_table`): what stands for a word, and the files.
SENTENCES = "sentences"
OF_PAIRS = (f"{SENTENCES}.parquet", "pairs.parquet")
ABOUT = ("title", "source", "licence", "licence_url", "citation")
COUNTS = ("n_train", "n_test", "n_out_of_domain")


@dataclass(frozen=True)
class Dataset:
    """A corpus in CoarseWSD's format, or of sentences without senses.

    Attributes
    ----------
    name : str
        Also the folder under ``results/``.
    title, source, licence, licence_url, citation : str
        For the report and the download; ``source`` is an address or a folder. Of another corpus
        than the built-in ones some may be empty.
    folder : Path, optional
        Of another corpus: where ``wsd import`` wrote it.
    counts : mapping of word to mapping
        Instances of each split, ``n_train``, ``n_test``, ``n_out_of_domain``, and where it is
        known ``most_folds``.
    of_pairs : bool
        Whether it is of pairs (:mod:`wsd.artifacts.pair_table`): one word, which has all sentences.
    digests : mapping of str to str
        Of another corpus: the SHA-256 of each file below ``folder``.
    given : mapping of word to mapping of label to SenseText
        Of another corpus: what it calls its senses, where it says so.
    at_least : int, optional
        Of NOAD: how many instances a sense has at least, if not as many as by default.
    labelled : bool
        Whether its sentences have senses.
    """

    name: str
    title: str
    source: str
    licence: str
    licence_url: str
    citation: str
    folder: Path | None = None
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, Given] = field(default_factory=dict)
    at_least: int | None = None
    labelled: bool = True
    of_pairs: bool = False

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words, sorted; nothing is downloaded to know them."""
        return tuple(sorted(self.sizes))

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Instances per word, of all splits together."""
        if self.name in noad.NOAD and not self.counts:
            return noad.sizes(self.name, self.at_least)
        return {word: sum(int(of[name]) for name in COUNTS) for word, of in self._counts.items()}

    @cached_property
    def most_folds(self) -> dict[str, int]:
        """Into how many folds each word's training set can be cut at most, where it is known.

        Each sense needs an instance in every fold, and near-duplicates stay together.
        """
        return {w: int(of["most_folds"]) for w, of in self._counts.items() if "most_folds" in of}

    def rows_at_most(self, word: str, setting: str) -> int:
        """How many instances of a word a training set of a setting has at most.

        Of NOAD, which is divided by text, it is not known how many are for training.
        """
        if (of := self._counts.get(word)) is None:
            return self.sizes[word]
        rows = int(of["n_train"])
        if setting.endswith("pct"):
            return math.ceil(rows * int(setting.removesuffix("pct")) / 100)
        if setting.startswith("nshot-"):
            return min(rows, int(setting.removeprefix("nshot-")) * int(of["n_senses"]))
        return rows

    @cached_property
    def _counts(self) -> Mapping[str, Mapping[str, Any]]:
        if self.folder is not None:
            return self.counts
        with (DATA / "sizes.csv").open(encoding="utf-8", newline="") as file:
            return {r["word"]: r for r in csv.DictReader(file) if r["dataset"] == self.name}

    @property
    def has_out_of_domain(self) -> bool:
        """Whether there are test sentences from elsewhere."""
        return self.name == "coarsewsd20" or FURTHER in self.digests

    def called(self, word: str, senses: Sequence[str]) -> tuple[SenseText, ...]:
        """What people read in place of the labels of a word's senses, in their order."""
        return called(word, senses, self.given.get(word, NOTHING))

    def choose(self, words: Literal["all"] | Sequence[str], *, where: str) -> tuple[str, ...]:
        """The words of a config: ``"all"``, or a list of the corpus's words, sorted.

        Raises
        ------
        ConfigError
            For a word that the corpus does not have.
        """
        if words == "all":
            return self.words
        for i, word in enumerate(words):
            if word not in self.words:
                raise unknown_choice(
                    f"{self.title} has no word {word!r}", self.words, f"{where}[{i}]"
                )
        return tuple(sorted(set(words)))


DATASETS = {
    dataset.name: dataset
    for dataset in (
        Dataset(
            name="coarsewsd20",
            title="CoarseWSD-20",
            source="https://github.com/danlou/bert-disambiguation",
            licence="CC BY-NC 4.0: not for commercial use",
            licence_url="https://creativecommons.org/licenses/by-nc/4.0/",
            citation=(
                "Daniel Loureiro, Kiamehr Rezaee, Mohammad Taher Pilehvar and Jose "
                "Camacho-Collados. Analysis and Evaluation of Language Models for Word Sense "
                "Disambiguation. Computational Linguistics 47(2), 2021."
            ),
        ),
        *(
            Dataset(
                name=name,
                title=title,
                source=f"wsd/data/{name}",
                licence="CC0 1.0: public domain",
                licence_url="https://creativecommons.org/publicdomain/zero/1.0/",
                citation="Written for this project; cite the project.",
            )
            for name, title in (
                ("quickstart", "The quickstart corpus"),
                ("quickstart-hard", "The hard quickstart corpus"),
            )
        ),
        *(
            Dataset(
                name=name,
                title=f"SemCor and MASC with NOAD senses{across}",
                source="https://github.com/google-research-datasets/word_sense_disambigation_corpora",
                licence="CC BY 4.0, Google; with the terms of WordNet, SemCor and MASC",
                licence_url="https://creativecommons.org/licenses/by/4.0/",
                citation=(
                    "Dayu Yuan, Julian Richardson, Ryan Doherty, Colin Evans and Eric Altendorf. "
                    "Semi-supervised Word Sense Disambiguation with Neural Models. COLING 2016. "
                    "Cut into sentences and divided into training and test texts by this project."
                ),
            )
            for name, across in (
                ("noad", ""),
                ("noad-semcor-masc", ", trained on SemCor, tested on MASC"),
                ("noad-masc-semcor", ", trained on MASC, tested on SemCor"),
            )
        ),
    )
}


def check_name(name: str, where: str) -> None:
    """Refuse a name of a corpus that cannot be a folder of its own under ``results/``.

    Raises
    ------
    ConfigError
    """
    if not is_plain_name(name):
        raise ConfigError(
            f"the name {name!r}",
            where=where,
            fix="use letters, digits, dots, underscores and hyphens, at most 100, and begin with "
            "a letter or a digit",
        )
    check_reserved("dataset", name, where)


def files_of(words: Mapping[str, Mapping[str, int]], *, labelled: bool = True) -> set[str]:
    """The files of a corpus with these words, relative to its folder."""
    if not labelled:
        return {f"{file_name(word)}/{UNLABELLED_FILE}" for word in words}
    found = {f"{file_name(word)}/{file}" for word in words for file in FILES}
    return found | ({FURTHER} if any(of["n_out_of_domain"] for of in words.values()) else set())
