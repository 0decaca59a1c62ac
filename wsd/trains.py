"""Which rows of the full training set each other training set of CoarseWSD-20 is.

The other sets repeat sentences of the full one, in another order. They are kept as line numbers of
it, so that no sentence is embedded twice. One file per training set holds all its words: word and
index, the 0-based line of the full training file, ascending.
"""

import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wsd.columns import rows_by
from wsd.corpus import Corpus, Instance, read_classes, read_split
from wsd.errors import CorpusError, ResultError
from wsd.files import expecting, read_table, write_table
from wsd.names import file_name

log = logging.getLogger("wsd")

FULL = "full"
DRAWS = (1, 2, 3)
# In the order to show them in: what each is a part of the full set by.
TRAINS = (
    "balanced",
    *(f"{percent}pct" for percent in (1, 5, 10, 25, 50, 100)),
    *(f"nshot-{shots}.set{draw}" for shots in (1, 3, 10, 30) for draw in DRAWS),
)


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Lines of the full training files.

    Attributes
    ----------
    name : str
    lines : mapping of word to int array
        0-based lines of the word's training file, ascending. Words that the set lacks are absent.
    corpus : mapping of word to str
        The digest of the corpus that the lines are of.
    """

    name: str
    lines: Mapping[str, np.ndarray]
    corpus: Mapping[str, str]


def setting(train: str) -> tuple[str, int | None]:
    """The setting that a training set is of, and its number among several draws of that setting.

    >>> setting("nshot-3.set2"), setting("balanced")
    (('nshot-3', 2), ('balanced', None))
    """
    name, dot, draw = train.partition(".set")
    return (name, int(draw)) if dot else (name, None)


def draws(name: str) -> tuple[str, ...]:
    """The training sets of a setting, in the order of the draws; none for an unknown one."""
    return tuple(train for train in (FULL, *TRAINS) if setting(train)[0] == name)


def read_trains(source: Path, train: str, corpora: Mapping[str, Corpus]) -> TrainingSet:
    """Find the rows of a training set among those of the full one.

    Parameters
    ----------
    source : Path
        Where the dataset was downloaded to.
    train : str
        Among ``TRAINS``; a folder under ``trains``.
    corpora : mapping of word to Corpus
        Of these, the words for which the training set has a folder are read.

    Raises
    ------
    CorpusError
        For a malformed file, and for a row that the full training set does not have, or has less
        often. It names file and line.
    """
    folder = source / "trains" / train
    words = [word for word in corpora if (folder / file_name(word)).is_dir()]
    if not words:
        raise CorpusError(
            f"no training set {train!r} for {', '.join(corpora)}",
            where=str(folder),
            fix=f"choose among {', '.join(TRAINS)}; not every one has every word",
        )
    lines = {
        word: _lines(source / file_name(word), folder / file_name(word), corpora[word])
        for word in words
    }
    return TrainingSet(train, lines, {word: corpora[word].digest for word in words})


def _lines(full: Path, part: Path, corpus: Corpus) -> np.ndarray:
    """The lines of one word's full training file that ``part`` holds."""
    classes = read_classes(full / "classes_map.txt")
    if tuple(classes.values()) != corpus.senses:
        raise CorpusError(
            f"the senses are not those of the corpus of {corpus.word!r}",
            where=str(full / "classes_map.txt"),
            fix="run the corpus step again",
        )
    free = _where_each_stands(corpus)
    taken = []
    for n, instance in enumerate(read_split(part, "train", list(classes)), start=1):
        if not free.get(instance):
            often = "so often" if instance in free else "with this position and class"
            raise CorpusError(
                f"the full training set of {corpus.word!r} does not have the sentence {often}",
                where=f"{part / 'train.data.txt'}:{n}",
                fix="download the corpus again",
            )
        taken.append(free[instance].pop(0))
    return np.array(sorted(taken), dtype=np.int32)


def _where_each_stands(corpus: Corpus) -> dict[Instance, list[int]]:
    """The lines, ascending, on which each instance stands in the training file."""
    found: dict[Instance, list[int]] = defaultdict(list)
    for row in np.flatnonzero(corpus.split == "train").tolist():
        instance = Instance(int(corpus.position[row]), corpus.tokens[row], int(corpus.gold[row]))
        found[instance].append(int(corpus.index[row]))
    return dict(found)


def training_rows(corpus: Corpus, train: TrainingSet | None = None) -> np.ndarray:
    """The rows of a word's table that a training set has.

    Parameters
    ----------
    corpus : Corpus
    train : TrainingSet, optional
        By default the full one.

    Returns
    -------
    int array, ascending

    Raises
    ------
    ResultError
        If the training set lacks the word, or was made from another table.
    """
    rows = np.flatnonzero(corpus.split == "train")
    if train is None:
        return rows
    if corpus.word not in train.lines:
        raise ResultError(f"the training set {train.name!r} has no word {corpus.word!r}")
    lines = train.lines[corpus.word]
    found = rows[np.isin(corpus.index[rows], lines)]
    if train.corpus[corpus.word] != corpus.digest or not np.array_equal(corpus.index[found], lines):
        raise ResultError(
            f"the training set {train.name!r} belongs to another table than the corpus of "
            f"{corpus.word!r}",
            fix="delete the file of the training set and run again",
        )
    return found


def write(path: Path, train: TrainingSet) -> None:
    """Write a training set as Parquet, whole or not at all."""
    import pyarrow as pa

    words = [word for word, lines in train.lines.items() for _ in lines]
    table = pa.table({"word": words, "index": np.concatenate(list(train.lines.values()))})
    write_table(path, table, {"train": train.name, "corpus": dict(train.corpus)})


def read(path: Path) -> TrainingSet:
    """Read a training set that :func:`write` wrote."""
    table, provenance = read_table(path)
    with expecting(path):
        rows, index = rows_by(table["word"]), table["index"].to_numpy()
        corpus = dict(provenance["corpus"])
        lines = {word: index[rows[word]] for word in corpus}
        if sum(map(len, lines.values())) != len(index):
            raise ValueError("rows of a word that the provenance does not name")
        if not all(map(are_lines, lines.values())):
            raise ValueError("lines that do not ascend, or none")
        if not isinstance(provenance["train"], str):
            raise TypeError("no name of a training set")
        return TrainingSet(name=provenance["train"], lines=lines, corpus=corpus)


def are_lines(lines: np.ndarray) -> bool:
    """Whether these are numbers of lines: whole, from 0 up, ascending, at least one."""
    return bool(lines.dtype.kind == "i" and len(lines) and (np.diff(lines, prepend=-1) > 0).all())


def build(source: Path, corpora: Mapping[str, Corpus], trains: Sequence[str], out: Path) -> None:
    """Find the rows of several training sets and write ``out/<train>.parquet`` for each.

    Parameters
    ----------
    source, corpora
        As in :func:`read_trains`.
    trains : sequence of str
    out : Path
        A folder.
    """
    for train in trains:
        found = read_trains(source, train, corpora)
        write(out / f"{train}.parquet", found)
        rows = sum(map(len, found.lines.values()))
        log.info(
            "%s: %d rows of %d words, all in the full training set", train, rows, len(found.lines)
        )
