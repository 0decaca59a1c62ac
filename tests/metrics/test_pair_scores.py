"""Threshold, accuracy and AUC of pairs: by hand, and against scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from wsd.metrics.confidence_intervals import percentiles, resampled
from wsd.metrics.graded import accuracy, auc, best_threshold


@pytest.mark.parametrize(
    ("values", "same", "expected"),
    [
        ([0.1, 0.9, 0.3, 0.5], [0, 1, 0, 1], 0.4),
        # One pair is wrong with any threshold; 0.2 and 0.6 are equally good, and the lower wins.
        ([0.1, 0.3, 0.5, 0.7], [0, 1, 0, 1], 0.2),
        # No threshold separates equal values.
        ([0.1, 0.3, 0.3, 0.7], [0, 0, 1, 1], 0.2),
        ([0.25, 0.5], [1, 1], 0.25),
        ([0.25, 0.5], [0, 0], np.nextafter(0.5, 1)),
        ([0.5, np.nextafter(0.5, 1)], [0, 1], np.nextafter(0.5, 1)),
    ],
)
def test_thresholds(values: list[float], same: list[int], expected: float) -> None:
    assert best_threshold(np.array(values), np.array(same, dtype=bool)) == pytest.approx(
        expected, rel=0, abs=1e-17
    )


def test_no_other_threshold_is_better() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        values = rng.integers(0, 9, size=12) / 8
        same = rng.random(12) < 0.5
        actual = best_threshold(values, same)
        every = [*values, 2.0]
        best = max(((values >= threshold) == same).sum() for threshold in every)
        assert ((values >= actual) == same).sum() == best


def test_auc_with_ties_and_weights() -> None:
    values = np.array([0.1, 0.5, 0.5, 0.9])
    same = np.array([False, True, False, True])
    # Of the 4 combinations of a same and a different pair, 3 are in order and 1 is a tie.
    assert auc(values, same, np.ones((1, 4))) == 3.5 / 4
    rng = np.random.default_rng(1)
    values, same = rng.integers(0, 20, size=40) / 20, rng.random(40) < 0.4
    weights = rng.integers(0, 3, size=(5, 40))
    expected = [roc_auc_score(same, values, sample_weight=row) for row in weights]
    assert auc(values, same, weights) == pytest.approx(expected)
    assert np.isnan(auc(values, np.ones(40, dtype=bool), weights)).all()


def test_pairs_of_one_cluster_are_drawn_together() -> None:
    weights = resampled(np.array(["b", "a", "b", "c"]), 3)
    assert (weights[:, 0] == weights[:, 2]).all()
    assert (weights[:, [0, 1, 3]].sum(axis=1) == 3).all()
    assert (weights[:, 0] != weights[:, 1]).any()
    right = np.array([True, False, True, False])
    assert accuracy(right, np.array([[1, 1, 1, 1], [2, 1, 2, 0]])) == pytest.approx([0.5, 0.8])


def test_an_interval_holds_the_estimate() -> None:
    drawn = np.linspace(0, 1, 1001)
    assert percentiles(drawn, 0.5) == pytest.approx((0.025, 0.975))
    assert percentiles(drawn, 0.99)[1] == 0.99
    assert np.isnan(percentiles(drawn, np.nan)).all()


def test_few_clusters_widen_the_interval() -> None:
    """By t's quantile with 4 degrees of freedom over the normal one, and the root of 5 / 4."""
    drawn = np.linspace(0.4, 0.6, 1001)
    wider = 0.095 * 2.7764451 / 1.9599640 * np.sqrt(5 / 4)
    assert percentiles(drawn, 0.5, 5) == pytest.approx((0.5 - wider, 0.5 + wider))
    assert percentiles(drawn, 0.5, 10_000) == pytest.approx((0.405, 0.595), abs=1e-4)
    assert percentiles(np.full(9, 0.5), 0.5, 1) == (0, 1)
