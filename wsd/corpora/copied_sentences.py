"""Count the test sentences that a training sentence repeats, exactly or nearly."""

from collections import Counter
from collections.abc import Iterable
from typing import Protocol

from wsd.metrics.near_duplicates import has_duplicate

TEST, COPIED = "test", "copied"


class Row(Protocol):
    """An instance of a word."""

    @property
    def split(self) -> str:
        """The name of its split."""

    @property
    def tokens(self) -> tuple[str, ...]:
        """Its sentence."""


def count_copied(rows: Iterable[Row]) -> Counter[str]:
    """Return the number of one word's test sentences, and of those with a near-duplicate."""
    sentences: dict[str, list[tuple[str, ...]]] = {TEST: [], "train": []}
    for row in rows:
        sentences.setdefault(row.split, []).append(row.tokens)
    copied = int(has_duplicate(sentences[TEST], sentences["train"]).sum())
    return Counter({TEST: len(sentences[TEST]), COPIED: copied})


def describe_copied(counts: Counter[str]) -> list[str]:
    """Return a line about the counts of all words together; none if nothing is copied."""
    copied = counts[COPIED]
    if not copied:
        return []
    number = f"{copied:,} of {counts[TEST]:,} test sentences"
    line = f"{number} {'has' if copied == 1 else 'have'} a copy or near-duplicate in training"
    return [f"{line}, which raises the scores; the report also gives the scores without them"]
