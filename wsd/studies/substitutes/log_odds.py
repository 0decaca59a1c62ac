"""Features that distinguish groups: log-odds ratios with an informative Dirichlet prior."""

import numpy as np


def log_odds(counts: np.ndarray, prior: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return each feature's log-odds ratio in every group against all other groups together.

    The method is from Monroe, Colaresi and Quinn (2008). Prior counts are added on both sides, so
    that a rare feature has a small ratio. The ratio is also divided by its standard deviation, so
    that features of different frequencies can be compared.

    Parameters
    ----------
    counts : array of shape (groups, features)
        The count of each feature in each group.
    prior : array of shape (features,)
        Pseudo-counts above 0, such as a share of the counts in a larger text.

    Returns
    -------
    ratios : float array of shape (groups, features)
        0 if there is only one group.
    z : float array of the same shape
        The ratios divided by their standard deviations.
    """
    own = np.asarray(counts, dtype=float)
    whole, total = np.asarray(prior, dtype=float), float(np.sum(prior))
    rest = own.sum(axis=0) - own
    n, m = own.sum(axis=1, keepdims=True), rest.sum(axis=1, keepdims=True)
    here, there = own + whole, rest + whole
    # With a single feature the odds are infinite on both sides, and the ratio is set to 0.
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.log(here / (n + total - here)) - np.log(there / (m + total - there))
    ratios = np.where(np.isfinite(ratios) & (m > 0), ratios, 0.0)
    return ratios, ratios / np.sqrt(1 / here + 1 / there)
