"""One checked table per word: the instances, where the focal word stands, and its sense."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from pathlib import Path

import numpy as np

from wsd.errors import wrong_file
from wsd.storage.file_names import as_name, file_name
from wsd.storage.parquet import as_tuples, read_table, write_table
from wsd.storage.result_files import parsing, require

SPLITS = ("train", "test")
OUT_OF_DOMAIN = "outofdomain"
# The senses of a word of which nobody has said any.
UNLABELLED = ("unknown",)


@dataclass(frozen=True, eq=False)
class Corpus:
    """The instances of one word: training split, test split, and out of domain where there is any.

    Each split is in the order of its file.

    Attributes
    ----------
    word : str
        The lemma, which names the word's folder.
    senses : tuple of str
        The sense inventory, in the order of the class numbers.
    split, index : arrays of shape (n,)
        ``"train"``, ``"test"`` or ``"outofdomain"``, and the 0-based line in that split's file;
        out of domain that file is the one for all words.
    tokens : tuple of n tuples of str
        Without white space in them; but a focal word of several tokens, ``New York``, is one here,
        with single spaces.
    position : int array of shape (n,)
        0-based index of the focal word among the tokens.
    gold : int array of shape (n,)
        0-based index into ``senses``.
    """

    word: str
    senses: tuple[str, ...]
    split: np.ndarray
    index: np.ndarray
    tokens: tuple[tuple[str, ...], ...]
    position: np.ndarray
    gold: np.ndarray

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def is_labelled(self) -> bool:
        """Whether the instances have senses."""
        return self.senses != UNLABELLED

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the content, in order: two tables with one digest have the same rows."""
        columns = (self.split, self.index, self.position, self.gold)
        parts = [[self.word, self.senses], *(column.tolist() for column in columns)]
        # Not a row at a time, which takes five times as long; not all at once, which takes memory.
        parts += [self.tokens[i : i + 1000] for i in range(0, len(self), 1000)]
        hasher = hashlib.sha256()
        for part in parts:
            hasher.update(json.dumps(part).encode())
        return hasher.hexdigest()

    @cached_property
    def forms(self) -> tuple[str, ...]:
        """The focal tokens of the training split, in small letters, each once."""
        rows = np.flatnonzero(self.split == "train")
        focal = (self.tokens[row][self.position[row]] for row in rows)
        return tuple(sorted({token.casefold() for token in focal}))

    def training_rows(self, lines: np.ndarray) -> np.ndarray:
        """The rows of some lines of the training file, in the order of the lines."""
        rows = np.flatnonzero(self.split == "train")
        return rows[np.searchsorted(self.index[rows], lines)]

    def take(self, rows: np.ndarray) -> "Corpus":
        """The table of some rows.

        Parameters
        ----------
        rows : bool array of shape (n,)
        """
        arrays = ("split", "index", "position", "gold")
        taken = {name: getattr(self, name)[rows] for name in arrays}
        return replace(self, tokens=tuple(compress(self.tokens, rows)), **taken)


# By word.
Corpora = Mapping[str, Corpus]


def write(path: Path, corpus: Corpus) -> None:
    """Write a corpus as Parquet, whole or not at all."""
    import pyarrow as pa

    table = pa.table(
        {
            "word": [corpus.word] * len(corpus),
            "split": corpus.split.tolist(),
            "index": corpus.index,
            "position": corpus.position,
            "tokens": list(map(list, corpus.tokens)),
            "sense": [corpus.senses[gold] for gold in corpus.gold],
        }
    )
    provenance = {"word": corpus.word, "senses": corpus.senses, "digest": corpus.digest}
    write_table(path, table, provenance)


def read(path: Path) -> Corpus:
    """Read a corpus that :func:`write` wrote, checking that its content is what was written."""
    table, provenance = read_table(path)
    with parsing(path, "the table is not what was written"):
        senses = tuple(provenance["senses"])
        corpus = Corpus(
            word=provenance["word"],
            senses=senses,
            split=np.array(table["split"].to_pylist()),
            index=table["index"].to_numpy(),
            tokens=as_tuples(table["tokens"]),
            position=table["position"].to_numpy(),
            gold=np.array([senses.index(s) for s in table["sense"].to_pylist()], dtype=np.int32),
        )
        require(corpus.digest == provenance["digest"], "its digest is another")
        return corpus


def read_corpora(folder: Path, words: Sequence[str]) -> dict[str, Corpus]:
    """The corpora of several words from ``folder/<name>.parquet``, in the order of ``words``.

    Parameters
    ----------
    folder : Path
    words : sequence of str
        Words, or their names as :func:`wsd.storage.file_names.file_name` gives them.
    """
    found = {}
    for name in map(as_name, words):
        path = folder / f"{name}.parquet"
        corpus = read(path)
        if file_name(corpus.word) != name:
            raise wrong_file(f"the table is of the word {corpus.word!r}", path)
        found[corpus.word] = corpus
    return found


def instance_name(corpus: Corpus, row: int) -> str:
    """An instance in words: word, split and number."""
    return f"{corpus.word} {corpus.split[row]} {corpus.index[row]}"
