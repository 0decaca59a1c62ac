"""Define the base classes of the estimators."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from wsd.metrics.transforms import Transform, fitted

Points = Sequence[Mapping[str, Any]]  # a search space: parameter values of each point
Split = tuple[np.ndarray, np.ndarray]  # rows to fit on, rows held out


class Classifier(ClassifierMixin, BaseEstimator):
    """Base of estimators with ``decision_function`` or ``predict_proba`` over ``classes_``."""

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the class with the highest score per row; the first in ``classes_`` wins a tie."""
        score = getattr(self, "decision_function", None) or self.predict_proba
        best = score(X).argmax(axis=1)
        return self.classes_[best]

    def _learn_classes(self, y: np.ndarray) -> None:
        """Set ``classes_``, and ``log_prior_``, the log of each class's share of ``y``."""
        self.classes_, counts = np.unique(y, return_counts=True)
        self.log_prior_ = np.log(counts / len(y))

    def _check_training(self, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return checked training vectors in float64 and their labels; set the classes."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        self._learn_classes(y)
        return X, y

    def _check_vectors(self, X: np.ndarray) -> np.ndarray:
        """Return checked vectors to predict, in float64."""
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.float64, reset=False)

    def _complete(self, grid: Points) -> list[dict[str, Any]]:
        """Return the points of a search space, completed by the estimator's own parameters."""
        return [{**self.get_params(), **point} for point in grid]


class TransformedClassifier(Classifier):
    """Base of estimators with a parameter ``transform``, applied to all vectors first.

    The transform is fitted on the training rows alone, never on held-out rows.

    Attributes
    ----------
    transform_ : Transform
    """

    transform: str
    transform_ = Transform()

    def _check_training(self, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        X, y = super()._check_training(X, y)
        self.transform_ = fitted(self.transform, X)
        return self.transform_.apply(X), y

    def _check_vectors(self, X: np.ndarray) -> np.ndarray:
        return self.transform_.apply(super()._check_vectors(X))


def class_scores(classifier: Any, X: np.ndarray) -> np.ndarray:
    """Return probabilities, or else decision values: array of shape (n, n_classes)."""
    score = getattr(classifier, "predict_proba", None) or classifier.decision_function
    return score(X)
