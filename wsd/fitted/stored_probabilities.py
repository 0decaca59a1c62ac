"""Turn the stored scores of an evaluation into probabilities, as new text gets them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.predictions import CV, PER_WORD, WordPredictions, read_predictions
from wsd.classification.fit_and_predict import tuned_parameters
from wsd.metrics import reliability


def stored_temperatures(path: Path) -> dict[str, float]:
    """Fit each word's temperature on the out-of-fold predictions of a file.

    Parameters
    ----------
    path : Path
        Predictions of `wsd classify`.

    Returns
    -------
    dict of word to float
        Empty if no word has folds. Empty too for a fine-tuned encoder, because it has seen the
        labels of every fold.
    """
    held_out, source = read_predictions(path, CV)
    if not held_out or has_seen_labels(source):
        return {}
    logits = {
        word: (np.empty((0, len(about["senses"]))), np.empty(0, dtype=int))
        for word, about in source["words"].items()
    }
    for words in held_out:
        logits[words.word] = (_logits(words, source), words.gold)
    return reliability.fit_temperatures(logits)


def has_seen_labels(provenance: Mapping[str, Any]) -> bool:
    """Return whether the encoder was trained on the labels of the training set."""
    return "finetuned_from" in provenance["encoder"]["model"]


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
        From :func:`stored_temperatures`; None if it is unknown.

    Returns
    -------
    array of shape (n, senses)
        All NaN for cosines without a temperature, which are no probabilities.
    """
    if temperature is None and _estimator(words, provenance)[0] == "nearest_centroid":
        return np.full_like(words.scores, np.nan)
    return reliability.to_probabilities(_logits(words, provenance), temperature or 1.0)


def _logits(words: WordPredictions, provenance: Mapping[str, Any]) -> np.ndarray:
    return reliability.to_logits(words.scores, *_estimator(words, provenance))


def _estimator(words: WordPredictions, provenance: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return a word's estimator and its tuned parameters."""
    if provenance["estimator"] == PER_WORD:
        chosen = provenance["chosen"][words.word]
        return chosen["estimator"], chosen["parameters"]
    parameters = tuned_parameters(provenance, words.word) if "untuned" in provenance else {}
    return provenance["estimator"], parameters
