"""Read and write substitutes: the word pieces that an encoder predicts for the focal word.

The table of a word has a row per instance: split, index, and, for each of two inputs, the most
probable pieces with their probabilities, in descending order. The input ``masked`` has a mask token
instead of the word; ``plain`` is the unchanged sentence.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.run_json import Words, word_file
from wsd.artifacts.view_names import MASKED, PLAIN
from wsd.errors import wrong_file
from wsd.storage.file_names import file_name
from wsd.storage.parquet import as_tuples, read_table, write_table

if TYPE_CHECKING:
    import pyarrow as pa

# The number of pieces per instance and input.
K = 10
# The inputs. The masked one comes first, because it depends on the context alone.
SEEN = (MASKED, PLAIN)


class Fillers(NamedTuple):
    """The most probable pieces of every instance, for one input.

    Attributes
    ----------
    pieces : tuple of tuples of str
        In the tokenizer's spelling: ``##ing`` continues a word, ``Ġriver`` begins one.
    probabilities : sequence of float arrays
        Probabilities among all pieces of the vocabulary; so their sum is below 1.
    """

    pieces: Sequence[Sequence[str]]
    probabilities: Sequence[np.ndarray]

    def take(self, rows: Iterable[int]) -> "Fillers":
        """Return the pieces of some instances."""
        kept = list(rows)
        return Fillers([self.pieces[i] for i in kept], [self.probabilities[i] for i in kept])


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
        columns[seen] = pa.array(list(map(list, substitutes[seen].pieces)), pa.list_(pa.string()))
        numbers = [list(map(float, row)) for row in substitutes[seen].probabilities]
        columns[f"{seen}_probability"] = pa.array(numbers, pa.list_(pa.float32()))
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
        words[word] = {seen: _parse_fillers(table, seen) for seen in SEEN}
    return words, provenance


def _parse_fillers(table: "pa.Table", seen: str) -> Fillers:
    pieces, lists = as_tuples(table[seen]), table[f"{seen}_probability"].combine_chunks()
    probabilities, lengths = lists.flatten().to_numpy(), lists.value_lengths().to_numpy()
    return Fillers(pieces, np.split(probabilities, np.cumsum(lengths)[:-1]))
