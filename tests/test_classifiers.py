"""The classifiers: exact on small numbers, and equal to scikit-learn's where that has them."""

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestCentroid as ReferenceCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from wsd import classifiers
from wsd.classifiers import ESTIMATORS, Logistic, NearestCentroid, build
from wsd.config import PARAMETERS
from wsd.errors import ConfigError, WsdError

EVERY = [NearestCentroid("cosine"), NearestCentroid("euclidean"), Logistic()]


def clouds(
    seed: int, *, classes: int = 3, rows: int = 150, width: int = 12, spread: float = 1.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Overlapping clouds: training vectors, their classes, test vectors."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(classes, width))
    y = random.integers(classes, size=rows)
    X = centres[y] + spread * random.normal(size=(rows, width))
    test = centres[random.integers(classes, size=rows)]
    return X, y, test + spread * random.normal(size=test.shape)


# Nearest centroid


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


def test_cosine_averages_the_vectors_as_they_are() -> None:
    """The mean of unit vectors would lie on the diagonal, and the other class would win."""
    X, y = np.array([[24.0, 0], [0, 10], [1, 1]]), np.array([0, 0, 1])
    fitted = NearestCentroid().fit(X, y)
    assert_array_equal(fitted.centroids_, [[12, 5], [1, 1]])
    scores = fitted.decision_function(np.array([[12.0, 5]]))
    assert_allclose(scores, [[1, 17 / 13 / np.sqrt(2)]], rtol=1e-15)
    assert fitted.predict(np.array([[12.0, 5]])).tolist() == [0]


def test_the_length_of_a_vector_is_nothing_to_the_cosine() -> None:
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
def test_of_equally_near_classes_the_first_is_predicted(metric: str) -> None:
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
        NearestCentroid("manhattan").fit(np.eye(2), np.arange(2))
    assert caught.value.fix == "use cosine or euclidean"


# Logistic regression


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("C", [0.01, 1.0, 10.0])
def test_logistic_is_the_pipeline_of_scikit_learn(n_classes: int, C: float) -> None:
    X, y, test = clouds(7, classes=n_classes)
    X, test = X * np.logspace(-2, 2, 12) + 5, test * np.logspace(-2, 2, 12) + 5
    ours = Logistic(C=C).fit(X, y)
    exact = LogisticRegression(C=C, tol=1e-10, max_iter=100_000)
    theirs = make_pipeline(StandardScaler(), exact).fit(X, y)
    assert_array_equal(ours.classes_, theirs.classes_)
    assert_allclose(ours.predict_proba(test), theirs.predict_proba(test), atol=1e-4)
    assert_array_equal(ours.predict(test), theirs.predict(test))


@pytest.mark.parametrize("seed", range(3))
def test_a_tighter_tolerance_changes_no_prediction(seed: int) -> None:
    X, y, test = clouds(seed, classes=4, rows=200, width=100, spread=4.0)
    usual = Logistic().fit(X, y)
    tight = Logistic(tol=usual.tol / 10).fit(X, y)
    assert_array_equal(usual.predict(test), tight.predict(test))
    # The data is hard enough for the test to fail: a loose tolerance does change predictions.
    loose = Logistic(tol=0.1).fit(X, y)
    assert (loose.predict(test) != tight.predict(test)).any()


def test_the_features_are_scaled_by_the_training_set_alone() -> None:
    X, y, test = clouds(3)
    outlier = np.full((1, X.shape[1]), 1e6)
    fitted = Logistic().fit(X, y)
    assert_allclose(fitted.scaler_.mean_, X.mean(axis=0), rtol=1e-12)
    assert_allclose(fitted.scaler_.scale_, X.std(axis=0), rtol=1e-12)
    alone = fitted.predict_proba(test)
    beside = fitted.predict_proba(np.vstack([outlier, test]))[1:]
    assert_allclose(alone, beside, rtol=1e-12)


def test_a_solver_that_does_not_converge_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def hasty(**parameters: Any) -> LogisticRegression:
        return LogisticRegression(**{**parameters, "max_iter": 2})

    X, y, _ = clouds(4)
    monkeypatch.setattr(classifiers, "LogisticRegression", hasty)
    with pytest.raises(WsdError, match="did not converge") as caught:
        Logistic().fit(X, y)
    assert caught.value.fix == "use a smaller C in the config"


# Both


@pytest.mark.parametrize("estimator", EVERY, ids=str)
def test_a_training_set_of_one_class_predicts_it(estimator: Any) -> None:
    fitted = clone(estimator).fit(np.array([[1.0, 2], [3, 4]]), np.array([3, 3]))
    assert fitted.classes_.tolist() == [3]
    test = np.array([[-5.0, 1], [0, 0], [9, 9]])
    assert fitted.predict(test).tolist() == [3, 3, 3]
    if isinstance(fitted, Logistic):
        assert fitted.predict_proba(test).tolist() == [[1], [1], [1]]
    else:
        assert fitted.decision_function(test).shape == (3, 1)


@pytest.mark.parametrize("estimator", EVERY, ids=str)
def test_one_instance_per_class_is_enough(estimator: Any) -> None:
    X = np.array([[3.0, 0, 0], [0, 3, 0], [0, 0, 3]])
    fitted = clone(estimator).fit(X, np.array([5, 1, 3]))
    assert fitted.predict(X + 0.1).tolist() == [5, 1, 3]


@pytest.mark.parametrize("estimator", EVERY, ids=str)
def test_a_constant_feature_does_no_harm(estimator: Any) -> None:
    X, y, test = clouds(5)
    wide, wide_test = (np.hstack([a, np.full((len(a), 1), 2.0)]) for a in (X, test))
    fitted = clone(estimator).fit(wide, y)
    assert fitted.predict(wide_test).shape == y.shape
    if isinstance(fitted, Logistic):
        narrow = clone(estimator).fit(X, y)
        assert_array_equal(fitted.predict(wide_test), narrow.predict(test))


@pytest.mark.parametrize("estimator", EVERY, ids=str)
def test_conventions_of_scikit_learn(estimator: Any) -> None:
    fresh = clone(estimator)
    assert fresh.get_params() == estimator.get_params()
    X, y, test = clouds(6)
    score = getattr(fresh, "predict_proba", None) or fresh.decision_function
    with pytest.raises(NotFittedError):
        score(test)
    before = fresh.get_params()
    assert fresh.fit(X, y) is fresh
    assert fresh.get_params() == before
    assert fresh.n_features_in_ == X.shape[1]
    with pytest.raises(ValueError, match="features"):
        fresh.predict(test[:, 1:])
    with pytest.raises(ValueError, match="NaN"):
        fresh.predict(np.full((1, X.shape[1]), np.nan))
    assert 0.5 < fresh.score(X, y) <= 1


def test_build() -> None:
    assert build("nearest_centroid", {}).get_params() == {"metric": "cosine"}
    assert build("nearest_centroid", {"metric": "euclidean"}).metric == "euclidean"
    assert build("logistic", {"C": 0.5}).get_params() == {"C": 0.5, "tol": 1e-8}


def test_build_refuses_what_does_not_exist() -> None:
    with pytest.raises(ConfigError, match="'svm'") as caught:
        build("svm", {})
    assert caught.value.fix == "use nearest_centroid or logistic"
    with pytest.raises(ConfigError, match=r"nearest_centroid: .*'C'"):
        build("nearest_centroid", {"C": 1.0})


def test_the_config_knows_the_registry() -> None:
    assert set(PARAMETERS) == set(ESTIMATORS)
    for name, keys in PARAMETERS.items():
        assert set(keys) <= set(build(name, {}).get_params())


@pytest.mark.parametrize("estimator", [NearestCentroid(), Logistic()])
def test_an_unfitted_estimator_says_so(estimator: Any) -> None:
    with pytest.raises(NotFittedError):
        estimator.predict(np.ones((1, 2)))
