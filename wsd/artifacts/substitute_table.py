"""Read and write substitutes: the word pieces that an encoder predicts for the focal word.

The table of a word has a row per instance: split, index, and, for each of two inputs, the most
probable pieces with their probabilities, in descending order. The input ``masked`` has a mask token
instead of the word; ``plain`` is the unchanged sentence.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.encoder_input import MASKED, PLAIN
from wsd.artifacts.run_json import Words, word_file
from wsd.errors import wrong_file
from wsd.storage.file_names import file_name
from wsd.storage.parquet import as_tuples, read_table, write_table

# The number of pieces per instance and input.
K = 10
# The inputs. The masked one comes first, because it depends on the context alone.
SEEN = (MASKED, PLAIN)


class Fillers(NamedTuple):
    """The most probable pieces of every instance, for one input.

    Attributes
    ----------
    pieces : array of str of shape (n, k)
        In the tokenizer's spelling: ``##ing`` continues a word, ``Ġriver`` begins one. There are
        ``K``, or fewer if the vocabulary is smaller.
    probabilities : float array of shape (n, k)
        Probabilities among all pieces of the vocabulary; so their sum is below 1.
    """

    pieces: np.ndarray
    probabilities: np.ndarray

    def take(self, rows: Sequence[int]) -> "Fillers":
        """Return the pieces of some instances."""
        return Fillers(self.pieces[rows], self.probabilities[rows])


# One word's substitutes by input, in the order of the corpus's rows.
Substitutes = Mapping[str, Fillers]


def shown(piece: str) -> str:
    """Return a piece for readers, without the mark for a preceding space."""
    return piece.lstrip("Ġ▁") or piece


def write_substitutes(
    path: Path, corpus: Corpus, substitutes: Substitutes, provenance: Mapping[str, Any]
) -> None:
    """Write a word's table, atomically."""
    import pyarrow as pa

    columns: dict[str, Any] = {"split": corpus.split.tolist(), "index": corpus.index}
    for seen in SEEN:
        pieces, probabilities = (values.tolist() for values in substitutes[seen])
        columns[seen] = pa.array(pieces, pa.list_(pa.string()))
        columns[f"{seen}_probability"] = pa.array(probabilities, pa.list_(pa.float32()))
    write_table(path, pa.table(columns), dict(provenance))


def read_substitutes(
    folder: Words, corpora: Mapping[str, Corpus]
) -> tuple[dict[str, Substitutes], dict[str, Any]]:
    """Read the substitutes of several words, and the provenance of one of them.

    Raises
    ------
    ResultError
        If a table is missing, is of another kind, or has other instances than the corpus.
    """
    words: dict[str, Substitutes] = {}
    provenance: dict[str, Any] = {}
    for word, corpus in corpora.items():
        path = word_file(folder, f"{file_name(word)}.parquet")
        table, provenance = read_table(path, *SEEN)
        if provenance["corpus"] != corpus.digest:
            problem = f"the table has other instances of {word!r} than the corpus"
            raise wrong_file(problem, path)
        words[word] = {
            seen: Fillers(
                np.array(as_tuples(table[seen]), dtype=object),
                np.array(table[f"{seen}_probability"].to_pylist(), dtype=np.float32),
            )
            for seen in SEEN
        }
    return words, provenance
