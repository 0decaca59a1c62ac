"""The confidence set: enumeration, clearly inferior choices, documents, and level."""

from itertools import product

import numpy as np
import pytest
from random_labels import joints, random_words

from wsd.metrics import permutation
from wsd.metrics.confidence_set import confidence_set
from wsd.metrics.permutation import paired_permutations
from wsd.metrics.scores import MEAN_SCORES, confusion, mean_scores

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
    # 6 more choices are wrong on 12 instances each that both others have right.
    more = [FIRST | wrong(N, 8 + 12 * i, 12) for i in range(6)]
    for choices in (2, 8):
        best = confidence_set([GOLD], [np.stack([FIRST, SECOND, *more][:choices])], NAME)
        assert best.p[0] == pytest.approx(ALONE, abs=0.01)
        assert best.within.tolist() == [False, True] + [False] * (choices - 2)


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


@pytest.mark.parametrize("seed", [1, 8, 9])
def test_two_choices_are_a_one_sided_paired_test(seed: int) -> None:
    words = random_words(seed, n_words=3, most=8)
    golds = [gold for gold, *_ in words]
    two_sided = paired_permutations(joints(words))
    for name in MEAN_SCORES:
        actual = confidence_set(golds, [np.stack([a, b]) for _, a, b, _ in words], name)
        turned = confidence_set(golds, [np.stack([b, a]) for _, a, b, _ in words], name)
        worse, better = np.argsort(actual.estimate)
        assert abs(np.diff(actual.estimate)[0]) == pytest.approx(abs(two_sided[name].difference))
        assert two_sided[name].difference != 0
        # The distribution under exchange is symmetric.
        assert actual.p[worse] == pytest.approx(two_sided[name].p / 2)
        assert actual.p[better] > 0.5
        assert actual.p.tolist() == pytest.approx(turned.p[::-1].tolist())


def test_a_noisy_choice_does_not_protect_another() -> None:
    # The second choice is right on 8 more; the third differs on 40, half better, half worse.
    gold = np.zeros(48, dtype=int)
    first = np.repeat([1, 0, 1], [8, 20, 20])
    second, third = first.copy(), first.copy()
    second[:8] = 0
    third[8:] = 1 - first[8:]
    best = confidence_set([gold], [np.stack([first, second, third])], NAME)
    assert best.p[0] < 0.05
    # The relation is not transitive: the third differs significantly from neither of the others.
    assert best.within.tolist() == [False, True, True]


def test_equal_choices_and_a_single_one_are_the_best() -> None:
    gold = np.array([0, 1, 1, 0])
    for choices in (gold[None], np.stack([1 - gold] * 3)):
        best = confidence_set([gold], [choices], NAME)
        assert best.within.all() and (best.p == 1).all()


def test_the_set_excludes_clearly_worse_choices_and_contains_the_best(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In 60 simulations of two equal choices, a slightly worse one, and two much worse."""
    monkeypatch.setattr(permutation, "PERMUTATIONS", 199)
    rng, within = np.random.default_rng(0), []
    golds = [np.repeat([0, 1], [40, 20]) for _ in range(2)]
    chances = np.array([0.05, 0.05, 0.06, 0.3, 0.4])[:, None]
    for i in range(60):
        tables = [np.where(rng.random((5, 60)) < chances, 1 - gold, gold) for gold in golds]
        name = MEAN_SCORES[i % 4]
        best = confidence_set(golds, tables, name, rng=rng)
        pairs = zip(golds, tables, strict=True)
        over = mean_scores([np.stack([confusion(g, row, 2) for row in t]) for g, t in pairs])
        assert best.estimate == pytest.approx(over[name])
        assert best.within[best.estimate.argmax()] and best.p.min() >= 1 / 200 - 1e-12
        within.append(best.within)
    shares = np.mean(within, axis=0)
    # 120 tests of the two equal choices: a standard error of 2 points.
    assert 0.89 < shares[:2].mean() < 1
    assert (shares[3:] < 0.1).all()
