"""Every instance in two dimensions: one file per method and layer choice.

It has word, split, index, x, y; its metadata has per word what share each axis holds, two scores,
and why there is no picture where there is none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import Corpora
from wsd.artifacts.instances import read_instances, write_instances
from wsd.storage.result_files import parsing, require

METHODS = ("pca", "discriminant", "tsne")


@dataclass(frozen=True, eq=False)
class Projection:
    """One word's instances in the plane.

    Attributes
    ----------
    points : float32 array of shape (n, 2)
        In the corpus's row order; NaN for what the method leaves out.
    explained : tuple of 2 floats, or None
        Per axis, 0 to 1: of principal components the share of the training instances' variance, of
        an LDA's axes the share of the variance between senses, from three senses on. Two senses
        have one axis, whose share says nothing, and t-SNE has no such thing.
    score : float
        Macro-F1 on the test split of a vote of the five nearest training points; NaN if the word
        has no test instance.
    missing : str
        Why there is no picture of the word; all its points are then NaN.
    score_cv : float
        Macro-F1 on the training split of a vote of the five nearest points of other folds; NaN if
        the word has no folds, or the file is of an earlier version.
    """

    points: np.ndarray
    explained: tuple[float, float] | None
    score: float
    missing: str = ""
    score_cv: float = float("nan")


def align_signs(pictures: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Flip axes so that each picture resembles the one before it.

    The sign of a principal component is arbitrary; without this a cloud jumps from side to side
    as one steps through the layers.

    Parameters
    ----------
    pictures : sequence of arrays of shape (n, 2)
        The same instances in neighbouring layers.
    """
    aligned: list[np.ndarray] = []
    for points in pictures:
        if aligned:
            sign = np.sign((aligned[-1] * points).sum(axis=0))
            points = points * np.where(sign == 0, 1, sign).astype(points.dtype)
        aligned.append(points)
    return aligned


def write_projections(
    path: Path, corpora: Corpora, pictures: Mapping[str, Projection], provenance: Mapping[str, Any]
) -> None:
    """Write the projections of all words, whole or not at all."""
    points = np.concatenate([pictures[word].points for word in corpora])
    columns = {"x": points[:, 0], "y": points[:, 1]}
    explained = {word: pictures[word].explained for word in corpora}
    missing = {word: pictures[word].missing for word in corpora if pictures[word].missing}
    # NaN is left out: JSON lacks it.
    on_folds = {
        word: pictures[word].score_cv for word in corpora if not np.isnan(pictures[word].score_cv)
    }
    said = {
        **provenance, "explained": explained, "missing": missing, "scores_cv": on_folds
    }  # fmt: skip
    write_instances(path, corpora, columns, pictures, said)


def read_projections(path: Path) -> tuple[dict[str, Projection], dict[str, Any]]:
    """Read what :func:`write_projections` wrote, by word, and its provenance."""
    table, rows, scores, provenance = read_instances(path)
    with parsing(path):
        points = np.column_stack([table["x"].to_numpy(), table["y"].to_numpy()])
        # NaN is no place: t-SNE gives none to what came from out of domain.
        places = points.dtype.kind == "f" and not np.isinf(points).any()
        require(places, "a point that is no number, or infinite")
        shares = provenance["explained"].items()
        explained = {word: None if of is None else (of[0], of[1]) for word, of in shares}
        missing = {word: str(why) for word, why in provenance["missing"].items()}
        on_folds = {w: float(of) for w, of in provenance.get("scores_cv", {}).items()}
        pictures = {
            word: Projection(
                points[rows[word]],
                explained[word],
                scores[word],
                missing.get(word, ""),
                on_folds.get(word, float("nan")),
            )
            for word in explained
        }
    return pictures, provenance
