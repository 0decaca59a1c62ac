"""Calibrate a classifier's scores as probabilities, and measure how well they are calibrated.

Temperature scaling (Guo et al. 2017) divides the scores by one number per word before the softmax.
It keeps the order of the senses, and so every label. The number is fitted on out-of-fold scores of
the training set, never on test instances. A word with few errors says little about its temperature,
so each word's temperature is shrunk towards one that all words share.

A temperature cannot correct a bias towards some senses. If cross-validation has selected a shift of
the prior, which can improve macro-F1, rarer senses keep too much probability.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

BINS = 10
SMALLEST = 1e-300  # below it a probability has no logarithm
# Beyond these bounds a temperature makes all senses equal, or the first one certain.
BOUNDS = (1e-4, 1e4)
# The precision of the normal prior of a word's log-temperature around the pooled value. Values of 2
# to 16 are about equal in cross-validated likelihood on CoarseWSD-20.
PRECISION = 8.0


def to_logits(scores: np.ndarray, estimator: str, parameters: Mapping[str, Any]) -> np.ndarray:
    """Return the logits, which the temperature divides.

    Cosines and negative distances stay unchanged. A probability gives its logarithm. So does a
    share of k votes, after one more vote is spread over all senses: a sense without votes is still
    possible.

    Parameters
    ----------
    scores : array of shape (..., senses)
        As in :class:`wsd.artifacts.predictions.WordPredictions`; NaN for a sense without training
        instances.
    estimator, parameters
        The estimator that gave the scores, and its parameters.
    """
    if estimator == "nearest_centroid":
        return scores
    if estimator == "knn":
        senses = np.count_nonzero(~np.isnan(scores), axis=-1, keepdims=True)
        k = parameters.get("k", 5)
        scores = (k * scores + 1 / np.maximum(senses, 1)) / (k + 1)
    return np.log(np.maximum(scores, SMALLEST))


def to_probabilities(unscaled: np.ndarray, divisor: float = 1.0) -> np.ndarray:
    """Return rows that sum to 1; a sense without training instances gets 0.

    Parameters
    ----------
    unscaled : array of shape (n, senses)
        From :func:`to_logits`.
    divisor : float
        The temperature.
    """
    return softmax(np.where(np.isnan(unscaled), -np.inf, unscaled) / divisor, axis=1)


def fit_temperatures(held_out: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> dict[str, float]:
    """Return the temperature of each word, shrunk towards the temperature of all words together.

    A word's log-temperature maximises the likelihood of its labels times a normal prior around the
    pooled log-temperature. The likelihood of a word with many errors outweighs the prior. A word
    without errors, whose likelihood would favour a temperature of 0, stays near the pooled value.

    The pooled temperature is fitted with Platt's targets (Platt 1999): even if all n instances are
    right, the next instance may be wrong. With many instances the targets hardly matter.

    Parameters
    ----------
    held_out : mapping of word to (logits, gold)
        ``logits`` has the shape (n, senses), from :func:`to_logits` of the scores of classifiers
        that have not seen the instance. ``gold`` has the shape (n,). A word without folds has no
        instances, and gets the pooled temperature.

    Returns
    -------
    dict of word to float
        Empty if no word has an instance with a choice between trained senses.
    """
    losses, n = {}, 0
    for word, (logits, gold) in held_out.items():
        known = ~np.isnan(logits[np.arange(len(gold)), gold])
        known &= np.count_nonzero(~np.isnan(logits), axis=1) > 1
        if known.any():
            losses[word] = partial(_loss, logits[known], gold[known])
            n += int(known.sum())
    if not losses:
        return {}
    pooled = _minimum(lambda value: sum(loss(1 / (n + 2), value) for loss in losses.values()))

    def shrunk(loss: Callable[[float, float], float]) -> float:
        return _minimum(lambda value: loss(0, value) + PRECISION * (value - pooled) ** 2 / 2)

    fitted = {word: shrunk(loss) for word, loss in losses.items()}
    # Rounded as in calibration.csv, so that whoever reads it gets the same probabilities.
    return {word: round(float(np.exp(fitted.get(word, pooled))), 6) for word in held_out}


def _loss(logits: np.ndarray, gold: np.ndarray, share: float, log_temperature: float) -> float:
    """Return the cross-entropy; the wrong senses share the target probability ``share``."""
    trained = ~np.isnan(logits)
    scaled = np.where(trained, logits, -np.inf) / np.exp(log_temperature)
    log_probabilities = np.where(trained, log_softmax(scaled, axis=1), 0)
    right = log_probabilities[np.arange(len(gold)), gold]
    wrong = (log_probabilities.sum(axis=1) - right) / (trained.sum(axis=1) - 1)
    return -float(np.sum((1 - share) * right + share * wrong))


def _minimum(loss: Callable[[float], float]) -> float:
    return float(minimize_scalar(loss, bounds=tuple(np.log(BOUNDS)), method="bounded").x)


def log_loss(probabilities: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Return the negative log-likelihood of the right sense, in nats: array of shape (n,).

    A probability below the resolution of float64 counts as 2.2e-16, as in scikit-learn's
    ``log_loss``.

    Parameters
    ----------
    probabilities : array of shape (n, senses)
    gold : int array of shape (n,)
    """
    right = probabilities[np.arange(len(gold)), gold]
    return -np.log(np.maximum(right, np.finfo(float).eps))


def brier_score(probabilities: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Return the squared distance to the right answer (Brier 1950), 0 to 2: array of shape (n,).

    Parameters
    ----------
    probabilities : array of shape (n, senses)
    gold : int array of shape (n,)
    """
    return np.square(probabilities - np.eye(probabilities.shape[1])[gold]).sum(axis=1)


def reliability(confidence: np.ndarray, correct: np.ndarray) -> list[dict[str, Any]]:
    """Return confidence and accuracy in ten bins of equal width; empty bins are left out.

    Parameters
    ----------
    confidence : array of shape (n,)
        The probability of the predicted sense, 0 to 1.
    correct : bool array of shape (n,)

    Returns
    -------
    list of dict
        low (exclusive) and high (inclusive), the bin's ends; n; confidence and accuracy, the means
        over the instances in the bin.
    """
    bin_numbers, bins = _bins(confidence), []
    for i in np.unique(bin_numbers).tolist():
        within = bin_numbers == i
        means = {"confidence": confidence[within].mean(), "accuracy": correct[within].mean()}
        bins.append({"low": i / BINS, "high": (i + 1) / BINS, "n": int(within.sum()), **means})
    return bins


def calibration_error(confidence: np.ndarray, correct: np.ndarray) -> float:
    """Return the expected calibration error (Naeini et al. 2015), with bins of equal width.

    It is the mean over instances of the difference between accuracy and confidence in their bin.
    """
    return _error(confidence - correct, _bins(confidence))


def noise_floor(confidence: np.ndarray, *, seed: int, draws: int = 1000) -> tuple[float, float]:
    """Return the calibration error that chance gives to a perfectly calibrated classifier.

    Absolute values do not cancel out, so even a classifier whose confidence is the true probability
    has an error above 0, which grows as the number of instances falls. Each draw simulates its
    right and wrong answers from the confidences (Vaicenavicius et al. 2019).

    Returns
    -------
    mean, quantile : float
        Over the draws. A perfectly calibrated classifier exceeds the quantile in 5% of samples.
    """
    bin_numbers, rng = _bins(confidence), np.random.default_rng(seed)
    gaps = (confidence - (rng.random(len(confidence)) < confidence) for _ in range(draws))
    errors = [_error(gap, bin_numbers) for gap in gaps]
    return float(np.mean(errors)), float(np.quantile(errors, 0.95, method="higher"))


def _bins(confidence: np.ndarray) -> np.ndarray:
    return np.clip(np.ceil(confidence * BINS).astype(int) - 1, 0, BINS - 1)


def _error(gap: np.ndarray, bin_numbers: np.ndarray) -> float:
    return float(np.abs(np.bincount(bin_numbers, weights=gap, minlength=BINS)).sum() / len(gap))
