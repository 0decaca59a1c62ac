"""The same where there are several runs: of draws of training instances, or of seeds.

Each run has an equal share of the posterior's draws, moved to its own scores as
:func:`wsd.metrics.intervals.mean_intervals` does, so that the choice of a run and the test set
are both open. Of one run they are that module's intervals.
"""

from collections.abc import Sequence

import numpy as np

from wsd.metrics import intervals, permutation, scores
from wsd.metrics.intervals import Interval, Scores, Seed
from wsd.metrics.permutation import PairedTest
from wsd.metrics.scores import Counts


def intervals_over_draws(
    runs: Sequence[Sequence[np.ndarray]], *, level: float = 0.95, draws: int = 4000, rng: Seed = 0
) -> dict[str, Interval]:
    """Intervals of the scores over all words, of one of several runs.

    Parameters
    ----------
    runs : sequence of what :func:`wsd.metrics.intervals.mean_intervals` takes
    level, draws, rng
        See :func:`wsd.metrics.intervals.word_intervals`.
    """
    generator, share = np.random.default_rng(rng), -(-draws // len(runs))
    drawn = [intervals.drawn_means(of, share, generator) for of in runs]
    return _pooled(drawn, [scores.mean_scores(of) for of in runs], level, floor=0)


def difference_intervals_over_draws(
    runs: Sequence[Sequence[Counts]], *, level: float = 0.95, draws: int = 4000, rng: Seed = 0
) -> dict[str, Interval]:
    """Intervals of the difference of two systems, of one of several pairs of their runs.

    Parameters
    ----------
    runs : sequence of what :func:`wsd.metrics.intervals.difference_intervals` takes
    level, draws, rng
        See :func:`wsd.metrics.intervals.word_intervals`.
    """
    generator, share = np.random.default_rng(rng), -(-draws // len(runs))
    found = [intervals.drawn_differences(of, share, generator) for of in runs]
    drawn, estimates = zip(*found, strict=True)
    return _pooled(drawn, estimates, level, floor=-1)


def paired_tests_over_draws(
    runs: Sequence[Sequence[Counts]], *, rng: Seed = 0
) -> dict[str, PairedTest]:
    """The mean difference of two systems, and the p-value of a difference in every pair of runs.

    That is the highest of the pairs' p-values, which no number of runs makes smaller; 1 where the
    pairs do not agree on which system is the better one.

    Parameters
    ----------
    runs : sequence of what :func:`wsd.metrics.permutation.paired_permutations` takes
    rng : Generator or int
    """
    tests = [permutation.paired_permutations(joints, rng=rng) for joints in runs]
    found = {}
    for name in scores.MEAN_SCORES:
        of = [test[name] for test in tests]
        agree = len({np.sign(one.difference) for one in of}) == 1
        mean = float(np.mean([one.difference for one in of]))
        found[name] = PairedTest(mean, max(one.p for one in of) if agree else 1.0)
    return found


def _pooled(
    drawn: Sequence[Scores], estimates: Sequence[Scores], level: float, floor: int
) -> dict[str, Interval]:
    found = {}
    for name in scores.MEAN_SCORES:
        pairs = [(of[name], own[name]) for of, own in zip(drawn, estimates, strict=True)]
        moved = [of - of.mean() + own for of, own in pairs]
        low, high = np.quantile(moved, [(1 - level) / 2, (1 + level) / 2])
        found[name] = intervals.bounded(low, high, float(np.mean([own for _, own in pairs])), floor)
    return found
