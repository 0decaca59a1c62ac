"""What an encoder would say in the focal word's place: a table per word.

A row per instance: its split and index, and for each of two inputs the likeliest pieces with their
probabilities, the likeliest first. ``masked``: a mask token stands for the word. ``plain``: the
word is left in. A listing beside the tables names them with their checksums.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.run_map import Words, word_file
from wsd.artifacts.view_names import MASKED, PLAIN
from wsd.errors import wrong_file
from wsd.storage.file_names import file_name
from wsd.storage.parquet import as_tuples, read_table, write_table
from wsd.storage.result_files import parsing, require

# Pieces per instance and input.
K = 10
# The masked input first: it is the one that says what the context alone would have.
SEEN = (MASKED, PLAIN)


class Fillers(NamedTuple):
    """For every instance the likeliest pieces at the focal word's place.

    Attributes
    ----------
    pieces : tuple of tuples of str
        As the tokenizer writes them: ``##ing`` goes on a word, ``Ġriver`` and ``▁river`` begin one.
    probabilities : sequence of float arrays
        Over all pieces, those that are never listed included: they add up to less than 1.
    """

    pieces: Sequence[Sequence[str]]
    probabilities: Sequence[np.ndarray]

    def take(self, rows: Iterable[int]) -> "Fillers":
        """Those of some instances."""
        kept = list(rows)
        return Fillers([self.pieces[i] for i in kept], [self.probabilities[i] for i in kept])


@dataclass(frozen=True, eq=False)
class Substitutes:
    """One word's substitutes, in the corpus's row order, by what the encoder read."""

    fillers: Mapping[str, Fillers]

    def take(self, rows: Iterable[int]) -> "Substitutes":
        """Those of some instances."""
        kept = list(rows)
        return Substitutes({seen: of.take(kept) for seen, of in self.fillers.items()})


def shown(piece: str) -> str:
    """A piece as people read it, without the mark of the space before it."""
    return piece.lstrip("Ġ▁") or piece


def write_substitutes(
    path: Path, corpus: Corpus, found: Mapping[str, Fillers], provenance: Mapping[str, Any]
) -> None:
    """Write a word's table, whole or not at all."""
    import pyarrow as pa

    columns: dict[str, Any] = {"split": corpus.split.tolist(), "index": corpus.index}
    for seen in SEEN:
        columns[seen] = pa.array([list(of) for of in found[seen].pieces], pa.list_(pa.string()))
        numbers = [list(map(float, of)) for of in found[seen].probabilities]
        columns[f"{seen}_probability"] = pa.array(numbers, pa.list_(pa.float32()))
    write_table(path, pa.table(columns), dict(provenance))


def read_substitutes(
    folder: Words, corpora: Mapping[str, Corpus]
) -> tuple[dict[str, Substitutes], dict[str, Any]]:
    """Read what :func:`write_substitutes` wrote of some words, and one word's provenance.

    Raises
    ------
    ResultError
        If a table is missing, is no such table, or is of other instances than the corpus's.
    """
    words: dict[str, Substitutes] = {}
    provenance: dict[str, Any] = {}
    for word, corpus in corpora.items():
        path = word_file(folder, f"{file_name(word)}.parquet")
        table, provenance = read_table(path)
        with parsing(path):
            fillers = {}
            for seen in SEEN:
                pieces = as_tuples(table[seen])
                lists = table[f"{seen}_probability"].combine_chunks()
                flat = lists.flatten().to_numpy()
                lengths = lists.value_lengths().to_numpy()
                same = np.array_equal(lengths, [len(of) for of in pieces])
                texts = all(isinstance(piece, str) for of in pieces for piece in of)
                require(same and texts, "pieces that are none, or without their probabilities")
                fair = flat.dtype.kind == "f" and ((flat >= 0) & (flat <= 1.001)).all()
                require(fair, "a probability that is none")
                split = np.split(flat, np.cumsum(lengths)[:-1]) if len(lengths) else []
                fillers[seen] = Fillers(pieces, split)
            require(isinstance(provenance["model"]["name"], str), "no name of a model")
            own = provenance["corpus"] == corpus.digest and len(table) == len(corpus)
        if not own:
            what = f"the table was made from other instances of {word!r} than the corpus has"
            raise wrong_file(what, path)
        words[word] = Substitutes(fillers)
    return words, provenance
