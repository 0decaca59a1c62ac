"""The plane of a shrinkage LDA: the axes along which the senses lie farthest apart, for how far the
instances of one sense spread.

Fitted on training rows alone, which makes those very rows look better separated than any other.
So a training point is drawn where a fit places it that has not seen it, one fit per fold, turned
to lie on the plane of the fit on all; every other point is placed by that one.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh
from threadpoolctl import threadpool_limits

from wsd.artifacts.corpus import Corpus
from wsd.artifacts.folds import WordFolds
from wsd.metrics.eigenvectors import largest

SHRINKAGE = 0.5  # what `lda` has where nothing is tuned
RANK = 1e-10  # eigenvalues below this share of the largest are rounding
LEFT = 1e-6  # of a sum of squares; less than this share cannot be told by subtraction


def obstacle(corpus: Corpus, folds: WordFolds | None) -> str:
    """Why a word has no such plane; empty if it has one.

    Parameters
    ----------
    corpus : Corpus
    folds : WordFolds or None
        Of the full training set.
    """
    gold = corpus.gold[corpus.split == "train"]
    senses, counts = np.unique(gold, return_counts=True)
    if len(senses) < 2:
        return "all its training instances have one sense"
    rarest = corpus.senses[senses[counts.argmin()]]
    if folds is None or folds.held is None:
        n = int(counts.min())
        return f"too few to fold: the sense {rarest!r} has {n} training instance{'s' * (n > 1)}"
    for fitted, _ in folds.splits(0):
        for sense in senses:
            if (gold[fitted] == sense).sum() < 2:
                name = corpus.senses[sense]
                return f"near-duplicates leave a fold's fit too few instances of the sense {name!r}"
    return ""


def discriminants(
    vectors: np.ndarray, corpus: Corpus, folds: WordFolds
) -> tuple[np.ndarray, tuple[float, float]]:
    """Every instance on the first two discriminants.

    With two senses there is one; the second axis is then the main direction of what is left. An
    axis is in units of the spread within senses.

    Parameters
    ----------
    vectors : array of shape (n, features)
    corpus : Corpus
    folds : WordFolds
        Of the full training set; of their repeats the first is used.

    Returns
    -------
    points : float32 array of shape (n, 2)
    explained : tuple of 2 floats
        Share of what lies between the senses, in units of their spread, along each axis.
    """
    train = np.flatnonzero(corpus.split == "train")
    _, gold = np.unique(corpus.gold[train], return_inverse=True)
    points = np.zeros((len(vectors), 2), dtype=np.float32)
    vectors = vectors.astype(np.float64)
    fitted = vectors[train]
    if not np.ptp(fitted, axis=0).any():
        return points, (0.0, 0.0)
    with threadpool_limits(1):
        rows = _Rows(fitted, gold)
        whole = rows.fit()
        points[:] = whole.place(vectors)
        for seen, held in folds.splits(0):
            fold = rows.fit_without(held) or _Rows(fitted[seen], gold[seen]).fit()
            points[train[held]] = fold.turned_to(whole, fitted, seen).place(fitted[held])
    return points, whole.explained


@dataclass(frozen=True, eq=False)
class _Fit:
    """A shrinkage LDA of some training rows.

    Attributes
    ----------
    origin : array of shape (features,)
    axes : array of shape (features, senses - 1 or 2)
        The discriminants, the first the one along which the senses lie farthest apart; of two
        senses also the main direction of what is left.
    means : array of shape (senses, senses - 1)
        The senses' means on the discriminants, weighted by their frequency.
    """

    origin: np.ndarray
    axes: np.ndarray
    means: np.ndarray

    @property
    def explained(self) -> tuple[float, float]:
        """Share of what lies between the senses along the first two axes."""
        between = np.append((self.means**2).sum(axis=0), 0)
        shares = between / (between.sum() or 1)
        return float(shares[0]), float(shares[1])

    def place(self, vectors: np.ndarray) -> np.ndarray:
        """Points of shape (n, 2)."""
        return (vectors - self.origin) @ self.axes[:, :2]

    def turned_to(self, other: "_Fit", rows: np.ndarray, both: np.ndarray) -> "_Fit":
        """The same, laid on another fit's axes.

        Its discriminants are turned and mirrored so that the senses' means lie as nearly as they
        can where the other has them (orthogonal Procrustes), and what is left is mirrored so that
        the rows that both have seen do.
        """
        n = self.means.shape[1]
        u, _, v = np.linalg.svd(self.means.T @ other.means)
        axes = self.axes.copy()
        axes[:, :n] = axes[:, :n] @ (u @ v)
        own, others = ((rows @ of.axes[:, n:])[both] for of in (self, other))
        alike = ((own - own.mean(axis=0)) * (others - others.mean(axis=0))).sum(axis=0)
        axes[:, n:] *= np.where(alike < 0, -1, 1)
        return _Fit(self.origin, axes, self.means @ (u @ v))


class _Rows:
    """Training rows of every sense, in units of each feature's deviation.

    Parameters
    ----------
    vectors : array of shape (n, features)
    gold : int array of shape (n,)
        Numbered from 0.
    """

    def __init__(self, vectors: np.ndarray, gold: np.ndarray) -> None:
        self.gold, self.counts = gold, np.bincount(gold)
        self.origin, varies = vectors.mean(axis=0), np.ptp(vectors, axis=0) > 0
        self.scale = np.where(varies, vectors.std(axis=0), 1.0)
        within = vectors - self.origin
        within /= self.scale
        within[:, ~varies] = 0
        self.means = np.stack([within[gold == sense].mean(axis=0) for sense in np.unique(gold)])
        within -= self.means[gold]
        # Of vectors that are equal within each sense what is left is rounding error.
        if np.abs(within).max() <= RANK:
            within[:] = 0
        self.within = within
        # In the span of the rows where these are fewer.
        self.dual = len(within) < within.shape[1]
        self.products = within @ within.T if self.dual else within.T @ within

    def fit(self) -> _Fit:
        """Fit on all of them."""
        spread = _Spread(self.products, len(self.gold), self.within if self.dual else None)
        return _fit(self.origin, self.scale, self.counts, self.means, spread)

    def fit_without(self, held: np.ndarray) -> _Fit | None:
        """Fit on all but some: what these add to the products is taken off.

        None where that would leave rounding, and where products are of rows: those change with
        every feature's deviation.
        """
        if self.dual:
            return None
        lost, gold = self.within[held], self.gold[held]
        counts = self.counts - np.bincount(gold, minlength=len(self.counts))
        sums = np.stack([lost[gold == sense].sum(axis=0) for sense in range(len(counts))])
        # The means move, and the products are about the means of the rows that are left.
        lost = np.vstack([lost, sums / np.sqrt(counts)[:, None]])
        products = self.products - lost.T @ lost
        if (products.diagonal() < LEFT * self.products.diagonal()).any():
            return None
        n = counts.sum()
        means = self.means - sums / counts[:, None]
        centre = counts @ means / n
        means -= centre
        scale = np.sqrt((products.diagonal() + counts @ means**2) / n)
        scale[scale == 0] = 1
        products /= scale
        products /= scale[:, None]
        origin = self.origin + centre * self.scale
        return _fit(origin, self.scale * scale, counts, means / scale, _Spread(products, n))


def _fit(
    origin: np.ndarray, scale: np.ndarray, counts: np.ndarray, means: np.ndarray, spread: "_Spread"
) -> _Fit:
    """The axes along which so many rows of each sense lie farthest apart, for their spread."""
    weighted = means * np.sqrt(counts / counts.sum())[:, None]
    solved = spread.solve(weighted.T)
    # Their own mean is the origin, so that one axis fewer than senses tells them apart.
    values, turns = (of[..., :0:-1] for of in eigh(weighted @ solved))
    lengths = np.sqrt(values.clip(0))
    found = values > RANK * max(values[0], 0)
    axes = solved @ np.divide(turns, lengths, out=np.zeros_like(turns), where=found)
    axes *= np.where(_largest(axes) < 0, -1, 1)
    senses = len(counts)
    if senses == 2:
        axes = np.column_stack([axes, spread.main_direction_beside(axes[:, 0])])
    return _Fit(origin, axes / scale[:, None], weighted @ axes[:, : senses - 1])


class _Spread:
    """The covariance within senses, its trace kept but shrunk towards a multiple of the identity.

    It is solved and never decomposed: a word has a fit per fold, and decompositions would take
    most of the time.

    Parameters
    ----------
    products : array of shape (features, features) or (n, n)
        Of the features, of rows less their sense's mean in units of each feature's deviation; or
        of these rows.
    n : int
        How many rows there are.
    within : array of shape (n, features), optional
        The rows, where the products are theirs.
    """

    def __init__(self, products: np.ndarray, n: int, within: np.ndarray | None = None) -> None:
        self.products, self.within = products, within
        self.share = (1 - SHRINKAGE) / n
        # With no spread at all any multiple of the identity gives the same axes.
        d = len(products) if within is None else within.shape[1]
        self.ridge = SHRINKAGE * float(products.trace()) / (n * d) or 1.0

    def solve(self, right: np.ndarray) -> np.ndarray:
        """The inverse of the covariance times the columns of ``right``."""
        shrunk = self.share * self.products
        shrunk.flat[:: len(shrunk) + 1] += self.ridge
        factor = cho_factor(shrunk, overwrite_a=True)
        if self.within is None:
            return np.asarray(cho_solve(factor, right))
        inner = cho_solve(factor, self.within @ right)
        return np.asarray((right - self.share * (self.within.T @ inner)) / self.ridge)

    def crossed(self, axis: np.ndarray) -> np.ndarray:
        """The features' products times an axis."""
        if self.within is None:
            return np.asarray(self.products @ axis)
        return np.asarray(self.within.T @ (self.within @ axis))

    def times(self, axis: np.ndarray) -> np.ndarray:
        """The covariance times an axis."""
        return np.asarray(self.share * self.crossed(axis) + self.ridge * axis)

    def main_direction_beside(self, axis: np.ndarray) -> np.ndarray:
        """The direction of most spread that is uncorrelated with an axis, in units of its spread.

        That is the first principal component of the rows less their part along the axis.
        """
        of_axis = self.times(axis)
        # The products of what is left, from the products of all.
        if self.within is None:
            less, other = of_axis, self.crossed(axis)
            square = axis @ other
        else:
            less, other, square = self.within @ axis, self.within @ of_axis, of_axis @ of_axis
        taken = np.outer(less, other - square / 2 * less)
        left = self.products - taken
        left -= taken.T
        if left.trace() <= RANK * self.products.trace():
            return np.zeros_like(axis)
        main = largest(left, 1)[1][:, 0]
        if self.within is not None:
            main = self.within.T @ main - of_axis * (less @ main)
        main *= np.where(_largest(main) < 0, -1, 1)
        beside = main - axis * (of_axis @ main)
        return np.asarray(beside / np.sqrt(beside @ self.times(beside)))


def _largest(axes: np.ndarray) -> np.ndarray:
    """The entry of each axis that is farthest from 0; an axis has no sign but the one given it."""
    return np.take_along_axis(axes, np.abs(axes).argmax(axis=0)[None], axis=0)[0]
