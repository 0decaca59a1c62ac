"""Convert fitted classifiers to plain arrays, for a model file, and back.

A file names an estimator of the registry, its parameters and arrays of numbers. It holds no code
and no pickle. Converting back gives the same estimator, so that predictions use the same code as
the evaluation.
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
TRANSFORM = "transform_"  # prefix of the arrays of a transform


def arrays_of(name: str, fitted: Any) -> Arrays:
    """Return the arrays that a fitted estimator predicts with.

    Parameters
    ----------
    name : str
        Its name in :mod:`wsd.classification.estimators.registry`.
    fitted : the fitted estimator

    Returns
    -------
    dict of name to array
        ``classes``, and further arrays that depend on the estimator.
    """
    learned: Arrays = {"classes": np.asarray(fitted.classes_, dtype=np.int64)}
    if name == "nearest_centroid":
        learned["centroids"] = fitted.centroids_
    elif name == "knn":
        # Untransformed vectors were float32 before, so that nothing is lost.
        plain = fitted.transform == NONE
        learned["vectors"] = fitted.vectors_.astype(np.float32 if plain else np.float64)
        learned["labels"] = np.asarray(fitted.labels_, dtype=np.int64)
    elif name == "lda":
        learned |= _scaler_arrays(fitted.scaler_)
        learned |= {"coef": fitted.coef_, "intercept": fitted.intercept_}
    elif name == "logistic":
        learned |= _logistic_arrays(fitted)
    else:
        learned |= {"weights": fitted.weights_, **_scaler_arrays(fitted.scaler_, "mix_")}
        learned |= _logistic_arrays(fitted.logistic_)
    if isinstance(fitted, TransformedClassifier):
        arrays = fitted.transform_._asdict().items()
        learned |= {TRANSFORM + key: array for key, array in arrays if array is not None}
    return {key: np.ascontiguousarray(array) for key, array in learned.items()}


def restored(name: str, parameters: Mapping[str, Any], learned: Mapping[str, np.ndarray]) -> Any:
    """Return the fitted estimator whose arrays :func:`arrays_of` returned.

    Raises
    ------
    KeyError, ValueError
        If an array is missing, or its shape does not match the others.
    ConfigError
        For an unknown estimator or parameter.
    """
    estimator = make_estimator(name, parameters)
    estimator.classes_ = classes = learned["classes"]
    if name == "nearest_centroid":
        estimator.centroids_ = _checked(learned["centroids"], len(classes), None)
        _fill_transform(estimator, learned, estimator.centroids_)
    elif name == "knn":
        estimator.labels_ = learned["labels"]
        require(len(estimator.labels_), "no neighbours")
        require(np.isin(estimator.labels_, classes).all(), "neighbours of another class")
        estimator.vectors_ = _checked(learned["vectors"], len(estimator.labels_), None).astype(
            np.float64
        )
        _fill_transform(estimator, learned, estimator.vectors_)
    elif name == "lda":
        width = _fill_scaler(estimator, learned)
        estimator.coef_ = _checked(learned["coef"], len(classes), width)
        estimator.intercept_ = _checked(learned["intercept"], len(classes))
    elif name == "logistic":
        _fill_logistic(estimator, learned)
    else:
        estimator.weights_ = _checked(learned["weights"], estimator.layers)
        _fill_scaler(estimator, learned, "mix_")
        estimator.logistic_ = Logistic(C=estimator.C, prior_shift=estimator.prior_shift)
        estimator.logistic_.classes_ = classes
        _fill_logistic(estimator.logistic_, learned)
    return estimator


def _fill_transform(
    estimator: TransformedClassifier, learned: Mapping[str, np.ndarray], vectors: np.ndarray
) -> None:
    """Set the number of features and the transform, for vectors of shape (n, n_features)."""
    estimator.n_features_in_ = width = vectors.shape[1]
    if estimator.transform == NONE:
        return
    estimator.transform_ = Transform(_checked(learned[f"{TRANSFORM}mean"], width))
    if estimator.transform != CENTRE:
        factors = _checked(learned[f"{TRANSFORM}factors"], None)
        directions = _checked(learned[f"{TRANSFORM}directions"], len(factors), width)
        estimator.transform_ = Transform(estimator.transform_.mean, directions, factors)


def _scaler_arrays(scaler: StandardScaler, prefix: str = "") -> Arrays:
    return {f"{prefix}mean": scaler.mean_, f"{prefix}scale": scaler.scale_}


def _fill_scaler(estimator: Any, learned: Mapping[str, np.ndarray], prefix: str = "") -> int:
    """Set the scaler and the number of features; return this number."""
    estimator.scaler_ = StandardScaler()
    estimator.scaler_.mean_ = _checked(learned[f"{prefix}mean"], None)
    estimator.n_features_in_ = estimator.scaler_.n_features_in_ = width = len(
        estimator.scaler_.mean_
    )
    estimator.scaler_.scale_ = _checked(learned[f"{prefix}scale"], width)
    require((estimator.scaler_.scale_ > 0).all(), "a scale that is not above 0")
    return width


def _logistic_arrays(fitted: Logistic) -> Arrays:
    learned = {**_scaler_arrays(fitted.scaler_), "log_prior": fitted.log_prior_}
    if len(fitted.classes_) > 1:
        learned |= {"coef": fitted.coef_, "intercept": fitted.intercept_}
    return learned


def _fill_logistic(estimator: Logistic, learned: Mapping[str, np.ndarray]) -> None:
    classes = estimator.classes_
    width = _fill_scaler(estimator, learned)
    estimator.log_prior_ = _checked(learned["log_prior"], len(classes))
    estimator.coef_, estimator.intercept_ = np.zeros((0, width)), np.zeros(0)
    if len(classes) > 1:
        logits = len(classes) if len(classes) > 2 else 1
        estimator.coef_ = _checked(learned["coef"], logits, width)
        estimator.intercept_ = _checked(learned["intercept"], logits)


def _checked(array: np.ndarray, *shape: int | None) -> np.ndarray:
    """Return an array; refuse one of another shape (None: any length) or with NaN or infinity."""
    matches = array.ndim == len(shape) and all(
        length in (None, actual) for length, actual in zip(shape, array.shape, strict=True)
    )
    require(matches, f"an array of shape {array.shape} instead of {shape}")
    require(array.dtype.kind == "f", f"an array of {array.dtype} instead of floats")
    require(np.isfinite(array).all(), "a number that is not finite")
    return array
