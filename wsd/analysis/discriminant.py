"""Project instances on the first two axes of a shrinkage LDA.

These axes separate the senses best, relative to the within-class covariance. An LDA separates the
rows of its training set better than other rows. So each training point is projected by a fit on the
other folds, which is aligned with the fit on all training rows. All other points are projected by
the fit on all training rows.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.fold_table import WordFolds
from wsd.metrics.covariance import Covariance, classes_of, largest
from wsd.metrics.single_thread import one_thread

SHRINKAGE = 0.5  # the default of the classifier `lda`
RANK = 1e-10  # eigenvalues below this share of the largest are rounding


def obstacle(corpus: Corpus, folds: WordFolds | None) -> str:
    """Return why a word has no such projection; empty if it has one.

    Parameters
    ----------
    corpus : Corpus
    folds : WordFolds or None
        Folds of the full training set.
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
) -> tuple[np.ndarray, tuple[float, float] | None]:
    """Project every instance on the first two axes of an LDA.

    With two senses there is one axis; the second axis is then the first principal component of the
    residuals. The unit of an axis is the standard deviation within senses.

    Parameters
    ----------
    vectors : array of shape (n, features)
    corpus : Corpus
    folds : WordFolds
        Folds of the full training set; the first repeat is used.

    Returns
    -------
    points : float32 array of shape (n, 2)
    explained : tuple of 2 floats, or None
        Share of the between-sense variance along each axis. None with two senses, because the one
        axis then has all of it.
    """
    train = np.flatnonzero(corpus.split == "train")
    _, gold = np.unique(corpus.gold[train], return_inverse=True)
    points = np.zeros((len(vectors), 2), dtype=np.float32)
    vectors = vectors.astype(np.float64)
    fitted = vectors[train]
    if not np.ptp(fitted, axis=0).any():
        return points, None
    with one_thread():
        whole = _fit(fitted, gold)
        points[:] = whole.place(vectors)
        for fit, held in folds.splits(0):
            fold = _fit(fitted[fit], gold[fit]).aligned_with(whole, fitted[fit])
            points[train[held]] = fold.place(fitted[held])
    return points, whole.explained


@dataclass(frozen=True, eq=False)
class _Fit:
    """A shrinkage LDA of some training rows.

    Attributes
    ----------
    origin : array of shape (features,)
    axes : array of shape (features, senses - 1 or 2)
        The discriminants, the best first; with two senses also the first principal component of
        the residuals.
    means : array of shape (senses, senses - 1)
        The senses' means on the discriminants, weighted by their frequency.
    """

    origin: np.ndarray
    axes: np.ndarray
    means: np.ndarray

    @property
    def explained(self) -> tuple[float, float] | None:
        """Return the shares of between-sense variance of the first two axes, if there are two."""
        between = (self.means**2).sum(axis=0)
        if len(between) < 2:
            return None
        shares = between / (between.sum() or 1)
        return float(shares[0]), float(shares[1])

    def place(self, vectors: np.ndarray) -> np.ndarray:
        """Return points of shape (n, 2)."""
        return (vectors - self.origin) @ self.axes[:, :2]

    def aligned_with(self, other: "_Fit", rows: np.ndarray) -> "_Fit":
        """Return the same fit, rotated onto the axes of another fit.

        The discriminants are rotated and reflected so that the means of the senses match the other
        fit's means (orthogonal Procrustes). The axis of residuals is reflected so that the given
        rows match.
        """
        n = self.means.shape[1]
        u, _, v = np.linalg.svd(self.means.T @ other.means)
        axes = self.axes.copy()
        axes[:, :n] = axes[:, :n] @ (u @ v)
        own, others = (rows @ fit.axes[:, n:] for fit in (self, other))
        products = ((own - own.mean(axis=0)) * (others - others.mean(axis=0))).sum(axis=0)
        axes[:, n:] *= np.where(products < 0, -1, 1)
        return _Fit(self.origin, axes, self.means @ (u @ v))


def _fit(vectors: np.ndarray, gold: np.ndarray) -> _Fit:
    """Fit on rows of every sense, numbered from 0."""
    origin, varies = vectors.mean(axis=0), np.ptp(vectors, axis=0) > 0
    scale = np.where(varies, vectors.std(axis=0), 1.0)
    scaled = vectors - origin
    scaled /= scale
    scaled[:, ~varies] = 0
    classes = classes_of(scaled, gold)
    weighted = classes.means * np.sqrt(classes.counts / classes.counts.sum())[:, None]
    covariance = Covariance(classes, SHRINKAGE)
    solved = covariance.solve(weighted.T)
    # The means are centred, so there is one discriminant fewer than senses.
    values, turns = (array[..., :0:-1] for array in eigh(weighted @ solved))
    lengths = np.sqrt(values.clip(0))
    nonzero = values > RANK * max(values[0], 0)
    axes = solved @ np.divide(turns, lengths, out=np.zeros_like(turns), where=nonzero)
    axes *= np.where(_largest(axes) < 0, -1, 1)
    senses = len(classes.counts)
    if senses == 2:
        axes = np.column_stack([axes, _residual_component(axes[:, 0], covariance)])
    return _Fit(origin, axes / scale[:, None], weighted @ axes[:, : senses - 1])


def _residual_component(axis: np.ndarray, covariance: Covariance) -> np.ndarray:
    """Return the first principal component of the residuals, the rows minus their part on an axis.

    It is uncorrelated with the axis, in units of its standard deviation.
    """
    with_axis = covariance.times(axis)
    # The products of the residuals, from the products of the rows.
    if covariance.rows is None:
        part, other = with_axis, covariance.crossed(axis)
        square = axis @ other
    else:
        part, other, square = (
            covariance.rows @ axis,
            covariance.rows @ with_axis,
            with_axis @ with_axis,
        )
    along = np.outer(part, other - square / 2 * part)
    residuals = covariance.products - along
    residuals -= along.T
    if residuals.trace() <= RANK * covariance.products.trace():
        return np.zeros_like(axis)
    component = largest(residuals, 1)[1][:, 0]
    if covariance.rows is not None:
        component = covariance.rows.T @ component - with_axis * (part @ component)
    component *= np.where(_largest(component) < 0, -1, 1)
    component = component - axis * (with_axis @ component)
    return np.asarray(component / np.sqrt(component @ covariance.times(component)))


def _largest(axes: np.ndarray) -> np.ndarray:
    """Return the entry of each axis with the largest absolute value, which fixes its sign."""
    return np.take_along_axis(axes, np.abs(axes).argmax(axis=0)[None], axis=0)[0]
