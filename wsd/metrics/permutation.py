"""Do two systems differ? Paired tests in which their predictions are exchanged."""

from collections.abc import Iterator, Sequence
from functools import reduce
from math import comb, prod
from typing import NamedTuple

import numpy as np

from wsd.metrics import scores
from wsd.metrics.intervals import Seed
from wsd.metrics.scores import Counts

# Numbers of exchanged instances that are held at once: 32 MB.
DRAWN = 4_000_000
# Elements that a temporary array of scores may have: it stays in the cache.
CACHED = 100_000


class PairedTest(NamedTuple):
    """The first system's metric less the second's, and the two-sided p-value."""

    difference: float
    p: float


def paired_permutations(
    joints: Sequence[Counts], *, permutations: int = 20_000, rng: Seed = 0
) -> dict[str, PairedTest]:
    """Test whether two systems differ, metric by metric, from the same permutations.

    Under the hypothesis the two predictions of an instance may be exchanged. Only instances whose
    predictions differ matter, and only how many of each kind (gold, first, second) are exchanged:
    a binomial number. The statistic is the difference of the metric itself, recomputed from both
    exchanged confusion matrices, macro-F1 over the senses that then occur. If there are at most
    ``permutations`` outcomes, all are enumerated and p is exact; otherwise the observed outcome is
    one of the ``permutations`` + 1 (Phipson & Smyth 2010), so that p is never 0 and the test not
    liberal where the predictions are exchangeable.

    For one word give its joint confusion alone: the means over one word are its scores.

    Parameters
    ----------
    joints : sequence over words of Counts
        From :func:`wsd.metrics.scores.joint_confusion`.
    permutations : int
    rng : Generator or int

    Returns
    -------
    dict of mean to PairedTest; p is not adjusted for the number of scores
    """
    differ = [joint.kinds[:, 1] != joint.kinds[:, 2] for joint in joints]
    kinds = [joint.kinds[which] for joint, which in zip(joints, differ, strict=True)]
    numbers = [joint.numbers[which] for joint, which in zip(joints, differ, strict=True)]
    most = CACHED // max((joint.n_senses for joint in joints), default=1)
    outcomes = exchanges(numbers, permutations, np.random.default_rng(rng), most)
    sizes = [joint.numbers.sum() for joint in joints]
    margins = [joint.margins(joint.numbers) for joint in joints]
    parts = [
        scores.over_words(list(map(_differences_after, margins, kinds, swaps)), sizes)
        for swaps in outcomes.parts
    ]
    observed = scores.mean_differences(margins)
    found = {}
    for name in scores.MEAN_SCORES:
        exchanged = np.concatenate([part[name] for part in parts])
        difference = float(observed[name])
        p = tail(np.abs(exchanged), abs(difference), outcomes.weights)
        found[name] = PairedTest(difference, p)
    return found


def _differences_after(
    margins: Sequence[scores.Margins], kinds: np.ndarray, swaps: np.ndarray
) -> dict[str, np.ndarray]:
    """First less second on one word, after so many exchanges of each kind: arrays (outcomes,)."""
    gold, first, second = kinds.T
    eye = np.eye(len(margins[0][0]))
    moved = swaps @ (eye[second] - eye[first])
    gained = swaps @ (eye[gold] * ((second == gold) * 1 - (first == gold) * 1)[:, None])
    of_first, of_second = (
        scores.scores_of_margins(right + sign * gained, of_gold, predicted + sign * moved)
        for sign, (right, of_gold, predicted) in zip((1, -1), margins, strict=True)
    )
    return scores.subtract(of_first, of_second)


class Exchanges(NamedTuple):
    """How many instances of each kind are exchanged, and the weight of each such outcome.

    The first outcome is the observed one, no exchange. To go through the parts gives some outcomes
    at a time, in order: all of them at once would be thousands of numbers for every kind of
    instance in the corpus. What is drawn is the same however it is cut.

    Attributes
    ----------
    weights : float array of shape (outcomes,)
        Adds up to 1.
    parts : iterator of lists over words of float arrays of shape (some outcomes, kinds)
        To be gone through once.
    """

    weights: np.ndarray
    parts: Iterator[list[np.ndarray]]


def exchanges(
    numbers: Sequence[np.ndarray], permutations: int, rng: np.random.Generator, most: int
) -> Exchanges:
    """Enumerate the exchanges, or draw them where there are more than ``permutations``.

    Parameters
    ----------
    numbers : sequence over words of int arrays of shape (kinds,)
        How many instances there are of each kind.
    permutations : int
    rng : Generator
    most : int
        Outcomes in a part, where ``DRAWN`` numbers allow as many.
    """
    of_all = np.concatenate(numbers)
    step = max(1, min(most, DRAWN // max(1, len(of_all))))
    # Python's integers: the product may be any size.
    outcomes = prod(int(n) + 1 for n in of_all)
    swaps: Iterator[np.ndarray]
    if outcomes <= permutations:
        grid = np.indices(tuple(of_all + 1)).reshape(len(of_all), outcomes).T.astype(float)
        chances = [np.array([comb(n, i) / 2**n for i in range(n + 1)]) for n in of_all.tolist()]
        weights = np.ravel(reduce(np.multiply.outer, chances, np.ones(())))
        swaps = (grid[start : start + step] for start in range(0, outcomes, step))
    else:
        weights = np.full(permutations + 1, 1 / (permutations + 1))
        swaps = _drawn_exchanges(of_all, permutations, rng, step)
    ends = np.cumsum([len(of_word) for of_word in numbers])[:-1]
    return Exchanges(weights, (np.split(part, ends, axis=1) for part in swaps))


def _drawn_exchanges(
    numbers: np.ndarray, permutations: int, rng: np.random.Generator, step: int
) -> Iterator[np.ndarray]:
    """Binomial numbers with a chance of one half: how many of so many random bits are set."""
    # A byte for each kind, and further ones for kinds of more than eight instances.
    further = np.repeat(np.arange(len(numbers)), (numbers - 1) // 8)
    bits = np.concatenate([(numbers - 1) % 8 + 1, np.full(len(further), 8)])
    mask = np.uint8(255) >> (8 - bits).astype(np.uint8)
    yield np.zeros((1, len(numbers)))
    for start in range(0, permutations, step):
        # Whole words, so that a row is the same however the rows are cut.
        size = (min(step, permutations - start), -(-len(mask) // 8))
        random = rng.integers(2**64, size=size, dtype=np.uint64).view(np.uint8)
        counted = np.bitwise_count(random[:, : len(mask)] & mask)
        drawn = counted[:, : len(numbers)].astype(float)
        for kind, of in zip(further, counted.T[len(numbers) :], strict=True):
            drawn[:, kind] += of
        yield drawn


def tail(statistics: np.ndarray, observed: float, weights: np.ndarray) -> float:
    """The weight of the outcomes that are at least as extreme as the observed one."""
    # Outcomes that tie exactly differ in their last bits, by the order of their sums.
    return min(1.0, float(weights[statistics >= observed - 1e-10].sum()))


def mcnemar(joints: Sequence[Counts]) -> float:
    """McNemar's exact test of micro accuracy.

    The binomial test of the instances that one system gets right and the other wrong, two-sided.

    Parameters
    ----------
    joints : sequence over words of Counts
        From :func:`wsd.metrics.scores.joint_confusion`.
    """
    from statsmodels.stats.contingency_tables import mcnemar as exact

    first = second = 0
    for joint in joints:
        gold, *systems = joint.kinds.T
        of_first, of_second = (predicted == gold for predicted in systems)
        first += joint.numbers[of_first & ~of_second].sum()
        second += joint.numbers[of_second & ~of_first].sum()
    return float(exact([[0, first], [second, 0]], exact=True).pvalue)


def holm(p_values: Sequence[float]) -> np.ndarray:
    """Adjust the p-values of one family by Holm's method.

    Parameters
    ----------
    p_values : sequence of float
        Of the family's tests, whatever their dependence.

    Returns
    -------
    float array of the same length and order
    """
    from statsmodels.stats.multitest import multipletests

    return multipletests(p_values, method="holm")[1] if len(p_values) else np.array([])
