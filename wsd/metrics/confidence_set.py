"""Find the choices that are not significantly different from the best one."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from wsd.metrics.confidence_intervals import LEVEL, Seed
from wsd.metrics.permutation import CACHED, DRAWN, Sample, sample_exchanges
from wsd.metrics.scores import OF_WORD, Counts, count_kinds, mean_over_words, score_of_margins

# A function of a choice and other choices.
Advantages = Callable[[int, np.ndarray], np.ndarray]


class Best(NamedTuple):
    """The confidence set of M choices in one metric.

    Attributes
    ----------
    estimate : float array of shape (M,)
    p : float array of shape (M,)
        P-values of the hypothesis that no other choice is better, from the largest advantage of
        another choice.
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
    documents: Sequence[np.ndarray] | None = None,
    rng: Seed = 0,
) -> Best:
    """Find the choices that are not significantly different from the best.

    A choice leaves the set if another is significantly better. Its statistic is the largest
    advantage of another choice, or 0 if no other choice is better. Each advantage is divided by
    its standard error plus the smallest one (after Tusher, Tibshirani & Chu 2001): otherwise a
    choice with few errors by chance has a small standard error, and the set misses the best
    choice too often. The null distribution exchanges the predictions of the choice and of each
    other one; all exchanges share one coin per instance, or per document. This is the single-step
    max-T of Westfall & Young (1993). Another choice that is clearly inferior to the tested one
    keeps its observed disadvantage in the null distribution, so that it cannot hide a better one:
    Hansen's recentring (2005, *A test for superior predictive ability*).

    Each choice is tested at 5%, without a correction over choices: the set misses the
    best choice only if the test of that choice is wrong. So the set contains the best choice with
    probability 95% (the argument of Hsu's multiple comparisons with the best), if that test
    keeps its level: see docs/explanation/statistics.md for simulations. The set has no order.

    Parameters
    ----------
    gold : sequence over words of int arrays of shape (n,)
    predictions : sequence over words of int arrays of shape (M, n)
        Row i is choice i, in every word.
    metric : str
        Among ``MEAN_SCORES``.
    documents : sequence over words of int arrays of shape (n,), optional
        The number of each instance's document; all words count the documents alike.
    rng : Generator or int
    """
    of_words = [None] * len(gold) if documents is None else documents
    words = [_count_choices(*word) for word in zip(gold, predictions, of_words, strict=True)]
    of_words = [_score(metric, word.margins, word.gold) for word in words]
    scores = mean_over_words(metric, of_words, [word.gold.sum() for word in words])
    sizes = [word.margins.size for word in words]
    most = min(CACHED // max(sizes), DRAWN // sum(sizes))
    units = [(word.differ.numbers, word.differ.documents) for word in words]
    sample = sample_exchanges(units, rng, most)
    independent = (
        np.concatenate(gold) if documents is None else np.unique(np.concatenate(documents))
    )

    def exchange(swaps: Sequence[np.ndarray]) -> Advantages:
        of_words = zip(words, swaps, strict=True)
        given = [np.tensordot(word.of_kinds, part, (3, 1)) for word, part in of_words]
        return partial(_advantages, words, given, metric)

    errors = _standard_errors(words, metric)
    p = exchange_p_values(scores, errors, sample, exchange, len(independent))
    return Best(scores, p, within=p > 1 - LEVEL)


class _Choices(NamedTuple):
    """One word's counts under M choices, and the instances on which the choices differ.

    Attributes
    ----------
    margins : float array of shape (2, K, M)
        The right and all predictions of each sense. Sums over a short last axis would be slow.
    gold : float array of shape (K,)
    differ : Counts
        The instances by kind: the same gold sense and the same M predictions.
    of_kinds : float array of shape (2, K, M, kinds)
        The part of the margins that comes from one instance of a kind.
    """

    margins: np.ndarray
    gold: np.ndarray
    differ: Counts
    of_kinds: np.ndarray


# Per word, the margins that each choice gives away in exchanges: shape (2, K, M, outcomes). Two
# choices exchange the same instances, so these counts give both exchanged confusion matrices.
_Given = Sequence[np.ndarray]


def _count_choices(
    gold: np.ndarray, predictions: np.ndarray, documents: np.ndarray | None
) -> _Choices:
    senses = 1 + max(int(gold.max()), int(predictions.max()))
    counts = count_kinds([gold, *predictions], senses, documents)
    of_gold, *of_predicted = (np.eye(senses)[:, own] for own in counts.kinds.T)
    predicted = np.stack(of_predicted, axis=1)
    of_kinds = np.stack([predicted * of_gold[:, None], predicted])
    differ = (counts.kinds[:, 1:] != counts.kinds[:, [1]]).any(axis=1)
    return _Choices(
        margins=of_kinds @ counts.numbers,
        gold=np.bincount(gold, minlength=senses).astype(float),
        differ=counts.select(differ),
        of_kinds=of_kinds[..., differ],
    )


def exchange_p_values(
    scores: np.ndarray,
    errors: np.ndarray,
    sample: Sample,
    exchange: Callable[[Sequence[np.ndarray]], Advantages],
    n: int,
) -> np.ndarray:
    """Return the p-values of :class:`Best`, by the test of :func:`confidence_set`.

    Parameters
    ----------
    scores : float array of shape (M,)
    errors : float array of shape (M, M)
        The standard error of each difference under exchange.
    sample : parts and weights
        From :func:`wsd.metrics.permutation.sample_exchanges`.
    exchange : function
        Turns a part of a sample into a function of a choice and other choices, which returns how
        much better the others are after the exchanges: shape (outcomes, others).
    n : int
        The number of independent instances or documents.
    """
    errors = errors.copy()
    # Choices that are equal on every outcome have no difference.
    errors[errors < 1e-12] = np.inf
    observed = scores - scores[:, None]
    is_inferior = observed < -errors * np.sqrt(2 * np.log(np.log(max(n, 3))))
    centres = np.where(is_inferior, observed, 0)
    least_error = np.where(is_inferior, np.inf, errors).min(axis=1, keepdims=True)
    scales = errors + np.where(np.isinf(least_error), 0, least_error)
    least = (observed / scales).max(axis=1) - 1e-7
    p, stop, (parts, weights) = np.zeros(len(scores)), 0, sample
    for swaps in parts:
        start, stop = stop, stop + len(swaps[0])
        largest = _largest_advantages(exchange(swaps), len(swaps[0]), scales, centres)
        p += (largest >= least[:, None]) @ weights[start:stop]
    # The sum of all weights may be larger than 1 in its last bit.
    return np.minimum(p, 1)


def _standard_errors(words: Sequence[_Choices], metric: str) -> np.ndarray:
    """Return the standard error of each difference under exchange: shape (M, M).

    If the exchange of an instance alone changes a difference by c, its coin contributes c**2 / 4 to
    the variance of the difference. A document contributes the sum of its instances' c.
    """
    choices = words[0].margins.shape[-1]
    sizes = np.array([word.gold.sum() for word in words])
    shares = (
        sizes / sizes.sum() if metric == "micro_accuracy" else np.full(len(words), 1 / len(words))
    )
    variance = np.zeros((choices, choices))
    for choice in range(choices - 1):
        others = np.arange(choice + 1, choices)
        changes = []
        for word, share in zip(words, shares, strict=True):
            # Without an exchange, and then with one instance of each kind.
            given = np.concatenate([np.zeros((*word.margins.shape, 1)), word.of_kinds], axis=-1)
            advantages = share * _advantages([word], [given], metric, choice, others)
            changes.append(advantages[0] - advantages[1:])
        variance[choice, others] = _variance([word.differ for word in words], changes)
    return np.sqrt(variance + variance.T)


def _variance(words: Sequence[Counts], changes: Sequence[np.ndarray]) -> np.ndarray:
    """Return the variances of sums of ``changes``, of shape (kinds, others), under exchange."""
    documents = [word.documents for word in words if word.documents is not None]
    if not documents:
        pairs = zip(words, changes, strict=True)
        return sum(word.numbers @ change**2 for word, change in pairs) / 4
    names = np.unique(np.concatenate([own.names for own in documents]))
    totals = np.zeros((len(names), changes[0].shape[1]))
    for own, change in zip(documents, changes, strict=True):
        totals[np.searchsorted(names, own.names)] += own.numbers @ change
    return (totals**2).sum(axis=0) / 4


def _largest_advantages(
    advantages_over: Advantages, outcomes: int, scales: np.ndarray, centres: np.ndarray
) -> np.ndarray:
    """Return the largest standardised advantage over each choice: (choices, outcomes)."""
    largest = np.zeros((len(scales), outcomes))
    for choice in range(len(scales)):
        others = np.arange(choice + 1, len(scales))
        advantages = advantages_over(choice, others)
        own = (advantages + centres[choice, others]) / scales[choice, others]
        largest[choice] = np.maximum(largest[choice], own.max(axis=1, initial=0))
        # If another choice is better by some amount, this one is worse by that amount.
        theirs = (centres[others, choice] - advantages) / scales[others, choice]
        largest[others] = np.maximum(largest[others], theirs.T)
    return largest


def _advantages(
    words: Sequence[_Choices], given: _Given, metric: str, choice: int, others: np.ndarray
) -> np.ndarray:
    """Return how much better others are than a choice after exchanges: (outcomes, others)."""
    advantages = []
    for word, away in zip(words, given, strict=True):
        gained = away[:, :, others] - away[:, :, [choice]]
        theirs = _score(metric, word.margins[:, :, others, None] - gained, word.gold)
        own = _score(metric, word.margins[:, :, [choice], None] + gained, word.gold)
        advantages.append(theirs - own)
    return mean_over_words(metric, advantages, [word.gold.sum() for word in words]).T


def _score(metric: str, margins: np.ndarray, gold: np.ndarray) -> np.ndarray:
    right, predicted = np.moveaxis(margins, 1, -1)
    return score_of_margins(OF_WORD[metric], right, gold, predicted)
