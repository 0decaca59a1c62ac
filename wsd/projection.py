"""Two dimensions to look at: PCA fitted on the training instances, test instances projected.

One file per layer choice holds all words: word, split, index, x, y; its metadata has the share of
the training instances' variance that each axis explains. The picture is not the classifier's
view: two axes of hundreds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wsd import features
from wsd.corpus import Corpus
from wsd.files import expecting, read_table, write_table


@dataclass(frozen=True, eq=False)
class Projection:
    """One word's instances in the plane.

    Attributes
    ----------
    points : float32 array of shape (n, 2)
        In the corpus's row order.
    explained : tuple of 2 floats
        Share of the training instances' variance along each axis, 0 to 1.
    """

    points: np.ndarray
    explained: tuple[float, float]


def pca(vectors: np.ndarray, train: np.ndarray) -> Projection:
    """The first two principal components of the training rows, and all rows on them.

    An axis that the training rows do not have (there are too few, or all are equal) is zero.

    Parameters
    ----------
    vectors : array of shape (n, features)
    train : bool array of shape (n,)
    """
    from sklearn.decomposition import PCA

    points = np.zeros((len(vectors), 2), dtype=np.float32)
    explained = [0.0, 0.0]
    fitted = vectors[train].astype(np.float64)
    if np.ptp(fitted, axis=0).any():
        # Both solvers are exact; this is the cheaper one for the shape.
        solver = "covariance_eigh" if fitted.shape[0] > fitted.shape[1] else "full"
        model = PCA(n_components=min(2, *fitted.shape), svd_solver=solver).fit(fitted)
        ratios = model.explained_variance_ratio_
        # Beyond the rank of the training rows an axis is rounding error of any direction.
        found = int((ratios > 1e-12).sum())
        points[:, :found] = model.transform(vectors.astype(np.float64))[:, :found]
        explained[:found] = ratios[:found].tolist()
    return Projection(points, (explained[0], explained[1]))


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


def project(
    corpora: Mapping[str, Corpus], embeddings: Path, *, view: str, layers: str, out: Path
) -> None:
    """Project every word on one layer choice and write one file.

    Parameters
    ----------
    corpora : mapping of word to Corpus
    embeddings : Path
        Folder with ``<word>/<view>.safetensors``.
    view, layers : str
        As in :func:`wsd.features.features`.
    out : Path
    """
    pictures: dict[str, Projection] = {}
    sources: dict[str, Any] = {}
    for word, corpus in corpora.items():
        found, vectors, sources[word] = features.read(embeddings, corpus, view, layers)
        pictures[word] = pca(vectors, corpus.split == "train")
    provenance = {"view": found.view, "layers": found.layers, **features.shared(sources, out)}
    write(out, corpora, pictures, provenance)


def write(
    path: Path,
    corpora: Mapping[str, Corpus],
    pictures: Mapping[str, Projection],
    provenance: Mapping[str, Any],
) -> None:
    """Write the projections of all words, whole or not at all."""
    import pyarrow as pa

    points = np.concatenate([pictures[word].points for word in corpora])
    table = pa.table(
        {
            "word": [word for word, corpus in corpora.items() for _ in range(len(corpus))],
            "split": np.concatenate([corpus.split for corpus in corpora.values()]).tolist(),
            "index": np.concatenate([corpus.index for corpus in corpora.values()]),
            "x": points[:, 0],
            "y": points[:, 1],
        }
    )
    explained = {word: pictures[word].explained for word in corpora}
    write_table(path, table, {**provenance, "explained": explained})


def read(path: Path) -> tuple[dict[str, Projection], dict[str, Any]]:
    """Read what :func:`write` wrote, by word, and its provenance."""
    table, provenance = read_table(path)
    with expecting(path):
        words = np.array(table["word"].to_pylist())
        points = np.column_stack([table["x"].to_numpy(), table["y"].to_numpy()])
        pictures = {
            word: Projection(points[words == word], (explained[0], explained[1]))
            for word, explained in provenance["explained"].items()
        }
    return pictures, provenance
