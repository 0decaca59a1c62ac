"""Read and write tables with a row per instance of every word, and a score per word."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.storage.parquet import read_table, rows_by, write_table

if TYPE_CHECKING:
    import pyarrow as pa


def write_instances(
    path: Path,
    corpora: Mapping[str, Corpus],
    columns: Mapping[str, Any],
    words: Mapping[str, Any],
    provenance: Mapping[str, Any],
) -> None:
    """Write columns of all words' instances atomically, one word after the other.

    Parameters
    ----------
    path : Path
    corpora : mapping of word to Corpus
    columns : mapping of name to column
        The columns after word, split and index.
    words : mapping of word to an object with the attribute ``score``
        A score may be NaN, which becomes null in the file, because JSON lacks NaN.
    provenance : mapping
    """
    import pyarrow as pa

    tables = corpora.values()
    names = {
        "word": np.repeat(list(corpora), [len(corpus) for corpus in tables]),
        "split": np.concatenate([corpus.split for corpus in tables]),
        "index": np.concatenate([corpus.index for corpus in tables]),
    }
    scores = {w: None if np.isnan(words[w].score) else words[w].score for w in corpora}
    write_table(path, pa.table({**names, **columns}), {**provenance, "scores": scores})


def read_instances(
    path: Path, *columns: str
) -> tuple["pa.Table", dict[str, np.ndarray], dict[str, float], dict[str, Any]]:
    """Read a table that :func:`write_instances` wrote with these columns.

    Returns
    -------
    table, rows of each word, score of each word, provenance
    """
    table, provenance = read_table(path, *columns)
    noted = provenance["scores"].items()
    scores = {word: float("nan") if score is None else score for word, score in noted}
    return table, rows_by(table["word"]), scores, provenance
