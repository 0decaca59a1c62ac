"""How much clusters inflate standard errors: exact answers."""

import numpy as np
import pytest
from scipy.stats import norm, t

from wsd.metrics.confidence_intervals import inflations
from wsd.metrics.scores import MEAN_SCORES, count_kinds

Array = np.ndarray
SENSES = 3
MICRO = MEAN_SCORES[0]


def few(clusters: float) -> float:
    """Return how much wider a 95% interval is by the t-distribution."""
    return float(t.ppf(0.975, clusters - 1) / norm.ppf(0.975))


def random_words(seed: int) -> list[tuple[Array, Array, Array, Array]]:
    """Return gold, two systems and documents of three words; documents share their errors."""
    rng = np.random.default_rng(seed)
    error = rng.beta(0.3, 1.2, size=(2, 12))
    words = []
    for n in (12, 10, 14):
        gold, documents = rng.integers(SENSES, size=n), rng.integers(12, size=n)
        # Each sense is in at least two documents.
        gold[: 2 * SENSES], documents[: 2 * SENSES] = np.arange(6) % 3, np.arange(6)
        first, second = (
            np.where(rng.random(n) < rates[documents], (gold + 1) % SENSES, gold) for rates in error
        )
        words.append((gold, first, second, documents))
    return words


@pytest.mark.parametrize(
    ("n_systems", "expected"),
    [(1, [1.501029, 1.448460, 1.543802, 1.578903]), (2, [1.715722, 1.667328, 1.688668, 1.728867])],
)
def test_influences_are_derivatives_of_weighted_scores(
    n_systems: int, expected: list[float]
) -> None:
    """The numbers are of scikit-learn's scores, with a little more weight for each instance."""
    words = [(*word[: 1 + n_systems], word[-1]) for word in random_words(0)]
    actual = inflations([count_kinds(word[:-1], SENSES, word[-1]) for word in words])
    assert [actual[name] for name in MEAN_SCORES] == pytest.approx(expected, abs=1e-6)


def test_pairs_of_equal_instances_have_an_exact_inflation() -> None:
    gold, predicted = np.zeros(30, dtype=int), np.repeat([0] * 11 + [1] * 4, 2)
    pairs = count_kinds([gold, predicted], 2, np.repeat(np.arange(15), 2))
    assert inflations([pairs])[MICRO] == pytest.approx((29 / 14) ** 0.5 * few(15))
    # The same documents in another word: all four instances of a document are equal.
    assert inflations([pairs, pairs])[MICRO] == pytest.approx((2 * 29 / 14) ** 0.5 * few(15))
    assert pairs.documents is not None
    other = pairs.documents._replace(names=pairs.documents.names + 100)
    apart = inflations([pairs, pairs._replace(documents=other)])
    assert apart[MICRO] == pytest.approx((29 / 14) ** 0.5 * few(30))


def test_a_sense_in_a_single_document_shows_nothing() -> None:
    gold, predicted = np.repeat([0, 1], [30, 10]), np.repeat([0, 1, 1, 0], [22, 8, 5, 5])
    documents = np.repeat(np.arange(16), [2] * 15 + [10])
    both = inflations([count_kinds([gold, predicted], 2, documents)])
    first = inflations([count_kinds([gold[:30], predicted[:30]], 2, documents[:30])])
    assert both[MICRO] == pytest.approx(first[MICRO]) and both[MICRO] > 1.4


def test_without_clusters_it_is_1() -> None:
    words = random_words(0)
    plain = [count_kinds([gold, first], SENSES) for gold, first, *_ in words]
    alone = [
        count_kinds([gold, first], SENSES, len(gold) * 1000 + np.arange(len(gold)))
        for gold, first, *_ in words
    ]
    same = [count_kinds([gold, first, first], SENSES, d) for gold, first, _, d in words]
    for counts in (plain, alone, same):
        assert inflations(counts) == pytest.approx(dict.fromkeys(MEAN_SCORES, 1.0), abs=1e-6)
    # One document shows nothing.
    alike = np.zeros(9, dtype=int)
    word = count_kinds([alike, np.arange(9) % 2], 2, alike)
    assert inflations([word]) == dict.fromkeys(MEAN_SCORES, 1.0)
    # Documents that are more alike than random ones do not make an interval narrower.
    gold, predicted = np.zeros(40, dtype=int), np.tile([0, 1], 20)
    balanced = count_kinds([gold, predicted], 2, np.repeat(np.arange(20), 2))
    assert inflations([balanced])[MICRO] == 1
