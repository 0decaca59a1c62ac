"""Read and write two-dimensional projections: one file per method and layer choice.

The columns are word, split, index, x and y. The metadata has, for each word, the share of variance
of each axis, two scores, and the reason if there is no projection.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import Corpora
from wsd.artifacts.instances import read_instances, write_instances

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
