"""How much clusters inflate standard errors: exact answers, and scikit-learn's weighted scores."""

import numpy as np
import pytest
from scipy.stats import norm, t
from sklearn.metrics import f1_score, recall_score

from wsd.metrics.confidence_intervals import inflations
from wsd.metrics.scores import MEAN_SCORES, count_kinds

Array = np.ndarray
SENSES = 3
MICRO, ACCURACY, MACRO_F1, BALANCED = MEAN_SCORES


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


def weighted(name: str, gold: Array, predicted: Array, weights: Array) -> float:
    if name in (MICRO, ACCURACY):
        return float(weights @ (gold == predicted) / weights.sum())
    score = f1_score if name == MACRO_F1 else recall_score
    return float(score(gold, predicted, average="macro", sample_weight=weights, zero_division=0.0))


def naive(name: str, words: list[tuple[Array, ...]]) -> float:
    """Return the inflation instance by instance, with the derivatives of weighted scores."""
    totals = dict.fromkeys(range(12), 0.0)
    alone, size = 0.0, sum(len(word[0]) for word in words)
    for gold, *systems, documents in words:
        n = len(gold)
        influence = np.zeros(n)
        for i in range(n):
            values = []
            for step in (1e-4, -1e-4):
                weights = np.ones(n)
                weights[i] += step
                scores = [weighted(name, gold, system, weights) for system in systems]
                values.append(scores[0] - scores[1] if len(scores) > 1 else scores[0])
            influence[i] = (values[0] - values[1]) / 2e-4
        influence *= n / size if name == MICRO else 1 / len(words)
        for sense in range(SENSES):
            own = gold == sense
            influence[own] -= influence[own].mean()
            m, k = len(set(documents[own])), own.sum()
            alone += (influence[own] ** 2).sum() * k / (k - 1)
            for document in set(documents[own]):
                both = own & (documents == document)
                totals[document] += influence[both].sum() * (m / (m - 1)) ** 0.5
    ratio = sum(total**2 for total in totals.values()) / alone
    sizes = np.bincount(np.concatenate([word[-1] for word in words])).tolist()
    correlation = (ratio - 1) * size / sum(n * (n - 1) for n in sizes)
    variances = [n * (1 + (n - 1) * correlation) for n in sizes]
    return float(ratio**0.5) * few(sum(variances) ** 2 / sum(v**2 for v in variances))


@pytest.mark.parametrize("n_systems", [1, 2])
def test_influences_are_derivatives_of_weighted_scores(n_systems: int) -> None:
    words = [(gold, *systems[:n_systems], d) for gold, *systems, d in random_words(0)]
    actual = inflations([count_kinds(word[:-1], SENSES, word[-1]) for word in words])
    for name in MEAN_SCORES if n_systems == 1 else (MICRO, MACRO_F1):
        assert actual[name] == pytest.approx(naive(name, words), rel=1e-5)
        assert actual[name] > 1


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
    alone = []
    for gold, first, *_ in words:
        numbers = len(gold) * 1000 + np.arange(len(gold))
        alone.append(count_kinds([gold, first], SENSES, numbers))
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
