"""Nearest centroid: exact on small numbers, and equal to scikit-learn's where that exists."""

import warnings

import numpy as np
import pytest
from clouds import clouds
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.neighbors import NearestCentroid as ReferenceCentroid

from wsd.classification.estimators.registry import make_estimator
from wsd.classification.estimators.vector_classifiers import NearestCentroid
from wsd.errors import ConfigError


def test_cosine_and_euclidean_disagree_where_they_should() -> None:
    X, y = np.array([[8.0, 0], [12, 0], [0, 1]]), np.array([0, 0, 1])
    test = np.array([[4.0, 3]])
    cosine = NearestCentroid("cosine").fit(X, y)
    euclidean = NearestCentroid("euclidean").fit(X, y)
    for fitted in (cosine, euclidean):
        assert_array_equal(fitted.classes_, [0, 1])
        assert_array_equal(fitted.centroids_, [[10, 0], [0, 1]])
    assert_allclose(cosine.decision_function(test), [[0.8, 0.6]], rtol=1e-15)
    assert_allclose(euclidean.decision_function(test), [[-np.sqrt(45), -np.sqrt(20)]], rtol=1e-15)
    assert cosine.predict(test).tolist() == [0]
    assert euclidean.predict(test).tolist() == [1]


def test_cosine_averages_unnormalised_vectors() -> None:
    """The mean of unit vectors would lie on the diagonal, and the other class would win."""
    X, y = np.array([[24.0, 0], [0, 10], [1, 1]]), np.array([0, 0, 1])
    fitted = NearestCentroid().fit(X, y)
    assert_array_equal(fitted.centroids_, [[12, 5], [1, 1]])
    scores = fitted.decision_function(np.array([[12.0, 5]]))
    assert_allclose(scores, [[1, 17 / 13 / np.sqrt(2)]], rtol=1e-15)
    assert fitted.predict(np.array([[12.0, 5]])).tolist() == [0]


def test_cosine_ignores_the_length_of_a_vector() -> None:
    X, y, test = clouds(1)
    fitted = NearestCentroid("cosine").fit(X, y)
    once, longer = fitted.decision_function(test), fitted.decision_function(1000 * test)
    assert_allclose(once, longer, atol=1e-12)


def test_a_zero_vector_is_similar_to_nothing() -> None:
    X, y = np.array([[-1.0, 0], [1, 1], [-1, -1]]), np.array(["far", "none", "none"])
    fitted = NearestCentroid().fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = fitted.decision_function(np.array([[1.0, 0], [0, 0]]))
    assert_array_equal(scores, [[-1, 0], [0, 0]])
    assert fitted.predict(np.array([[1.0, 0]])).tolist() == ["none"]


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_the_first_of_equally_near_classes_is_predicted(metric: str) -> None:
    fitted = NearestCentroid(metric).fit(np.array([[1.0, 0], [0, 1]]), np.array(["b", "a"]))
    assert fitted.classes_.tolist() == ["a", "b"]
    assert fitted.predict(np.array([[1.0, 1], [2, 1]])).tolist() == ["a", "b"]


@pytest.mark.parametrize("seed", range(5))
def test_euclidean_is_the_estimator_of_scikit_learn(seed: int) -> None:
    X, y, test = clouds(seed, classes=5)
    ours, theirs = NearestCentroid("euclidean").fit(X, y), ReferenceCentroid().fit(X, y)
    assert_allclose(ours.centroids_, theirs.centroids_, rtol=1e-12)
    assert_array_equal(ours.predict(test), theirs.predict(test))


def test_float32_vectors_are_averaged_in_double_precision() -> None:
    X = np.array([[2.0**24], [1], [1]], dtype=np.float32)
    centroid = NearestCentroid().fit(X, np.zeros(3)).centroids_
    assert_allclose(centroid, [[(2**24 + 2) / 3]], rtol=1e-15)


def test_a_metric_that_does_not_exist() -> None:
    with pytest.raises(ConfigError, match="'manhattan'") as caught:
        make_estimator("nearest_centroid", {"metric": "manhattan"})
    assert caught.value.fix == "use cosine or euclidean"
