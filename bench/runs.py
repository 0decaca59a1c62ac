"""Measure power, error rate and coverage of wsd/metrics/intervals_over_runs.py.

    python bench/runs.py differences
    python bench/runs.py scores

A system with a random effect of the run is compared with a fixed system, on eight words of
CoarseWSD-20. Whether a prediction is wrong depends on three things: how hard the sentence is for
both systems, how hard it is for all runs of the first system, and chance. A run shifts the error
rates of each word. The output is Markdown tables; docs/explanation/statistics.md quotes them.
"""

import argparse
from collections.abc import Sequence

import numpy as np
from coverage import COUNTS, recalls, table
from scipy.optimize import brentq
from scipy.stats import norm

from wsd.metrics.counts import Counts, count_kinds
from wsd.metrics.intervals_over_runs import OverRuns, differences_over_runs, scores_over_runs
from wsd.metrics.scores import mean_scores

WORDS = ("arm", "bank", "bow", "crane", "deck", "mole", "seal", "spring")
METRIC = "mean_macro_f1"
RUNS = (1, 2, 3, 5, 9)
# The standard deviation of a run's shift of a word, on the probit scale.
SHIFTS = (0.0, 0.15, 0.3)
# Shares of the variance on the probit scale: the sentence for both systems, and for all runs of the
# first system.
BOTH, FIRST = 0.5, 0.25
# The difference of macro-F1 at which one run without a random effect has a power of about 80%.
DIFFERENCE = 0.03

Shifts = list[np.ndarray]


class Simulation:
    """Two systems with known error rates: a fixed one, and one with a random effect of the run."""

    def __init__(self, shift: float, difference: float, rng: np.random.Generator) -> None:
        self.shift, self.rng = shift, rng
        self.counts = [COUNTS[word] for word in WORDS]
        # A prediction is wrong above this threshold.
        self.thresholds = [norm.ppf(recalls("plain", counts, rng)) for counts in self.counts]
        self.second = float(self.scores([np.zeros(1)] * len(WORDS))[0])
        many = self.drawn_shifts(4000)
        self.easier = brentq(
            lambda x: self.scores([s + x for s in many]).mean() - self.second - difference, -3, 3
        )
        self.first = self.second + difference

    def drawn_shifts(self, runs: int) -> Shifts:
        """Draw the shifts of some runs: per word an array of shape (runs,)."""
        return [self.rng.normal(0, self.shift, runs) for _ in WORDS]

    def scores(self, shifts: Shifts) -> np.ndarray:
        """Return the score of the expected confusion matrix of each run: shape (runs,)."""
        matrices = []
        for counts, thresholds, shift in zip(self.counts, self.thresholds, shifts, strict=True):
            n = np.array(counts, dtype=float)
            wrong = norm.sf(thresholds + shift[:, None]) * n
            others = n * (1 - np.eye(len(n)))
            matrix = wrong[:, :, None] * (others / others.sum(axis=1, keepdims=True))
            matrices.append(matrix + np.eye(len(n)) * (n - wrong)[:, :, None])
        return mean_scores(matrices)[METRIC]

    def new_scores(self, runs: int) -> np.ndarray:
        """Return the scores of new runs of the first system."""
        return self.scores([shift + self.easier for shift in self.drawn_shifts(runs)])

    def predictions(self, runs: int) -> list[tuple[np.ndarray, list[np.ndarray]]]:
        """Draw gold senses, the predictions of each run, and those of the fixed system, by word."""
        words = []
        for counts, thresholds, shifts in zip(
            self.counts, self.thresholds, self.drawn_shifts(runs), strict=True
        ):
            gold = np.repeat(np.arange(len(counts)), counts)
            both, first = self.rng.normal(size=(2, len(gold)))
            chance = self.rng.normal(size=(runs + 1, len(gold)))
            hard = np.sqrt(BOTH) * both + np.sqrt(FIRST) * first
            hard = hard + np.sqrt(1 - BOTH - FIRST) * chance
            hard[-1] = np.sqrt(BOTH) * both + np.sqrt(1 - BOTH) * chance[-1]
            easier = np.append(shifts + self.easier, 0)[:, None]
            wrong = hard > thresholds[gold] + easier
            n = np.array(counts, dtype=float)
            others = np.stack([self.others(n, g) for g in range(len(n))])
            errors = (self.rng.random((runs + 1, len(gold), 1)) > others[gold].cumsum(-1)).sum(-1)
            words.append((gold, list(np.where(wrong, errors, gold))))
        return words

    @staticmethod
    def others(n: np.ndarray, gold: int) -> np.ndarray:
        """Return how the errors of a sense fall on the other senses."""
        rest = np.where(np.arange(len(n)) == gold, 0, n)
        return rest / rest.sum()


def counted(
    words: Sequence[tuple[np.ndarray, list[np.ndarray]]], systems: Sequence[int]
) -> list[Counts]:
    return [
        count_kinds([gold, *(predicted[i] for i in systems)], int(gold.max()) + 1)
        for gold, predicted in words
    ]


def simulate(
    simulation: Simulation, simulations: int, sampled: int, scores: bool
) -> dict[int, list[OverRuns]]:
    """Return the results of simulations, by the number of runs."""
    results: dict[int, list[OverRuns]] = {runs: [] for runs in RUNS}
    for _ in range(simulations):
        words = simulation.predictions(max(RUNS))
        for runs in RUNS:
            if scores:
                given = counted(words, range(runs)), ["full"] * runs
                result = scores_over_runs(*given, sampled=sampled, rng=simulation.rng)
            else:
                pairs = [system for run in range(runs) for system in (run, max(RUNS))]
                given = counted(words, pairs), ["full"] * runs
                result = differences_over_runs(*given, sampled=sampled, rng=simulation.rng)
            results[runs].append(result[METRIC])
    return results


def share(values: Sequence[bool] | np.ndarray) -> str:
    return f"{100 * np.mean(values):.1f}"


def points(values: Sequence[float]) -> str:
    return f"{100 * np.mean(values):.2f}"


def differences(simulations: int, sampled: int, rng: np.random.Generator) -> str:
    rows = []
    for shift in SHIFTS:
        equal, better = Simulation(shift, 0, rng), Simulation(shift, DIFFERENCE, rng)
        spread = points([better.new_scores(4000).std()])
        null = simulate(equal, simulations, sampled, scores=False)
        found = simulate(better, simulations, sampled, scores=False)
        for runs in RUNS:
            covered = [result.low <= DIFFERENCE <= result.high for result in found[runs]]
            widths = [result.high - result.low for result in found[runs]]
            rejected = ([result.p <= 0.05 for result in results[runs]] for results in (null, found))
            rows.append([spread, runs, *map(share, (*rejected, covered)), points(widths)])
    head = ("SD between runs", "runs", "equal: p ≤ 0.05", "power", "coverage", "width")
    return table(head, rows)


def scores(simulations: int, sampled: int, rng: np.random.Generator) -> str:
    rows = []
    for shift in SHIFTS:
        simulation = Simulation(shift, DIFFERENCE, rng)
        spread = points([simulation.new_scores(4000).std()])
        for runs, results in simulate(simulation, simulations, sampled, scores=True).items():
            covered = [
                np.mean([(result.low <= new) & (new <= result.high)])
                for result in results
                for new in [simulation.new_scores(200)]
            ]
            widths = [result.high - result.low for result in results]
            rows.append([spread, runs, share(covered), points(widths)])
    return table(("SD between runs", "runs", "coverage of a new run", "width"), rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("simulation", choices=["differences", "scores"])
    parser.add_argument("--simulations", type=int, default=500)
    parser.add_argument("--sampled", type=int, default=500, help="exchanges, or posterior draws")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    simulation = differences if args.simulation == "differences" else scores
    print(simulation(args.simulations, args.sampled, np.random.default_rng(args.seed)))


if __name__ == "__main__":
    main()
