"""Classify by logistic regression, and search its parameters on all folds at once.

For each penalty, all folds of all repeats are fitted at once (:mod:`.newton`). One fit serves every
prior shift, which changes the intercepts only. ``tests/classification/test_logistic.py`` compares
the results with those of scikit-learn at a tighter tolerance. A bag of words is classified by
logistic regression too.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
from scipy import sparse
from scipy.special import softmax
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from wsd.classification.estimators.design_matrices import Dense, Design, Sparse
from wsd.classification.estimators.newton import Fitted, NotConvergedError, fit_all
from wsd.classification.estimators.vector_classifiers import Classifier, Points, Split
from wsd.metrics.single_thread import one_thread

# The variance of a feature over a fold, divided by the variance over all rows. A fold with a ratio
# outside these limits is fitted alone.
VARIANCE_RATIOS = 0.5, 2.0


class Logistic(Classifier):
    """Multinomial logistic regression on standardised features, with an L2 penalty.

    It minimises the loss of scikit-learn's ``StandardScaler`` and ``LogisticRegression`` by
    :mod:`wsd.classification.estimators.newton`, so precisely that the predictions do not depend on
    when the solver stops. Measured on CoarseWSD-20 with MiniLM, 12 layer choices of 10,196 test
    predictions each: at scikit-learn's default tolerance of 1e-4, 3 to 26 predictions per choice
    differ from those at 1e-9; at 1e-7, 2 of all 122,352; at 1e-8, none. BLAS runs on one thread, so
    that the predictions do not depend on the number of cores.

    Parameters
    ----------
    C : float
        Inverse of the penalty.
    prior_shift : float
        Subtract this times the log prior from the logit of each class ("logit adjustment", Menon et
        al. 2021). At 0 the classes keep the frequencies of the training set, at 1 they are equally
        likely. It replaces class weights.
    tol : float
        The solver stops when no component of the gradient of the mean loss exceeds it.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    scaler_ : StandardScaler
    log_prior_ : array of shape (n_classes,)
    coef_ : array of shape (n_logits, n_features)
        Weights of the standardised features; two classes have one logit, one class has none.
    intercept_ : array of shape (n_logits,)
    """

    # A search compares points on thousands of predictions; the selected one is fitted again with
    # `tol`.
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
            (_,) = self._path(self._design(X, y), y, [self.C], self.tol)
        return self

    def _path(
        self, design: Design, y: np.ndarray, Cs: Sequence[float], tol: float
    ) -> Iterator[float]:
        """Set the weights for one C after the other, the smallest first; yield each C."""
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

    def _design(self, X: np.ndarray, y: np.ndarray) -> Design:
        """Learn the classes and the features' transformation; return the design of one fit."""
        X, y = self._check_training(X, y)
        self.scaler_ = StandardScaler().fit(X)
        return Dense(self.scaler_.transform(X), np.ones((1, X.shape[1])))

    def _features(self, X: np.ndarray) -> Any:
        return self.scaler_.transform(self._check_vectors(X))

    def _logits(self, features: Any) -> np.ndarray:
        """Return the logits of all classes; a single class, or the first of two, has 0."""
        logits: np.ndarray = features @ self.coef_.T + self.intercept_
        if logits.shape[1] > 1:
            return logits
        return np.column_stack([np.zeros(len(logits)), logits])

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return the probability of each class, after the prior shift.

        Returns
        -------
        array of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        with one_thread():
            return shifted(self._logits(self._features(X)), self.log_prior_, self.prior_shift)

    def search(self, X: np.ndarray, y: np.ndarray, held: np.ndarray, grid: Points) -> np.ndarray:
        """Return probabilities of held-out instances at every point of a search space.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        held : array of shape (n_held, n_features)
        grid : sequence of mappings of parameter to value

        Returns
        -------
        array of shape (len(grid), n_held, n_classes)
            The columns are the sorted classes of ``y``.
        """
        with one_thread():
            design = self._design(X, y)
            features = self._features(held)
            path = self._path(design, y, self._penalties(grid), self.search_tol)
            logits = {C: self._logits(features) for C in path}
            return self._at_points(grid, logits, self.log_prior_)

    def search_folds(
        self, X: np.ndarray, y: np.ndarray, splits: Sequence[Split], grid: Points
    ) -> list[np.ndarray]:
        """Return probabilities of held-out instances at every point, on many splits.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        splits : sequence of pairs of int arrays
            The rows to fit on, and the rows held out.
        grid : sequence of mappings of parameter to value

        Returns
        -------
        list of arrays of shape (len(grid), n_held, n_classes)
            The columns are the classes that a split has instances of to fit on.
        """
        classes, codes = np.unique(y, return_inverse=True)
        counts = np.zeros((len(splits), len(y)))
        for row, (fit, _) in zip(counts, splits, strict=True):
            row[fit] = 1
        sizes = counts @ (codes[:, None] == np.arange(len(classes)))
        results: dict[int, np.ndarray] = {}
        if len(classes) > 1:
            with one_thread():
                numbers, fits = self._fit_together(X, codes, counts, (sizes > 0).all(axis=1), grid)
                for i, number in enumerate(numbers):
                    log_prior = np.log(sizes[number] / sizes[number].sum())
                    held = splits[number][1]
                    logits = {fit.C: fit.logits[:, i][:, held].T for fit in fits}
                    results[number] = self._at_points(grid, logits, log_prior)
        for number, (fit, held) in enumerate(splits):
            if number not in results:
                results[number] = self.search(X[fit], y[fit], X[held], grid)
        return [results[number] for number in range(len(splits))]

    def _fit_together(
        self, X: np.ndarray, codes: np.ndarray, counts: np.ndarray, whole: np.ndarray, grid: Points
    ) -> tuple[list[int], list[Fitted]]:
        """Return the numbers of the splits that can be fitted at once, and their fits.

        Other splits have to be fitted alone: those without all classes (``whole`` is False), with
        unlike variances, or without convergence.
        """
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

    def _shared_design(self, X: np.ndarray, counts: np.ndarray) -> tuple[Design, np.ndarray]:
        """Return the design of many fits, and which of them are alike enough to share it."""
        X = np.asarray(X, dtype=np.float64)
        scaler = StandardScaler().fit(X)
        scaled, rows = scaler.transform(X), counts.sum(axis=1, keepdims=True)
        variances = counts @ scaled**2 / rows - (counts @ scaled / rows) ** 2
        variances[:, scaler.var_ == 0] = 1
        alike = ((variances > VARIANCE_RATIOS[0]) & (variances < VARIANCE_RATIOS[1])).all(axis=1)
        return Dense(scaled, np.sqrt(np.maximum(variances, 0))), alike

    def _penalties(self, grid: Points) -> list[float]:
        return sorted({point["C"] for point in self._complete(grid)})

    def _at_points(
        self, grid: Points, logits: dict[float, np.ndarray], log_prior: np.ndarray
    ) -> np.ndarray:
        """Return the probabilities at each point, from the logits for each C."""
        points = self._complete(grid)
        shifts = np.array([point["prior_shift"] for point in points])
        return shifted(np.stack([logits[p["C"]] for p in points]), log_prior, shifts[:, None, None])


def shifted(logits: np.ndarray, log_prior: np.ndarray, shift: float | np.ndarray) -> np.ndarray:
    """Return probabilities, after ``shift`` times the log prior is subtracted from the logits.

    Parameters
    ----------
    logits : array of shape (..., n_classes)
    log_prior : array of shape (n_classes,)
    shift : float, or an array that broadcasts with the logits
    """
    return softmax(logits - shift * log_prior, axis=-1)


class BagOfWords(Logistic):
    """TF-IDF vectors of unit length and multinomial logistic regression with an L2 penalty.

    The vocabulary has all tokens of the training set, punctuation included. A sentence without any
    of them is the zero vector. BLAS runs on one thread. ``X`` is an array of tuples of str.

    Parameters
    ----------
    C : float
        Inverse of the penalty.
    prior_shift : float
        As in :class:`wsd.classification.estimators.logistic.Logistic`.
    tol : float
        The solver stops when no component of the gradient exceeds it. TF-IDF features are small,
        so it has to be small too. Measured on six words of CoarseWSD-20 with C from 10 to 10,000:
        at 1e-5, up to 21 of a word's 1,391 predictions differ from those at 1e-10; at 1e-8, none.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    log_prior_ : array of shape (n_classes,)
    vectorizer_ : TfidfVectorizer, or None if the training set has no words
    coef_, intercept_
        As in ``Logistic``.
    """

    search_tol = 1e-8

    def __init__(self, C: float = 100.0, prior_shift: float = 0.0, tol: float = 1e-8) -> None:
        super().__init__(C, prior_shift, tol)

    def _design(self, X: np.ndarray, y: np.ndarray) -> Sparse:
        self._learn_classes(y)
        self.vectorizer_ = TfidfVectorizer(analyzer=tuple).fit(X) if any(X) else None
        features = self._features(X)
        return Sparse(features, np.ones((1, features.shape[1])), np.ones((1, len(X))))

    def _features(self, X: np.ndarray) -> sparse.csr_array:
        if self.vectorizer_ is None:
            return sparse.csr_array((len(X), 1))
        return sparse.csr_array(self.vectorizer_.transform(X))

    def _shared_design(self, X: np.ndarray, counts: np.ndarray) -> tuple[Design, np.ndarray]:
        """Count the words once for all folds; each fold has its own TF-IDF weights and norms."""
        if not any(X):
            return super()._shared_design(np.zeros((len(X), 1)), counts)
        words = sparse.csr_array(CountVectorizer(analyzer=tuple).fit_transform(X), dtype=float)
        known = counts @ (words > 0)
        # The weights of TfidfVectorizer; a word that is not in the fold's training rows has 0.
        weights = np.log((1 + counts.sum(axis=1, keepdims=True)) / (1 + known)) + 1
        weights[known == 0] = 0
        lengths = np.sqrt(weights**2 @ words.power(2).T)
        design = Sparse(words, weights, 1 / np.where(lengths > 0, lengths, 1))
        return design, np.full(len(counts), True)
