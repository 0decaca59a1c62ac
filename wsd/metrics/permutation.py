"""Compare two systems by paired permutation tests, which exchange their predictions.

The exchanges are all outcomes, or a fixed number of draws.
"""

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import chain
from math import comb, prod
from typing import NamedTuple

import numpy as np

from wsd.metrics import scores
from wsd.metrics.confidence_intervals import LEVEL, TAILS, Scores, Seed, bounded, mean_intervals
from wsd.metrics.scores import Counts, Documents, Margins

# The number of draws. docs/explanation/statistics.md has the Monte Carlo error.
PERMUTATIONS = 19_999
# The most numbers of exchanged instances in memory at once: 32 MB.
DRAWN = 4_000_000
# The most elements of a temporary array of scores, so that it stays in the cache.
CACHED = 100_000
# Parts of the outcomes, and the weight of each outcome.
Sample = tuple[Iterator[list[np.ndarray]], np.ndarray]
# Exchanged predictions contain the difference itself, which makes the interval of a large one too
# wide. A difference is large if it exceeds these multiples: of its reach, and of half the width of
# its posterior interval. The first saves time; the second decides.
LARGE = (2, 8)


class Difference(NamedTuple):
    """The first system's metric minus the second's, its 95% interval, and a two-sided test of it.

    The interval excludes 0 if and only if p is at most 0.05. The error is as in
    :class:`PairedTest`; if the interval is the posterior one, it is the error of the posterior.
    """

    difference: float
    low: float
    high: float
    p: float
    error: float


class PairedTest(NamedTuple):
    """The first system's metric minus the second's, and a two-sided test of it.

    Attributes
    ----------
    difference : float
    p : float
    reach : float
        Half the width of the interval that agrees with the test: p is at most 0.05 if and only if
        the absolute difference is larger. It is the 95% quantile of the absolute exchanged
        differences.
    error : float
        The root mean square of the exchanged differences: the standard error of the difference if
        the systems do not differ.
    """

    difference: float
    p: float
    reach: float
    error: float


def compare_systems(
    joints: Sequence[Counts], *, rng: Seed = 0, names: Sequence[str] = scores.WORD_SCORES
) -> dict[str, Difference]:
    """Return the differences of two systems over all words, with intervals that agree with tests.

    The interval is the difference plus and minus the reach of the permutation test. If the
    difference is ``LARGE``, the posterior interval replaces this interval where it is narrower.
    docs/explanation/statistics.md has the measured coverage of both.

    Parameters
    ----------
    joints, rng, names
        See :func:`paired_permutations`.

    Returns
    -------
    dict of mean to Difference; p is not adjusted
    """
    from scipy.stats import norm

    tests = paired_permutations(joints, rng=rng, names=names)
    reaches, halves = LARGE
    large = {name for name, test in tests.items() if abs(test.difference) > reaches * test.reach}
    posterior = mean_intervals(joints, rng=rng, names=names) if large else {}
    differences = {}
    for name, (difference, p, reach, error) in tests.items():
        ends = bounded(difference - reach, difference + reach, difference, floor=-1)
        if name in large:
            width = np.ptp(posterior[name])
            if abs(difference) > halves * width / 2 and width < np.ptp(ends):
                ends, error = posterior[name], width / np.ptp(norm.ppf(TAILS))
        differences[name] = Difference(difference, *ends, p, float(error))
    return differences


def paired_permutations(
    joints: Sequence[Counts], *, rng: Seed = 0, names: Sequence[str] = scores.WORD_SCORES
) -> dict[str, PairedTest]:
    """Test whether two systems differ, metric by metric, with the same permutations.

    Under the null hypothesis, the two predictions of an instance are exchangeable. Only instances
    with different predictions matter, and only the number of exchanges of each kind (gold, first,
    second), which is binomial. If the instances have documents, the predictions of a whole document
    are exchanged together. The statistic is the difference of the metric, recomputed from both
    exchanged confusion matrices, with macro-F1 over the senses that then occur. If there are few
    outcomes, all are enumerated and p is exact. Otherwise the observed outcome is one of 20,000
    (Phipson & Smyth 2010), so that p is never 0 and the test is not liberal.

    A single word's joint confusion gives the tests of that word.

    Parameters
    ----------
    joints : sequence over words of Counts
        Of two systems, from :func:`wsd.metrics.scores.count_kinds`.
    rng : Generator or int
    names : sequence of str
        The scores of words whose means are tested.

    Returns
    -------
    dict of mean to PairedTest; p is not adjusted for the number of scores
    """
    differ = [joint.select(joint.kinds[:, 1] != joint.kinds[:, 2]) for joint in joints]
    margins = [joint.margins(joint.numbers) for joint in joints]
    sizes = [joint.numbers.sum() for joint in joints]
    most = CACHED // max((joint.n_senses for joint in joints), default=1)
    units = [(counts.numbers, counts.documents) for counts in differ]
    parts, weights = sample_exchanges(units, rng, most)
    exchanged = [
        scores.over_words(
            [_differences(*word, names) for word in zip(margins, differ, swaps, strict=True)], sizes
        )
        for swaps in parts
    ]
    return {
        name: paired_test(np.concatenate([part[name] for part in exchanged]), weights)
        for name in exchanged[0]
    }


def paired_test(differences: np.ndarray, weights: np.ndarray) -> PairedTest:
    """Return the test of a difference from its exchanged values; the first one is observed.

    Parameters
    ----------
    differences, weights : float arrays of shape (outcomes,)
        The weights add up to 1.
    """
    difference, exchanged = float(differences[0]), np.abs(differences)
    order = np.argsort(exchanged)
    at_least = weights[order][::-1].cumsum()[::-1]
    # The largest value whose tail weighs more than 5%.
    reach = exchanged[order[np.flatnonzero(at_least > 1 - LEVEL + 1e-12)[-1]]]
    p, error = tail(exchanged, abs(difference), weights), np.sqrt(weights @ exchanged**2)
    if p > 1 - LEVEL:
        # Equal values differ in their last bits.
        reach = max(reach, abs(difference))
    return PairedTest(difference, p, float(reach), float(error))


def _differences(
    margins: Sequence[Margins], differ: Counts, swaps: np.ndarray, names: Sequence[str]
) -> Scores:
    """Return a word's scores, first minus second, for exchanges of shape (outcomes, kinds)."""
    gold, first, second = differ.kinds.T
    eye = np.eye(differ.n_senses)
    moved = swaps @ (eye[second] - eye[first])
    gained = swaps @ (eye[gold] * ((second == gold) * 1 - (first == gold) * 1)[:, None])
    of_first, of_second = (
        scores.scores_of_margins(
            right + sign * gained, of_gold, predicted + sign * moved, names=names
        )
        for sign, (right, of_gold, predicted) in zip((1, -1), margins, strict=True)
    )
    return scores.subtract(of_first, of_second)


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
    # statsmodels collects garbage at every call, which takes longer than everything else.
    p = np.array(p_values, dtype=float)
    order = np.argsort(p)
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    p[order] = np.minimum(steps, 1)
    return p


def sample_exchanges(
    words: Sequence[tuple[np.ndarray, Documents | None]], rng: Seed, most: int
) -> Sample:
    """Return a sample of exchanges, in parts.

    Without documents, each instance is exchanged by its own coin. With documents, a coin per
    document exchanges all its instances, of all words. The first outcome is the observed one,
    without an exchange. If there are at most ``PERMUTATIONS`` + 1 outcomes, all are enumerated.

    Parameters
    ----------
    words : sequence of (int array of shape (kinds,), Documents or None)
        Per word, the number of instances of each kind, and their documents.
    rng : Generator or int
    most : int
        The most outcomes in a part; ``DRAWN`` may reduce it further. It does not change them.

    Returns
    -------
    parts : iterator of lists over words of float arrays of shape (some outcomes, kinds)
        The number of exchanged instances of each kind.
    weights : float array of shape (outcomes,)
        They add up to 1.
    """
    documents = [own for _, own in words if own is not None]
    names = np.unique(np.concatenate([[], *(own.names for own in documents)]))
    kinds = np.concatenate([numbers for numbers, _ in words])
    numbers = np.ones(len(names), dtype=int) if documents else kinds
    step = max(1, min(most, DRAWN // max(1, len(kinds))))

    def by_word(part: np.ndarray) -> list[np.ndarray]:
        if documents:
            return [part[:, np.searchsorted(names, own.names)] @ own.numbers for own in documents]
        ends = np.cumsum([len(of_word) for of_word, _ in words])[:-1]
        return np.split(part, ends, axis=1)

    # Python's integers, because the product may be larger than NumPy's.
    outcomes = prod(int(n) + 1 for n in numbers)
    if outcomes <= PERMUTATIONS + 1:
        grid = np.indices(tuple(numbers + 1)).reshape(len(numbers), outcomes).T.astype(float)
        probabilities = [
            np.array([comb(n, i) / 2**n for i in range(n + 1)]) for n in numbers.tolist()
        ]
        weights = np.ravel(reduce(np.multiply.outer, probabilities, np.ones(())))
        return map(by_word, (grid[i : i + step] for i in range(0, outcomes, step))), weights
    parts = chain(
        [np.zeros((1, len(numbers)))],
        _drawn_exchanges(numbers, PERMUTATIONS, np.random.default_rng(rng), step),
    )
    return map(by_word, parts), np.full(PERMUTATIONS + 1, 1 / (PERMUTATIONS + 1))


def _drawn_exchanges(
    numbers: np.ndarray, permutations: int, rng: np.random.Generator, step: int
) -> Iterator[np.ndarray]:
    """Draw binomial numbers with probability one half, by counting random bits."""
    # A byte for each kind, and further bytes for kinds with more than eight instances.
    further = np.repeat(np.arange(len(numbers)), (numbers - 1) // 8)
    bits = np.concatenate([(numbers - 1) % 8 + 1, np.full(len(further), 8)])
    mask = np.uint8(255) >> (8 - bits).astype(np.uint8)
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
