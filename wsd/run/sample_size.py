"""Say which difference of two systems a corpus can show, and which corpus shows one point.

Both are for a two-sided test at 5% with a power of 80%: the standard error times the sum of two
quantiles (Bloom 1995, Evaluation Review 19).
"""

from itertools import count
from math import ceil, inf

from wsd.artifacts.dataset import Dataset

# Observed on CoarseWSD-20 with MiniLM and all-mpnet-base-v2: the standard deviation over words of a
# difference in macro-F1 (1 to 3 points between layers of an encoder, 2 to 4 between the encoders, 4
# to 8 against published systems), and the share of test predictions on which two systems differ (1
# to 5%).
SPREAD, DIFFER = 0.035, 0.03
POINT = 0.01
# The fewest words for an interval over words.
FEWEST = 5


def over_words(words: int) -> float:
    """Return the difference that a t-test over words detects."""
    return _detectable(SPREAD / words**0.5, words - 1)


def over_sentences(sentences: int) -> float:
    """Return the difference in micro accuracy that a paired test over sentences detects."""
    return _detectable((DIFFER / sentences) ** 0.5)


def _detectable(error: float, freedom: float = inf) -> float:
    from scipy.stats import t

    return float(t.ppf(0.975, freedom) + t.ppf(0.8, freedom)) * error


def describe_power(dataset: Dataset, words: tuple[str, ...]) -> str:
    """Return the plan's sentences about the words of a corpus that a config selects."""
    needed = next(n for n in count(FEWEST) if over_words(n) <= POINT)
    sentences = ceil((over_sentences(1) / POINT) ** 2)
    shown = ["nothing over words (fewer than five)"]
    if len(words) >= FEWEST:
        shown = [f"{100 * over_words(len(words)):.1f} points over its {len(words)} words"]
    if tested := sum(dataset.test_sizes.get(word, 0) for word in words):
        points = 100 * over_sentences(tested)
        shown.append(f"{points:.1f} points over its {tested:,} test sentences")
    return (
        f"to show a difference of one point with a power of 80%: {needed} words, if differences "
        f"have an SD of {100 * SPREAD:.1f} points over words; for these words alone, {sentences:,} "
        f"test sentences, if {DIFFER:.0%} of the predictions differ (as observed on CoarseWSD-20). "
        f"This corpus shows {' and '.join(shown)}"
    )
