"""Compare two systems by paired permutation tests, which exchange their predictions."""

from collections.abc import Iterator, Sequence
from functools import reduce
from math import comb, prod
from typing import NamedTuple

import numpy as np

from wsd.metrics import scores
from wsd.metrics.confidence_intervals import Seed
from wsd.metrics.scores import Counts

# The most numbers of exchanged instances in memory at once: 32 MB.
DRAWN = 4_000_000
# The most elements of a temporary array of scores, so that it stays in the cache.
CACHED = 100_000


class PairedTest(NamedTuple):
    """The first system's metric minus the second's, and the two-sided p-value."""

    difference: float
    p: float


def paired_permutations(
    joints: Sequence[Counts], *, permutations: int = 20_000, rng: Seed = 0
) -> dict[str, PairedTest]:
    """Test whether two systems differ, metric by metric, with the same permutations.

    Under the null hypothesis, the two predictions of an instance are exchangeable. Only instances
    with different predictions matter, and only the number of exchanges of each kind (gold, first,
    second), which is binomial. The statistic is the difference of the metric, recomputed from both
    exchanged confusion matrices, with macro-F1 over the senses that then occur. If there are at
    most ``permutations`` outcomes, all are enumerated and p is exact. Otherwise the observed
    outcome is one of ``permutations`` + 1 (Phipson & Smyth 2010), so that p is never 0 and the test
    is not liberal.

    A single word's joint confusion gives the tests of that word.

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
    kinds = [joint.kinds[rows] for joint, rows in zip(joints, differ, strict=True)]
    numbers = [joint.numbers[rows] for joint, rows in zip(joints, differ, strict=True)]
    most = CACHED // max((joint.n_senses for joint in joints), default=1)
    outcomes = exchanges(numbers, permutations, np.random.default_rng(rng), most)
    sizes = [joint.numbers.sum() for joint in joints]
    margins = [joint.margins(joint.numbers) for joint in joints]
    parts = [
        scores.over_words(list(map(_differences_after, margins, kinds, swaps)), sizes)
        for swaps in outcomes.parts
    ]
    observed = scores.mean_differences(margins)
    tests = {}
    for name in scores.MEAN_SCORES:
        exchanged = np.concatenate([part[name] for part in parts])
        difference = float(observed[name])
        p = tail(np.abs(exchanged), abs(difference), outcomes.weights)
        tests[name] = PairedTest(difference, p)
    return tests


def _differences_after(
    margins: Sequence[scores.Margins], kinds: np.ndarray, swaps: np.ndarray
) -> dict[str, np.ndarray]:
    """Return first minus second on one word after exchanges: arrays of shape (outcomes,)."""
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
    """The numbers of exchanged instances of each kind, and the weight of each outcome.

    The first outcome is the observed one, without an exchange. The outcomes come in parts, which
    need less memory. The size of the parts does not change the outcomes.

    Attributes
    ----------
    weights : float array of shape (outcomes,)
        They add up to 1.
    parts : iterator of lists over words of float arrays of shape (some outcomes, kinds)
        It can be used once.
    """

    weights: np.ndarray
    parts: Iterator[list[np.ndarray]]


def exchanges(
    numbers: Sequence[np.ndarray], permutations: int, rng: np.random.Generator, most: int
) -> Exchanges:
    """Enumerate the exchanges, or draw them if there are more than ``permutations``.

    Parameters
    ----------
    numbers : sequence over words of int arrays of shape (kinds,)
        The number of instances of each kind.
    permutations : int
    rng : Generator
    most : int
        The most outcomes in a part; ``DRAWN`` may reduce it further.
    """
    of_all = np.concatenate(numbers)
    step = max(1, min(most, DRAWN // max(1, len(of_all))))
    # Python's integers, because the product may be larger than NumPy's.
    outcomes = prod(int(n) + 1 for n in of_all)
    swaps: Iterator[np.ndarray]
    if outcomes <= permutations:
        grid = np.indices(tuple(of_all + 1)).reshape(len(of_all), outcomes).T.astype(float)
        probabilities = [
            np.array([comb(n, i) / 2**n for i in range(n + 1)]) for n in of_all.tolist()
        ]
        weights = np.ravel(reduce(np.multiply.outer, probabilities, np.ones(())))
        swaps = (grid[start : start + step] for start in range(0, outcomes, step))
    else:
        weights = np.full(permutations + 1, 1 / (permutations + 1))
        swaps = _drawn_exchanges(of_all, permutations, rng, step)
    ends = np.cumsum([len(of_word) for of_word in numbers])[:-1]
    return Exchanges(weights, (np.split(part, ends, axis=1) for part in swaps))


def _drawn_exchanges(
    numbers: np.ndarray, permutations: int, rng: np.random.Generator, step: int
) -> Iterator[np.ndarray]:
    """Draw binomial numbers with probability one half, by counting random bits."""
    # A byte for each kind, and further bytes for kinds with more than eight instances.
    further = np.repeat(np.arange(len(numbers)), (numbers - 1) // 8)
    bits = np.concatenate([(numbers - 1) % 8 + 1, np.full(len(further), 8)])
    mask = np.uint8(255) >> (8 - bits).astype(np.uint8)
    yield np.zeros((1, len(numbers)))
    for start in range(0, permutations, step):
        # Whole words of 64 bits, so that a row is the same in parts of any size.
        size = (min(step, permutations - start), -(-len(mask) // 8))
        random = rng.integers(2**64, size=size, dtype=np.uint64).view(np.uint8)
        counted = np.bitwise_count(random[:, : len(mask)] & mask)
        drawn = counted[:, : len(numbers)].astype(float)
        for kind, more in zip(further, counted.T[len(numbers) :], strict=True):
            drawn[:, kind] += more
        yield drawn


def tail(statistics: np.ndarray, observed: float, weights: np.ndarray) -> float:
    """Return the weight of the outcomes that are at least as extreme as the observed one."""
    # Exact ties differ in their last bits, because their sums have different orders.
    return min(1.0, float(weights[statistics >= observed - 1e-10].sum()))


def mcnemar(joints: Sequence[Counts]) -> float:
    """Return the two-sided p-value of McNemar's exact test of micro accuracy.

    It is the binomial test of the instances that one system gets right and the other wrong.

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
        The p-values of the family; the tests may depend on each other.

    Returns
    -------
    float array of the same length and order
    """
    from statsmodels.stats.multitest import multipletests

    return multipletests(p_values, method="holm")[1] if len(p_values) else np.array([])
