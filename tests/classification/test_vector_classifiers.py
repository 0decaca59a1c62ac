"""Nearest centroid, nearest neighbours and LDA: exact, or equal to scikit-learn's."""

import numpy as np
import pytest
from clouds import clouds
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from wsd.classification.estimators.vector_classifiers import KNN, LDA, NearestCentroid

# Nearest centroid


def test_cosine_and_euclidean_disagree_where_they_should() -> None:
    """The mean is of vectors, not of directions."""
    X, y = np.array([[8.0, 0], [12, 0], [0, 1]]), np.array([0, 0, 1])
    test = np.array([[4.0, 3]])
    cosine, euclidean = (NearestCentroid(metric).fit(X, y) for metric in ("cosine", "euclidean"))
    for fitted in (cosine, euclidean):
        assert_array_equal(fitted.centroids_, [[10, 0], [0, 1]])
    assert_allclose(cosine.decision_function(test), [[0.8, 0.6]], rtol=1e-15)
    assert_allclose(cosine.decision_function(1000 * test), [[0.8, 0.6]], rtol=1e-15)
    assert_allclose(euclidean.decision_function(test), [[-np.sqrt(45), -np.sqrt(20)]], rtol=1e-15)
    assert (cosine.predict(test).tolist(), euclidean.predict(test).tolist()) == ([0], [1])


@pytest.mark.filterwarnings("error")
def test_a_zero_vector_is_similar_to_nothing_and_the_first_of_equal_classes_wins() -> None:
    X, y = np.array([[-1.0, 0], [1, 1], [-1, -1]]), np.array(["far", "none", "none"])
    fitted = NearestCentroid().fit(X, y)
    assert_array_equal(fitted.decision_function(np.array([[1.0, 0], [0, 0]])), [[-1, 0], [0, 0]])
    for metric in ("cosine", "euclidean"):
        fitted = NearestCentroid(metric).fit(np.eye(2), np.array(["b", "a"]))
        assert fitted.predict(np.array([[1.0, 1], [2, 1]])).tolist() == ["a", "b"]


# Nearest neighbours


DISTANCE_VOTES = {"metric": "cosine", "weights": "distance", "algorithm": "brute"}


@pytest.mark.parametrize("k", [1, 3, 5, 10, 40])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_knn_is_that_of_scikit_learn(k: int, n_classes: int) -> None:
    """A training set smaller than k votes as a whole."""
    for rows in (150, 7):
        X, y, test = clouds(1, classes=n_classes, spread=2.0, rows=rows)
        ours = KNN(k).fit(X, y)
        reference = KNeighborsClassifier(min(k, rows), **DISTANCE_VOTES).fit(X, y)
        assert_allclose(ours.predict_proba(test), reference.predict_proba(test), atol=1e-9)
        assert_array_equal(ours.predict(test), reference.predict(test))


@pytest.mark.filterwarnings("error")
def test_an_exact_duplicate_outvotes_all_others() -> None:
    """Both senses may have one; rounding does not count as distance."""
    axes = np.eye(3)
    X, y = np.vstack([axes, 2 * axes[:1], [[1.0, 1, 0]]]), np.array([0, 1, 2, 1, 0])
    for k in (1, 3, 5):
        ours = KNN(k).fit(X, y).predict_proba(5 * axes)
        expected = [[1, 0, 0] if k == 1 else [0.5, 0.5, 0], [0, 1, 0], [0, 0, 1]]
        assert_allclose(ours, expected, atol=1e-12)


def test_the_first_of_equally_near_instances_counts() -> None:
    X = np.array([[0.0, 1], [0, 2], [0, 3], [1, 0]])
    for y in ([0, 1, 1, 1], [1, 0, 0, 0]):
        fitted = KNN(1).fit(X, np.array(y))
        assert fitted.predict(np.array([[1.0, 3]])).tolist() == y[:1]


# LDA


@pytest.mark.parametrize(("rows", "width"), [(150, 12), (60, 60), (40, 150)])
@pytest.mark.filterwarnings("ignore:Only one sample available")
@pytest.mark.parametrize("shrinkage", [0.05, 1.0])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_lda_is_that_of_scikit_learn(
    rows: int, width: int, shrinkage: float, n_classes: int
) -> None:
    shares = (0.7, 0.3) if n_classes == 2 else (0.5, 0.3, 0.15, 0.05)
    X, y, test = clouds(1, classes=n_classes, rows=rows, width=width, spread=2.0, shares=shares)
    X, test = X * np.logspace(-2, 2, width) + 5, test * np.logspace(-2, 2, width) + 5
    reference = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage)
    theirs = make_pipeline(StandardScaler(), reference).fit(X, y)
    ours = LDA(shrinkage=shrinkage).fit(X, y)
    assert_allclose(ours.predict_proba(test), theirs.predict_proba(test), atol=1e-9)
    assert_array_equal(ours.predict(test), theirs.predict(test))


def test_the_exponent_of_the_prior_moves_intercepts_only() -> None:
    X, y, test = clouds(2, classes=3, shares=(0.7, 0.2, 0.1), spread=2.0)
    log_prior = np.log(np.bincount(y) / len(y))
    none, half, usual = (
        LDA(shrinkage=0.3, prior_exponent=e).fit(X, y).decision_function(test) for e in (0, 0.5, 1)
    )
    assert_allclose(half - none, np.tile(0.5 * log_prior, (len(test), 1)), atol=1e-9)
    assert_allclose(usual - none, np.tile(log_prior, (len(test), 1)), atol=1e-9)
