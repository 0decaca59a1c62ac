"""The confidence set: clearly inferior choices, documents, and sampling."""

from itertools import product

import numpy as np
import pytest

from wsd.metrics.confidence_set import confidence_set

NAME = "micro_accuracy"


def wrong(n: int, start: int, size: int) -> np.ndarray:
    """Return predictions for n instances of sense 0 that are wrong on some in a row."""
    return np.isin(np.arange(n), np.arange(start, start + size)).astype(int)


# 7 of 8 differing instances favour the second choice, p = 9/256. Each further choice has 12
# instances of its own.
N = 8 + 18 * 12
GOLD = np.zeros(N, dtype=int)
FIRST, SECOND = wrong(N, 0, 7), wrong(N, 7, 1)
ALONE = 9 / 256


def test_hopeless_choices_change_no_verdict() -> None:
    # 18 more choices are wrong on 12 instances each that both others have right.
    more = [FIRST | wrong(N, 8 + 12 * i, 12) for i in range(18)]
    for choices in (2, 8, 20):
        best = confidence_set([GOLD], [np.stack([FIRST, SECOND, *more][:choices])], NAME)
        assert best.p[0] == pytest.approx(ALONE, abs=0.01)
        assert best.within.tolist() == [False, True] + [False] * (choices - 2)


def test_close_choices_are_competitors() -> None:
    # The same, but each of the 18 is wrong on only half of its own instances, and the first choice
    # on the other half.
    halves = np.sum([wrong(N, 14 + 12 * i, 6) for i in range(18)], axis=0)
    first, second = FIRST | halves, SECOND | halves
    more = [first ^ wrong(N, 8 + 12 * i, 12) for i in range(18)]
    best = confidence_set([GOLD], [np.stack([first, second, *more])], NAME)
    # In standard errors, 10 of 12 are as much as 7 of 8: 79 of the 4096 outcomes.
    assert best.p[0] == pytest.approx(1 - (1 - ALONE) * (1 - 79 / 4096) ** 18, abs=0.03)
    assert best.within.all()


def exact_p(gold: np.ndarray, choices: np.ndarray, units: np.ndarray, tested: int) -> float:
    """Compute a choice's p-value in micro accuracy from all exchanges of whole units."""
    gains = (choices == gold).astype(int) - (choices[tested] == gold)
    by_unit = np.stack([gains[:, units == unit].sum(axis=1) for unit in np.unique(units)])
    error = np.sqrt((by_unit**2).sum(axis=0))
    error[error == 0] = np.inf
    exchanged = np.array([*product([1, -1], repeat=len(by_unit))]) @ by_unit
    is_inferior = exchanged[0] / error < -np.sqrt(2 * np.log(np.log(len(by_unit))))
    competing = [e for e, inferior in zip(error, is_inferior, strict=True) if not inferior]
    scale = error + (min(competing) if min(competing) < np.inf else 0)
    observed = exchanged[0] / scale
    maxima = (exchanged / scale + np.where(is_inferior, observed, 0)).max(axis=1)
    return float(np.mean(np.maximum(maxima, 0) >= max(observed.max(), 0) - 1e-9))


@pytest.mark.parametrize("is_by_document", [False, True])
def test_the_set_against_all_exchanges(is_by_document: bool) -> None:
    rng = np.random.default_rng(3)
    gold = np.repeat([0, 1], 6)
    chances = np.array([0.1, 0.2, 0.4, 0.9, 0.3])[:, None]
    choices = np.where(rng.random((5, 12)) < chances, 1 - gold, gold)
    # Two words share the documents.
    documents = np.tile(np.arange(6), 2)
    words = np.split(rng.permutation(12), [7])
    best = confidence_set(
        [gold[word] for word in words],
        [choices[:, word] for word in words],
        NAME,
        documents=[documents[word] for word in words] if is_by_document else None,
    )
    units = documents if is_by_document else np.arange(12)
    expected = [exact_p(gold, choices, units, i) for i in range(5)]
    assert best.p == pytest.approx(expected)
    assert min(expected) < 0.1 and len(set(expected)) > 3
