"""Intervals and tests over words, for words that are a sample of all words.

The intervals of :mod:`wsd.metrics.confidence_intervals` are for these words: only the test
sentences vary. Here the words vary, and their sentences with them. An interval is for the mean over
the words that could have been in the corpus. docs/explanation/statistics.md has sources and
measured coverage.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from wsd.metrics.confidence_intervals import LEVEL, Interval, Seed
from wsd.metrics.permutation import DRAWN, sample_exchanges, tail
from wsd.metrics.scores import MEAN_SCORES, WORD_SCORES, word_scores

# The fewest words for an interval or a test.
FEWEST = 5
ROUNDING = 1e-12
# The score of a word that goes into each mean.
SCORE_OF_WORD = dict(zip(MEAN_SCORES, ("accuracy", *WORD_SCORES), strict=True))


class ByWord(NamedTuple):
    """A score of each word, or the difference of two systems on each word.

    Attributes
    ----------
    values : float array of shape (words,)
    weights : float array of shape (words,)
        Their mean is 1. They differ for micro accuracy alone, which weights each word by its number
        of test instances.
    """

    values: np.ndarray
    weights: np.ndarray

    def __sub__(self, other: "ByWord") -> "ByWord":
        return ByWord(self.values - other.values, self.weights)

    @property
    def mean(self) -> float:
        """Return the mean over words."""
        return float(np.mean(self.weights * self.values))

    @property
    def error(self) -> float:
        """Return the standard error of the mean over words.

        Micro accuracy is a ratio. Its deviations are linearised: a word's weight times the distance
        of its accuracy from the ratio (Cochran 1977, Sampling Techniques, chapter 6).
        """
        deviations = self.weights * (self.values - self.mean)
        return float(np.std(deviations, ddof=1) / len(deviations) ** 0.5)

    @property
    def is_informative(self) -> bool:
        """Return whether the words say something about other words: enough, and not all equal."""
        return len(self.values) >= FEWEST and self.error > ROUNDING

    def interval(self, *, family: int = 1) -> Interval:
        """Return the 95% t-interval of the mean over words; ``family`` intervals hold together."""
        from scipy.stats import t

        reach = float(t.isf((1 - LEVEL) / 2 / family, len(self.values) - 1)) * self.error
        return self.mean - reach, self.mean + reach

    def sign_flip_p(self, *, rng: Seed = 0) -> float:
        """Return the two-sided p-value of the sign-flip test that the mean is 0.

        Under the null hypothesis the two systems are exchangeable on each word, so that each word's
        contribution to the mean has a random sign (Fisher 1935, The Design of Experiments, section
        21). The signs are enumerated or drawn: see
        :func:`wsd.metrics.permutation.sample_exchanges`.

        Parameters
        ----------
        rng : Generator or int
        """
        signed = self.weights * self.values
        # A word without a difference changes nothing.
        signed, total = signed[signed != 0], float(signed.sum())
        words = [(np.ones(len(signed), dtype=int), None)]
        parts, weights = sample_exchanges(words, rng, DRAWN)
        sums = np.concatenate([np.abs(total - 2 * flips @ signed) for (flips,) in parts])
        return tail(sums, abs(total), weights)


def scores_by_word(confusions: Sequence[np.ndarray]) -> dict[str, ByWord]:
    """Return each word's part in the mean scores, from the confusion matrices of the words.

    Returns
    -------
    dict of mean to ByWord
    """
    scores = [word_scores(matrix) for matrix in confusions]
    sizes = np.array([matrix.sum() for matrix in confusions])
    return {
        mean: ByWord(
            np.array([float(word[name]) for word in scores]),
            sizes / sizes.mean() if mean == "micro_accuracy" else np.ones(len(sizes)),
        )
        for mean, name in SCORE_OF_WORD.items()
    }
