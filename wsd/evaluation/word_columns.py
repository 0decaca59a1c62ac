"""The columns over words in the tables of `wsd compare` and `wsd layerwise`."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from wsd.evaluation.comparison_rows import ComparisonRow
from wsd.metrics.confidence_intervals import bounded
from wsd.metrics.over_words import FEWEST, ByWord, scores_by_word
from wsd.metrics.permutation import holm

Line = dict[str, Any]
# Of a difference, after its prefix; then without a prefix.
BOUNDS = ("low_over_words", "high_over_words")
EFFECTS = ("p_over_words", "d_over_words", "words_won")
P_VALUES = ("p", "p_over_words")
ADJUSTED = tuple(f"{name}_holm" for name in P_VALUES)


def interval_over_words(by_word: ByWord, floor: int = 0, prefix: str = "") -> Line:
    """Return the interval over words.

    Its ends are missing with fewer than ``FEWEST`` words, or if all words have the same value.

    Parameters
    ----------
    by_word : ByWord
    floor : int
        The lowest possible value of the metric.
    prefix : str
        Before the names of the columns.
    """
    ends: Sequence[float | None] = (None, None)
    if by_word.is_informative:
        ends = bounded(*by_word.interval(), by_word.mean, floor)
    return {f"{prefix}{name}": end for name, end in zip(BOUNDS, ends, strict=True)}


def difference_over_words(
    row: ComparisonRow, other: ComparisonRow, metric: str, seed: int, prefix: str = ""
) -> Line:
    """Return the columns over words of a row's score minus another row's.

    ``d_over_words`` is the mean divided by the standard deviation over words; ``words_won`` is the
    share of words on which the row is better, and ties count half.

    Parameters
    ----------
    row, other : ComparisonRow
    metric : str
        Among ``MEAN_SCORES``.
    seed : int
    prefix : str
        Before the names of the interval's columns.
    """
    ours, theirs = (scores_by_word(system.confusions)[metric] for system in (row, other))
    by_word = ours - theirs
    line = interval_over_words(by_word, -1, prefix) | dict.fromkeys(EFFECTS)
    if len(by_word.values) >= FEWEST:
        spread = by_word.error * len(by_word.values) ** 0.5
        line |= {
            "p_over_words": by_word.sign_flip_p(rng=seed),
            "d_over_words": by_word.mean / spread if by_word.is_informative else None,
            "words_won": float(np.mean(np.sign(by_word.values) / 2 + 0.5)),
        }
    return line


def adjust(lines: Sequence[Line]) -> None:
    """Add the p-values by Holm's method to each line that has a test."""
    for name in P_VALUES:
        tested = [line for line in lines if line.get(name) is not None]
        for line, p in zip(tested, holm([line[name] for line in tested]), strict=True):
            line[f"{name}_holm"] = float(p)
