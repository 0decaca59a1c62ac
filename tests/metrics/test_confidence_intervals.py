"""Intervals: exact limits, naive draws in full arrays, coverage, and few clusters."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from random_labels import every_triple, joints, many_senses, random_words

from wsd.metrics.confidence_intervals import (
    inflations,
    mean_intervals,
    percentiles,
    resampled,
    word_intervals,
)
from wsd.metrics.scores import (
    MEAN_SCORES,
    WORD_SCORES,
    Counts,
    mean_scores,
    scores_of_margins,
    subtract,
)

Scores = Mapping[str, np.ndarray]


def systems(pairs: Sequence[Counts]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return the confusion matrices of the first and of the second system."""
    triples = list(map(every_triple, pairs))
    return [joint.sum(axis=2) for joint in triples], [joint.sum(axis=1) for joint in triples]


def test_a_perfect_score_has_an_interval() -> None:
    for low, high in word_intervals(np.diag([92, 7])).values():
        assert high == 1
        assert low < 0.99


def test_the_seed_decides() -> None:
    pairs = joints(random_words(4, most=60))
    first = systems(pairs)[0]
    for run in (
        lambda rng: mean_intervals(first, draws=100, rng=rng),
        lambda rng: mean_intervals(pairs, draws=100, rng=rng),
        lambda rng: word_intervals(first[0], draws=100, rng=rng),
        lambda rng: resampled(np.arange(9), rng).tolist(),
    ):
        assert run(5) == run(np.random.default_rng(5)) != run(6)


# Full arrays of gold, first and second


def rescaled(mass: np.ndarray, counts: np.ndarray) -> Scores:
    """Scale the drawn mass of each row to its count; average F1 over the senses that occur."""
    drawn = mass / np.maximum(mass.sum(axis=-1, keepdims=True), 1e-300)
    drawn = drawn * counts.sum(axis=-1, keepdims=True)
    right = np.diagonal(drawn, axis1=-2, axis2=-1)
    labels = counts.sum(axis=0) + counts.sum(axis=1) > 0
    return scores_of_margins(right, drawn.sum(axis=-1), drawn.sum(axis=-2), labels)


def prior(n: int, n_systems: int) -> np.ndarray:
    """Return one instance per gold sense: each system is right in half of it, independently."""
    one = np.where(np.eye(n), 0.5, 0.5 / max(n - 1, 1))
    if n_systems == 1:
        return one
    both = np.zeros((n, n, n))
    for gold in range(n):
        both[gold, gold, gold] = 0.25
        for other in {*range(n)} - {gold}:
            both[gold, [gold, other, other], [other, gold, other]] = 0.25 / (n - 1)
    return both


def test_the_shortest_intervals_of_a_word() -> None:
    """The numbers are of full arrays: the shortest with 95% of the rescaled draws, and the prior
    put into one cell of each row.
    """
    matrix = [[2, 1, 1, 0, 0], [0, 4, 0, 0, 0], [1, 0, 4, 0, 1], [0, 0, 0, 3, 0], [1, 0, 2, 0, 5]]
    expected = {
        "accuracy": (0.5043015036335, 0.8109772962557),
        "macro_f1": (0.5371461306726, 0.8337234558403),
        "balanced_accuracy": (0.5571101579594, 0.8507596811575),
    }
    actual = word_intervals(np.array(matrix), draws=400, rng=7)
    assert actual == {name: pytest.approx(ends) for name, ends in expected.items()}


@pytest.mark.parametrize("n", [1, 2, 4])
def test_pieces_have_the_distribution_of_full_arrays(n: int) -> None:
    """The draws differ, but the intervals are equal up to 3% of the width in 20,000 draws."""
    pairs = joints([many_senses(n, 4 * n, 2 + n)])
    joint, rng = every_triple(pairs[0]), np.random.default_rng(1)
    (first,), (second,) = systems(pairs)
    single = rescaled(rng.standard_gamma(first + prior(n, 1), (20_000, n, n)), first)
    mass = rng.standard_gamma(joint + prior(n, 2), (20_000, n, n, n))
    pair = [rescaled(mass.sum(axis=-axis), joint.sum(axis=-axis)) for axis in (1, 2)]
    gap = subtract(mean_scores([first]), mean_scores([second]))
    for words, drawn, estimate, floor in (
        ([first], single, mean_scores([first]), 0),
        (pairs, subtract(*pair), gap, -1),
    ):
        actual = mean_intervals(words, draws=20_000, rng=1)
        for name, of_word in zip(MEAN_SCORES, ("accuracy", *WORD_SCORES), strict=True):
            values = drawn[of_word] - drawn[of_word].mean()
            expected = np.clip(estimate[name] + np.quantile(values, [0.025, 0.975]), floor, 1)
            assert actual[name] == pytest.approx(expected, abs=0.03 * np.ptp(expected) + 1e-9)


# Documents and resampling


def test_documents_widen_intervals_by_the_inflation() -> None:
    rng = np.random.default_rng(1)
    words = random_words(1, n_words=4, most=40)
    documents = [rng.integers(8, size=len(word[0])) for word in words]
    pairs, tied = joints(words), joints(words, documents)
    narrow, wide, factors = mean_intervals(pairs), mean_intervals(tied), inflations(tied)
    estimate = subtract(*map(mean_scores, systems(pairs)))
    assert max(factors.values()) > 1.1
    for name in MEAN_SCORES:
        for before, after in zip(narrow[name], wide[name], strict=True):
            expected = np.clip(factors[name] * (before - estimate[name]) + estimate[name], -1, 1)
            assert after == pytest.approx(expected, rel=1e-9)


def test_pairs_of_one_cluster_are_drawn_together() -> None:
    weights = resampled(np.array(["b", "a", "b", "c"]), 3)
    assert (weights[:, 0] == weights[:, 2]).all()
    assert (weights[:, [0, 1, 3]].sum(axis=1) == 3).all()
    assert (weights[:, 0] != weights[:, 1]).any()


def test_percentiles_hold_the_estimate() -> None:
    drawn = np.linspace(0, 1, 1001)
    assert percentiles(drawn, 0.5) == pytest.approx((0.025, 0.975))
    assert percentiles(drawn, 0.99)[1] == 0.99
    assert np.isnan(percentiles(drawn, np.nan)).all()


def test_few_clusters_widen_each_side_of_the_interval() -> None:
    """By t's quantile with 4 degrees of freedom over the normal one, and the root of 5 / 4."""
    drawn = np.linspace(0.4, 0.6, 1001)
    wider = 2.7764451 / 1.9599640 * np.sqrt(5 / 4)
    for estimate in (0.5, 0.45):
        ends = estimate + wider * (np.array([0.405, 0.595]) - estimate)
        assert percentiles(drawn, estimate, 5) == pytest.approx(ends)
        assert percentiles(drawn, estimate, 10_000) == pytest.approx((0.405, 0.595), abs=1e-4)
    assert percentiles(np.full(9, 0.5), 0.5, 1) == (0, 1)
