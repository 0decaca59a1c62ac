"""Correlations with ratings and scores of pairs: against scipy and scikit-learn, and by hand."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr
from sklearn.metrics import roc_auc_score

from wsd.metrics.confidence_intervals import percentiles, resampled
from wsd.metrics.graded import (
    METRICS,
    auc,
    best_threshold,
    clusters_of,
    compare,
    confidence_set,
    correlate,
    estimate,
)
from wsd.metrics.permutation import paired_test

REFERENCE = {"spearman": spearmanr, "pearson": pearsonr}
EVERY_METRIC = pytest.mark.parametrize("metric", METRICS)


@EVERY_METRIC
def test_correlations_are_scipys_also_with_ties_and_repeated_items(metric: str) -> None:
    rng = np.random.default_rng(0)
    values, ratings = rng.integers(0, 9, size=30) / 8, rng.integers(1, 5, size=30).astype(float)
    weights = rng.integers(0, 4, size=(9, 30))
    expected = [
        REFERENCE[metric](np.repeat(values, row), np.repeat(ratings, row)).statistic
        for row in weights
    ]
    assert correlate(values, ratings, metric, weights) == pytest.approx(expected, abs=1e-12)
    once = REFERENCE[metric](values, ratings).statistic
    assert correlate(values, ratings, metric).item() == pytest.approx(once, abs=1e-12)


@EVERY_METRIC
def test_nothing_correlates_with_numbers_that_do_not_vary(metric: str) -> None:
    numbers = np.arange(5.0)
    for flat in (np.full(5, 0.1), np.full(5, 3.0)):
        assert np.isnan(correlate(numbers, flat, metric)).all()
        assert np.isnan(correlate(flat, numbers, metric)).all()
        assert np.isnan(estimate(flat, numbers, np.arange(5), metric)).all()


def test_clusters_are_words_unless_there_are_few() -> None:
    words = np.array(["b", "a", "b", "c", "d", "e", "f"])
    assert clusters_of(words).tolist() == [1, 0, 1, 2, 3, 4, 5]
    assert clusters_of(words[:6]).tolist() == [0, 1, 2, 3, 4, 5]


def test_the_interval_resamples_whole_clusters() -> None:
    rng = np.random.default_rng(1)
    values = np.repeat(rng.normal(size=40), 5)
    ratings = values + np.repeat(rng.normal(size=40), 5)
    clusters = np.repeat(np.arange(40), 5)
    observed, *ends = estimate(values, ratings, clusters, "spearman")
    drawn = correlate(values, ratings, "spearman", resampled(clusters))
    assert ends == pytest.approx(percentiles(drawn, observed, 40, floor=-1))


@EVERY_METRIC
def test_the_test_enumerates_all_exchanges_of_whole_clusters(metric: str) -> None:
    rng = np.random.default_rng(3)
    clusters = np.array([2, 0, 1, 0, 1, 2, 3, 4, 5, 4, 3, 6])
    ratings = rng.normal(size=12)
    first, second = ratings + rng.normal(size=12), 9 * rng.normal(size=12)
    scores = [first, second]
    if metric == "spearman":
        scores = [numbers.argsort().argsort() for numbers in scores]
        gold = ratings.argsort().argsort()
    else:
        scores = [(numbers - numbers.mean()) / numbers.std() for numbers in scores]
        gold = ratings
    by_hand = []
    for flips in product((0, 1), repeat=7):
        swapped = np.array(flips)[clusters] == 1
        left, right = np.where(swapped, scores[::-1], scores)
        by_hand.append(pearsonr(left, gold).statistic - pearsonr(right, gold).statistic)
    expected = np.mean(np.abs(by_hand) >= abs(by_hand[0]) - 1e-10)
    test = compare(first, second, ratings, clusters, metric)
    assert test.difference == pytest.approx(by_hand[0])
    assert test.p == pytest.approx(expected)
    assert test.error == pytest.approx(np.sqrt(np.mean(np.square(by_hand))))
    reach = paired_test(np.array(by_hand), np.full(128, 1 / 128)).reach
    assert test[1:3] == pytest.approx((test.difference - reach, test.difference + reach))


def test_the_set_of_two_predictors_agrees_with_their_test() -> None:
    rng = np.random.default_rng(7)
    for _ in range(5):
        ratings, clusters = rng.normal(size=40), np.arange(40) // 4
        predictors = np.stack([ratings + scale * rng.normal(size=40) for scale in (0.9, 1.3)])
        best = confidence_set(predictors, ratings, clusters, "spearman")
        test = compare(*predictors, ratings, clusters, "spearman")
        worse = int(test.difference > 0)
        assert best.p[1 - worse] == 1
        # The p-value of the worse one is one-sided: no outcome equals the opposite difference.
        assert best.p[worse] <= test.p + 1e-9 <= 2 * best.p[worse] + 0.02


# Pairs


@pytest.mark.parametrize(
    ("values", "same", "expected"),
    [
        ([0.1, 0.9, 0.3, 0.5], [0, 1, 0, 1], 0.4),
        # One pair is wrong with any threshold; 0.2 and 0.6 are equally good, and the lower wins.
        ([0.1, 0.3, 0.5, 0.7], [0, 1, 0, 1], 0.2),
        # No threshold separates equal values.
        ([0.1, 0.3, 0.3, 0.7], [0, 0, 1, 1], 0.2),
        ([0.25, 0.5], [0, 0], np.nextafter(0.5, 1)),
        ([0.5, np.nextafter(0.5, 1)], [0, 1], np.nextafter(0.5, 1)),
    ],
)
def test_thresholds(values: list[float], same: list[int], expected: float) -> None:
    actual = best_threshold(np.array(values), np.array(same, dtype=bool))
    assert actual == pytest.approx(expected, rel=0, abs=1e-17)


def test_auc_with_ties_and_weights() -> None:
    values = np.array([0.1, 0.5, 0.5, 0.9])
    same = np.array([False, True, False, True])
    # Of the 4 combinations of a same and a different pair, 3 are in order and 1 is a tie.
    assert auc(values, same, np.ones((1, 4))) == 3.5 / 4
    rng = np.random.default_rng(1)
    values, same = rng.integers(0, 20, size=40) / 20, rng.random(40) < 0.4
    weights = rng.integers(0, 3, size=(3, 40))
    expected = [roc_auc_score(same, values, sample_weight=row) for row in weights]
    assert auc(values, same, weights) == pytest.approx(expected)
    assert np.isnan(auc(values, np.ones(40, dtype=bool), weights)).all()
