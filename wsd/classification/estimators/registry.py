"""Make an estimator by its name in a config.

All are scikit-learn classifiers of vectors. Unlike scikit-learn's own, they accept a training set
of one class, which they then predict, and classes with one instance.
"""

import sys
from collections.abc import Mapping
from functools import partial
from typing import Any

from sklearn.dummy import DummyClassifier

from wsd.artifacts.transform_names import check_transform
from wsd.classification.estimators.logistic import BagOfWords, Logistic
from wsd.classification.estimators.scalar_mix import MixedLogistic
from wsd.classification.estimators.vector_classifiers import KNN, LDA, METRICS, NearestCentroid
from wsd.errors import ConfigError

TINY, LARGEST = sys.float_info.min, sys.float_info.max
ESTIMATORS: dict[str, Any] = {
    "nearest_centroid": NearestCentroid,
    "logistic": Logistic,
    "lda": LDA,
    "knn": KNN,
    "mixed_logistic": MixedLogistic,
    # Baselines
    "most_frequent_sense": partial(DummyClassifier, strategy="prior"),
    "bag_of_words": BagOfWords,
    "position_length": Logistic,
}
# Numeric parameters: a value is greater than the first number, at most the second, and of one of
# the types; the text describes the range.
RANGES: dict[str, tuple[float, float, tuple[type, ...], str]] = {
    "C": (0, LARGEST, (int, float), "a number above 0"),
    "prior_shift": (-TINY, LARGEST, (int, float), "a number from 0 up"),
    "prior_exponent": (-TINY, LARGEST, (int, float), "a number from 0 up"),
    "shrinkage": (0, 1, (int, float), "a number above 0 and at most 1"),
    "k": (0, int(LARGEST), (int,), "a whole number from 1 up"),
    "layers": (0, int(LARGEST), (int,), "a whole number from 1 up"),
    "tol": (0, LARGEST, (int, float), "a number above 0"),
}


def make_estimator(estimator: str, parameters: Mapping[str, Any]) -> Any:
    """Return an unfitted estimator.

    Raises
    ------
    ConfigError
        For an unknown estimator or parameter, or a value out of its range.
    """
    if estimator not in ESTIMATORS:
        fix = f"use {' or '.join(ESTIMATORS)}"
        raise ConfigError(f"there is no classifier {estimator!r}", where="classifiers", fix=fix)
    for name, (low, high, types, expected) in RANGES.items():
        value = parameters.get(name, high)
        if not (type(value) in types and low < value <= high):
            problem = f"{estimator}: {name} is {value!r}"
            raise ConfigError(problem, where="classifiers", fix=f"give {expected}")
    if "transform" in parameters:
        check_transform(parameters["transform"], where="classifiers")
    if parameters.get("metric", METRICS[0]) not in METRICS:
        problem, fix = f"metric {parameters['metric']!r}", f"use {' or '.join(METRICS)}"
        raise ConfigError(problem, where="classifiers", fix=fix)
    try:
        return ESTIMATORS[estimator](**parameters)
    except TypeError as error:
        raise ConfigError(f"{estimator}: {error}", where="classifiers") from None
