"""The main directions of a symmetric matrix."""

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import eigsh

SMALL = 128  # so wide a matrix is decomposed whole


def largest(products: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k largest eigenvalues, the largest first, none below 0, and their vectors.

    Parameters
    ----------
    products : float64 array of shape (n, n)
        Symmetric and positive semidefinite.
    k : int
        Of a narrower matrix as many as it has.

    Returns
    -------
    array of shape (k,), array of shape (n, k) whose columns are of length 1 and of either sign
    """
    n = len(products)
    if n <= SMALL:
        values, vectors = eigh(products, subset_by_index=(max(0, n - k), n - 1))
    else:
        # Lanczos' method, to the last digits; the start is any that is the same each time.
        start = np.random.default_rng(0).normal(size=n)
        values, vectors = eigsh(products, k, v0=start)
    order = np.argsort(-values)
    return values[order].clip(0), vectors[:, order]
