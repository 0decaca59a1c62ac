"""Simulate the intervals of change: how often they cover the truth, and agree with their tests.

Uses are normal vectors (for ``apd`` and ``prototype``), or draws from known shares of clusters (for
``jsd``). Each row has a size of the groups and a true change. Misses of the three measures are not
independent of each other within a simulation.

    python bench/change.py --simulations 1000
"""

import argparse
from collections.abc import Iterator

import numpy as np
from coverage import table

from wsd.metrics.nearest import unit_vectors
from wsd.studies.change.measures import APD, JSD, PROTOTYPE, jensen_shannon, measure

SIZES = ((12, 15), (30, 30), (30, 60), (60, 60), (100, 100))
FEATURES = 384
SHIFTS = (0.0, 0.5, 1.0, 2.0, 4.0)
# The shares of the clusters in both groups.
TEN = np.arange(10, 0, -1) / 55
SHARES = {
    "same, 2 clusters": ([0.7, 0.3], [0.7, 0.3]),
    "same, 10": (TEN, TEN),
    "small, 2": ([0.7, 0.3], [0.5, 0.5]),
    "small, 5": ([0.4, 0.3, 0.15, 0.1, 0.05], [0.3, 0.2, 0.2, 0.15, 0.15]),
    "a new one": ([1.0, 0.0], [0.8, 0.2]),
    "large, 3": ([0.8, 0.15, 0.05], [0.3, 0.3, 0.4]),
    "large, 10": (TEN, TEN[::-1]),
    "very large, 3": ([0.9, 0.1, 0.0], [0.05, 0.15, 0.8]),
    "nearly apart, 2": ([0.99, 0.01], [0.01, 0.99]),
}
# Per simulation: measure, truth, interval and p-value.
Result = tuple[str, float, float, float, float]


def of_vectors(
    shift: float, sizes: tuple[int, int], simulations: int, rng: np.random.Generator
) -> Iterator[Result]:
    """Yield results for groups whose means are a shift apart, with a few strong directions."""
    spread = np.arange(1, FEATURES + 1) ** -0.5
    spread *= 4 / np.linalg.norm(spread)
    means = np.zeros((2, FEATURES))
    means[:, 0] = 5
    means[1, 1:4] = shift / np.sqrt(3)
    directions = unit_vectors(means)
    large = [
        unit_vectors(rng.normal(mean, spread, (50_000, FEATURES))).mean(axis=0) for mean in means
    ]
    truth = {APD: 1 - large[0] @ large[1], PROTOTYPE: 1 - directions[0] @ directions[1]}
    is_second = np.repeat([False, True], sizes)
    for _ in range(simulations):
        vectors = rng.normal(means[is_second.astype(int)], spread)
        changes = measure(vectors, is_second, is_second.astype(int), permutations=999, rng=rng)
        for name, value in truth.items():
            yield name, value, changes[name].low, changes[name].high, changes[name].p


def of_clusters(
    name: str, sizes: tuple[int, int], simulations: int, rng: np.random.Generator
) -> Iterator[Result]:
    """Yield results for groups with known shares of clusters."""
    shares = np.array(SHARES[name])
    truth = jensen_shannon(shares[:1], shares[1:]).item()
    is_second = np.repeat([False, True], sizes)
    for _ in range(simulations):
        parts = [rng.choice(len(p), n, p=p) for n, p in zip(sizes, shares, strict=True)]
        labels = np.concatenate(parts)
        vectors = np.eye(len(shares[0]))[labels]
        change = measure(vectors, is_second, labels, permutations=999, rng=rng)[JSD]
        yield JSD, truth, change.low, change.high, change.p


def line(name: str, sizes: tuple[int, int], measure: str, results: list[Result]) -> list[str]:
    """Return a row of the table from the results of one measure."""
    truth, low, high, p = np.array([row[1:] for row in results if row[0] == measure]).T
    # The ends of an interval may differ from the truth in their last bits.
    covered = ((low <= truth + 1e-9) & (truth - 1e-9 <= high)).mean()
    agrees = "-" if measure == APD else f"{100 * ((low > 0) == (p <= 0.05)).mean():.1f}"
    numbers = [f"{100 * covered:.1f}", f"{100 * (p <= 0.05).mean():.1f}", agrees]
    width = f"{(high - low).mean():.3f}"
    return [name, f"{sizes[0]} + {sizes[1]}", measure, f"{truth[0]:.3f}", *numbers, width]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng, rows = np.random.default_rng(args.seed), []
    for sizes in SIZES:
        for shift in SHIFTS:
            results = list(of_vectors(shift, sizes, args.simulations, rng))
            rows += [line(f"shift {shift}", sizes, name, results) for name in (APD, PROTOTYPE)]
        for name in SHARES:
            results = list(of_clusters(name, sizes, args.simulations, rng))
            rows.append(line(name, sizes, JSD, results))
    columns = ("covers", "rejects", "interval and test agree", "width")
    print(table(["change", "uses", "measure", "true value", *columns], rows))


if __name__ == "__main__":
    main()
