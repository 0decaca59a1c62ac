"""Scores and differences over several runs: draws of training instances, or seeds.

Runs share the test sentences, so their test noise has a part that all runs share and a part of each
run alone. The observed variance between runs contains the latter part, which is therefore
subtracted. The variance of a mean over R runs is

    shared test noise + (noise of one run alone + variance between runs) / R

and the degrees of freedom are Satterthwaite's (1946, Biometrics Bulletin 2). One model gives
interval and p-value. With one run, the results equal those of the modules for one run.
docs/explanation/statistics.md has the measured coverage and power.
"""

from collections.abc import Hashable, Sequence
from itertools import cycle
from typing import NamedTuple

import numpy as np

from wsd.metrics import confidence_intervals, scores
from wsd.metrics.confidence_intervals import TAILS, Seed
from wsd.metrics.counts import Counts
from wsd.metrics.permutation import exchange_pairs


class OverRuns(NamedTuple):
    """A score, or the difference of two systems, over runs.

    Attributes
    ----------
    values : float array of shape (runs,)
        With several draws of training instances, a draw counts as one run: the mean of its seeds.
    low, high : float
        A 95% interval: for the score of a new run, or for the mean difference.
    p : float
        The two-sided p-value of the mean difference; NaN for a score.
    error : float
        The standard error.
    freedom : float
        The degrees of freedom of the t-distribution; infinite with one run.
    """

    values: np.ndarray
    low: float
    high: float
    p: float
    error: float
    freedom: float

    @property
    def mean(self) -> float:
        """Return the mean over runs."""
        return float(self.values.mean())

    @property
    def spread(self) -> float:
        """Return the standard deviation over runs; NaN with one run."""
        return float(self.values.std(ddof=1)) if len(self.values) > 1 else float("nan")


def scores_over_runs(
    words: Sequence[Counts], draws: Sequence[Hashable], *, sampled: int = 4000, rng: Seed = 0
) -> dict[str, OverRuns]:
    """Return the scores over all words, with intervals for the score of a new run.

    The test noise of a run is the variance of the posterior draws of
    :func:`wsd.metrics.confidence_intervals.mean_intervals`, averaged over runs. The part of one run
    alone is half the variance of the difference of two runs that exchange their predictions.

    Parameters
    ----------
    words : sequence over words of Counts
        Each system is a run. From :func:`wsd.metrics.counts.count_kinds`.
    draws : sequence over systems
        The name of the training instances.
    sampled : int
        The number of posterior draws, and of exchanges, of all runs together.
    rng : Generator or int

    Returns
    -------
    dict of mean to OverRuns
    """
    generator, seeds = np.random.default_rng(rng), _seeds(draws)
    n_systems, runs = seeds.shape
    share = -(-sampled // n_systems)
    drawn = [
        confidence_intervals.drawn_means([w.of_systems([i]) for w in words], share, generator)
        for i in range(n_systems)
    ]
    if runs == 1:
        bounds = confidence_intervals.intervals_of_draws(*drawn[0], floor=0)
        return {
            name: OverRuns(np.array([drawn[0][1][name]]), *ends, np.nan, np.nan, np.inf)
            for name, ends in bounds.items()
        }
    # The systems of each run exchange their predictions with those of the run before it.
    run_of = seeds.argmax(axis=1)
    members = [np.flatnonzero(run_of == run).tolist() for run in range(runs)]
    pairs = sorted(
        pair
        for run, own in enumerate(members)
        for pair in zip(own, cycle(members[run - 1]), strict=False)
    )
    exchanged, weights = next(exchange_pairs(words, pairs, share, generator))
    results = {}
    for name in scores.MEAN_SCORES:
        values = np.array([observed[name] for _, observed in drawn]) @ seeds
        both = float(np.mean([posterior[name].var() for posterior, _ in drawn]))
        own = float((weights @ (exchanged[name] @ seeds) ** 2).mean()) / 2
        score = _over_runs(values, both - own, own, 1 + 1 / runs)
        low, high = confidence_intervals.bounded(score.low, score.high, score.mean, floor=0)
        results[name] = score._replace(low=low, high=high, p=np.nan)
    return results


def _seeds(draws: Sequence[Hashable]) -> np.ndarray:
    """Return the share of each system in the mean of each run: shape (systems, runs)."""
    names = list(dict.fromkeys(draws))
    if len(names) == 1:
        return np.eye(len(draws))
    belongs = np.array([[draw == name for name in names] for draw in draws])
    return belongs / belongs.sum(axis=0)


def _over_runs(values: np.ndarray, shared: float, own: float, share: float) -> OverRuns:
    """Return the mean over R runs with its interval and test.

    Parameters
    ----------
    values : float array of shape (R,)
    shared, own : float
        The variance of the test noise that all runs share, and of the noise of one run alone.
    share : float
        The part of the variance between runs that the error contains: 1 / R for the mean, and
        1 + 1 / R for a new run.
    """
    from scipy.stats import t

    runs, observed = len(values), float(values.var(ddof=1))
    variance = max(0.0, shared) + own / runs + max(0.0, observed - own) * share
    # Satterthwaite's degrees of freedom: only the observed variance is estimated from the runs.
    ratio = variance / (observed * share) if observed else np.inf
    freedom, error = float((runs - 1) * max(1.0, ratio**2)), float(np.sqrt(variance))
    mean = float(values.mean())
    low, high = mean + t.ppf(TAILS, freedom) * error
    p = float(2 * t.sf(abs(mean) / error, freedom)) if error else 1.0
    return OverRuns(values, float(low), float(high), p, error, freedom)
