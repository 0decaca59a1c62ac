"""Paired permutation tests: enumeration, worked examples, and their intervals."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from random_labels import Word, counted, joints, random_words

from wsd.metrics import permutation
from wsd.metrics.confidence_intervals import mean_intervals
from wsd.metrics.permutation import compare_systems, holm, paired_permutations, sample_exchanges
from wsd.metrics.scores import MEAN_SCORES, confusion, count_kinds, mean_scores


def enumerated(
    words: Sequence[Word], documents: Sequence[np.ndarray] | None = None
) -> dict[str, float]:
    """Return p over all exchanges of instances or documents, one after another."""

    def means(sides: Sequence[np.ndarray]) -> np.ndarray:
        matrices = [confusion(w[0], side, w[3]) for w, side in zip(words, sides, strict=True)]
        return np.array(list(mean_scores(matrices).values()))

    ends = np.cumsum([len(word[0]) for word in words])
    units = np.arange(ends[-1]) if documents is None else np.concatenate(documents)
    results = []
    for coins in product([False, True], repeat=1 + int(units.max())):
        parts = np.split(np.array(coins)[units], ends[:-1])
        pairs = [
            (np.where(coin, b, a), np.where(coin, a, b))
            for coin, (_, a, b, _) in zip(parts, words, strict=True)
        ]
        results.append(np.subtract(*(means(side) for side in zip(*pairs, strict=True))))
    extreme = np.abs(results) >= np.abs(results[0]) - 1e-9
    return dict(zip(MEAN_SCORES, extreme.mean(axis=0), strict=True))


def test_permutations_against_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    rng, words = np.random.default_rng(0), []
    for n_senses in (2, 3):
        gold, a = rng.integers(0, n_senses, size=(2, 3))
        words.append((gold, a, np.array([*(a[:2] + 1) % n_senses, a[2]]), n_senses))
    pairs = joints(words)
    exact = paired_permutations(pairs)
    assert {name: exact[name].p for name in MEAN_SCORES} == pytest.approx(enumerated(words))
    # Too few permutations to enumerate: the observed outcome counts, (1 + 3 p) / 4 on average.
    monkeypatch.setattr(permutation, "PERMUTATIONS", 3)
    drawn = [paired_permutations(pairs, rng=i) for i in range(300)]
    for name in MEAN_SCORES:
        mean = np.mean([actual[name].p for actual in drawn])
        assert mean == pytest.approx((1 + 3 * exact[name].p) / 4, abs=0.05)


def test_documents_are_exchanged_whole() -> None:
    # Six documents, each with instances of both words; most words lack some document.
    rng = np.random.default_rng(5)
    for seed in (7, 20):
        words = random_words(seed, n_words=2, most=9)
        documents = [rng.integers(0, 6, size=len(word[0])) for word in words]
        tests = paired_permutations(joints(words, documents))
        assert {name: tests[name].p for name in MEAN_SCORES} == pytest.approx(
            enumerated(words, documents)
        )


@pytest.mark.parametrize(
    ("cells", "p"),
    [
        # Rosner, Fundamentals of Biostatistics, "Hypertension": a computer device and a trained
        # observer on 20 people, 8 discordant pairs, 7 of one kind; exact two-sided p = 0.070.
        ([[3, 7], [1, 9]], 0.070),
        # The same book's matched pairs of breast cancer patients, 5 against 16 of 621 pairs
        # (chi-square 4.76, p = 0.029 by the normal approximation): 2 * 27896 / 2**21 exactly.
        ([[510, 5], [16, 90]], 0.0266),
    ],
)
def test_the_test_of_micro_accuracy_is_mcnemars(cells: list[list[int]], p: float) -> None:
    pair = np.array([cells, np.zeros((2, 2), dtype=int)])
    assert paired_permutations([counted(pair)])["micro_accuracy"].p == pytest.approx(p, abs=5e-4)


def test_drawn_exchanges_are_binomial() -> None:
    """After the observed outcome. A byte of random bits counts eight instances at most."""
    numbers = np.array([1, 8, 9, 300])
    parts, weights = sample_exchanges([(numbers[:1], None), (numbers[1:], None)], 1, 999)
    drawn = np.concatenate([np.hstack(part) for part in parts])
    assert len(drawn) == len(weights) and not drawn[0].any()
    assert drawn[1:].mean(axis=0) == pytest.approx(numbers / 2, rel=0.02)
    assert drawn[1:].var(axis=0) == pytest.approx(numbers / 4, rel=0.04)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


# Differences with intervals


def test_interval_and_test_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permutation, "PERMUTATIONS", 999)
    for seed in range(12):
        pairs = joints(random_words(seed, n_words=3))
        tests = paired_permutations(pairs)
        for name, (difference, low, high, p, _) in compare_systems(pairs).items():
            assert (difference, p) == tests[name][:2]
            assert -1 <= low <= difference <= high <= 1
            assert (low > 0 or high < 0) == (p <= 0.05)


@pytest.mark.parametrize(
    ("both", "first", "second", "p", "ends"),
    [
        # 7 against 1 of 40 instances: under exchange, the difference is (8 - 2 k) / 40, k binomial,
        # and |8 - 2 k| is at least 6 in 18 of 256 cases, and 8 in 2.
        (32, 7, 1, 18 / 256, (0, 12 / 40)),
        # 8 against none: the interval still reaches 6 / 40 to each side.
        (32, 8, 0, 2 / 256, (2 / 40, 14 / 40)),
    ],
)
def test_a_difference_reaches_as_far_as_exchanges_do(
    both: int, first: int, second: int, p: float, ends: tuple[float, float]
) -> None:
    pair = np.array([[[both, first], [second, 0]], np.zeros((2, 2), dtype=int)])
    actual = compare_systems([counted(pair)])["micro_accuracy"]
    error = (first + second) ** 0.5 / 40
    assert actual == pytest.approx(((first - second) / 40, *ends, p, error))


@pytest.mark.parametrize("document", [1, 2])
def test_a_large_difference_has_the_interval_of_its_posterior(document: int) -> None:
    """The most frequent sense against a good classifier, in documents of equal instances."""
    gold, first = np.repeat([0, 1], [60, 40]), np.repeat([0, 1, 0], [60, 38, 2])
    names = np.arange(100) // document
    pairs = [count_kinds([gold, first, 0 * gold], 2, names + 100 * i) for i in range(12)]
    reaches, halves = permutation.LARGE
    difference, _, reach, _ = paired_permutations(pairs)["micro_accuracy"]
    posterior = mean_intervals(pairs)["micro_accuracy"]
    width = float(np.ptp(posterior))
    assert difference > max(reaches * reach, halves * width / 2) and width < 2 * reach
    actual = compare_systems(pairs)["micro_accuracy"]
    assert actual[1:3] == posterior
    assert actual.error == pytest.approx(width / 2 / 1.96, rel=1e-3)


def test_a_large_difference_of_few_instances_keeps_the_interval_of_the_test(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The prior makes their posterior wide."""
    monkeypatch.setattr(permutation, "PERMUTATIONS", 999)
    pairs = [counted(np.array([[[90, 0], [0, 0]], [[0, 0], [4, 60]]]))] * 120
    difference, _, reach, error = paired_permutations(pairs)["micro_accuracy"]
    assert difference > permutation.LARGE[0] * reach
    assert np.ptp(mean_intervals(pairs)["micro_accuracy"]) > 2 * reach
    actual = compare_systems(pairs)["micro_accuracy"]
    assert actual[1:3] == pytest.approx((difference - reach, difference + reach))
    assert actual.error == error
