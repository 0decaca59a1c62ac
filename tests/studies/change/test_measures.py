"""The measures of change: exact answers, invariances, planted change, and the null hypothesis."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist, jensenshannon

from wsd.metrics.nearest import unit_vectors
from wsd.studies.change import measures
from wsd.studies.change.measures import APD, JSD, PROTOTYPE, PRT

FEW = 99


def two_groups(shift: float, seed: int, sizes: tuple[int, int] = (30, 40)) -> np.ndarray:
    """Return vectors around a mean; those of the second group are shifted in another direction."""
    vectors = np.random.default_rng(seed).normal(size=(sum(sizes), 16))
    vectors[:, 0] += 5
    vectors[sizes[0] :, 1] += shift
    return vectors


def changes(vectors: np.ndarray, first: int, **options: int) -> dict[str, measures.Change]:
    is_second = np.arange(len(vectors)) >= first
    labels = measures.cluster(unit_vectors(vectors.astype(float)))
    return measures.measure(vectors, is_second, labels, permutations=FEW, **options)


def test_small_answers_by_hand() -> None:
    """Group 1 has (1,0) and (0,1), group 2 has (0,1) twice; a cluster for each direction."""
    vectors = np.array([[1, 0], [0, 1], [0, 1], [0, 1]])
    is_second = np.array([False, False, True, True])
    actual = measures.measure(vectors, is_second, np.array([0, 1, 1, 1]), permutations=FEW)
    # Of four pairs across, two have cosine 1 and two have cosine 0.
    assert actual[APD].value == pytest.approx(0.5)
    # The means are (.5, .5) and (0, 1).
    assert actual[PROTOTYPE].value == pytest.approx(1 - np.sqrt(0.5))
    assert actual[PRT].value == pytest.approx(np.sqrt(2))
    # The shares are (.5, .5) and (0, 1), their mean is (.25, .75).
    divergence = (0.5 * np.log2(2) + 0.5 * np.log2(2 / 3) + np.log2(4 / 3)) / 2
    assert actual[JSD].value == pytest.approx(np.sqrt(divergence))
    # Each of the six assignments has (1,0) in one group or in the other: all are alike.
    assert actual[APD].p == 1


def test_apd_is_the_mean_of_all_pairs() -> None:
    vectors = two_groups(2, seed=1)
    expected = cdist(vectors[:30], vectors[30:], "cosine").mean()
    assert changes(vectors, 30)[APD].value == pytest.approx(expected)


def test_a_word_with_fewer_uses_than_dimensions_has_the_same_measures() -> None:
    vectors = two_groups(2, seed=1, sizes=(3, 4))
    padded = np.hstack([vectors, np.zeros((7, 5))])
    labels = np.array([0, 1, 0, 1, 1, 0, 1])
    is_second = np.arange(7) >= 3
    wide = measures.measure(padded, is_second, labels, permutations=FEW)
    means = vectors[:3].mean(axis=0), vectors[3:].mean(axis=0)
    assert wide[PROTOTYPE].value == pytest.approx(cdist(*([m] for m in means), "cosine").item())


@pytest.mark.parametrize("counts", [([[3, 1, 0]], [[0, 2, 2]]), ([[5, 5]], [[1, 1]])])
def test_jensen_shannon_is_scipys(counts: tuple[list[list[int]], list[list[int]]]) -> None:
    first, second = (np.array(own, dtype=float) for own in counts)
    expected = jensenshannon(first[0], second[0], base=2)
    assert measures.jensen_shannon(first, second).item() == pytest.approx(expected, abs=1e-12)


def test_the_order_of_uses_and_of_groups_does_not_count() -> None:
    vectors = two_groups(1, seed=2)
    is_second = np.arange(70) >= 30
    labels = measures.cluster(unit_vectors(vectors))
    order = np.random.default_rng(0).permutation(70)
    values = [
        {name: change.value for name, change in measures.measure(*data, permutations=FEW).items()}
        for data in (
            (vectors, is_second, labels),
            (vectors[order], is_second[order], labels[order]),
            (vectors, ~is_second, labels),
        )
    ]
    assert values[1] == pytest.approx(values[0])
    assert values[2] == pytest.approx(values[0])


def test_planted_change_has_a_low_p_and_an_interval_above_the_shuffled_groups() -> None:
    actual = changes(two_groups(4, seed=3), 30)
    for name in measures.MEASURES:
        assert actual[name].p == pytest.approx(1 / (FEW + 1)), name
        assert actual[name].low > actual[name].null_high, name
        assert actual[name].low <= actual[name].value <= actual[name].high


def test_without_change_p_is_uniform() -> None:
    p_values = np.array(
        [[change.p for change in changes(two_groups(0, seed), 30).values()] for seed in range(100)]
    )
    # Of 100 words, 5 are expected at 5%, and at most 11 with probability 99.6%.
    assert ((p_values <= 0.05).sum(axis=0) <= 11).all()
    assert (abs(p_values.mean(axis=0) - 0.5) < 0.09)[[0, 1, 2]].all()


def test_uses_that_are_all_alike_do_not_change() -> None:
    actual = changes(np.tile([[1.0, 2.0]], (6, 1)), 3)
    for name in (APD, PROTOTYPE, JSD):
        assert actual[name][:5] == pytest.approx((0, 0, 0, 0, 0), abs=1e-7)
        assert actual[name].p == 1


def test_a_group_of_zero_vectors_has_no_prototype() -> None:
    vectors = np.array([[0, 0], [0, 0], [1, 0], [0, 1.0]])
    actual = measures.measure(vectors, np.arange(4) >= 2, np.zeros(4, dtype=int), permutations=FEW)
    assert np.isnan(actual[PROTOTYPE].value)
    assert np.isnan(actual[PROTOTYPE].p)
    assert actual[APD].value == 1


def test_clusters_of_a_sample_are_extended_to_all_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = unit_vectors(np.concatenate([two_groups(0, 1), two_groups(0, 1)[:, ::-1]]))
    monkeypatch.setattr(measures, "CLUSTERED", 60)
    labels = measures.cluster(vectors)
    assert len(labels) == 140
    assert {len(set(labels[:70])), len(set(labels[70:]))} == {1}


def test_blocks_of_draws_do_not_change_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = two_groups(1, seed=4)
    expected = changes(vectors, 30)
    monkeypatch.setattr(measures, "DRAWN", 1000)
    for name, change in changes(vectors, 30).items():
        assert change == pytest.approx(expected[name]), name
