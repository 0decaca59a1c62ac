"""How far rows lie from their class's mean: the covariance within classes, shrunk."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, lapack

ROUNDING = 1e-10  # of rows in units of deviations


class Classes(NamedTuple):
    """What some rows say of their classes.

    Attributes
    ----------
    counts : int array of shape (n_classes,)
    means : array of shape (n_classes, features)
    products : array of shape (features, features) or (n, n)
        Of the features of rows less their class's mean; where these rows are fewer, of the rows.
    rows : array of shape (n, features), or None
        These rows, where the products are theirs.
    """

    counts: np.ndarray
    means: np.ndarray
    products: np.ndarray
    rows: np.ndarray | None


def classes_of(rows: np.ndarray, codes: np.ndarray) -> Classes:
    """Return what rows say of their classes.

    Parameters
    ----------
    rows : array of shape (n, features)
        Less their mean, in units of each feature's deviation. Overwritten.
    codes : int array of shape (n,)
        From 0 to n_classes - 1; each class has a row.
    """
    counts = np.bincount(codes)
    means = np.stack([rows[codes == code].mean(axis=0) for code in range(len(counts))])
    rows -= means[codes]
    # Of rows that are equal within each class what is left is rounding error.
    if np.abs(rows).max() <= ROUNDING:
        rows[:] = 0
    if len(rows) < rows.shape[1]:
        return Classes(counts, means, rows @ rows.T, rows)
    return Classes(counts, means, rows.T @ rows, None)


class Covariance:
    """The covariance within classes, its trace kept but shrunk towards a multiple of the identity:
    (1 - shrinkage) S + shrinkage (tr S / features) I.

    It is solved and not decomposed: a decomposition takes the time of fifteen solutions.

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
        # With no spread at all any multiple of the identity gives the same axes.
        self.ridge = shrinkage * float(self.products.trace()) / (n * width) or 1.0

    def solve(self, right: np.ndarray) -> np.ndarray:
        """Its inverse times the columns of ``right``."""
        # Transposed, it is in the order of LAPACK and not copied, which takes half of the time.
        shrunk = self.share * self.products
        shrunk.flat[:: len(shrunk) + 1] += self.ridge
        factor, failed = lapack.dpotrf(shrunk.T, lower=True, overwrite_a=True, clean=False)
        if failed:
            raise LinAlgError("a covariance that is not positive definite")
        inner = right if self.rows is None else self.rows @ right
        inner, _ = lapack.dpotrs(factor, inner, lower=True)
        if self.rows is None:
            return np.asarray(inner)
        return np.asarray((right - self.share * (self.rows.T @ inner)) / self.ridge)

    def crossed(self, axis: np.ndarray) -> np.ndarray:
        """The products of the features times an axis."""
        if self.rows is None:
            return np.asarray(self.products @ axis)
        return np.asarray(self.rows.T @ (self.rows @ axis))

    def times(self, axis: np.ndarray) -> np.ndarray:
        """It times an axis."""
        return np.asarray(self.share * self.crossed(axis) + self.ridge * axis)
