"""The Bayesian signed-rank test with a region of practical equivalence."""

from typing import NamedTuple

import numpy as np

from wsd.metrics.confidence_intervals import Seed

# Two systems are practically equivalent within half a point.
EQUIVALENT = 0.005
# The prior is a half word without a difference.
PRIOR = 0.5


class Posterior(NamedTuple):
    """The probabilities that the first system is worse, practically equivalent or better."""

    worse: float
    equivalent: float
    better: float


def signed_rank_posterior(
    values: np.ndarray, *, equivalent: float = EQUIVALENT, draws: int = 10_000, rng: Seed = 0
) -> Posterior:
    """Return the posterior of the sign of a difference over words.

    Each draw weights the words by a Dirichlet distribution, with one more word of weight 1/2 and no
    difference. It goes to the region with the largest weight of the means of two words (Benavoli,
    Mangili, Corani, Zaffalon & Ruggeri 2014, ICML; Benavoli, Corani, Demšar & Zaffalon 2017, JMLR
    18).

    Parameters
    ----------
    values : float array of shape (words,)
        First minus second.
    equivalent : float
        The largest absolute difference that counts as none.
    draws : int
    rng : Generator or int
    """
    points = np.append(values, 0.0)
    alpha = np.append(np.ones(len(values)), PRIOR)
    weights = np.random.default_rng(rng).dirichlet(alpha, size=draws)
    means = np.add.outer(points, points) / 2
    above, below = (
        ((weights @ (sign * means > equivalent)) * weights).sum(axis=1) for sign in (1, -1)
    )
    region = np.argmax([below, 1 - above - below, above], axis=0)
    return Posterior(*(np.bincount(region, minlength=3) / draws).tolist())
