"""Count the test sentences that a training sentence repeats, exactly or nearly."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from wsd.artifacts.corpus_table import SPLITS
from wsd.metrics.near_duplicates import has_duplicate


def count_copied(rows: Sequence[Any]) -> Counter[str]:
    """Return the number of one word's test sentences, and of those with a near-duplicate.

    Parameters
    ----------
    rows : sequence of instances with a ``split`` and ``tokens``
    """
    train, test = ([row.tokens for row in rows if row.split == split] for split in SPLITS)
    return Counter(tests=len(test), copied=int(has_duplicate(test, train).sum()))


def describe_copied(counts: Counter[str]) -> list[str]:
    """Return a line about the counts of all words together; none if nothing is copied."""
    copied = counts["copied"]
    if not copied:
        return []
    number = f"{copied:,} of {counts['tests']:,} test sentences"
    line = f"{number} {'has' if copied == 1 else 'have'} a copy or near-duplicate in training"
    return [f"{line}, which raises the scores; the report also gives the scores without them"]
