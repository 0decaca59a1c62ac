"""Shrink the covariance of rows around the means of their classes, and find eigenvectors."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, eigh, lapack
from scipy.sparse.linalg import eigsh

SMALL = 128  # up to this size, a matrix is decomposed completely
ROUNDING = 1e-10  # in units of a feature's standard deviation


class Classes(NamedTuple):
    """The size, the mean and the within-class products of some classes.

    Attributes
    ----------
    counts : int array of shape (n_classes,)
    means : array of shape (n_classes, features)
    products : array of shape (features, features) or (n, n)
        Inner products of the centred features or, if there are fewer rows than features, of the
        centred rows. A row is centred by subtracting the mean of its class.
    rows : array of shape (n, features), or None
        The centred rows, if ``products`` has shape (n, n).
    """

    counts: np.ndarray
    means: np.ndarray
    products: np.ndarray
    rows: np.ndarray | None


def classes_of(rows: np.ndarray, codes: np.ndarray) -> Classes:
    """Return the classes of some rows.

    Parameters
    ----------
    rows : array of shape (n, features)
        Standardised features. Overwritten.
    codes : int array of shape (n,)
        From 0 to n_classes - 1; each class has a row.
    """
    counts = np.bincount(codes)
    means = np.stack([rows[codes == code].mean(axis=0) for code in range(len(counts))])
    rows -= means[codes]
    # If the rows of each class are equal, only rounding errors are left.
    if np.abs(rows).max() <= ROUNDING:
        rows[:] = 0
    if len(rows) < rows.shape[1]:
        return Classes(counts, means, rows @ rows.T, rows)
    return Classes(counts, means, rows.T @ rows, None)


class Covariance:
    """The within-class covariance S, shrunk towards a multiple of the identity with its trace.

    It is (1 - shrinkage) S + shrinkage (tr S / features) I. Linear systems are solved by a Cholesky
    factorisation, because an eigendecomposition takes fifteen times as long.

    Parameters
    ----------
    classes : Classes
    shrinkage : float
        Above 0, at most 1.
    """

    def __init__(self, classes: Classes, shrinkage: float) -> None:
        self.products, self.rows = classes.products, classes.rows
        n, width = classes.counts.sum(), classes.means.shape[1]
        self.share = (1 - shrinkage) / n
        # If S is zero, any multiple of the identity gives the same axes.
        self.ridge = shrinkage * float(self.products.trace()) / (n * width) or 1.0

    def solve(self, right: np.ndarray) -> np.ndarray:
        """Return the inverse of this covariance times ``right``, of shape (features, columns)."""
        shrunk = self.share * self.products
        shrunk.flat[:: len(shrunk) + 1] += self.ridge
        # The transpose has the order of LAPACK. Copying it would double the time.
        factor, failed = lapack.dpotrf(shrunk.T, lower=True, overwrite_a=True, clean=False)
        if failed:
            raise LinAlgError("the covariance is not positive definite")
        inner = right if self.rows is None else self.rows @ right
        inner, _ = lapack.dpotrs(factor, inner, lower=True)
        if self.rows is None:
            return np.asarray(inner)
        # The Woodbury identity.
        return np.asarray((right - self.share * (self.rows.T @ inner)) / self.ridge)

    def crossed(self, axis: np.ndarray) -> np.ndarray:
        """Return the inner products of the centred features times an axis."""
        if self.rows is None:
            return np.asarray(self.products @ axis)
        return np.asarray(self.rows.T @ (self.rows @ axis))

    def times(self, axis: np.ndarray) -> np.ndarray:
        """Return this covariance times an axis."""
        return np.asarray(self.share * self.crossed(axis) + self.ridge * axis)


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
