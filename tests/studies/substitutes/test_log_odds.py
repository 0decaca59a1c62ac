"""Log-odds ratios with a prior, against the formula written out."""

import math

import numpy as np
import pytest
from log_odds_cases import CASES

from wsd.studies.substitutes.sense_substitutes import log_odds

COUNTS = np.array([[8, 2, 0, 5], [1, 9, 0, 5], [0, 0, 3, 5]])
PRIOR = np.array([1.0, 2.0, 0.5, 3.0])


def test_every_figure_is_that_of_the_formula() -> None:
    ratios, z = log_odds(COUNTS, PRIOR)
    total = PRIOR.sum()
    for i in range(3):
        for w in range(4):
            y, n = COUNTS[i, w] + PRIOR[w], COUNTS[i].sum() + total
            others = np.delete(COUNTS, i, axis=0)
            x, m = others[:, w].sum() + PRIOR[w], others.sum() + total
            delta = math.log(y / (n - y)) - math.log(x / (m - x))
            assert math.isclose(ratios[i, w], delta, abs_tol=1e-12)
            assert math.isclose(z[i, w], delta / math.sqrt(1 / y + 1 / x), abs_tol=1e-12)


@pytest.mark.parametrize(("words", "labels", "expected"), CASES)
def test_the_shared_cases(
    words: list[list[str]], labels: list[int], expected: list[dict[str, float]]
) -> None:
    """The script of the pages of uses is tested with the same cases."""
    names = sorted({word for sentence in words for word in sentence})
    counts = np.zeros((len(expected), len(names)))
    for sentence, label in zip(words, labels, strict=True):
        for word in sentence:
            counts[label, names.index(word)] += 1
    _, z = log_odds(counts, counts.sum(axis=0))
    above = [
        {name: score for name, score in zip(names, scores, strict=True) if score > 1}
        for scores in z
    ]
    assert above == [pytest.approx(group) for group in expected]


def test_common_substitutes_do_not_distinguish_senses() -> None:
    # Most common is the last, which both have alike.
    _, z = log_odds(np.array([[50, 5, 1000], [5, 50, 1000]]), np.array([5.0, 5.0, 200.0]))
    assert z[0, 0] > 3 and z[0, 1] < -3 and abs(z[0, 2]) < 1e-9


def test_the_prior_shrinks_rare_substitutes() -> None:
    counts = np.array([[1, 20, 40], [0, 2, 40]])
    _, z = log_odds(counts, 10 * counts.sum(axis=0) / counts.sum())
    assert z[0, 1] > z[0, 0]


def test_one_group_or_one_feature_has_nothing_to_be_set_apart_from() -> None:
    for counts in (np.array([[3, 4]]), np.array([[3], [4]])):
        ratios, z = log_odds(counts, np.ones(counts.shape[1]))
        assert not ratios.any() and not z.any()
