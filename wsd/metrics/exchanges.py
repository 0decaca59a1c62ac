"""Exchange the predictions of two systems: all outcomes, or a fixed number of draws."""

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import chain
from math import comb, prod

import numpy as np

from wsd.metrics.confidence_intervals import Seed
from wsd.metrics.counts import Documents

# The number of draws. docs/explanation/statistics.md has the Monte Carlo error.
PERMUTATIONS = 19_999
# The most numbers of exchanged instances in memory at once: 32 MB.
DRAWN = 4_000_000
# The most elements of a temporary array of scores, so that it stays in the cache.
CACHED = 100_000
# Parts of the outcomes, and the weight of each outcome.
Sample = tuple[Iterator[list[np.ndarray]], np.ndarray]


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
