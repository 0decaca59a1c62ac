"""LDA equals scikit-learn's, and a search solves one covariance for all points."""

import numpy as np
import pytest
from clouds import clouds
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from wsd.classification.estimators.vector_classifiers import LDA

SHAPES = pytest.mark.parametrize(("rows", "width"), [(150, 12), (60, 60), (40, 150)])


@SHAPES
@pytest.mark.filterwarnings("ignore:Only one sample available")
@pytest.mark.parametrize("shrinkage", [0.05, 0.5, 1.0])
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
    assert_array_equal(ours.classes_, theirs.classes_)
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


def test_without_a_prior_classes_of_any_size_are_as_likely() -> None:
    """A point halfway between two means goes to the larger class because of its prior."""
    X = np.array([[-1.5], [-0.5]] * 9 + [[0.5], [1.5]])
    y = np.array([0] * 18 + [1] * 2)
    middle = np.zeros((1, 1))
    assert_allclose(LDA(prior_exponent=0).fit(X, y).predict_proba(middle), [[0.5, 0.5]])
    assert_allclose(LDA(prior_exponent=1).fit(X, y).predict_proba(middle), [[0.9, 0.1]])


@SHAPES
def test_a_search_is_every_fit_on_its_own(rows: int, width: int) -> None:
    X, y, held = clouds(3, rows=rows, width=width, spread=2.0, shares=(0.6, 0.3, 0.1))
    grid = [{"shrinkage": s, "prior_exponent": e} for s in (0.9, 0.1, 0.5) for e in (1, 0.25, 0)]
    actual = LDA().search(X, y, held, grid)
    for point, of_point in zip(grid, actual, strict=True):
        alone = LDA(**point).fit(X, y).predict_proba(held)
        assert_allclose(of_point, alone, atol=1e-9, err_msg=str(point))
    lda = LDA(shrinkage=0.2, prior_exponent=0.5)
    (own,) = lda.search(X, y, held, [{}])
    assert_allclose(own, LDA(0.2, 0.5).fit(X, y).predict_proba(held), atol=1e-9)


def test_the_features_are_scaled_by_the_training_set_alone() -> None:
    X, y, test = clouds(4)
    fitted = LDA().fit(X, y)
    assert_allclose(fitted.scaler_.mean_, X.mean(axis=0), rtol=1e-12)
    beside = fitted.predict_proba(np.vstack([np.full((1, 12), 1e6), test]))[1:]
    assert_allclose(fitted.predict_proba(test), beside, rtol=1e-12)


@pytest.mark.filterwarnings("error")
def test_classes_without_variance_are_separated_by_their_means() -> None:
    X = np.repeat(np.array([[3.0, 0, 0], [0, 3, 0], [0, 0, 3]]), 4, axis=0)
    fitted = LDA().fit(X, np.repeat([5, 1, 3], 4))
    assert fitted.predict(X + 0.1).tolist() == [5] * 4 + [1] * 4 + [3] * 4
    assert np.isfinite(fitted.predict_proba(X)).all()
