"""Correlations with ratings: against scipy, by enumeration, and on synthetic words."""

import tracemalloc
from itertools import product

import numpy as np
import pytest
from scipy.stats import pearsonr, permutation_test, spearmanr

from wsd.metrics import permutation
from wsd.metrics.graded import (
    METRICS,
    clusters_of,
    compare,
    confidence_set,
    correlate,
    estimate,
)

REFERENCE = {"spearman": spearmanr, "pearson": pearsonr}


@pytest.mark.parametrize("metric", METRICS)
def test_correlations_are_scipys_also_with_ties_and_repeated_items(metric: str) -> None:
    rng = np.random.default_rng(0)
    values, ratings = rng.integers(0, 9, size=30) / 8, rng.integers(1, 5, size=30).astype(float)
    weights = rng.integers(0, 4, size=(20, 30))
    expected = [
        REFERENCE[metric](np.repeat(values, row), np.repeat(ratings, row)).statistic
        for row in weights
    ]
    assert correlate(values, ratings, metric, weights) == pytest.approx(expected, abs=1e-12)
    once = REFERENCE[metric](values, ratings).statistic
    assert correlate(values, ratings, metric).item() == pytest.approx(once, abs=1e-12)


@pytest.mark.parametrize("metric", METRICS)
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
    (by_item, *ends), (by_cluster, *wider) = (
        estimate(values, ratings, clusters, "spearman")
        for clusters in (np.arange(200), np.repeat(np.arange(40), 5))
    )
    assert by_item == by_cluster
    # Five copies of an item say no more than the item: the interval is about 5**0.5 times as wide.
    assert 1.8 < np.ptp(wider) / np.ptp(ends) < 2.8


def test_an_interval_may_be_below_zero() -> None:
    values = np.random.default_rng(1).normal(size=50)
    observed, low, high = estimate(values, -values - values**3, np.arange(50), "pearson")
    assert -1 <= low < observed < high < -0.5


@pytest.mark.parametrize("metric", METRICS)
def test_intervals_cover_the_true_correlation(metric: str) -> None:
    rng = np.random.default_rng(2)
    true = {"pearson": 0.5, "spearman": 6 / np.pi * np.arcsin(0.25)}[metric]
    covered = 0
    for seed in range(200):
        values = rng.normal(size=60)
        ratings = 0.5 * values + 0.75**0.5 * rng.normal(size=60)
        _, low, high = estimate(values, ratings, np.arange(60), metric, rng=seed)
        covered += low <= true <= high
    assert 180 <= covered <= 199


@pytest.mark.parametrize("metric", METRICS)
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
    reverse = compare(second, first, ratings, clusters, metric)
    assert (reverse.difference, reverse.p) == pytest.approx((-test.difference, test.p))


def test_pearsons_test_is_scipys() -> None:
    rng = np.random.default_rng(4)
    ratings = rng.normal(size=10)
    first, second = ratings + rng.normal(size=10), rng.normal(size=10)
    scaled = [(numbers - numbers.mean()) / numbers.std() for numbers in (first, second)]

    def statistic(left: np.ndarray, right: np.ndarray) -> float:
        return pearsonr(left, ratings).statistic - pearsonr(right, ratings).statistic

    reference = permutation_test(
        scaled, statistic, permutation_type="samples", n_resamples=np.inf, vectorized=False
    )
    test = compare(first, second, ratings, np.arange(10), "pearson")
    assert test.p == pytest.approx(reference.pvalue)


def test_the_interval_excludes_zero_exactly_if_the_test_is_significant() -> None:
    rng = np.random.default_rng(5)
    verdicts = set()
    for seed in range(40):
        ratings = rng.normal(size=60)
        first, second = ratings + rng.normal(size=60), ratings + 1.7 * rng.normal(size=60)
        test = compare(first, second, ratings, np.arange(60) // 2, "spearman", rng=seed)
        verdicts.add(test.p <= 0.05)
        assert (test.p <= 0.05) == (not test.low <= 0 <= test.high)
    assert verdicts == {True, False}


def test_the_test_keeps_its_level() -> None:
    rng = np.random.default_rng(6)
    significant = 0
    for seed in range(200):
        ratings = rng.normal(size=40)
        first, second = ratings + rng.normal(size=40), ratings + rng.normal(size=40)
        test = compare(first, second, ratings, np.arange(40) // 2, "spearman", rng=seed)
        significant += test.p <= 0.05
    assert significant <= 19


def test_the_same_ranks_do_not_differ() -> None:
    ratings = np.array([1.0, 2.0, 2.0, 4.0, 3.0, 5.0, 9.0])
    values = np.array([2.0, 1.0, 3.0, 3.0, 5.0, 6.0, 7.0])
    test = compare(values, np.exp(values), ratings, np.arange(7), "spearman")
    assert (test.difference, test.p) == (0, 1)


def test_the_set_of_two_predictors_agrees_with_their_test() -> None:
    rng = np.random.default_rng(7)
    verdicts = set()
    for _ in range(20):
        ratings, clusters = rng.normal(size=40), np.arange(40) // 4
        predictors = np.stack([ratings + scale * rng.normal(size=40) for scale in (0.9, 1.3)])
        best = confidence_set(predictors, ratings, clusters, "spearman")
        test = compare(*predictors, ratings, clusters, "spearman")
        assert best.estimate[0] - best.estimate[1] == pytest.approx(test.difference)
        worse = int(test.difference > 0)
        assert best.p[1 - worse] == 1
        # The p-value of the worse one is one-sided: no outcome equals the opposite difference.
        assert best.p[worse] <= test.p + 1e-9 <= 2 * best.p[worse] + 0.02
        verdicts.add(bool(best.within[worse]))
    assert verdicts == {True, False}


def test_the_set_contains_the_best_predictor() -> None:
    rng = np.random.default_rng(8)
    missed, sizes = 0, []
    for seed in range(100):
        ratings = rng.normal(size=60)
        noise = np.array([1.0, 1.0, 1.0, 1.1, 1.2, 4.0])
        predictors = ratings + noise[:, None] * rng.normal(size=(6, 60))
        best = confidence_set(predictors, ratings, np.arange(60) // 2, "pearson", rng=seed)
        missed += not best.within[0]
        sizes.append(best.within.sum())
        assert not best.within[5] or best.within[:3].all()
    assert missed <= 10
    assert 2 < np.mean(sizes) < 5.5


def test_memory_grows_linearly_with_the_items(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without words, each of 20,000 pairs is a cluster: a square matrix would take 3.2 GB."""
    rng = np.random.default_rng(9)
    ratings = rng.normal(size=20_000)
    predictors = ratings + np.array([[0.5], [2.0]]) * rng.normal(size=(2, 20_000))
    monkeypatch.setattr(permutation, "PERMUTATIONS", 99)
    tracemalloc.start()
    best = confidence_set(predictors, ratings, np.arange(20_000), "spearman")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert best.within.tolist() == [True, False]
    assert peak < 200e6
