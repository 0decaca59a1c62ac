"""A logistic model of who is right where two systems disagree, with a random effect of words."""

from typing import NamedTuple

import numpy as np

from wsd.metrics.confidence_intervals import TAILS

# The standard deviations of the priors, in log odds.
PRIOR_MEAN, PRIOR_SPREAD = 2.5, 1.0
# The points of the grid: means, spreads, and log odds of a word.
MEANS, SPREADS = 161, np.linspace(0.04, 3, 38)
LOG_ODDS = np.linspace(-9, 9, 901)


class Winning(NamedTuple):
    """The probability that the first system is the right one, for a typical word.

    Attributes
    ----------
    estimate : float
        The posterior median, of discordant instances: those that exactly one system gets right.
    low, high : float
        The 95% credible interval.
    better : float
        The posterior probability that it is above one half.
    """

    estimate: float
    low: float
    high: float
    better: float


def mixed_logistic(won: np.ndarray, discordant: np.ndarray) -> Winning:
    """Return the probability of winning a discordant instance, with words as a random effect.

    Each system has the log odds of being right on a sentence: an effect of the sentence plus an
    effect of the system on the word. Given that exactly one system is right, the effects of
    sentences cancel, as in McNemar's test (Cox 1958, Biometrika 45). What is left is the difference
    of the systems, which varies over words: normal, with a mean and a spread. The prior of the mean
    is normal, the prior of the spread half-normal. The posterior is computed on a grid, because the
    variational approximation of statsmodels has far too short intervals:
    docs/explanation/statistics.md.

    Parameters
    ----------
    won, discordant : int arrays of shape (words,)
        Discordant instances that the first system gets right, and all of them.
    """
    from scipy.special import expit, log_expit

    lost = discordant - won
    centre = np.log((won.sum() + 0.5) / (lost.sum() + 0.5))
    error = np.sqrt(1 / (won.sum() + 0.5) + 1 / (lost.sum() + 0.5) + 4 / len(won))
    # The prior leaves nothing beyond log odds of 8.
    means = np.linspace(max(-8, centre - 6 * error), min(8, centre + 6 * error), MEANS)
    likelihood = np.outer(log_expit(LOG_ODDS), won) + np.outer(log_expit(-LOG_ODDS), lost)
    highest = likelihood.max(axis=0)
    posterior = np.empty((len(SPREADS), MEANS))
    for row, spread in zip(posterior, SPREADS, strict=True):
        density = np.exp(-(((LOG_ODDS - means[:, None]) / spread) ** 2) / 2)
        density /= density.sum(axis=1, keepdims=True)
        row[:] = np.log(density @ np.exp(likelihood - highest)).sum(axis=1)
        row -= (means / PRIOR_MEAN) ** 2 / 2 + (spread / PRIOR_SPREAD) ** 2 / 2
    weights = np.exp(posterior - posterior.max()).sum(axis=0)
    below = np.cumsum(weights) / weights.sum() - weights / weights.sum() / 2
    low, median, high = expit(np.interp([TAILS[0], 0.5, TAILS[1]], below, means))
    return Winning(float(median), float(low), float(high), 1 - float(np.interp(0, means, below)))
