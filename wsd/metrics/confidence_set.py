"""Find the choices that are not significantly different from the best one."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from wsd.metrics.confidence_intervals import LEVEL, Seed
from wsd.metrics.permutation import CACHED, DRAWN, Exchanges, tail
from wsd.metrics.scores import over_words, scores_of_margins, subtract


class Best(NamedTuple):
    """The confidence set of M choices in one metric.

    Attributes
    ----------
    estimate : float array of shape (M,)
    p : float array of shape (M,)
        P-values of the hypothesis that no other choice is better, adjusted for M - 1 comparisons.
    within : bool array of shape (M,)
        The choices that are not significantly different from the best.
    """

    estimate: np.ndarray
    p: np.ndarray
    within: np.ndarray


def confidence_set(
    gold: Sequence[np.ndarray],
    predictions: Sequence[np.ndarray],
    metric: str,
    *,
    permutations: int = 5000,
    rng: Seed = 0,
) -> Best:
    """Find the choices that are not significantly different from the best.

    A choice leaves the set if another is significantly better. It has a family of M - 1 one-sided
    comparisons. In each, the predictions of the two choices are exchanged within words; all
    comparisons share one coin per instance. The correction is the single-step max-T of Westfall
    & Young (1993) over the differences, each divided by its root mean square under exchange.

    Each choice is tested at 5%, without a correction over choices: the set misses the
    best choice only if the test of that choice is wrong. So the set contains the best choice with
    probability 95% (the argument of Hsu's multiple comparisons with the best), if that test
    keeps its level: 94 to 95% in simulations of equal choices, see docs/explanation/statistics.md.
    The set has no order.

    Parameters
    ----------
    gold : sequence over words of int arrays of shape (n,)
    predictions : sequence over words of int arrays of shape (M, n)
        Row i is choice i, in every word.
    metric : str
        Among ``MEAN_SCORES``.
    permutations : int
        All outcomes are enumerated if there are at most this many.
    rng : Generator or int
    """
    words = [_count_choices(*word) for word in zip(gold, predictions, strict=True)]
    sizes = [word.right.size for word in words]
    most = min(CACHED // max(sizes), DRAWN // sum(sizes))
    numbers = [(word.numbers, None) for word in words]
    parts, weights = next(Exchanges(numbers, permutations, rng, most).samples())
    better = _advantages(words, parts, len(weights), metric)
    p = np.array([_max_t(i, advantages, weights) for i, advantages in enumerate(better)])
    scores = over_words(
        [scores_of_margins(word.right, word.gold, word.predicted) for word in words],
        [word.gold.sum() for word in words],
    )
    return Best(scores[metric], p, within=p > 1 - LEVEL)


class _Choices(NamedTuple):
    """One word's counts under M choices, and the instances on which the choices differ.

    Attributes
    ----------
    right, predicted : float arrays of shape (M, K)
    gold : float array of shape (K,)
    numbers : int array of shape (kinds,)
        The number of instances with the same gold sense and the same M predictions.
    of_right, of_predicted : float arrays of shape (kinds, M, K)
        The part of ``right`` and ``predicted`` that comes from one instance of a kind.
    """

    right: np.ndarray
    predicted: np.ndarray
    gold: np.ndarray
    numbers: np.ndarray
    of_right: np.ndarray
    of_predicted: np.ndarray


def _count_choices(gold: np.ndarray, predictions: np.ndarray) -> _Choices:
    senses = 1 + max(int(gold.max()), int(predictions.max()))
    kinds, numbers = np.unique(np.vstack([gold, predictions]), axis=1, return_counts=True)
    eye = np.eye(senses)
    of_predicted = eye[kinds[1:].T]
    of_right = of_predicted * eye[kinds[0]][:, None, :]
    differ = (kinds[1:] != kinds[1]).any(axis=0)
    return _Choices(
        right=np.tensordot(numbers, of_right, 1),
        predicted=np.tensordot(numbers, of_predicted, 1),
        gold=np.bincount(gold, minlength=senses).astype(float),
        numbers=numbers[differ],
        of_right=of_right[differ],
        of_predicted=of_predicted[differ],
    )


def _advantages(
    words: Sequence[_Choices], parts: Iterator[list[np.ndarray]], outcomes: int, metric: str
) -> np.ndarray:
    """Return how much better other choices are than each choice: shape (M, outcomes, M)."""
    choices = len(words[0].right)
    sizes = [word.gold.sum() for word in words]
    better = np.zeros((choices, outcomes, choices))
    start = 0
    for swaps in parts:
        # The counts that each choice gives away, of shape (outcomes, M, K). Two choices exchange
        # the same instances, so these counts give both exchanged confusion matrices.
        given = [
            (np.tensordot(part, word.of_right, 1), np.tensordot(part, word.of_predicted, 1))
            for word, part in zip(words, swaps, strict=True)
        ]
        stop = start + len(swaps[0])
        for choice in range(choices - 1):
            advantages = [
                _advantages_over(choice, word, *counts)
                for word, counts in zip(words, given, strict=True)
            ]
            # If another choice is better by some amount, this one is worse by that amount.
            advantage = over_words(advantages, sizes)[metric]
            better[choice, start:stop, choice + 1 :] = advantage
            better[choice + 1 :, start:stop, choice] = -advantage.T
        start = stop
    return better


def _advantages_over(
    choice: int, word: _Choices, right: np.ndarray, predicted: np.ndarray
) -> dict[str, np.ndarray]:
    """Return how much better each later choice is on a word, after exchanges with this one.

    Parameters
    ----------
    choice : int
    word : _Choices
    right, predicted : float arrays of shape (outcomes, M, K)
        The counts that each choice gives away in an exchange.

    Returns
    -------
    dict of metric to array of shape (outcomes, M - choice - 1)
    """
    later = slice(choice + 1, None)
    gained = right[:, later] - right[:, [choice]]
    moved = predicted[:, later] - predicted[:, [choice]]
    others = scores_of_margins(word.right[later] - gained, word.gold, word.predicted[later] - moved)
    own = scores_of_margins(word.right[choice] + gained, word.gold, word.predicted[choice] + moved)
    return subtract(others, own)


def _max_t(choice: int, better: np.ndarray, weights: np.ndarray) -> float:
    """Return the p-value of the largest standardised advantage over a choice.

    Parameters
    ----------
    choice : int
    better : float array of shape (outcomes, M)
        How much better each other choice is; the first outcome is the observed one.
    weights : float array of shape (outcomes,)
    """
    scale = np.sqrt(weights @ better**2)
    # Choices that are equal on every outcome have no difference, whatever the scale.
    standard = np.divide(better, scale, out=np.zeros_like(better), where=scale > 1e-12)
    standard[:, choice] = -np.inf if len(scale) > 1 else 0
    return tail(standard.max(axis=1), standard[0].max() - 1e-7, weights)
