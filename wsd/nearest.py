"""Directions of vectors."""

import numpy as np


def unit(vectors: np.ndarray) -> np.ndarray:
    """Vectors at length 1; one of zeros, which has no direction, stays as it is.

    scikit-learn's ``normalize`` sums in another order: it differs in the last bits.

    Parameters
    ----------
    vectors : float array of shape (n, features)
    """
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)
