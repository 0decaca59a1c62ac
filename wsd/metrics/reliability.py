"""From a classifier's scores to probabilities that mean what they say, and how well they do.

Temperature scaling (Guo et al. 2017): the scores are divided by one number per word before the
softmax, so that the order of the senses, and with it every label, stays as it was. The number is
fitted on out-of-fold scores of the training set, never on test instances, and towards Platt's
targets (Platt 1999): of n instances that are all right, the next one is not certain.

What a temperature cannot mend is a bias towards some senses: where the folds chose a shift of the
prior, which macro-F1 may gain from, rarer senses keep more than their share.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

BINS = 10
SMALLEST = 1e-300  # a probability below it has no logarithm
# Beyond these a temperature makes all senses alike, or the first certain.
BOUNDS = (1e-4, 1e4)


def to_logits(scores: np.ndarray, estimator: str, parameters: Mapping[str, Any]) -> np.ndarray:
    """What is divided by the temperature.

    Cosines and negative distances as they are; of probabilities the logarithm; of shares of k
    votes the logarithm after one vote more, spread over all senses: no vote is not impossible.

    Parameters
    ----------
    scores : array of shape (n, senses)
        As in :class:`wsd.artifacts.predictions.WordPredictions`; NaN for a sense without training
        instances.
    estimator, parameters
        What gave them.
    """
    if estimator == "nearest_centroid":
        return scores
    if estimator == "knn":
        k, senses = parameters.get("k", 5), int(np.count_nonzero(~np.isnan(scores[:1])))
        scores = (k * scores + 1 / max(senses, 1)) / (k + 1)
    return np.log(np.maximum(scores, SMALLEST))


def to_probabilities(unscaled: np.ndarray, divisor: float = 1.0) -> np.ndarray:
    """Rows that sum to 1; a sense without training instances gets 0.

    Parameters
    ----------
    unscaled : array of shape (n, senses)
        From :func:`to_logits`.
    divisor : float
        The temperature.
    """
    return softmax(np.where(np.isnan(unscaled), -np.inf, unscaled) / divisor, axis=1)


def fit_temperature(unscaled: np.ndarray, gold: np.ndarray) -> float | None:
    """The temperature under which held-out labels are most probable.

    Parameters
    ----------
    unscaled : array of shape (n, senses)
        Each row scored by a classifier that had not seen it.
    gold : int array of shape (n,)

    Returns
    -------
    float, or None where nothing can be fitted: one sense, or no instance
    """
    known = ~np.isnan(unscaled[np.arange(len(gold)), gold])
    unscaled, gold = unscaled[known], gold[known]
    there = ~np.isnan(unscaled)
    if not len(gold) or there.sum(axis=1).max() < 2:
        return None
    others = np.maximum(there.sum(axis=1, keepdims=True) - 1, 1)
    share = 1 / (len(gold) + 2)
    targets = np.where(there, share / others, 0.0)
    targets[np.arange(len(gold)), gold] = np.where(there.sum(axis=1) > 1, 1 - share, 1.0)
    filled = np.where(there, unscaled, -np.inf)

    def loss(log_temperature: float) -> float:
        of_all = log_softmax(filled / np.exp(log_temperature), axis=1)
        return -float(np.sum(targets * np.where(there, of_all, 0.0)))

    found = minimize_scalar(loss, bounds=tuple(np.log(BOUNDS)), method="bounded")
    return float(np.exp(found.x))


def reliability(confidence: np.ndarray, correct: np.ndarray) -> list[dict[str, Any]]:
    """Confidence against accuracy in those of ten bins of equal width that hold anything.

    Parameters
    ----------
    confidence : array of shape (n,)
        Probability of the predicted sense, 0 to 1.
    correct : bool array of shape (n,)

    Returns
    -------
    list of dict
        low and high, the interval with its upper end; n; confidence and accuracy, means over the
        instances in it.
    """
    of, found = _bins(confidence), []
    for i in np.unique(of).tolist():
        within = of == i
        means = {"confidence": confidence[within].mean(), "accuracy": correct[within].mean()}
        found.append({"low": i / BINS, "high": (i + 1) / BINS, "n": int(within.sum()), **means})
    return found


def calibration_error(confidence: np.ndarray, correct: np.ndarray) -> float:
    """Expected calibration error (Naeini et al. 2015), over the bins of :func:`reliability`.

    The mean over instances of the distance between accuracy and mean confidence of their bin.
    """
    return _error(confidence - correct, _bins(confidence))


def calibration_interval(
    confidence: np.ndarray, correct: np.ndarray, *, seed: int, draws: int = 1000
) -> tuple[float, float]:
    """95% interval of the expected calibration error by the basic bootstrap over instances.

    A resampled error is too high on average, as is the observed one beside the true one: absolute
    values do not cancel. The basic bootstrap takes twice the observed one less the quantiles, so
    that the bias is taken off rather than counted twice.
    """
    of, gap = _bins(confidence), confidence - correct
    n, rng = len(gap), np.random.default_rng(seed)
    drawn = np.empty(draws)
    for i in range(draws):
        rows = rng.integers(n, size=n)
        drawn[i] = _error(gap[rows], of[rows])
    observed = _error(gap, of)
    low, high = 2 * observed - np.quantile(drawn, [0.975, 0.025])
    return max(0.0, float(low)), max(0.0, float(high))


def _bins(confidence: np.ndarray) -> np.ndarray:
    return np.clip(np.ceil(confidence * BINS).astype(int) - 1, 0, BINS - 1)


def _error(gap: np.ndarray, of: np.ndarray) -> float:
    return float(np.abs(np.bincount(of, weights=gap, minlength=BINS)).sum() / len(gap))
