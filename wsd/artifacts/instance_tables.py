"""Read and write tables with a row per instance of every word, and a score per word.

There is one file per layer choice: projections have one per method too. Projections have the
columns x and y, and neighbours two lists of five: the neighbours' rows in the word's table and
their similarities. The score of a word tells how well the points nearby predict the senses.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wsd.artifacts.corpus_table import Corpora, Corpus
from wsd.metrics.nearest import K
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


METHODS = ("pca", "discriminant", "tsne")


@dataclass(frozen=True, eq=False)
class Projection:
    """The two-dimensional projection of one word's instances.

    Attributes
    ----------
    points : float32 array of shape (n, 2)
        In the order of the corpus's rows; NaN for instances that the method leaves out.
    explained : tuple of 2 floats, or None
        The share of variance of each axis, 0 to 1. For principal components, it is the variance of
        the training instances; for LDA with three or more senses, the variance between senses. None
        for t-SNE, and for LDA with two senses, which has a single axis.
    score : float
        Macro-F1 on the test split, if the five nearest training points vote; NaN if the word has no
        test instance.
    missing : str
        The reason why the word has no projection; all its points are then NaN.
    score_cv : float
        Macro-F1 on the training split, if the five nearest points of other folds vote; NaN if the
        word has no folds.
    """

    points: np.ndarray
    explained: tuple[float, float] | None
    score: float
    missing: str = ""
    score_cv: float = float("nan")


def align_signs(projections: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Flip axes so that each projection resembles the previous one.

    The sign of a principal component is arbitrary. Without alignment, points would jump from side
    to side as a reader steps through the layers.

    Parameters
    ----------
    projections : sequence of arrays of shape (n, 2)
        The same instances in neighbouring layers.
    """
    aligned: list[np.ndarray] = []
    for points in projections:
        if aligned:
            sign = np.sign((aligned[-1] * points).sum(axis=0))
            points = points * np.where(sign == 0, 1, sign).astype(points.dtype)
        aligned.append(points)
    return aligned


def write_projections(
    path: Path, corpora: Corpora, words: Mapping[str, Projection], provenance: Mapping[str, Any]
) -> None:
    """Write the projections of all words, atomically."""
    points = np.concatenate([words[word].points for word in corpora])
    columns = {"x": points[:, 0], "y": points[:, 1]}
    projections = {word: words[word] for word in corpora}.items()
    about = {
        "explained": {word: projection.explained for word, projection in projections},
        "missing": {word: p.missing for word, p in projections if p.missing},
        # NaN is left out, because JSON lacks it.
        "scores_cv": {word: p.score_cv for word, p in projections if not np.isnan(p.score_cv)},
    }
    write_instances(path, corpora, columns, words, {**provenance, **about})


def read_projections(path: Path) -> tuple[dict[str, Projection], dict[str, Any]]:
    """Read the projections that :func:`write_projections` wrote, by word, and the provenance."""
    table, rows, scores, provenance = read_instances(path, "x", "y")
    points = np.column_stack([table["x"].to_numpy(), table["y"].to_numpy()])
    missing, scores_cv = provenance["missing"], provenance["scores_cv"]
    projections = {
        word: Projection(
            points[rows[word]],
            shares and tuple(shares),
            scores[word],
            missing.get(word, ""),
            scores_cv.get(word, float("nan")),
        )
        for word, shares in provenance["explained"].items()
    }
    return projections, provenance


COLUMNS = ("rows", "similarity")


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The nearest neighbours of one word's instances.

    Attributes
    ----------
    rows : int32 array of shape (n, 5)
        Rows in the word's table, the most similar first; -1 if there are fewer than five.
    similarity : float32 array of shape (n, 5)
        Cosines; NaN if there are fewer than five.
    score : float
        Macro-F1 on the test split of :func:`wsd.metrics.nearest.vote`; NaN if the word has no
        test instance.
    """

    rows: np.ndarray
    similarity: np.ndarray
    score: float


def write_neighbours(
    path: Path, corpora: Corpora, words: Mapping[str, Neighbours], provenance: Mapping[str, Any]
) -> None:
    """Write the neighbours of all words, atomically."""
    import pyarrow as pa

    def fives(name: str) -> pa.Array:
        values = np.concatenate([getattr(words[word], name) for word in corpora])
        return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), K)

    columns = {name: fives(name) for name in COLUMNS}
    write_instances(path, corpora, columns, words, provenance)


def read_neighbours(path: Path) -> tuple[dict[str, Neighbours], dict[str, Any]]:
    """Read the neighbours that :func:`write_neighbours` wrote, by word, and the provenance."""
    table, places, scores, provenance = read_instances(path, *COLUMNS)
    rows, similarity = (
        table[name].combine_chunks().flatten().to_numpy().reshape(-1, K) for name in COLUMNS
    )
    words = {w: Neighbours(rows[places[w]], similarity[places[w]], scores[w]) for w in scores}
    return words, provenance
