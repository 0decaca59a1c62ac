"""Flag sentences that are out of distribution: unlike all training sentences of the word.

The cosine distance of a vector to the nearest training vector is compared with the distances of
training instances to their nearest neighbours. Near-duplicates do not count as neighbours, because
they make the training set look denser than new text can be. A distance beyond the 99th percentile
is out of distribution.
"""

import numpy as np

from wsd.metrics.nearest import blocks, highest, unit_vectors
from wsd.metrics.single_thread import one_thread

QUANTILE = 0.99
# Vectors have half precision: smaller distances than this are zero.
ROUNDING = 1e-4


def unit(vectors: np.ndarray) -> np.ndarray:
    """Return directions in half precision, which take half the space; cosines are right to 1e-4.

    Parameters
    ----------
    vectors : array of shape (n, features)

    Returns
    -------
    float16 array of shape (n, features); a vector of zeros stays zero
    """
    return unit_vectors(np.asarray(vectors, dtype=np.float64)).astype(np.float16)


def nearest(vectors: np.ndarray, train: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the five nearest training instances of each vector.

    Parameters
    ----------
    vectors : array of shape (n, features)
        Vectors of any length.
    train : float32 array of shape (n_train, features)
        From :func:`unit`.

    Returns
    -------
    int32 array of shape (n, 5)
        Rows of ``train``; -1 if there are fewer.
    float32 array of shape (n, 5)
        Their cosines.
    """
    with one_thread():
        alike = unit(vectors).astype(np.float32) @ train.T
    return highest(alike)


def threshold(train: np.ndarray, component: np.ndarray) -> float | None:
    """Return the 99th percentile of the distances of training instances to their neighbours.

    Parameters
    ----------
    train : float32 array of shape (n_train, features)
        From :func:`unit`.
    component : int array of shape (n_train,)
        Near-duplicates have the same number.

    Returns
    -------
    float, a cosine distance of at least ``ROUNDING``; None if all instances are near-duplicates
    """
    n = len(train)
    similarity = np.empty(n)
    for block in blocks(n, n):
        with one_thread():
            alike = train[block] @ train.T
        alike[component[block, None] == component] = -np.inf
        similarity[block] = alike.max(axis=1)
    known = similarity[np.isfinite(similarity)]
    return max(float(np.quantile(1 - known, QUANTILE)), ROUNDING) if len(known) else None
