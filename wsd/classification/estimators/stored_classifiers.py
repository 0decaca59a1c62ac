"""Fitted classifiers as plain arrays, and back: what a model file holds.

No pickle and no list of trusted types: a file names one of the registry's estimators, its
parameters and arrays of numbers, and nothing of it is ever run. What comes back is the estimator
itself, so that a prediction goes through the very code that the evaluation used. Where logistic
regression was fitted in the span of few instances, its weights are stored in the features' own
coordinates, which is the same product in another order.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from wsd.artifacts.transform_names import CENTRE, NONE
from wsd.classification.estimators.base import TransformedClassifier
from wsd.classification.estimators.logistic import Logistic
from wsd.classification.estimators.registry import make_estimator
from wsd.metrics.transforms import Transform
from wsd.storage.result_files import require

Arrays = dict[str, np.ndarray]
# Before the names of what a transformation has learned.
TRANSFORM = "transform_"


def arrays_of(name: str, fitted: Any) -> Arrays:
    """What an estimator has learned.

    Parameters
    ----------
    name : str
        As in the registry of :mod:`wsd.classification.estimators.registry`.
    fitted : classifier of that name

    Returns
    -------
    dict of name to array: ``classes``, and what the estimator predicts with
    """
    learned: Arrays = {"classes": np.asarray(fitted.classes_, dtype=np.int64)}
    if name == "nearest_centroid":
        learned["centroids"] = fitted.centroids_
    elif name == "knn":
        # As they are they came as float32, so that nothing is lost.
        plain = fitted.transform == NONE
        learned["vectors"] = fitted.vectors_.astype(np.float32 if plain else np.float64)
        learned["labels"] = np.asarray(fitted.labels_, dtype=np.int64)
    elif name == "lda":
        learned |= _of_scaler(fitted.scaler_)
        learned |= {"coef": fitted.coef_, "intercept": fitted.intercept_}
    elif name == "logistic":
        learned |= _of_logistic(fitted)
    else:
        learned |= {"weights": fitted.weights_, **_of_scaler(fitted.scaler_, "mix_")}
        learned |= _of_logistic(fitted.logistic_)
    if isinstance(fitted, TransformedClassifier):
        learned |= _of_transform(fitted.transform_)
    return {key: np.ascontiguousarray(array) for key, array in learned.items()}


def restored(name: str, parameters: Mapping[str, Any], learned: Mapping[str, np.ndarray]) -> Any:
    """The estimator that :func:`arrays_of` was called with, ready to predict.

    Raises
    ------
    KeyError, ValueError
        If an array is missing, or its shape does not belong to the others.
    ConfigError
        For an unknown estimator or parameter.
    """
    made = make_estimator(name, parameters)
    made.classes_ = classes = learned["classes"]
    if name == "nearest_centroid":
        made.centroids_ = _checked(learned["centroids"], len(classes), None)
        made.n_features_in_ = made.centroids_.shape[1]
        made.transform_ = _transform(made, learned)
    elif name == "knn":
        made.labels_ = learned["labels"]
        require(len(made.labels_), "no neighbours")
        require(np.isin(made.labels_, classes).all(), "neighbours of another class")
        made.vectors_ = _checked(learned["vectors"], len(made.labels_), None).astype(np.float64)
        made.n_features_in_ = made.vectors_.shape[1]
        made.transform_ = _transform(made, learned)
    elif name == "lda":
        width = _fill_scaler(made, learned)
        made.coef_ = _checked(learned["coef"], len(classes), width)
        made.intercept_ = _checked(learned["intercept"], len(classes))
    elif name == "logistic":
        _fill_logistic(made, learned)
    else:
        made.weights_ = _checked(learned["weights"], made.layers)
        _fill_scaler(made, learned, "mix_")
        made.logistic_ = Logistic(C=made.C, prior_shift=made.prior_shift)
        made.logistic_.classes_ = classes
        _fill_logistic(made.logistic_, learned)
    return made


def _of_transform(transform: Transform) -> Arrays:
    return {
        f"{TRANSFORM}{name}": array
        for name, array in transform._asdict().items()
        if array is not None
    }


def _transform(made: TransformedClassifier, learned: Mapping[str, np.ndarray]) -> Transform:
    """The transformation that the parameters name, with what it has learned."""
    if made.transform == NONE:
        return Transform()
    mean = _checked(learned[f"{TRANSFORM}mean"], made.n_features_in_)
    if made.transform == CENTRE:
        return Transform(mean)
    factors = _checked(learned[f"{TRANSFORM}factors"], None)
    directions = _checked(learned[f"{TRANSFORM}directions"], len(factors), made.n_features_in_)
    return Transform(mean, directions, factors)


def _of_scaler(scaler: StandardScaler, prefix: str = "") -> Arrays:
    return {f"{prefix}mean": scaler.mean_, f"{prefix}scale": scaler.scale_}


def _fill_scaler(made: Any, learned: Mapping[str, np.ndarray], prefix: str = "") -> int:
    """Set the scaler and the number of features, and give the latter."""
    made.scaler_ = StandardScaler()
    made.scaler_.mean_ = _checked(learned[f"{prefix}mean"], None)
    made.n_features_in_ = made.scaler_.n_features_in_ = width = len(made.scaler_.mean_)
    made.scaler_.scale_ = _checked(learned[f"{prefix}scale"], width)
    require((made.scaler_.scale_ > 0).all(), "a scale that is not above 0")
    return width


def _of_logistic(fitted: Logistic) -> Arrays:
    learned = {**_of_scaler(fitted.scaler_), "log_prior": fitted.log_prior_}
    if len(fitted.classes_) > 1:
        learned |= {"coef": fitted.coef_, "intercept": fitted.intercept_}
    return learned


def _fill_logistic(made: Logistic, learned: Mapping[str, np.ndarray]) -> None:
    classes = made.classes_
    width = _fill_scaler(made, learned)
    made.log_prior_ = _checked(learned["log_prior"], len(classes))
    made.coef_, made.intercept_ = np.zeros((0, width)), np.zeros(0)
    if len(classes) > 1:
        logits = len(classes) if len(classes) > 2 else 1
        made.coef_ = _checked(learned["coef"], logits, width)
        made.intercept_ = _checked(learned["intercept"], logits)


def _checked(array: np.ndarray, *shape: int | None) -> np.ndarray:
    """An array of finite numbers of this shape; None stands for any length."""
    fits = array.ndim == len(shape) and all(
        wanted in (None, came) for wanted, came in zip(shape, array.shape, strict=True)
    )
    require(fits, f"an array of shape {array.shape} where {shape} belongs")
    require(array.dtype.kind == "f", f"an array of {array.dtype} where floats belong")
    require(np.isfinite(array).all(), "a number that is not finite")
    return array
