"""Whether a sentence is like any that a word's classifier was fitted on.

The cosine distance from a vector to the nearest training vector of the word, against the same
distance of each training instance to the nearest other one. An instance's near-duplicates are left
out for that: they would make the training set look denser than new text is to it. What lies
beyond 99% of those distances is called far.
"""

import numpy as np

from wsd.metrics.nearest import blocks, highest, unit_vectors
from wsd.metrics.single_thread import one_thread

QUANTILE = 0.99
# Vectors are kept in half precision: nearer than this is the same place.
ROUNDING = 1e-4


def unit(vectors: np.ndarray) -> np.ndarray:
    """Directions, in half precision: a cosine of two is right to 1e-4, and they take half the room.

    Parameters
    ----------
    vectors : array of shape (n, features)

    Returns
    -------
    float16 array of shape (n, features); a vector of zeros stays one
    """
    return unit_vectors(np.asarray(vectors, dtype=np.float64)).astype(np.float16)


def nearest(vectors: np.ndarray, train: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The five nearest training instances of each vector.

    Parameters
    ----------
    vectors : array of shape (n, features)
        Of any length.
    train : float32 array of shape (n_train, features)
        Of :func:`unit`.

    Returns
    -------
    int32 array of shape (n, 5), -1 where there are fewer, and their cosines
    """
    with one_thread():
        alike = unit(vectors).astype(np.float32) @ train.T
    return highest(alike)


def threshold(train: np.ndarray, component: np.ndarray) -> float | None:
    """The 99th percentile of training instances' distances to the nearest other one.

    Parameters
    ----------
    train : float32 array of shape (n_train, features)
        Of :func:`unit`.
    component : int array of shape (n_train,)
        Near-duplicates have one number.

    Returns
    -------
    float, a cosine distance of ``ROUNDING`` or more; None where all instances are near-duplicates
    of each other
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
