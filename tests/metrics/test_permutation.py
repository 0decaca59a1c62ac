"""Paired permutation tests: enumeration, worked examples, and their intervals."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from random_labels import Word, counted, joints, random_words

from wsd.metrics import permutation
from wsd.metrics.confidence_intervals import mean_intervals
from wsd.metrics.permutation import compare_systems, holm, paired_permutations
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


def table(cells: dict[tuple[int, int, int], int]) -> np.ndarray:
    """Return the numbers of (gold, first, second) for two senses."""
    pair = np.zeros((2, 2, 2), dtype=int)
    for cell, number in cells.items():
        pair[cell] = number
    return pair


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


def test_sampled_permutations_come_near_the_exact_p(monkeypatch: pytest.MonkeyPatch) -> None:
    # Of six kinds, (4+1)(2+1)(5+1)(1+1)(2+1)(3+1) = 2160 outcomes.
    pair = np.zeros((3, 3, 3), dtype=int)
    pair[[0, 0, 1, 1, 2, 2], [0, 1, 1, 0, 2, 1], [1, 0, 0, 1, 1, 2]] = [4, 2, 5, 1, 2, 3]
    exact = paired_permutations([counted(pair)])
    monkeypatch.setattr(permutation, "PERMUTATIONS", 2158)
    sampled = paired_permutations([counted(pair)], rng=3)
    assert sampled == paired_permutations([counted(pair)], rng=3)
    for name in MEAN_SCORES:
        assert exact[name].difference == sampled[name].difference
        assert 0.01 < exact[name].p < 0.99
        assert sampled[name].p != exact[name].p
        assert sampled[name].p == pytest.approx(exact[name].p, abs=0.035)


@pytest.mark.parametrize(
    ("both", "first", "second", "neither", "p"),
    [
        # Rosner, Fundamentals of Biostatistics, "Hypertension": a computer device and a trained
        # observer on 20 people, 8 discordant pairs, 7 of one kind; exact two-sided p = 0.070.
        pytest.param(3, 7, 1, 9, 0.070, id="Rosner, blood pressure"),
        # The same book's matched pairs of breast cancer patients, 5 against 16 of 621 pairs
        # (chi-square 4.76, p = 0.029 by the normal approximation): 2 * 27896 / 2**21 exactly.
        pytest.param(510, 5, 16, 90, 0.0266, id="Rosner, breast cancer"),
    ],
)
def test_the_test_of_micro_accuracy_is_mcnemars(
    both: int, first: int, second: int, neither: int, p: float
) -> None:
    pair = np.zeros((2, 2, 2), dtype=int)
    pair[0] = [[both, first], [second, neither]]
    assert paired_permutations([counted(pair)])["micro_accuracy"].p == pytest.approx(p, abs=5e-4)
    # The same table spread over two senses of two words.
    rest = np.zeros((2, 2, 2), dtype=int)
    rest[1] = (pair[0] - pair[0] // 2)[::-1, ::-1]
    two_words = paired_permutations([counted(pair // 2), counted(rest)])
    assert two_words["micro_accuracy"].p == pytest.approx(p, abs=5e-4)


def test_the_test_keeps_its_level(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two equal systems on three words; bench/coverage.py has the complete simulation."""
    monkeypatch.setattr(permutation, "PERMUTATIONS", 199)
    rng, wrong = np.random.default_rng(0), []
    gold = np.repeat([0, 1], [30, 15])
    for _ in range(150):
        systems = np.where(rng.random((3, 2, 45)) < 0.2, 1 - gold, gold)
        pairs = [count_kinds([gold, *pair], 2) for pair in systems]
        wrong.append([test.p <= 0.05 for test in paired_permutations(pairs, rng=rng).values()])
    # Three standard errors above 5%; a test that never rejects has no power.
    assert (np.mean(wrong, axis=0) < 0.104).all() and np.mean(wrong) > 0.01


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]).tolist() == []


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


def test_equal_systems_have_no_difference() -> None:
    gold = np.repeat([0, 1], [20, 7])
    guessed = gold.copy()
    guessed[[3, 22]] = 1 - guessed[[3, 22]]
    pair = [count_kinds([gold, guessed, guessed], 2)]
    for name, (low, high) in mean_intervals(pair).items():
        assert paired_permutations(pair)[name] == (0, 1, 0, 0)
        assert low < 0 < high
        assert -low == pytest.approx(high, rel=0.2)


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
    pair = table({(0, 0, 0): both, (0, 0, 1): first, (0, 1, 0): second})
    actual = compare_systems([counted(pair)])["micro_accuracy"]
    assert actual.p == pytest.approx(p)
    assert actual.difference == pytest.approx((first - second) / 40)
    assert actual[1:3] == pytest.approx(ends)
    error = np.sqrt(first + second) / 40
    assert actual.error == pytest.approx(error)


def test_a_large_difference_has_the_narrower_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permutation, "PERMUTATIONS", 999)
    often, some = (
        table({(0, 0, 0): 60, (1, 1, 0): 38, (1, 0, 0): 2}),
        table({(0, 0, 0): 90, (1, 1, 1): 60, (1, 1, 0): 4}),
    )
    # The most frequent sense against a good classifier; and many instances of which few differ:
    # the prior makes their posterior wide.
    for pair, words, is_posterior in ((often, 12, True), (some, 120, False)):
        pairs = [counted(pair)] * words
        difference, _, reach, error = paired_permutations(pairs)["micro_accuracy"]
        posterior = mean_intervals(pairs)["micro_accuracy"]
        reaches, halves = permutation.LARGE
        assert difference > max(reaches * reach, halves * np.ptp(posterior) / 2)
        assert (np.ptp(posterior) < 2 * reach) == is_posterior
        actual = compare_systems(pairs)["micro_accuracy"]
        if is_posterior:
            assert actual[1:3] == posterior
            assert actual.error == pytest.approx(np.ptp(posterior) / 2 / 1.96, rel=1e-3)
        else:
            assert actual[1:3] == pytest.approx((difference - reach, difference + reach))
            assert actual.error == error
