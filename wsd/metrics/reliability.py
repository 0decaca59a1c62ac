"""Calibrate a classifier's scores as probabilities, and measure how well they are calibrated.

Temperature scaling (Guo et al. 2017) divides the scores by one number per word before the softmax.
It keeps the order of the senses, and so every label. The number is fitted on out-of-fold scores of
the training set, never on test instances, with Platt's targets (Platt 1999): even if all n
instances are right, the next instance may be wrong.

A temperature cannot correct a bias towards some senses. If cross-validation has selected a shift of
the prior, which can improve macro-F1, rarer senses keep too much probability.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

BINS = 10
SMALLEST = 1e-300  # below it a probability has no logarithm
# Beyond these bounds a temperature makes all senses equal, or the first one certain.
BOUNDS = (1e-4, 1e4)


def to_logits(scores: np.ndarray, estimator: str, parameters: Mapping[str, Any]) -> np.ndarray:
    """Return the logits, which the temperature divides.

    Cosines and negative distances stay unchanged. A probability gives its logarithm. So does a
    share of k votes, after one more vote is spread over all senses: a sense without votes is still
    possible.

    Parameters
    ----------
    scores : array of shape (n, senses)
        As in :class:`wsd.artifacts.predictions.WordPredictions`; NaN for a sense without training
        instances.
    estimator, parameters
        The estimator that gave the scores, and its parameters.
    """
    if estimator == "nearest_centroid":
        return scores
    if estimator == "knn":
        k, senses = parameters.get("k", 5), int(np.count_nonzero(~np.isnan(scores[:1])))
        scores = (k * scores + 1 / max(senses, 1)) / (k + 1)
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


def fit_temperature(unscaled: np.ndarray, gold: np.ndarray) -> float | None:
    """Return the temperature under which held-out labels are most probable.

    Parameters
    ----------
    unscaled : array of shape (n, senses)
        Each row is scored by a classifier that has not seen it.
    gold : int array of shape (n,)

    Returns
    -------
    float, or None if nothing can be fitted: with one sense, or without an instance
    """
    known = ~np.isnan(unscaled[np.arange(len(gold)), gold])
    unscaled, gold = unscaled[known], gold[known]
    trained = ~np.isnan(unscaled)
    if not len(gold) or trained.sum(axis=1).max() < 2:
        return None
    others = np.maximum(trained.sum(axis=1, keepdims=True) - 1, 1)
    share = 1 / (len(gold) + 2)
    targets = np.where(trained, share / others, 0.0)
    targets[np.arange(len(gold)), gold] = np.where(trained.sum(axis=1) > 1, 1 - share, 1.0)
    filled = np.where(trained, unscaled, -np.inf)

    def loss(log_temperature: float) -> float:
        log_probabilities = log_softmax(filled / np.exp(log_temperature), axis=1)
        return -float(np.sum(targets * np.where(trained, log_probabilities, 0.0)))

    minimum = minimize_scalar(loss, bounds=tuple(np.log(BOUNDS)), method="bounded")
    return float(np.exp(minimum.x))


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


def calibration_interval(
    confidence: np.ndarray, correct: np.ndarray, *, seed: int, draws: int = 1000
) -> tuple[float, float]:
    """Return a 95% interval of the expected calibration error: the basic bootstrap over instances.

    Absolute values do not cancel out, so the error is biased upwards: the observed error against
    the true error, and a resampled error against the observed error. The basic bootstrap, twice the
    observed error minus the quantiles, removes this bias instead of doubling it.
    """
    bin_numbers, gap = _bins(confidence), confidence - correct
    n, rng = len(gap), np.random.default_rng(seed)
    drawn = np.empty(draws)
    for i in range(draws):
        rows = rng.integers(n, size=n)
        drawn[i] = _error(gap[rows], bin_numbers[rows])
    observed = _error(gap, bin_numbers)
    low, high = 2 * observed - np.quantile(drawn, [0.975, 0.025])
    return max(0.0, float(low)), max(0.0, float(high))


def _bins(confidence: np.ndarray) -> np.ndarray:
    return np.clip(np.ceil(confidence * BINS).astype(int) - 1, 0, BINS - 1)


def _error(gap: np.ndarray, bin_numbers: np.ndarray) -> float:
    return float(np.abs(np.bincount(bin_numbers, weights=gap, minlength=BINS)).sum() / len(gap))
