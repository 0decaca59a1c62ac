"""Words with many senses: no cubic arrays, and the same scores as with full arrays."""

import tracemalloc
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest

from wsd.metrics.confidence_intervals import (
    _draw_margins,
    inflations,
    mean_intervals,
    word_intervals,
)
from wsd.metrics.confidence_set import confidence_set
from wsd.metrics.permutation import paired_permutations
from wsd.metrics.scores import (
    MEAN_SCORES,
    WORD_SCORES,
    Counts,
    confusion,
    count_kinds,
    mean_scores,
    scores_of_margins,
    subtract,
)

Word = tuple[np.ndarray, np.ndarray, np.ndarray]
Scores = Mapping[str, np.ndarray]


def word(n_senses: int, n: int, seed: int) -> Word:
    """Draw gold labels and two systems' predictions; the second system is worse."""
    rng = np.random.default_rng(seed)
    gold, noise, other = rng.integers(n_senses, size=(3, n))
    first = np.where(rng.random(n) < 0.8, gold, noise)
    return gold, first, np.where(rng.random(n) < 0.7, first, other)


# The same with full arrays of gold, first and second


def every_triple(labels: Word, n_senses: int) -> np.ndarray:
    counts = np.zeros((n_senses,) * 3)
    np.add.at(counts, labels, 1)
    return counts


def naive_word(matrix: np.ndarray, draws: int, seed: int) -> dict[str, tuple[float, float]]:
    rng = np.random.default_rng(seed)
    n = len(matrix)
    mass = rng.standard_gamma(matrix, size=(draws, n, n))
    uniform = rng.random((draws, n, 1))
    right_or_wrong = np.where(np.eye(n), 0.5, 0.5 / (n - 1))
    cell = (uniform > right_or_wrong.cumsum(axis=1)[:, :-1]).sum(axis=-1, keepdims=True)
    more = rng.standard_exponential(cell.shape)
    np.put_along_axis(mass, cell, np.take_along_axis(mass, cell, -1) + more, -1)
    drawn = scores(mass, matrix)
    results = {}
    for name in WORD_SCORES:
        ordered = np.sort(drawn[name])
        inside = int(np.ceil(0.95 * draws))
        start = int((ordered[inside - 1 :] - ordered[: draws - inside + 1]).argmin())
        low, high = ordered[start], ordered[start + inside - 1]
        estimate = float(scores(matrix, matrix)[name])
        results[name] = (min(max(low, 0), estimate), max(min(high, 1), estimate))
    return results


def scores(mass: np.ndarray, matrix: np.ndarray) -> dict[str, np.ndarray]:
    """Scale the drawn mass of each row to its count; average F1 over the senses that occur."""
    counts = mass / np.maximum(mass.sum(axis=-1, keepdims=True), 1e-300)
    counts = counts * matrix.sum(axis=-1, keepdims=True)
    right = np.diagonal(counts, axis1=-2, axis2=-1)
    labels = matrix.sum(axis=0) + matrix.sum(axis=1) > 0
    return scores_of_margins(right, counts.sum(axis=-1), counts.sum(axis=-2), labels)


def naive_means(drawn: Sequence[Scores], sizes: Sequence[float]) -> dict[str, np.ndarray]:
    over = {name: np.mean([entry[name] for entry in drawn], axis=0) for name in WORD_SCORES}
    micro = np.average([entry["accuracy"] for entry in drawn], axis=0, weights=sizes)
    return dict(zip(MEAN_SCORES, (micro, *over.values()), strict=True))


def shifted(drawn: Scores, estimate: Scores, floor: int) -> dict[str, tuple[float, float]]:
    results = {}
    for name, value in estimate.items():
        low, high = value + np.quantile(drawn[name] - drawn[name].mean(), [0.025, 0.975])
        results[name] = (min(max(low, floor), float(value)), max(min(high, 1), float(value)))
    return results


def naive_mean(
    matrices: Sequence[np.ndarray], draws: int, seed: int
) -> dict[str, tuple[float, float]]:
    rng = np.random.default_rng(seed)
    drawn = []
    for matrix in matrices:
        prior = np.where(np.eye(len(matrix)), 0.5, 0.5 / max(len(matrix) - 1, 1))
        mass = rng.standard_gamma(matrix + prior, size=(draws, *matrix.shape))
        drawn.append(scores(mass, matrix))
    means = naive_means(drawn, [matrix.sum() for matrix in matrices])
    return shifted(means, mean_scores(matrices), floor=0)


def naive_difference(
    joints: Sequence[np.ndarray], draws: int, seed: int
) -> dict[str, tuple[float, float]]:
    rng = np.random.default_rng(seed)
    drawn = []
    for joint in joints:
        n = len(joint)
        prior = np.zeros(joint.shape)
        for gold in range(n):
            for other in set(range(n)) - {gold}:
                for first, second in ((gold, other), (other, gold), (other, other)):
                    prior[gold, first, second] = 0.25 / (n - 1)
            prior[gold, gold, gold] = 0.25
        mass = rng.standard_gamma(joint + prior, size=(draws, *joint.shape))
        mass *= (joint.sum(axis=(1, 2)) / mass.sum(axis=(-2, -1)))[..., None, None]
        pair = [scores(mass.sum(axis=-axis), joint.sum(axis=-axis)) for axis in (1, 2)]
        drawn.append(subtract(*pair))
    means = naive_means(drawn, [joint.sum() for joint in joints])
    return shifted(means, naive_estimate(joints), floor=-1)


def naive_estimate(joints: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
    """Return first minus second of counts (..., K, K, K)."""
    return subtract(*(mean_scores([j.sum(axis=-axis) for j in joints]) for axis in (1, 2)))


# Equal


@pytest.mark.parametrize("n_senses", [2, 5, 60])
def test_a_words_intervals_equal_full_arrays(n_senses: int) -> None:
    gold, first, _ = word(n_senses, 5 * n_senses, 1)
    matrix = confusion(gold, first, n_senses)
    actual, expected = word_intervals(matrix, draws=400, rng=7), naive_word(matrix, 400, 7)
    for name in WORD_SCORES:
        assert actual[name] == pytest.approx(expected[name], abs=1e-12)


@pytest.mark.parametrize("sizes", [[2, 3, 5], [1, 7]])
def test_pieces_have_the_distribution_of_full_arrays(sizes: list[int]) -> None:
    """The draws differ, but the intervals are equal up to 3% of the width in 20,000 draws."""
    words = [word(n, 3 * n, 2 + n) for n in sizes]
    matrices = [confusion(w[0], w[1], n) for w, n in zip(words, sizes, strict=True)]
    joints = [count_kinds(w, n) for w, n in zip(words, sizes, strict=True)]
    triples = [every_triple(w, n) for w, n in zip(words, sizes, strict=True)]
    for actual, expected in (
        (mean_intervals(matrices, draws=20_000, rng=1), naive_mean(matrices, 20_000, 1)),
        (mean_intervals(joints, draws=20_000, rng=1), naive_difference(triples, 20_000, 1)),
    ):
        for name, (low, high) in expected.items():
            assert actual[name] == pytest.approx((low, high), abs=0.03 * (high - low))


def test_the_prior_falls_on_all_wrong_senses_alike() -> None:
    matrix = np.diag([6, 2, 2, 1])
    counts = Counts(np.argwhere(matrix), matrix[matrix > 0], 4)
    ((right, _, predicted),) = _draw_margins(counts, 20_000, np.random.default_rng(1))
    n = matrix.sum(axis=1, keepdims=True)
    mean = n * (matrix + np.where(np.eye(4), 1 / 2, 1 / 6)) / (n + 1)
    # Standard errors are at most 0.005.
    assert right.mean(axis=0) == pytest.approx(np.diag(mean), abs=0.02)
    assert predicted.mean(axis=0) == pytest.approx(mean.sum(axis=0), abs=0.02)


# Memory


def peak(function: Callable[[], object]) -> float:
    """Return the peak memory of a call in MB."""
    tracemalloc.start()
    function()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 1e6


def test_memory_does_not_grow_with_the_senses_cube() -> None:
    """400 draws of the 216,000 cells of 60 senses take 691 MB."""
    labels = word(60, 600, 1)
    matrix, joint = confusion(labels[0], labels[1], 60), count_kinds(labels, 60)
    for function in (
        lambda: mean_intervals([joint], draws=400),
        lambda: mean_intervals([matrix], draws=4000),
        lambda: word_intervals(matrix, draws=4000),
        lambda: paired_permutations([joint]),
        lambda: inflations([count_kinds(labels, 60, np.arange(600) // 2)]),
        lambda: confidence_set([labels[0]], [np.stack(labels[1:])], MEAN_SCORES[0]),
    ):
        assert peak(function) < 64
    labels = word(1000, 600, 1)
    assert peak(lambda: count_kinds(labels, 1000)) < 1


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_words() -> None:
    """All exchanges of 12 choices on 200 words at once would take 3.7 GB."""
    labels_of_words = [word(2, 20, seed) for seed in range(200)]
    golds = [gold for gold, *_ in labels_of_words]
    tables = [np.stack([*systems, gold] * 4) for gold, *systems in labels_of_words]
    name = MEAN_SCORES[0]
    assert peak(lambda: confidence_set(golds, tables, name)) < 256
