"""The classifiers that read senses off vectors, as scikit-learn estimators, and their registry.

All have defined behaviour where scikit-learn's own refuse: a training set of one class predicts
that class; a class with one instance is as good as any other.
"""

import sys
from collections.abc import Mapping
from typing import Any

from wsd.artifacts.transform_names import check_transform
from wsd.classification.estimators.knn import KNN
from wsd.classification.estimators.lda import LDA
from wsd.classification.estimators.logistic import Logistic
from wsd.classification.estimators.nearest_centroid import NearestCentroid
from wsd.classification.estimators.scalar_mix import MixedLogistic
from wsd.errors import ConfigError

TINY, MOST = sys.float_info.min, sys.float_info.max
ESTIMATORS: dict[str, Any] = {
    "nearest_centroid": NearestCentroid,
    "logistic": Logistic,
    "lda": LDA,
    "knn": KNN,
    "mixed_logistic": MixedLogistic,
}
# Of parameters that are numbers: above the first and up to the second, of these types.
RANGES: dict[str, tuple[float, float, tuple[type, ...], str]] = {
    "C": (0, MOST, (int, float), "a number above 0"),
    "prior_shift": (-TINY, MOST, (int, float), "a number from 0 up"),
    "prior_exponent": (-TINY, MOST, (int, float), "a number from 0 up"),
    "shrinkage": (0, 1, (int, float), "a number above 0 and at most 1"),
    "k": (0, int(MOST), (int,), "a whole number from 1 up"),
}


def make_estimator(estimator: str, parameters: Mapping[str, Any]) -> Any:
    """An unfitted estimator of the registry.

    Raises
    ------
    ConfigError
        For an unknown estimator or parameter, or a value that it cannot have.
    """
    if estimator not in ESTIMATORS:
        fix = f"use {' or '.join(ESTIMATORS)}"
        raise ConfigError(f"there is no classifier {estimator!r}", where="classifiers", fix=fix)
    for name, (low, high, kinds, meant) in RANGES.items():
        value = parameters.get(name, high)
        if not (type(value) in kinds and low < value <= high):
            raise ConfigError(
                f"{estimator}: {name} is {value!r}", where="classifiers", fix=f"give {meant}"
            )
    if "transform" in parameters:
        check_transform(parameters["transform"], where="classifiers")
    try:
        return ESTIMATORS[estimator](**parameters)
    except TypeError as error:
        raise ConfigError(f"{estimator}: {error}", where="classifiers") from None
