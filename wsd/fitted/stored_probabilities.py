"""Turn the stored scores of an evaluation into probabilities, as new text gets them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from wsd.artifacts.predictions import PER_WORD, WordPredictions
from wsd.classification.fit_and_predict import tuned_parameters
from wsd.metrics import reliability


def stored_probabilities(
    words: WordPredictions, provenance: Mapping[str, Any], temperature: float | None
) -> np.ndarray:
    """Return the probability of each sense, as :meth:`FittedWord.answer` would.

    Parameters
    ----------
    words : WordPredictions
    provenance : mapping
        The provenance of the predictions.
    temperature : float or None
        The word's temperature in ``calibration.csv``; None if it is unknown.

    Returns
    -------
    array of shape (n, senses)
        All NaN for cosines without a temperature, which are no probabilities.
    """
    estimator = provenance["estimator"]
    if estimator == PER_WORD:
        chosen = provenance["chosen"][words.word]
        estimator, parameters = chosen["estimator"], chosen["parameters"]
    else:
        parameters = tuned_parameters(provenance, words.word) if "untuned" in provenance else {}
    if temperature is None and estimator == "nearest_centroid":
        return np.full_like(words.scores, np.nan)
    logits = reliability.to_logits(words.scores, estimator, parameters)
    return reliability.to_probabilities(logits, temperature or 1.0)
