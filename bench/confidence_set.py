"""Measure how often the confidence set of wsd/metrics contains the best choice, and its size.

    python bench/confidence_set.py --scenario "24 equal" --simulations 100

Each simulation draws the predictions of M choices for the words of CoarseWSD-20, with their numbers
of test instances. The output is a Markdown table; docs/explanation/statistics.md quotes it.
"""

import argparse
from collections.abc import Sequence

import numpy as np
from coverage import COUNTS, recalls, table

from wsd.metrics import exchanges
from wsd.metrics.confidence_set import confidence_set
from wsd.metrics.scores import MEAN_SCORES

# Per choice, the rate of the errors that are not common to all choices, as a multiple of the rate
# of the common errors. The first choice is the best.
CLOSE = [0.8, 0.9, 1.0, 1.0, 1.2, 1.5]
SCENARIOS = {
    "8 equal": [1.0] * 8,
    "24 equal": [1.0] * 24,
    "65 equal": [1.0] * 65,
    "8, one makes 10% fewer errors of its own": [0.9, *[1.0] * 7],
    "6 of similar quality": CLOSE,
    "6 of similar quality, 18 hopeless": [*CLOSE, *[8.0] * 18],
}


def predictions(
    own_error_factors: Sequence[float], rng: np.random.Generator
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Draw gold labels and the predictions of all choices for every word.

    Half of the errors of the scenario `plain` are common to all choices. ``own_error_factors``
    multiplies the rate of the other half, by choice.
    """
    golds, predicted = [], []
    for counts in COUNTS.values():
        gold = np.repeat(np.arange(len(counts)), counts)
        error = (1 - recalls("plain", counts, rng))[gold] / 2
        common = rng.random(len(gold)) < error
        factors = np.array(own_error_factors)[:, None]
        alone = rng.random((len(factors), len(gold))) < error * factors
        wrong = (gold + rng.integers(1, len(counts), size=len(gold))) % len(counts)
        golds.append(gold)
        predicted.append(np.where(common | alone, wrong, gold))
    return golds, predicted


def memberships(
    own_error_factors: Sequence[float],
    metric: str,
    simulations: int,
    permutations: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Return which choices are in the set: a bool array of shape (simulations, choices)."""
    within = []
    for _ in range(simulations):
        gold, predicted = predictions(own_error_factors, rng)
        seed = int(rng.integers(2**32))
        best = confidence_set(gold, predicted, metric, permutations=permutations, rng=seed)
        within.append(best.within)
    return np.array(within)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scenario", choices=list(SCENARIOS), action="append")
    parser.add_argument("--metric", choices=MEAN_SCORES, action="append")
    parser.add_argument("--simulations", type=int, default=100)
    parser.add_argument(
        "--draws", type=int, default=400, help="draws per test; the sample is fixed"
    )
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    exchanges.MOST = args.draws
    rows = []
    for scenario in args.scenario or SCENARIOS:
        factors = np.array(SCENARIOS[scenario])
        for metric in args.metric or ["mean_macro_f1"]:
            rng = np.random.default_rng(args.seed)
            within = memberships(factors, metric, args.simulations, args.draws, rng)
            # Of equally good choices, each is the best.
            covered = within[:, factors == factors.min()].mean(axis=1)
            error = covered.std(ddof=1) / np.sqrt(args.simulations)
            size, hopeless = within.sum(axis=1).mean(), within[:, factors > 2].sum()
            cells = [f"{100 * covered.mean():.1f} ± {100 * error:.1f}", f"{size:.1f}", hopeless]
            rows.append([scenario, metric, args.simulations, *cells])
    head = ["choices", "metric", "simulations", "best in the set, %", "mean size", "hopeless"]
    print(table(head, rows))


if __name__ == "__main__":
    main()
