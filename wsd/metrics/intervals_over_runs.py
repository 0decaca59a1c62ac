"""Intervals and tests over several runs: draws of training instances, or seeds.

Each run has an equal share of the draws from the posterior, shifted to its own scores as in
:func:`wsd.metrics.confidence_intervals.mean_intervals`. So the intervals cover both the choice of a
run and the test set. With one run they equal the intervals of that module.
"""

from collections.abc import Callable, Sequence

import numpy as np

from wsd.metrics import confidence_intervals, permutation, scores
from wsd.metrics.confidence_intervals import Interval, Seed
from wsd.metrics.permutation import PairedTest
from wsd.metrics.scores import Counts


def intervals_over_draws(
    runs: Sequence[Sequence[np.ndarray]], *, draws: int = 4000, rng: Seed = 0
) -> dict[str, Interval]:
    """Return intervals of the scores over all words for any one of several runs.

    Parameters
    ----------
    runs : sequence over runs of sequences of confusion matrices
        See :func:`wsd.metrics.confidence_intervals.mean_intervals`.
    draws, rng
        See :func:`wsd.metrics.confidence_intervals.word_intervals`.
    """
    return _over_draws(confidence_intervals.drawn_means, runs, draws, rng, floor=0)


def difference_intervals_over_draws(
    runs: Sequence[Sequence[Counts]], *, draws: int = 4000, rng: Seed = 0
) -> dict[str, Interval]:
    """Return intervals of the difference of two systems for any one of several pairs of runs.

    Parameters
    ----------
    runs : sequence over pairs of runs of sequences of Counts
        See :func:`wsd.metrics.confidence_intervals.difference_intervals`.
    draws, rng
        See :func:`wsd.metrics.confidence_intervals.word_intervals`.
    """
    return _over_draws(confidence_intervals.drawn_differences, runs, draws, rng, floor=-1)


def paired_tests_over_draws(
    runs: Sequence[Sequence[Counts]], *, rng: Seed = 0
) -> dict[str, PairedTest]:
    """Return the mean difference of two systems, and a p-value for a difference in every pair.

    The p-value is the highest p-value of the pairs, so that further runs never make it smaller. It
    is 1 if the pairs disagree about the better system.

    Parameters
    ----------
    runs : sequence over pairs of runs of sequences of Counts
        See :func:`wsd.metrics.permutation.paired_permutations`.
    rng : Generator or int
    """
    tests = [permutation.paired_permutations(joints, rng=rng) for joints in runs]
    combined = {}
    for name in scores.MEAN_SCORES:
        differences = [test[name].difference for test in tests]
        agree = len({np.sign(difference) for difference in differences}) == 1
        p = max(test[name].p for test in tests) if agree else 1.0
        reach, error = (
            max(getattr(test[name], key) for test in tests) for key in ("reach", "error")
        )
        combined[name] = PairedTest(float(np.mean(differences)), p, reach, error)
    return combined


def _over_draws(
    draw: Callable[..., tuple[confidence_intervals.Scores, confidence_intervals.Scores]],
    runs: Sequence[Sequence[np.ndarray]] | Sequence[Sequence[Counts]],
    draws: int,
    rng: Seed,
    floor: int,
) -> dict[str, Interval]:
    generator, share = np.random.default_rng(rng), -(-draws // len(runs))
    return confidence_intervals.pooled([draw(run, share, generator) for run in runs], floor)
