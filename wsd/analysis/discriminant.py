"""The plane of a shrinkage LDA: the axes along which the senses lie farthest apart, for how far the
instances of one sense spread.

Fitted on training rows alone, which makes those very rows look better separated than any other.
So a training point is drawn where a fit places it that has not seen it, one fit per fold, turned
to lie on the plane of the fit on all; every other point is placed by that one.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.fold_table import WordFolds
from wsd.metrics.eigenvectors import largest
from wsd.metrics.single_thread import one_thread
from wsd.metrics.within_class_covariance import Covariance, classes_of

SHRINKAGE = 0.5  # what `lda` has where nothing is tuned
RANK = 1e-10  # eigenvalues below this share of the largest are rounding


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
) -> tuple[np.ndarray, tuple[float, float] | None]:
    """Every instance on the first two axes of an LDA.

    With two senses there is one; the second axis is then the first principal component of the
    residuals. An axis is in units of the spread within senses.

    Parameters
    ----------
    vectors : array of shape (n, features)
    corpus : Corpus
    folds : WordFolds
        Of the full training set; of their repeats the first is used.

    Returns
    -------
    points : float32 array of shape (n, 2)
    explained : tuple of 2 floats, or None
        Share of the variance between senses, in units of their spread, along each axis. None with
        two senses: their one axis holds all of it, however far apart they lie.
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
        for seen, held in folds.splits(0):
            fold = _fit(fitted[seen], gold[seen])
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
    def explained(self) -> tuple[float, float] | None:
        """Share of the variance between senses along the first two axes, if there are two."""
        between = (self.means**2).sum(axis=0)
        if len(between) < 2:
            return None
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


def _fit(vectors: np.ndarray, gold: np.ndarray) -> _Fit:
    """Fit on rows of every sense, numbered from 0."""
    origin, varies = vectors.mean(axis=0), np.ptp(vectors, axis=0) > 0
    scale = np.where(varies, vectors.std(axis=0), 1.0)
    scaled = vectors - origin
    scaled /= scale
    scaled[:, ~varies] = 0
    classes = classes_of(scaled, gold)
    weighted = classes.means * np.sqrt(classes.counts / classes.counts.sum())[:, None]
    spread = Covariance(classes, SHRINKAGE)
    solved = spread.solve(weighted.T)
    # Their own mean is the origin, so that one axis fewer than senses tells them apart.
    values, turns = (of[..., :0:-1] for of in eigh(weighted @ solved))
    lengths = np.sqrt(values.clip(0))
    found = values > RANK * max(values[0], 0)
    axes = solved @ np.divide(turns, lengths, out=np.zeros_like(turns), where=found)
    axes *= np.where(_largest(axes) < 0, -1, 1)
    senses = len(classes.counts)
    if senses == 2:
        axes = np.column_stack([axes, _main_direction_beside(axes[:, 0], spread)])
    return _Fit(origin, axes / scale[:, None], weighted @ axes[:, : senses - 1])


def _main_direction_beside(axis: np.ndarray, spread: Covariance) -> np.ndarray:
    """The direction of most spread that is uncorrelated with an axis, in units of its spread.

    That is the first principal component of the rows less their part along the axis.
    """
    of_axis = spread.times(axis)
    # The products of what is left, from the products of all.
    if spread.rows is None:
        less, other = of_axis, spread.crossed(axis)
        square = axis @ other
    else:
        less, other, square = spread.rows @ axis, spread.rows @ of_axis, of_axis @ of_axis
    taken = np.outer(less, other - square / 2 * less)
    left = spread.products - taken
    left -= taken.T
    if left.trace() <= RANK * spread.products.trace():
        return np.zeros_like(axis)
    main = largest(left, 1)[1][:, 0]
    if spread.rows is not None:
        main = spread.rows.T @ main - of_axis * (less @ main)
    main *= np.where(_largest(main) < 0, -1, 1)
    beside = main - axis * (of_axis @ main)
    return np.asarray(beside / np.sqrt(beside @ spread.times(beside)))


def _largest(axes: np.ndarray) -> np.ndarray:
    """The entry of each axis that is farthest from 0; an axis has no sign but the one given it."""
    return np.take_along_axis(axes, np.abs(axes).argmax(axis=0)[None], axis=0)[0]
