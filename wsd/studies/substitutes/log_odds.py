"""What sets groups of texts apart: log-odds ratios with an informative Dirichlet prior."""

import numpy as np


def log_odds(counts: np.ndarray, prior: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of every group, each feature's log-odds ratio against all other groups together.

    As Monroe, Colaresi and Quinn (2008) have it: the prior counts are added to the counts of both
    sides, so that a feature seen once says little, and the ratio is divided by its standard
    deviation, so that features of different frequency can be compared.

    Parameters
    ----------
    counts : array of shape (groups, features)
        How often each group has each feature.
    prior : array of shape (features,)
        Pseudo-counts above 0, such as a share of what a larger text has.

    Returns
    -------
    ratios : float array of shape (groups, features)
        0 where a group is all there is.
    z : float array of the same shape
        The ratios in standard deviations.
    """
    own = np.asarray(counts, dtype=float)
    whole, total = np.asarray(prior, dtype=float), float(np.sum(prior))
    rest = own.sum(axis=0) - own
    n, m = own.sum(axis=1, keepdims=True), rest.sum(axis=1, keepdims=True)
    here, there = own + whole, rest + whole
    # A prior of one feature alone leaves nothing for others: the odds are then infinite on both
    # sides, and the same.
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.log(here / (n + total - here)) - np.log(there / (m + total - there))
    ratios = np.where(np.isfinite(ratios) & (m > 0), ratios, 0.0)
    return ratios, ratios / np.sqrt(1 / here + 1 / there)
