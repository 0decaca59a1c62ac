"""How sure a classifier is of each prediction: a probability, or a lead over the next sense."""

from collections.abc import Iterable

import numpy as np

from wsd.artifacts.predictions import WordPredictions

# What a classifier's confidence is: the probability of the sense that it predicts, or, where its
# scores are none, their lead over the next sense's.
PROBABILITY, LEAD = "probability", "lead"


def confidence_of(of: WordPredictions, kind: str) -> np.ndarray:
    """How sure a classifier is of each prediction.

    Parameters
    ----------
    of : WordPredictions
    kind : str
        ``"probability"``, of the predicted sense; or ``"lead"``, the predicted sense's score less
        the highest of the others (0 where there is no other).

    Returns
    -------
    float array of shape (n,)
    """
    rows = np.arange(len(of.predicted))
    own = of.scores[rows, of.predicted]
    if kind == PROBABILITY:
        return np.asarray(own, dtype=float)
    others = of.scores.copy()
    others[rows, of.predicted] = np.nan
    found = np.where(np.isnan(others), -np.inf, others).max(axis=1, initial=-np.inf)
    return np.where(np.isfinite(found), own - found, 0.0)


def kind_of_scores(words: Iterable[WordPredictions]) -> str:
    """What one classifier's scores are, on all layer choices: one that is no probability tells."""
    for of in words:
        sums = np.nansum(of.scores, axis=1)
        if len(sums) and (np.nanmin(of.scores) < 0 or np.abs(sums - 1).max() > 1e-6):
            return LEAD
    return PROBABILITY
