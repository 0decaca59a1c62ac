"""Describe the corpora: their words, their source and their licence.

Built-in corpora are listed in ``data/datasets.toml``. Any other corpus is a folder that
``wsd import`` wrote, with a manifest.

SemCor and MASC are annotated with the senses of the New Oxford American Dictionary. The corpus
``noad`` takes both, divided by document; two other corpora train on one and test on the other.
Their words need no download: ``data/noad.csv`` has the numbers of instances of each sense in both.

Names that the program uses itself for files, folders and rows are refused. Names of datasets, runs
and models become folders next to folders with fixed names. Names of systems and classifiers become
the first part of a file name. Words name rows of tables, next to fixed rows.
"""

import csv
import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

import wsd
from wsd.artifacts.find_runs import RUNS
from wsd.artifacts.senses import NOTHING, Given, SenseText, parse_sense_texts, sense_texts
from wsd.errors import ConfigError, CorpusError, unknown_choice, visible
from wsd.storage.checksums import STORE
from wsd.storage.file_names import file_name, is_plain_name
from wsd.storage.result_files import require

DATA = Path(wsd.__file__).parent / "data"
# Whether this is an installed wheel (setup.py) and not a checkout.
INSTALLED = (DATA / "workflow").is_dir()
# The parent of config/, profiles/ and workflow/: the data of the package, or the checkout.
PROGRAM = DATA if INSTALLED else DATA.parents[1]


NOAD_TABLE = DATA / "noad.csv"
# The parts for training and for testing of each corpus; None for a corpus of both parts.
NOAD = {
    "noad": None,
    "noad-semcor-masc": ("semcor", "masc"),
    "noad-masc-semcor": ("masc", "semcor"),
}
# With fewer instances, a sense cannot have two splits and five folds. The table has no rarer sense.
AT_LEAST = 10


class InParts(NamedTuple):
    """The number of instances of a sense in each of the two parts."""

    semcor: int
    masc: int


# The numbers of instances, by word and sense.
Counts = Mapping[str, Mapping[str, InParts]]


def frequent_senses(counts: Counts, name: str, at_least: int) -> dict[str, dict[str, InParts]]:
    """Return the words that have at least two senses with enough instances.

    Parameters
    ----------
    counts : Counts
        The counts of the senses that occur in at least two documents.
    name : str
        A key of ``NOAD``.
    at_least : int
        The minimum number of instances of a sense. If one part is for training, this is the minimum
        for that part, and the other part needs one instance.
    """

    def enough(sense: InParts) -> bool:
        if not (parts := NOAD[name]):
            return sum(sense) >= at_least
        train, test = (getattr(sense, part) for part in parts)
        return train >= at_least and test >= 1

    frequent = {w: {s: n for s, n in ns.items() if enough(n)} for w, ns in counts.items()}
    return {word: senses for word, senses in sorted(frequent.items()) if len(senses) > 1}


def noad_sizes(name: str, at_least: int | None) -> dict[str, int]:
    """Return the number of instances of each word, in all splits together."""
    with NOAD_TABLE.open(encoding="utf-8", newline="") as file:
        counts = {row["word"]: _noad_senses(row["senses"]) for row in csv.DictReader(file)}
    words = frequent_senses(counts, name, at_least or AT_LEAST)
    return {word: sum(map(sum, senses.values())) for word, senses in words.items()}


def _noad_senses(text: str) -> dict[str, InParts]:
    """Parse the numbers of instances in SemCor and MASC of each sense, such as ``"12+3 40+0"``."""
    pairs = enumerate(text.split(" "))
    return {str(sense): InParts(*map(int, pair.split("+"))) for sense, pair in pairs}


DWUG_EN = "dwug-en"
# Built-in corpora with a manifest, which a step writes.
WITH_MANIFEST = (*NOAD, DWUG_EN)
# By kind, in lower case, because names that differ only in case are the same file on some disks.
RESERVED = {
    # Below results/, and the built-in corpora.
    "dataset": (
        *("benchmarks", "coarsewsd20", "logs", "models", "quickstart", "quickstart-hard"),
        *(STORE, *WITH_MANIFEST),
    ),
    # results/<dataset>/runs/ has only runs, but a folder with a store would count as a dataset.
    "run": (STORE,),
    # Below results/<dataset>/ and results/<dataset>/runs/<run>/, and in their folders of logs.
    "model": (
        *("audit", "baselines", "comparison", "corpus", "figures", "folds", "glosses"),
        *("published", "report", RUNS, "source", STORE, "systems", "trains", "uses"),
    ),
    # Values of tables instead of the name of a classifier or a word.
    "classifier": ("per-word",),
    "system": (),
    "word": ("all words", "(all)"),
}
# The kinds whose names become folders, and the suffixes that a folder must not have.
FOLDERS = ("dataset", "run", "model")
SUFFIXES = (
    ".csv", ".damaged", ".html", ".json", ".log", ".md", ".parquet", ".part", ".safetensors",
    ".wsd",
)  # fmt: skip


def check_reserved(kind: str, name: str, where: str) -> None:
    """Refuse a name that the program itself uses.

    Parameters
    ----------
    kind : str
        A key of ``RESERVED``.
    name : str
    where : str
        The config key, option or file with the name.

    Raises
    ------
    ConfigError
    """
    lower, fix = name.lower(), "choose another name"
    if (name if kind == "word" else lower) in RESERVED[kind]:
        why = "wsd needs the name itself"
    elif kind in FOLDERS and lower.endswith(SUFFIXES):
        why = f"its folder would look like a {lower[lower.rindex('.') :]} file"
    else:
        return
    raise ConfigError(f"a {kind} cannot be called {name!r}: {why}", where=where, fix=fix)


def check_free(key: str, names: Iterable[str], others: Iterable[str], fix: str) -> None:
    """Refuse reserved names, and names that occur twice in the same or another case.

    Parameters
    ----------
    key : str
        The config key of a list, such as ``models``.
    names : iterable of str
        The names of its entries.
    others : iterable of str
        Names that are taken already.
    fix : str
        What the user can do.

    Raises
    ------
    ConfigError
    """
    taken = {name.lower() for name in others}
    for i, name in enumerate(names):
        where = f"config key {key}[{i}].name"
        check_reserved(key.removesuffix("s"), name, where)
        if name.lower() in taken:
            raise ConfigError(f"the name {name!r} is taken", where=where, fix=fix)
        taken.add(name.lower())


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


def read_manifest(path: Path, *, name: str | None = None, title: str | None = None) -> Dataset:
    """Return the corpus of a manifest that ``wsd import`` wrote.

    Parameters
    ----------
    path : Path
        The path of ``dataset.json``. The corpus's files lie in the same folder.
    name, title : str, optional
        Replacements of the manifest's name and title.

    Raises
    ------
    CorpusError
        If the file is missing, or is not a manifest.
    """
    fix = "make the folder with `wsd import FILE --out FOLDER --name NAME`"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        dataset = _parse_manifest(manifest, path.parent, name, title)
    except (OSError, RecursionError) as error:
        raise CorpusError(f"no manifest of a corpus: {error}", where=str(path), fix=fix) from None
    except (AttributeError, KeyError, TypeError, ValueError, ConfigError) as error:
        problem = f"not the manifest of a corpus: {type(error).__name__} {error}"
        raise CorpusError(problem, where=str(path), fix=fix) from None
    # A step of the workflow writes these manifests, with reserved names.
    if dataset.name not in WITH_MANIFEST:
        check_name(dataset.name, str(path))
    return dataset


def read_given(forms: Any) -> dict[str, tuple[str, ...]]:
    """Return the user's forms of words in a manifest."""
    words = {word: tuple(texts) for word, texts in dict(forms).items()}
    shown = all(text and _is_shown(text) for texts in words.values() for text in texts)
    require(shown, "a form is not a text")
    return words


def _is_shown(text: Any) -> bool:
    return isinstance(text, str) and visible(text) == text


def _parse_manifest(manifest: Any, folder: Path, name: str | None, title: str | None) -> Dataset:
    version = manifest["format"]
    require(version == FORMAT, f"its format is {version!r}, not {FORMAT}")
    texts = {key: manifest[key] for key in ("name", *ABOUT)}
    texts |= {k: v for k, v in (("name", name), ("title", title)) if v is not None}
    language = manifest.get(LANGUAGE, ENGLISH)
    left_out = dict(manifest.get("left_out", {}))
    shown = all(map(_is_shown, (*texts.values(), language, *left_out)))
    require(shown, "a value is not a text, or has a character that cannot be seen")
    # The address becomes a link on the pages.
    address = texts["licence_url"]
    require(not address or address.startswith(("https://", "http://")), "licence_url is not a link")
    of_pairs = "pairs" in manifest
    of_sentences = dict.fromkeys(COUNTS, 0) | {"n_train": manifest.get("sentences")}
    words = {SENTENCES: of_sentences} if of_pairs else manifest["words"]
    counts = {
        # Older manifests lack the number of folds.
        word: {key: about[key] for key in (*COUNTS, *({"most_folds"} & {*about}))}
        for word, about in words.items()
    }
    numbers = [*left_out.values(), *(n for count in counts.values() for n in count.values())]
    valid = words and all(type(number) is int and number >= 0 for number in numbers)
    require(valid, "no words, or an invalid number")
    labelled = manifest.get("labelled", True) is not False and not of_pairs
    digests = dict(manifest["files"])
    expected = set(OF_PAIRS) if of_pairs else files_of(counts, labelled=labelled)
    files = (*DOCUMENTS, *EXTRA) if labelled else (EXTRA_UNLABELLED,)
    optional = {f"{file_name(word)}/{file}" for word in words for file in files}
    optional |= {EXTRA_FURTHER} if labelled else {JUDGMENTS, CHANGE}
    require(expected <= set(digests) <= expected | optional, "its files do not match its words")
    return Dataset(
        **texts,
        folder=folder,
        counts=counts,
        digests=digests,
        given={w: parse_sense_texts(w, about.get("senses", {})) for w, about in words.items()},
        labelled=labelled,
        of_pairs=of_pairs,
        left_out=left_out,
        language=language,
        forms=read_given(manifest.get(FORMS, {})),
    )


def dataset_of_results(folder: Path) -> Dataset:
    """Return the corpus of a folder ``results/<dataset>``.

    Raises
    ------
    CorpusError
        If the corpus is not built in, and there is no manifest.
    """
    manifest = folder / "source" / MANIFEST
    # Some built-in corpora have a manifest, with further facts.
    if folder.name in DATASETS and not manifest.exists():
        return DATASETS[folder.name]
    return read_manifest(manifest)


def find_dataset(text: str) -> Dataset:
    """Return the corpus for the name of a built-in corpus or the path of a manifest.

    Raises
    ------
    ConfigError
        If the text is neither.
    CorpusError
        If the file is not a manifest.
    """
    if text in DATASETS:
        return DATASETS[text]
    if Path(text).name != MANIFEST:
        fix = f"give {', '.join(DATASETS)}, or the path of a {MANIFEST}"
        raise ConfigError(f"no corpus {text!r}", where="--dataset", fix=fix)
    return read_manifest(Path(text))
