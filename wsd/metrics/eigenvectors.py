"""Find the eigenvectors of a symmetric matrix with the largest eigenvalues."""

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import eigsh

SMALL = 128  # up to this size, a matrix is decomposed completely


def largest(products: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the k largest eigenvalues in descending order, clipped at 0, and their vectors.

    Parameters
    ----------
    products : float64 array of shape (n, n)
        Symmetric and positive semidefinite.
    k : int
        If the matrix is smaller, all its eigenvalues are returned.

    Returns
    -------
    array of shape (k,)
    array of shape (n, k), with columns of length 1 and arbitrary sign
    """
    n = len(products)
    if n <= SMALL:
        values, vectors = eigh(products, subset_by_index=(max(0, n - k), n - 1))
    else:
        # Lanczos' method at full precision, from an arbitrary fixed start.
        start = np.random.default_rng(0).normal(size=n)
        values, vectors = eigsh(products, k, v0=start)
    order = np.argsort(-values)
    return values[order].clip(0), vectors[:, order]
