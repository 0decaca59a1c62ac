"""Clusters compared with senses: scores by hand, and their extremes."""

import numpy as np
import pytest

from wsd.studies.unlabelled.uses import (
    MEASURES,
    agreement,
    bcubed_scores,
    harmonic_mean,
    normalised_information,
    paired_scores,
)

GOLD = np.array([0, 0, 0, 1, 1])
FOUND = np.array([0, 0, 1, 1, 1])


def test_bcubed_by_hand() -> None:
    # Precision of each: 1, 1, 1/3, 2/3, 2/3; recall: 2/3, 2/3, 1/3, 1, 1.
    assert bcubed_scores(GOLD, FOUND) == pytest.approx((11 / 15, 11 / 15))
    # All in one: precision 9/25 + 4/25, recall 1; each alone: the other way round.
    assert bcubed_scores(GOLD, np.zeros(5, int)) == pytest.approx((13 / 25, 1))
    assert bcubed_scores(GOLD, np.arange(5)) == pytest.approx((1, (3 / 3 + 2 / 2) / 5))


def test_pairs_by_hand() -> None:
    # Found 1 + 3 pairs, gold 3 + 1; both have that of 0 and 1, and that of 3 and 4.
    assert paired_scores(GOLD, FOUND) == (0.5, 0.5)
    assert paired_scores(GOLD, np.zeros(5, int)) == (0.4, 1)
    assert paired_scores(GOLD, np.arange(5)) == (0, 0)


def test_every_measure() -> None:
    actual = agreement(GOLD, FOUND)
    assert tuple(actual) == MEASURES
    # Of 10 pairs 4, 4 and 2: (2 - 1.6) / (4 - 1.6).
    assert actual["ari"] == pytest.approx(0.4 / 2.4)
    assert actual["bcubed_f"] == pytest.approx(11 / 15) and actual["paired_f"] == 0.5
    # Entropy of 3 and 2; left over once the cluster is known, 3/5 of that of 1 and 2.
    entropy = -(0.6 * np.log(0.6) + 0.4 * np.log(0.4))
    left = 0.6 * -(np.log(1 / 3) / 3 + 2 * np.log(2 / 3) / 3)
    assert actual["homogeneity"] == pytest.approx(1 - left / entropy)
    assert actual["v_measure"] == pytest.approx(1 - left / entropy)


@pytest.mark.parametrize("names", [[1, 0], [3, 7]])
def test_names_of_clusters_do_not_matter(names: list[int]) -> None:
    actual = agreement(GOLD, np.array(names)[GOLD])
    assert actual == pytest.approx(dict.fromkeys(MEASURES, 1.0))


def test_one_cluster_and_a_cluster_each() -> None:
    single_cluster, each = agreement(GOLD, np.zeros(5, int)), agreement(GOLD, np.arange(5))
    assert single_cluster["ari"] == each["ari"] == 0
    assert single_cluster["v_measure"] == 0 and single_cluster["paired_f"] == harmonic_mean(0.4, 1)
    assert each["homogeneity"] == 1 and each["paired_f"] == 0


def test_normalised_information_by_hand() -> None:
    forms = ["spring", "spring", "springs", "springs"]
    assert normalised_information(forms, np.array([1, 1, 0, 0])) == pytest.approx(1)
    assert normalised_information(forms, np.array([0, 1, 0, 1])) == pytest.approx(0, abs=1e-12)
    # What they share is ln 2; the mean of ln 2 and ln 4 is 1.5 ln 2.
    assert normalised_information(forms, np.arange(4)) == pytest.approx(2 / 3)


def test_nothing_follows_of_a_single_group() -> None:
    assert normalised_information(["a", "a"], np.array([0, 1])) is None
    assert normalised_information(["a", "b"], np.array([0, 0])) is None
