"""What is done to all vectors before cosines are taken, fitted on training rows alone."""

from collections.abc import Callable

import numpy as np

from wsd.analysis.vector_measures import centred_unit
from wsd.metrics.nearest import unit_vectors

# Of the largest variance: a direction with less is left out, for it would be rounding error alone.
LEAST = 1e-6


def _as_they_are(vectors: np.ndarray, train: np.ndarray) -> np.ndarray:
    return centred_unit(vectors)


def _centred(vectors: np.ndarray, train: np.ndarray) -> np.ndarray:
    return centred_unit(vectors, vectors[train].mean(axis=0, dtype=np.float64))


def _whitened(vectors: np.ndarray, train: np.ndarray) -> np.ndarray:
    """Less the mean, and with a variance of 1 in every direction."""
    centred = vectors - vectors[train].mean(axis=0, dtype=np.float64)
    variances, directions = np.linalg.eigh(centred[train].T @ centred[train] / train.sum())
    kept = variances > LEAST * variances[-1]
    return unit_vectors(centred @ (directions[:, kept] / np.sqrt(variances[kept])))


# By name: vectors of shape (n, features) and which of them are for training, a bool array of shape
# (n,), to unit vectors of shape (n, features kept).
TRANSFORMS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "none": _as_they_are,
    "centred": _centred,
    "whitened": _whitened,
}
