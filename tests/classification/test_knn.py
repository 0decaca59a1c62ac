"""k nearest neighbours equal scikit-learn's; one search serves all k."""

import warnings

import numpy as np
import pytest
from clouds import clouds
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.neighbors import KNeighborsClassifier

from wsd.classification.estimators.vector_classifiers import KNN

KS = (1, 3, 5, 10, 20, 40)


def theirs(k: int) -> KNeighborsClassifier:
    return KNeighborsClassifier(k, metric="cosine", weights="distance", algorithm="brute")


@pytest.mark.parametrize("k", KS)
@pytest.mark.parametrize("n_classes", [2, 4])
def test_knn_is_that_of_scikit_learn(k: int, n_classes: int) -> None:
    X, y, test = clouds(1, classes=n_classes, spread=2.0)
    ours, reference = KNN(k).fit(X, y), theirs(k).fit(X, y)
    assert_allclose(ours.predict_proba(test), reference.predict_proba(test), atol=1e-9)
    assert_array_equal(ours.predict(test), reference.predict(test))


def test_a_training_set_smaller_than_k_votes_as_a_whole() -> None:
    X, y, test = clouds(2, rows=7)
    assert_allclose(
        KNN(40).fit(X, y).predict_proba(test), theirs(7).fit(X, y).predict_proba(test), atol=1e-9
    )


@pytest.mark.filterwarnings("error")
def test_an_exact_duplicate_outvotes_all_others() -> None:
    """On the axes cosine distances are exact, so that scikit-learn computes 0 too."""
    axes = np.eye(4)
    X = np.vstack([axes, 2 * axes[:2], [[1.0, 1, 0, 0], [3, 1, 0, 0]]])
    y = np.array([0, 1, 2, 2, 1, 1, 0, 0])
    test = np.vstack([5 * axes, [[4.0, 1, 0, 0], [1, 2, 0, 0]]])
    for k in (1, 3, 5, 8):
        ours = KNN(k).fit(X, y).predict_proba(test)
        if k > 1:  # of two duplicates, which is the nearest is nobody's rule
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                expected = theirs(k).fit(X, y).predict_proba(test)
            assert_allclose(ours[[0, 1, 4, 5]], expected[[0, 1, 4, 5]], atol=1e-9)
        # Both senses have a duplicate of the first axis.
        assert_allclose(ours[0], [1, 0, 0] if k == 1 else [0.5, 0.5, 0], atol=1e-12)
        assert_allclose(ours[1], [0, 1, 0], atol=1e-12)
        assert_allclose(ours[2], [0, 0, 1], atol=1e-12)


def test_rounding_does_not_count_as_distance() -> None:
    """The cosine of a vector with itself is 1 except for rounding."""
    X, y, _ = clouds(3)
    actual = KNN(5).fit(X, y).predict_proba(7.3 * X)
    assert_array_equal(actual, np.eye(3)[y])


def test_votes_by_hand() -> None:
    """Distances 1 - 0.8, 1 - 0.6 and 1 from (4, 3): votes 5, 2.5 and 1."""
    X, y = np.array([[1.0, 0], [0, 1], [-3, 4]]), np.array(["a", "b", "b"])
    fitted = KNN(3).fit(X, y)
    assert_allclose(fitted.predict_proba(np.array([[4.0, 3]])), [[5 / 8.5, 3.5 / 8.5]], rtol=1e-9)
    assert_allclose(KNN(2).fit(X, y).predict_proba(np.array([[4.0, 3]])), [[2 / 3, 1 / 3]])
    assert fitted.predict(np.array([[4.0, 3]])).tolist() == ["a"]


def test_the_first_of_equally_near_instances_counts() -> None:
    X = np.array([[0.0, 1], [0, 2], [0, 3], [1, 0]])
    for y in ([0, 1, 1, 1], [1, 0, 0, 0]):
        fitted = KNN(1).fit(X, np.array(y))
        assert fitted.predict(np.array([[1.0, 3]])).tolist() == y[:1]
    # Fifty equally near instances, some nearer and some farther ones.
    X = np.vstack([[[0.0, -1]] * 20, [[0.0, 2.0**i] for i in range(50)], [[1.0, 3]] * 2])
    y = np.array([9] * 20 + [5, 6, 7] + [8] * 47 + [4] * 2)
    votes = KNN(5).fit(X, y).predict_proba(np.array([[1.0, 2]]))
    assert (votes[0] > 0).tolist() == [True, True, True, True, False, False]


def test_a_search_is_every_fit_on_its_own() -> None:
    X, y, held = clouds(4, spread=2.0, rows=30)
    held = np.vstack([held, X[:3]])
    grid = [{"k": k} for k in (10, 1, 40, 3)]
    for point, actual in zip(grid, KNN().search(X, y, held, grid), strict=True):
        assert_allclose(actual, KNN(**point).fit(X, y).predict_proba(held), atol=1e-9)
    (own,) = KNN(7).search(X, y, held, [{}])
    assert_allclose(own, KNN(7).fit(X, y).predict_proba(held), atol=1e-9)
    ways = [{"k": k, "transform": name} for name in ("whiten", "none", "remove-2") for k in (3, 9)]
    ways = [ways[i] for i in (4, 0, 2, 5, 1, 3)]
    scores = KNN().search(X, y, held, ways)
    for point, actual in zip(ways, scores, strict=True):
        assert_allclose(actual, KNN(**point).fit(X, y).predict_proba(held), atol=1e-9)
    assert len(np.unique(scores.reshape(6, -1), axis=0)) == 6
