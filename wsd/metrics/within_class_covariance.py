"""How far rows lie from their class's mean, of all rows and of all but some: the covariance within
classes, shrunk.

Of many sets of the same rows, each without a few, the products are those of all less what the few
add to them.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, lapack

ROUNDING = 1e-10  # of rows in units of deviations
LEFT = 1e-6  # of a feature's sum of squares: less than this share cannot be told by subtraction
IN_PLACE = {"overwrite_a": True, "clean": False}
# From so many rows of products on, single precision saves more than its refinement takes.
WORTH_SINGLE = 512
# A step that is no longer than this share of what it is added to ends the refinement.
SOLVED = 1e-9
ROUNDS = 8


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
    centre, scale : arrays of shape (features,)
        What means and rows are less, and in units of, in those of the rows that were given.
    """

    counts: np.ndarray
    means: np.ndarray
    products: np.ndarray
    rows: np.ndarray | None
    centre: np.ndarray
    scale: np.ndarray


class Scatter:
    """Rows of several classes.

    Parameters
    ----------
    rows : array of shape (n, features)
        Less their mean, in units of each feature's deviation. Overwritten.
    codes : int array of shape (n,)
        From 0 to n_classes - 1; each class has a row.
    """

    def __init__(self, rows: np.ndarray, codes: np.ndarray) -> None:
        self._rows, self._codes, self._counts = rows, codes, np.bincount(codes)
        every = range(len(self._counts))
        self._means = np.stack([rows[codes == code].mean(axis=0) for code in every])
        rows -= self._means[codes]
        # Of rows that are equal within each class what is left is rounding error.
        if np.abs(rows).max() <= ROUNDING:
            rows[:] = 0

    @cached_property
    def classes(self) -> Classes:
        """What all rows say."""
        rows, (n, width) = self._rows, self._rows.shape
        products, kept = (rows @ rows.T, rows) if n < width else (rows.T @ rows, None)
        centre, scale = np.zeros(width), np.ones(width)
        return Classes(self._counts, self._means, products, kept, centre, scale)

    def without(self, held: np.ndarray) -> Classes | None:
        """What all rows but some say, each feature again less its mean and in its deviation.

        None where that cannot be had from all: no row of a class is left, or little but rounding;
        or the products are of rows, which change with every deviation.
        """
        lost, codes = self._rows[held], self._codes[held]
        counts = self._counts - np.bincount(codes, minlength=len(self._counts))
        if len(self._rows) < lost.shape[1] or not counts.all():
            return None
        sums = np.stack([lost[codes == code].sum(axis=0) for code in range(len(counts))])
        # The means move, and the products are about the means of the rows that are left.
        lost = np.vstack([lost, sums / np.sqrt(counts)[:, None]])
        products = self.classes.products
        left = products - lost.T @ lost
        if (left.diagonal() < LEFT * products.diagonal()).any():
            return None
        n = counts.sum()
        means = self._means - sums / counts[:, None]
        centre = counts @ means / n
        means -= centre
        scale = np.sqrt((left.diagonal() + counts @ means**2) / n)
        scale[scale == 0] = 1
        left /= scale
        left /= scale[:, None]
        return Classes(counts, means / scale, left, None, centre, scale)


def of_rows(rows: np.ndarray, codes: np.ndarray) -> Classes:
    """What rows say that are not yet less their mean and in units of each feature's deviation.

    Parameters
    ----------
    rows : array of shape (n, features)
        In any units.
    codes : int array of shape (n,)
        As of :class:`Scatter`.
    """
    centre, scale = rows.mean(axis=0), rows.std(axis=0)
    # Of a constant feature what is left is rounding: as scikit-learn's StandardScaler tells it.
    scale[scale <= len(rows) * np.finfo(float).eps * np.abs(centre)] = 1
    found = Scatter((rows - centre) / scale, codes).classes
    return found._replace(centre=centre, scale=scale)


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
        factor, failed = lapack.dpotrf(self._shrunk(self.products), lower=True, **IN_PLACE)
        if failed:
            raise LinAlgError("a covariance that is not positive definite")
        inner, _ = lapack.dpotrs(factor, self._of_products(right), lower=True)
        return self._of_features(right, inner)

    def _shrunk(self, products: np.ndarray) -> np.ndarray:
        """In the precision of the products, and in the order of LAPACK: not copied, half of the
        time. It is its own transpose.
        """
        shrunk = products.dtype.type(self.share) * products
        shrunk.flat[:: len(shrunk) + 1] += products.dtype.type(self.ridge)
        return shrunk.T

    def _of_products(self, right: np.ndarray) -> np.ndarray:
        """What the shrunk products are solved for."""
        return right if self.rows is None else self.rows @ right

    def _of_features(self, right: np.ndarray, inner: np.ndarray) -> np.ndarray:
        """The solution, from that of the shrunk products."""
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


def solve_all(classes: Classes, shrinkages: Sequence[float], right: np.ndarray) -> list[np.ndarray]:
    """What :meth:`Covariance.solve` gives under several shrinkages; of many features in less time.

    Their factors are then made in single precision. What a solution leaves over is computed in
    double, and solved for, until what comes on top tells no more (iterative refinement: Langou et
    al. 2006, "Exploiting the performance of 32 bit floating point arithmetic in obtaining 64 bit
    accuracy"). Where it does not come to that, all is solved in double.

    Parameters
    ----------
    classes : Classes
    shrinkages : sequence of float
    right : array of shape (features, columns)

    Returns
    -------
    list of arrays of shape (features, columns)
    """
    spreads = [Covariance(classes, shrinkage) for shrinkage in shrinkages]
    inner = None
    if len(classes.products) >= WORTH_SINGLE:
        inner = _refined(classes.products, spreads, spreads[0]._of_products(right))
    if inner is None:
        return [spread.solve(right) for spread in spreads]
    return [of._of_features(right, one) for of, one in zip(spreads, inner, strict=True)]


def _refined(
    products: np.ndarray, spreads: Sequence[Covariance], right: np.ndarray
) -> list[np.ndarray] | None:
    """Solutions of the shrunk products, or None where single precision does not do."""
    single = products.astype(np.float32)
    factors = [lapack.spotrf(one._shrunk(single), lower=True, **IN_PLACE) for one in spreads]
    if any(failed for _, failed in factors):
        return None
    found, left = [np.zeros_like(right) for _ in spreads], [right for _ in spreads]
    for _ in range(ROUNDS):
        told = False
        for (factor, _), solved, rest in zip(factors, found, left, strict=True):
            step, _ = lapack.spotrs(factor, rest.astype(np.float32), lower=True)
            solved += step
            told |= not np.abs(step).max() <= SOLVED * np.abs(solved).max()
        if not told:
            return found
        crossed = np.split(products @ np.hstack(found), len(found), axis=1)
        left = [
            right - one.share * of_found - one.ridge * solved
            for one, of_found, solved in zip(spreads, crossed, found, strict=True)
        ]
    return None
