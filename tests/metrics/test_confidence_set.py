"""The confidence set: all exchanges of instances and documents."""

from itertools import product

import numpy as np
import pytest
from random_labels import joints, random_words

from wsd.metrics.confidence_set import confidence_set
from wsd.metrics.permutation import paired_permutations
from wsd.metrics.scores import MEAN_SCORES


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
    rng = np.random.default_rng(229)
    gold = np.repeat([0, 1], 6)
    chances = np.array([0.6, 0.6, 0.6, 0.2, 0.6])[:, None]
    choices = np.where(rng.random((5, 12)) < chances, 1 - gold, gold)
    # The last choice is the first, but wrong on three more instances, of two documents: clearly
    # inferior with 6 documents, but not with 12. Its error is smaller than those of competitors.
    choices[0, [0, 1, 6]] = gold[[0, 1, 6]]
    choices[4] = choices[0]
    choices[4, [0, 1, 6]] = 1 - gold[[0, 1, 6]]
    # Two words share the documents.
    documents = np.tile(np.arange(6), 2)
    words = np.split(rng.permutation(12), [7])
    best = confidence_set(
        [gold[word] for word in words],
        [choices[:, word] for word in words],
        "micro_accuracy",
        documents=[documents[word] for word in words] if is_by_document else None,
    )
    units = documents if is_by_document else np.arange(12)
    expected = [exact_p(gold, choices, units, i) for i in range(5)]
    assert best.p == pytest.approx(expected)
    assert best.within.tolist() == [p > 0.05 for p in expected]
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


def test_equal_choices_and_a_single_one_are_the_best() -> None:
    gold = np.array([0, 1, 1, 0])
    for choices in (gold[None], np.stack([1 - gold] * 3)):
        best = confidence_set([gold], [choices], "micro_accuracy")
        assert best.within.all() and (best.p == 1).all()
