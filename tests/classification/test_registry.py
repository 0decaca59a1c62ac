"""Properties of all classifiers, and their registry; each classifier has its own test file too."""

from typing import Any, get_args

import numpy as np
import pytest
from clouds import clouds
from numpy.testing import assert_allclose
from sklearn.base import clone

from wsd.artifacts.cv_table import PARAMETERS
from wsd.classification.estimators.logistic import Logistic
from wsd.classification.estimators.registry import ESTIMATORS, make_estimator
from wsd.classification.estimators.scalar_mix import MixedLogistic
from wsd.classification.estimators.vector_classifiers import KNN, LDA, NearestCentroid, class_scores
from wsd.classification.text_features import SPACES
from wsd.errors import ConfigError
from wsd.run.schema import Classifier

EVERY = [
    NearestCentroid("cosine"),
    NearestCentroid("euclidean"),
    Logistic(),
    LDA(),
    KNN(),
    NearestCentroid(transform="whiten"),
    KNN(transform="whiten"),
    MixedLogistic(layers=3),
]
STANDARDISING = (Logistic, LDA, MixedLogistic)
ALL = pytest.mark.parametrize("estimator", EVERY, ids=str)


@ALL
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("rows", [2, 1])
def test_a_training_set_of_one_class_predicts_it(estimator: Any, rows: int) -> None:
    X, y = np.array([[1.0, 2, 1], [3, 4, 3]])[:rows], np.full(rows, 3)
    fitted = clone(estimator).fit(X, y)
    test = np.array([[-5.0, 1, 1], [0, 0, 0], [9, 9, 9]])
    assert fitted.classes_.tolist() == [3] and fitted.predict(test).tolist() == [3, 3, 3]
    assert class_scores(fitted, test).shape == (3, 1)
    if hasattr(fitted, "predict_proba"):
        assert_allclose(fitted.predict_proba(test), np.ones((3, 1)))
    if hasattr(fitted, "search"):
        assert_allclose(clone(estimator).search(X, y, test, [{}]), np.ones((1, 3, 1)))


@ALL
@pytest.mark.filterwarnings("error")
def test_one_instance_per_class_is_enough(estimator: Any) -> None:
    X = np.array([[3.0, 0, 0], [0, 3, 0], [0, 0, 3]])
    fitted = clone(estimator).fit(X, np.array([5, 1, 3]))
    if not isinstance(estimator, MixedLogistic):  # its three layers here have one feature each
        assert fitted.predict(X + 0.1).tolist() == [5, 1, 3]
    assert np.isfinite(class_scores(fitted, X + 0.1)).all()


@ALL
def test_standardising_removes_the_unit_of_a_feature(estimator: Any) -> None:
    """By the training set alone: a vector to predict does not depend on the others."""
    X, y, test = clouds(6)
    units = np.logspace(-2, 2, 12)
    plain = class_scores(clone(estimator).fit(X, y), test)
    scaled = class_scores(clone(estimator).fit(X * units + 3, y), test * units + 3)
    assert np.allclose(plain, scaled, atol=1e-5) == isinstance(estimator, STANDARDISING)
    outlier = np.vstack([np.full((1, 12), 1e6), test])
    beside = class_scores(clone(estimator).fit(X, y), outlier)[1:]
    assert_allclose(beside, plain, rtol=1e-9)


# The registry


@pytest.mark.parametrize(
    ("name", "parameters", "problem"),
    [
        ("svm", {}, "'svm'"),
        ("nearest_centroid", {"C": 1.0}, "'C'"),
        ("nearest_centroid", {"metric": "manhattan"}, "'manhattan'"),
        *(("knn", {"transform": text}, "no transform") for text in ("remove-0", "whiten\n", 3)),
        *(("logistic", {"C": value}, "C is ") for value in (0, "1", True, float("inf"))),
        ("lda", {"shrinkage": 1.1}, "shrinkage is "),
        ("knn", {"k": 2.5}, "k is "),
    ],
)
def test_what_does_not_exist_is_refused(name: str, parameters: Any, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem) as caught:
        make_estimator(name, parameters)
    assert caught.value.fix or "'C'" in problem


def test_the_config_knows_the_registry() -> None:
    # A mix is not a separate classifier in a config: `logistic` becomes one.
    assert {*PARAMETERS, *SPACES, "mixed_logistic"} == set(ESTIMATORS)
    for name, keys in PARAMETERS.items():
        assert set(keys) <= set(make_estimator(name, {}).get_params())
    assert set(PARAMETERS["logistic"]) <= set(make_estimator("mixed_logistic", {}).get_params())
    named = Classifier.model_fields
    assert get_args(named["estimator"].annotation) == tuple(PARAMETERS)
    assert set(named) - {"name", "estimator"} == {k for keys in PARAMETERS.values() for k in keys}
