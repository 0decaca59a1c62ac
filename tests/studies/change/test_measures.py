"""The measures of change: exact answers, loops as oracles, intervals, and p-values."""

from itertools import combinations

import numpy as np
import pytest
from scipy.spatial.distance import cdist, jensenshannon

from wsd.metrics.nearest import unit_vectors
from wsd.studies.change import measures
from wsd.studies.change.measures import APD, JSD, PROTOTYPE, PRT, Change, measure

FEW = 99


def two_groups(shift: float, seed: int, sizes: tuple[int, int] = (30, 40)) -> np.ndarray:
    """Return vectors around a mean; those of the second group are shifted in another direction."""
    vectors = np.random.default_rng(seed).normal(size=(sum(sizes), 16))
    vectors[:, 0] += 5
    vectors[sizes[0] :, 1] += shift
    return vectors


def changes(vectors: np.ndarray, first: int) -> dict[str, Change]:
    labels = measures.cluster(unit_vectors(vectors.astype(float)))
    return measure(vectors, np.arange(len(vectors)) >= first, labels, permutations=FEW)


def naive(first: np.ndarray, second: np.ndarray, clusters: list[np.ndarray]) -> dict[str, float]:
    means = (group.mean(axis=0, keepdims=True) for group in (first, second))
    distance = cdist(*means, "cosine").item()
    shares = [np.bincount(labels, minlength=3) for labels in clusters]
    return {
        APD: cdist(first, second, "cosine").mean(),
        PROTOTYPE: distance,
        PRT: 1 / (1 - distance),
        JSD: jensenshannon(*shares, base=2),
    }


@pytest.mark.parametrize("sizes", [(30, 40), (3, 4)], ids=["many", "fewer than dimensions"])
def test_values_are_those_of_all_pairs_whatever_order_and_blocks(
    sizes: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measures, "DRAWN", 1000)
    random, vectors = np.random.default_rng(0), two_groups(2, 1, sizes)
    is_second = np.arange(len(vectors)) >= sizes[0]
    labels, order = random.integers(0, 3, len(vectors)), random.permutation(len(vectors))
    parts = [np.flatnonzero(~is_second), np.flatnonzero(is_second)]
    expected = naive(*(vectors[rows] for rows in parts), [labels[rows] for rows in parts])
    given = (vectors, is_second, labels)
    for own in (given, [values[order] for values in given], (vectors, ~is_second, labels)):
        actual = measure(*own, permutations=FEW)
        assert {name: actual[name].value for name in expected} == pytest.approx(expected)


def test_p_is_the_share_of_all_assignments_that_differ_as_much() -> None:
    vectors, labels = two_groups(1, 2, (4, 4)), np.array([0, 0, 0, 1, 1, 2, 2, 1])
    drawn: dict[str, list[float]] = {APD: [], PROTOTYPE: [], PRT: [], JSD: []}
    for chosen in combinations(range(8), 4):
        parts = [list(chosen), [i for i in range(8) if i not in chosen]]
        values = naive(*(vectors[rows] for rows in parts), [labels[rows] for rows in parts])
        for name, value in values.items():
            drawn[name].append(value)
    actual = measure(vectors, np.arange(8) >= 4, labels, permutations=4999)
    for name, values in drawn.items():
        # The first assignment is the observed one.
        expected = np.mean([value >= values[0] - 1e-10 for value in values])
        assert actual[name].p == pytest.approx(expected, abs=0.03) and 0.03 < expected < 0.97


def test_intervals_exclude_0_if_and_only_if_the_test_rejects() -> None:
    """Of words whose change is around the limit of what the test finds."""
    rejected = []
    for seed in range(30):
        labels = np.random.default_rng(seed).permutation([0, 0, 1, 2] * 10)
        vectors, is_second = two_groups(1, seed, (16, 24)), np.arange(40) >= 16
        labels = np.sort(labels) if seed % 2 else labels
        actual = measure(vectors, is_second, labels, permutations=FEW)
        for name in (PROTOTYPE, JSD):
            assert (actual[name].low > 0) == (actual[name].p <= 0.05), (seed, actual[name])
            rejected.append(actual[name].p <= 0.05)
    assert 0.2 < np.mean(rejected) < 0.8


def test_level_and_coverage() -> None:
    """Of 60 words without change, and of 60 whose means and shares of clusters are known."""
    shares = np.array([[0.7, 0.2, 0.1], [0.4, 0.2, 0.4]])
    true = {PROTOTYPE: 1 - 5 / np.hypot(5, 3), JSD: jensenshannon(*shares, base=2)}
    p_values, covered = [], dict.fromkeys(true, 0)
    for seed in range(60):
        random, is_second = np.random.default_rng(seed), np.arange(70) >= 30
        same = measure(two_groups(0, seed), is_second, random.integers(0, 3, 70), permutations=FEW)
        p_values.append([change.p for change in same.values()])
        labels = np.concatenate(
            [random.choice(3, n, p=p) for n, p in zip((30, 40), shares, strict=True)]
        )
        changed = measure(two_groups(3, seed), is_second, labels, permutations=FEW)
        for name, value in true.items():
            covered[name] += changed[name].low <= value <= changed[name].high
    # 3 are expected at 5%, and at most 8 with probability 99.4%.
    assert ((np.array(p_values) <= 0.05).sum(axis=0) <= 8).all()
    assert (abs(np.mean(p_values, axis=0) - 0.5) < 0.12).all()
    assert min(covered.values()) >= 52, covered


def test_uses_that_are_all_alike_do_not_change() -> None:
    actual = changes(np.tile([[1.0, 2.0]], (6, 1)), 3)
    for name in (APD, PROTOTYPE, JSD):
        assert actual[name] == pytest.approx((0, 0, 0, 0, 0, 1), abs=1e-7)


def test_clusters_of_a_sample_are_extended_to_all_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = unit_vectors(np.concatenate([two_groups(0, 1), two_groups(0, 1)[:, ::-1]]))
    monkeypatch.setattr(measures, "CLUSTERED", 60)
    labels = measures.cluster(vectors)
    assert len(labels) == 140
    assert {len(set(labels[:70])), len(set(labels[70:]))} == {1}
