"""What a word's senses can be told by without any encoder.

``most_frequent_sense``
    the sense with the most training instances;
``bag_of_words``
    the sentence's other words, wherever they stand: TF-IDF and logistic regression;
``position_length``
    nothing of the words: where the focal word stands and how long the sentence is.

A baseline is tuned like a classifier, on folds of its training set: a search space, and of all
its points the one with the highest macro-F1 over the instances while they were held out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import f1_score
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from wsd import folds as folding
from wsd.classifiers.logistic import Logistic, along_penalties, converged, shifted
from wsd.corpus import Corpus
from wsd.errors import ConfigError
from wsd.predictions import PACKAGES, WordPredictions, predict_word, write
from wsd.tuning import points

Splits = Sequence[tuple[np.ndarray, np.ndarray]]


def documents(corpus: Corpus) -> np.ndarray:
    """The words of every sentence, lower-cased, without the focal one.

    Returns
    -------
    array of shape (len(corpus),) of tuples of str
    """
    found = np.empty(len(corpus), dtype=object)
    found[:] = [
        tuple(token.lower() for token in (*tokens[:position], *tokens[position + 1 :]))
        for tokens, position in zip(corpus.tokens, corpus.position.tolist(), strict=True)
    ]
    return found


def positions(corpus: Corpus) -> np.ndarray:
    """The focal word's index, the sentence's length, and the index as a share of the last one.

    Returns
    -------
    array of shape (len(corpus), 3)
    """
    length = np.array([len(tokens) for tokens in corpus.tokens], dtype=np.float64)
    relative = corpus.position / np.maximum(length - 1, 1)
    return np.column_stack([corpus.position, length, relative])


class BagOfWords(ClassifierMixin, BaseEstimator):
    """TF-IDF vectors of unit length and multinomial logistic regression with an L2 penalty.

    The vocabulary is the training set's, punctuation included. A sentence of none of its words
    is the zero vector. BLAS runs on one thread.

    Parameters
    ----------
    C : float
        Inverse strength of the penalty.
    prior_shift : float
        As in :class:`wsd.classifiers.logistic.Logistic`.
    tol : float
        The solver stops when no component of the gradient exceeds it. Measured on six words of
        CoarseWSD-20 and C from 10 to 10,000: at 1e-8 no prediction differs from those at 1e-10;
        at 1e-5 up to 21 of a word's 1,391 do, for TF-IDF's features are small.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    log_prior_ : array of shape (n_classes,)
    vectorizer_ : TfidfVectorizer, or None if the training set has no words
    model_ : LogisticRegression, or None if there was one class only
    """

    def __init__(self, C: float = 100.0, prior_shift: float = 0.0, tol: float = 1e-8) -> None:
        self.C = C
        self.prior_shift = prior_shift
        self.tol = tol

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        """Learn the words' weights and fit.

        Parameters
        ----------
        X : array of shape (n_samples,) of tuples of str
        y : array of shape (n_samples,)

        Raises
        ------
        WsdError
            If the solver does not converge.
        """
        vectors = self._prepare(X, y)
        self.model_ = None
        if len(self.classes_) > 1:
            with threadpool_limits(1):
                # This Newton's method makes no matrix of all pairs of words.
                self.model_ = converged(vectors, y, self.C, self.tol, newton="newton-cg")
        return self

    def _prepare(self, X: np.ndarray, y: np.ndarray) -> sparse.csr_matrix:
        self.classes_, counts = np.unique(y, return_counts=True)
        self.log_prior_ = np.log(counts / len(y))
        self.vectorizer_ = None
        if any(X):
            self.vectorizer_ = TfidfVectorizer(analyzer=_as_it_is).fit(X)
        return self._vectors(X)

    def _vectors(self, X: np.ndarray) -> sparse.csr_matrix:
        if self.vectorizer_ is None:
            return sparse.csr_matrix((len(X), 1))
        return self.vectorizer_.transform(X)

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Probability of each class, after the prior shift.

        Returns
        -------
        array of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        if self.model_ is None:
            return np.ones((len(X), 1))
        with threadpool_limits(1):
            probabilities = self.model_.predict_proba(self._vectors(X))
        return shifted(probabilities, self.log_prior_, self.prior_shift)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The most probable class; of equally probable ones, the first in ``classes_``."""
        most_probable = self.predict_proba(X).argmax(axis=1)
        return self.classes_[most_probable]

    def search(
        self, X: np.ndarray, y: np.ndarray, held: np.ndarray, grid: Sequence[Mapping[str, Any]]
    ) -> np.ndarray:
        """Probabilities of held-out sentences under every point of a search space.

        Each fit starts where the next stronger penalty ended, and serves every prior shift.

        Parameters
        ----------
        X : array of shape (n_samples,) of tuples of str
        y : array of shape (n_samples,)
        held : array of shape (n_held,) of tuples of str
        grid : sequence of mappings of parameter to value

        Returns
        -------
        array of shape (len(grid), n_held, n_classes)
            Columns in the order of the sorted classes of ``y``.
        """
        vectors = self._prepare(X, y)
        if len(self.classes_) == 1:
            return np.ones((len(grid), len(held), 1))
        asked = [{**self.get_params(), **point} for point in grid]
        with threadpool_limits(1):
            tested = self._vectors(held)
            return along_penalties(vectors, y, tested, asked, self.log_prior_, self.tol)


def _as_it_is(words: Sequence[str]) -> Sequence[str]:
    return words


@dataclass(frozen=True)
class Baseline:
    """What is seen of an instance, what is fitted on it, and the search space.

    Attributes
    ----------
    features : callable
        From a corpus to an array with one entry or row per instance.
    estimator : callable
        Makes the unfitted estimator, with its defaults.
    space : mapping of parameter to values
        Empty if there is nothing to tune.
    """

    features: Callable[[Corpus], np.ndarray]
    estimator: Callable[[], Any]
    space: Mapping[str, Sequence[float]] = field(default_factory=dict)

    @property
    def grid(self) -> list[dict[str, float]]:
        """Every point of the search space, the first parameter varying slowest."""
        return points({name: list(values) for name, values in self.space.items()})


PRIOR_SHIFTS = (0.0, 0.25, 0.5, 0.75, 1.0)
BASELINES: dict[str, Baseline] = {
    "most_frequent_sense": Baseline(positions, lambda: DummyClassifier(strategy="prior")),
    "bag_of_words": Baseline(
        documents,
        BagOfWords,
        {"C": (0.1, 1.0, 10.0, 100.0, 1000.0), "prior_shift": PRIOR_SHIFTS},
    ),
    "position_length": Baseline(
        positions,
        Logistic,
        {"C": (0.001, 0.01, 0.1, 1.0, 10.0, 100.0), "prior_shift": PRIOR_SHIFTS},
    ),
}


def tune(estimator: Any, grid: Sequence[Mapping[str, float]], X: Any, y: Any, folds: Splits) -> Any:
    """The point of a search space with the highest macro-F1; of equal ones the first.

    The figure is computed once on the held-out instances of all folds together: a rare sense
    has none within a fold.

    Parameters
    ----------
    estimator : classifier with ``search``
    grid : sequence of mappings of parameter to value
    X, y : arrays with one entry per training instance
    folds : sequence of (fit, held)
        Indices into ``X`` to fit on, and those to predict.

    Returns
    -------
    dict, the point
    """
    predicted = []
    for fit, held in folds:
        scores = estimator.search(X[fit], y[fit], X[held], grid)
        predicted.append(np.unique(y[fit])[scores.argmax(axis=2)])
    gold = np.concatenate([y[held] for _, held in folds])
    figures = [
        f1_score(gold, of_point, average="macro", zero_division=0.0)
        for of_point in np.concatenate(predicted, axis=1)
    ]
    return grid[int(np.argmax(figures))]


def baseline(
    name: str, corpus: Corpus, rows_train: np.ndarray, *, folds: Splits | None
) -> list[WordPredictions]:
    """Fit a baseline on training instances and predict the rows of every other split.

    Parameters
    ----------
    name : str
        Among ``BASELINES``.
    corpus : Corpus
    rows_train : int array
        Rows of the corpus to fit on.
    folds : sequence of (fit, held), or None
        To tune on, as indices into ``rows_train``; None for the estimator's defaults, where the
        rarest sense has fewer instances than there would be folds.

    Returns
    -------
    list of WordPredictions
        The test split first, as :func:`wsd.predictions.predict_word` gives them.

    Raises
    ------
    ConfigError
        For an unknown name.
    """
    if name not in BASELINES:
        raise ConfigError(f"there is no baseline {name!r}", fix=f"use {' or '.join(BASELINES)}")
    chosen = BASELINES[name]
    X, y = chosen.features(corpus), corpus.gold[rows_train]
    estimator = chosen.estimator()
    if folds is not None and chosen.space:
        estimator.set_params(**tune(estimator, chosen.grid, X[rows_train], y, folds))
    return predict_word(corpus, X, estimator, rows_train)


def build(name: str, corpora: Mapping[str, Corpus], *, folds: Path, out: Path) -> None:
    """Fit and predict every word of a training set, and write one file of predictions.

    Parameters
    ----------
    name : str
        Among ``BASELINES``.
    corpora : mapping of word to Corpus
    folds : Path
        The training set, and what to tune on.
    out : Path
    """
    train = folding.of_words(folds, corpora)
    made: list[WordPredictions] = []
    for word in (word for word in corpora if word in train.words):
        of_word = train.words[word]
        splits = None if of_word.held is None else list(of_word.splits(0))
        made += baseline(name, corpora[word], train.rows(corpora[word]), folds=splits)
    provenance = {
        "train": train.train,
        "view": "text",
        "layers": "-",
        "task": "sense",
        "classifier": name,
        "estimator": name,
        "parameters": {},
        "space": dict(BASELINES[name].space) if name in BASELINES else {},
        "encoder": {"model": {"name": "no encoder", "blocks": 0, "width": 0}},
        "corpus": {word: corpora[word].digest for word in train.words if word in corpora},
        "versions": {package: version(package) for package in PACKAGES},
    }
    write(out, made, provenance)
