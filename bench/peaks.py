"""Measure the intervals of peaks, and the test of whether two curves have the same shape.

    python bench/peaks.py coverage
    python bench/peaks.py groups
    python bench/peaks.py noise

Each simulation draws words from a population. A word's curve is the true curve of its group, plus a
level with a standard deviation of 10 points, plus independent noise at every layer. The true curve
is a parabola over layers 0 to 6. A peak is the layer with the highest mean over words. The output
is Markdown tables in percent of the simulations; docs/explanation/statistics.md quotes them.
"""

import argparse

import numpy as np

from wsd.metrics import curve_shapes
from wsd.metrics.curve_shapes import same_shape, whole_interval
from wsd.metrics.pair_scores import resampled

LAYERS = np.arange(7)
PEAK = 4
# Points below the peak, one layer from it.
FALLS = (0.7, 0.2, 0.05)
LEVEL_SD, NOISE = 10.0, 2.5
# For speed, the sample of a test does not grow.
curve_shapes.MOST = PERMUTATIONS = 499


def curves(
    words: int, peak: int, fall: float, rng: np.random.Generator, noise: float = NOISE
) -> np.ndarray:
    """Draw the curves of words, shape (words, layers), in points."""
    levels = rng.normal(77, LEVEL_SD, (words, 1))
    noises = rng.normal(0, noise, (words, len(LAYERS)))
    return levels - fall * (LAYERS - peak) ** 2 + noises


def peaks(values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the peak as observed, then with words drawn with replacement, as reports do."""
    weights = resampled(np.arange(len(values)), rng=rng)
    return (np.vstack([np.ones(len(values)), weights]) @ values).argmax(axis=1)


def shape_p(first: np.ndarray, second: np.ndarray, rng: np.random.Generator) -> float:
    """Return the p-value of the interaction of group and layer."""
    values = np.vstack([first, second])
    in_second = np.arange(len(values)) >= len(first)
    sizes = np.ones(len(values))
    return same_shape(values, sizes, in_second, permutations=PERMUTATIONS, rng=rng)


def undivided_p(first: np.ndarray, second: np.ndarray, rng: np.random.Generator) -> float:
    """Return the p-value of the same test if the statistic is not divided by its variance."""
    values = np.vstack([first, second])
    values = values - values.mean(axis=1, keepdims=True)
    chosen = np.tile(np.arange(len(values)) >= len(first), (PERMUTATIONS + 1, 1))
    chosen[1:] = rng.permuted(chosen[1:], axis=1)
    total = chosen @ values
    means = total / len(second), (values.sum(axis=0) - total) / len(first)
    statistics = ((means[0] - means[1]) ** 2).sum(axis=1)
    return float((statistics >= statistics[0] - 1e-9).mean())


def coverage(simulations: int, rng: np.random.Generator) -> None:
    """Print how often the interval of a peak contains the true peak."""
    rows = []
    for fall in FALLS:
        for words in (5, 10, 20, 50, 200):
            drawn = [peaks(curves(words, PEAK, fall, rng), rng) for _ in range(simulations)]
            low, high = np.array([whole_interval(draws) for draws in drawn]).T
            right = percent([draws[0] == PEAK for draws in drawn])
            covers = percent((low <= PEAK) & (high >= PEAK))
            rows.append([fall, words, right, covers, f"{(high - low).mean():.1f}"])
    print_table(
        "fall per layer, points | words | observed peak is right | interval covers | width, layers",
        rows,
    )


def groups(simulations: int, rng: np.random.Generator) -> None:
    """Print what two groups of words show if their peaks are 0, 1 or 2 layers apart."""
    rows = []
    for fall in FALLS[:2]:
        for sizes in ((10, 10), (50, 20), (280, 90)):
            for apart in (0, 1, 2):
                seen = []
                for _ in range(simulations):
                    first = curves(sizes[0], PEAK, fall, rng)
                    second = curves(sizes[1], PEAK - apart, fall, rng)
                    low, high = whole_interval(peaks(second, rng) - peaks(first, rng))
                    test = shape_p(first, second, rng) <= 0.05
                    within = low >= -1 and high <= 1
                    seen.append((test, low > 0 or high < 0, low <= -apart <= high, within))
                rows.append(
                    [fall, "{}, {}".format(*sizes), apart, *map(percent, np.transpose(seen))]
                )
    print_table(
        "fall per layer, points | words | peaks apart | shapes differ, p ≤ .05 | "
        "interval excludes 0 | interval covers | “within one layer”",
        rows,
    )


def noise(simulations: int, rng: np.random.Generator) -> None:
    """Print the size and power of the test if the groups differ in their noise."""
    rows = []
    for sizes in ((50, 50), (200, 20), (40, 10), (200, 5)):
        for noises in ((2.5, 2.5), (2.5, 5.0), (5.0, 2.5)):
            row = ["{}, {}".format(*sizes), "{}, {}".format(*noises)]
            for apart in (0, 1):
                p = []
                for _ in range(simulations):
                    first = curves(sizes[0], PEAK, FALLS[1], rng, noises[0])
                    second = curves(sizes[1], PEAK - apart, FALLS[1], rng, noises[1])
                    p.append((shape_p(first, second, rng), undivided_p(first, second, rng)))
                row += map(percent, np.transpose(p) <= 0.05)
            rows.append(row)
    print_table(
        "words | noise, points | same shape: divided | same shape: not divided | "
        "one layer apart: divided | one layer apart: not divided",
        rows,
    )


def percent(values: object) -> str:
    """Return the share of true values in percent."""
    return f"{100 * np.mean(values):.1f}"


def print_table(head: str, rows: list[list[object]]) -> None:
    """Print a table in Markdown."""
    names = head.split(" | ")
    for line in (names, ["---"] * len(names), *rows):
        print("| " + " | ".join(map(str, line)) + " |", flush=True)


def main() -> None:
    """Run one of the simulations."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    simulations = {run.__name__: run for run in (coverage, groups, noise)}
    parser.add_argument("simulation", choices=simulations)
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    simulations[args.simulation](args.simulations, np.random.default_rng(args.seed))


if __name__ == "__main__":
    main()
