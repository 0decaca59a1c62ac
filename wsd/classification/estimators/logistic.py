"""Logistic regression, and a whole search space of it on all folds at once.

One fit serves every prior shift, which moves the intercepts alone. All folds and repeats are
fitted side by side under one penalty after the other (``newton.py``).

``tests/classification/test_logistic.py`` holds the result against scikit-learn's own at a tightened
tolerance.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
from scipy.special import softmax
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from wsd.classification.estimators.base import Classifier, Points, Split
from wsd.classification.estimators.design_matrices import Dense
from wsd.classification.estimators.newton import Fitted, NotConvergedError, fit_all
from wsd.metrics.single_thread import one_thread

# Folds whose features vary so much more or less than those of all rows are fitted alone.
ALIKE = 0.5, 2.0  # variances, as a share


class Logistic(Classifier):
    """Multinomial logistic regression on standardised features, with an L2 penalty.

    The minimum is that of scikit-learn's ``StandardScaler`` and ``LogisticRegression``, found by
    :mod:`wsd.classification.estimators.newton` until the answer no longer depends on when the
    solver stops. Measured on CoarseWSD-20 with MiniLM, 12 layer choices
    of 10,196 test predictions each: at scikit-learn's default tolerance of 1e-4, 3 to 26 of a
    choice's predictions differ from those at 1e-9; at 1e-7, 2 of all 122,352; at 1e-8, none.
    BLAS runs on one thread within the fit, so that the predictions do not depend on the number
    of cores.

    Parameters
    ----------
    C : float
        Inverse strength of the penalty.
    prior_shift : float
        The log prior of each class, times this, is taken off its score: at 0 the classes keep
        the frequencies of the training set, at 1 all are as likely as each other ("logit
        adjustment", Menon et al. 2021). It takes the place of class weights.
    tol : float
        The solver stops when no component of the gradient of the mean loss exceeds it.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    scaler_ : StandardScaler
    log_prior_ : array of shape (n_classes,)
    coef_ : array of shape (n_logits, n_features)
        On the standardised features; one logit for two classes, none for one.
    intercept_ : array of shape (n_logits,)
    """

    # While searching, points are compared by thousands of predictions each; the point that is
    # chosen is then fitted to the end.
    search_tol = 1e-6

    def __init__(self, C: float = 1.0, prior_shift: float = 0.0, tol: float = 1e-8) -> None:
        self.C = C
        self.prior_shift = prior_shift
        self.tol = tol

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        """Standardise the features and fit the weights.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : array of shape (n_samples,)

        Raises
        ------
        WsdError
            If the solver does not converge.
        """
        with one_thread():
            (_,) = self._path(X, y, [self.C], self.tol)
        return self

    def _path(
        self, X: np.ndarray, y: np.ndarray, Cs: Sequence[float], tol: float
    ) -> Iterator[float]:
        """Fit under every penalty, the strongest first; each C is given when it is fitted."""
        design = self._design(X, y)
        if len(self.classes_) == 1:
            self.coef_, self.intercept_ = np.zeros((0, design.scales.shape[1] - 1)), np.zeros(0)
            yield from Cs
            return
        codes, every = np.searchsorted(self.classes_, y), np.ones((1, len(y)))
        for C, weights, *_ in fit_all(design, codes, every, Cs, tol):
            coordinates = weights[:, 0]
            if len(self.classes_) == 2:
                coordinates = np.diff(coordinates, axis=0)
            self.coef_, self.intercept_ = coordinates[:, :-1], coordinates[:, -1]
            yield C

    def _design(self, X: np.ndarray, y: np.ndarray) -> Any:
        """What one fit is on; what is learned for it is kept for :meth:`_features`."""
        X, y = self._to_fit(X, y)
        self.scaler_ = StandardScaler().fit(X)
        return Dense(self.scaler_.transform(X), np.ones((1, X.shape[1])))

    def _features(self, X: np.ndarray) -> Any:
        return self.scaler_.transform(self._checked(X))

    def _logits(self, features: Any) -> np.ndarray:
        """A logit for every class: the first of two has 0, a single class too."""
        logits: np.ndarray = features @ self.coef_.T + self.intercept_
        if logits.shape[1] > 1:
            return logits
        return np.column_stack([np.zeros(len(logits)), logits])

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Probability of each class, after the prior shift.

        Returns
        -------
        array of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        with one_thread():
            return shifted(self._logits(self._features(X)), self.log_prior_, self.prior_shift)

    def search(self, X: np.ndarray, y: np.ndarray, held: np.ndarray, grid: Points) -> np.ndarray:
        """Probabilities of held-out instances under every point of a search space.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        held : array of shape (n_held, n_features)
        grid : sequence of mappings of parameter to value

        Returns
        -------
        array of shape (len(grid), n_held, n_classes)
            Columns in the order of the sorted classes of ``y``.
        """
        with one_thread():
            features, logits = None, {}
            for C in self._path(X, y, self._penalties(grid), self.search_tol):
                # What is learned for it beside the weights is the same for every C.
                features = self._features(held) if features is None else features
                logits[C] = self._logits(features)
            return self._at_points(grid, logits, self.log_prior_)

    def search_folds(
        self, X: np.ndarray, y: np.ndarray, splits: Sequence[Split], grid: Points
    ) -> list[np.ndarray]:
        """The same on many splits of the same instances into those to fit on and those held out.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        splits : sequence of pairs of int arrays
        grid : sequence of mappings of parameter to value

        Returns
        -------
        list of arrays of shape (len(grid), n_held, n_classes)
            The classes are those of a split's own instances to fit on.
        """
        classes, codes = np.unique(y, return_inverse=True)
        counts = np.zeros((len(splits), len(y)))
        for row, (fit, _) in zip(counts, splits, strict=True):
            row[fit] = 1
        sizes = counts @ (codes[:, None] == np.arange(len(classes)))
        results: dict[int, np.ndarray] = {}
        if len(classes) > 1:
            with one_thread():
                together, fits = self._together(X, codes, counts, (sizes > 0).all(axis=1), grid)
                for i, number in enumerate(together):
                    log_prior = np.log(sizes[number] / sizes[number].sum())
                    held = splits[number][1]
                    logits = {fit.C: fit.logits[:, i][:, held].T for fit in fits}
                    results[number] = self._at_points(grid, logits, log_prior)
        for number, (fit, held) in enumerate(splits):
            if number not in results:
                results[number] = self.search(X[fit], y[fit], X[held], grid)
        return [results[number] for number in range(len(splits))]

    def _together(
        self, X: np.ndarray, codes: np.ndarray, counts: np.ndarray, whole: np.ndarray, grid: Points
    ) -> tuple[list[int], list[Fitted]]:
        """The splits that can be fitted at once, and their fits; those alone are in neither."""
        numbers = np.flatnonzero(whole)
        while len(numbers) > 1:
            design, alike = self._shared_design(X, counts[numbers])
            if not alike.all():
                numbers = numbers[alike]
                continue
            Cs = self._penalties(grid)
            try:
                fits = list(fit_all(design, codes, counts[numbers], Cs, self.search_tol))
            except NotConvergedError as error:
                numbers = np.delete(numbers, error.fits)
                continue
            return numbers.tolist(), fits
        return [], []

    def _shared_design(self, X: np.ndarray, counts: np.ndarray) -> tuple[Any, np.ndarray]:
        """What many fits are on, and which of them are alike enough for it."""
        X = np.asarray(X, dtype=np.float64)
        scaler = StandardScaler().fit(X)
        scaled, rows = scaler.transform(X), counts.sum(axis=1, keepdims=True)
        variances = counts @ scaled**2 / rows - (counts @ scaled / rows) ** 2
        variances[:, scaler.var_ == 0] = 1
        alike = ((variances > ALIKE[0]) & (variances < ALIKE[1])).all(axis=1)
        return Dense(scaled, np.sqrt(np.maximum(variances, 0))), alike

    def _penalties(self, grid: Points) -> list[float]:
        return sorted({point["C"] for point in self._filled(grid)})

    def _at_points(
        self, grid: Points, logits: dict[float, np.ndarray], log_prior: np.ndarray
    ) -> np.ndarray:
        points = self._filled(grid)
        shifts = np.array([point["prior_shift"] for point in points])
        return shifted(np.stack([logits[p["C"]] for p in points]), log_prior, shifts[:, None, None])


def shifted(logits: np.ndarray, log_prior: np.ndarray, shift: float | np.ndarray) -> np.ndarray:
    """Probabilities, after ``shift`` times the log prior is taken off each class's logit.

    Parameters
    ----------
    logits : array of shape (..., n_classes)
    log_prior : array of shape (n_classes,)
    shift : float, or an array that goes with the logits
    """
    return softmax(logits - shift * log_prior, axis=-1)
