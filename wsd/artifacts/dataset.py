"""Describe the corpora: their words, their source and their licence.

Built-in corpora are listed in ``data/datasets.toml``. Any other corpus is a folder that
``wsd import`` wrote, with a manifest (:mod:`wsd.artifacts.manifest`).
"""

import csv
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import wsd
from wsd.artifacts.noad_datasets import NOAD, noad_sizes
from wsd.artifacts.reserved_names import DWUG_EN, check_reserved
from wsd.artifacts.senses import NOTHING, Given, SenseText, sense_texts
from wsd.errors import ConfigError, unknown_choice
from wsd.storage.file_names import file_name, is_plain_name

DATA = Path(wsd.__file__).parent / "data"
MANIFEST = "dataset.json"
FORMAT = 1
# The files of each word, and the file that all words share.
FILES = (
    "classes_map.txt", "train.data.txt", "train.gold.txt", "test.data.txt", "test.gold.txt",
)  # fmt: skip
# Optional files of each word: the document of each instance.
DOCUMENTS = ("train.documents.txt", "test.documents.txt")
# Optional files of each word: the columns of the imported file that the product does not use.
EXTRA = ("train.extra.tsv", "test.extra.tsv")
FURTHER, EXTRA_FURTHER = "outofdomain.tsv", "outofdomain.extra.tsv"
# The file of a word without senses.
UNLABELLED_FILE, EXTRA_UNLABELLED = "sentences.txt", "sentences.extra.tsv"
# Optional files of a corpus of usage graphs: ratings of pairs of uses, and each word's change.
JUDGMENTS, CHANGE = "judgments.tsv", "change.tsv"
# A corpus of pairs of sentences has this instead of a word, and these files.
SENTENCES = "sentences"
OF_PAIRS = (f"{SENTENCES}.parquet", "pairs.parquet")
# The command that downloads a built-in corpus, and the file with the checksums of its archive.
DOWNLOADS = {
    "coarsewsd20": ("download", DATA / "coarsewsd20.sha256"),
    **dict.fromkeys(NOAD, ("noad", DATA / "noad.sha256")),
    DWUG_EN: ("dwug-en", DATA / "dwug-en.sha256"),
}
# Optional keys of a manifest: the language, if it is not English, and the user's forms of words.
LANGUAGE, FORMS, ENGLISH = "language", "forms", "en"
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
        ``source`` is an address or a folder. In an imported corpus some may be empty.
    folder : Path, optional
        The folder of an imported corpus.
    counts : mapping of word to mapping
        For an imported corpus, the number of instances in each split: ``n_train``, ``n_test`` and
        ``n_out_of_domain``; also ``most_folds``, if it is known.
    digests : mapping of str to str
        For an imported corpus, the SHA-256 of each file below ``folder``.
    given : mapping of word to mapping of label to SenseText
        The names and glosses of senses in an imported corpus.
    at_least : int, optional
        For NOAD, the minimum number of instances of a sense, if it is not the default.
    labelled : bool
        Whether the sentences have senses.
    of_pairs : bool
        Whether this is a corpus of pairs. It has one word, with all sentences.
    left_out : mapping of str to int
        What the import left out: numbers by reason.
    language : str
        A code such as ``en``.
    forms : mapping of word to tuple of str
        The user's forms of words.
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
    left_out: Mapping[str, int] = field(default_factory=dict)
    language: str = ENGLISH
    forms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Return the sorted words; this needs no download."""
        return tuple(sorted(self.sizes))

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Return the number of instances of each word, in all splits together."""
        if self.name in NOAD and not self.counts:
            return noad_sizes(self.name, self.at_least)
        return {w: sum(int(count[name]) for name in COUNTS) for w, count in self._counts.items()}

    @cached_property
    def most_folds(self) -> dict[str, int]:
        """Return the largest possible number of folds of each word, if it is known.

        Each sense needs an instance in every fold, and near-duplicates stay together.
        """
        counts = self._counts.items()
        return {word: int(count["most_folds"]) for word, count in counts if count.get("most_folds")}

    @cached_property
    def _counts(self) -> Mapping[str, Mapping[str, Any]]:
        if self.folder is not None:
            return self.counts
        with (DATA / "sizes.csv").open(encoding="utf-8", newline="") as file:
            return {r["word"]: r for r in csv.DictReader(file) if r["dataset"] == self.name}

    @property
    def has_out_of_domain(self) -> bool:
        """Return whether there are out-of-domain test sentences."""
        return self.name == "coarsewsd20" or FURTHER in self.digests

    def sense_texts(self, word: str, senses: Sequence[str]) -> tuple[SenseText, ...]:
        """Return the names and glosses of a word's senses, in their order."""
        return sense_texts(word, senses, self.given.get(word, NOTHING))

    def choose(self, words: Literal["all"] | Sequence[str], *, where: str) -> tuple[str, ...]:
        """Return the words that a config selects, sorted: all, or a list.

        Raises
        ------
        ConfigError
            For a word that the corpus does not have.
        """
        if words == "all":
            return self.words
        for i, word in enumerate(words):
            if word not in self.words:
                problem = f"{self.title} has no word {word!r}"
                raise unknown_choice(problem, self.words, f"{where}[{i}]")
        return tuple(sorted(set(words)))


with (DATA / "datasets.toml").open("rb") as file:
    DATASETS = {name: Dataset(name, **about) for name, about in tomllib.load(file).items()}


def check_name(name: str, where: str) -> None:
    """Refuse a name of a corpus that cannot be a folder under ``results/``.

    Raises
    ------
    ConfigError
    """
    if not is_plain_name(name):
        fix = "use at most 100 letters, digits, dots, underscores and hyphens; begin with a letter "
        fix += "or a digit"
        raise ConfigError(f"the name {name!r}", where=where, fix=fix)
    check_reserved("dataset", name, where)


def files_of(words: Mapping[str, Mapping[str, int]], *, labelled: bool = True) -> set[str]:
    """Return the files of a corpus with these words, relative to its folder."""
    if not labelled:
        return {f"{file_name(word)}/{UNLABELLED_FILE}" for word in words}
    files = {f"{file_name(word)}/{file}" for word in words for file in FILES}
    further = any(count["n_out_of_domain"] for count in words.values())
    return files | {FURTHER} if further else files
