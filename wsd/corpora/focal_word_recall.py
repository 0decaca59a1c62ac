"""Count in how many of a corpus's own sentences the focal word is found again in running text."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from wsd.artifacts.corpus_table import Corpus, read
from wsd.artifacts.dataset import OF_PAIRS
from wsd.artifacts.run_map import RUN_MAP, TABLES, RunMap, read_listing
from wsd.corpora.word_forms import Finder
from wsd.errors import WsdError


@dataclass(frozen=True)
class FoundCount:
    """The number of sentences in which the focal word is found.

    Attributes
    ----------
    sentences : int
        All sentences.
    with_word : int
        Those in which the focal word is found, alone or with other occurrences.
    several : int
        Those with more than one occurrence.
    """

    sentences: int = 0
    with_word: int = 0
    several: int = 0

    def __str__(self) -> str:
        return f"{self.with_word:,} of {self.sentences:,} test sentences"

    def __add__(self, other: "FoundCount") -> "FoundCount":
        return FoundCount(
            self.sentences + other.sentences,
            self.with_word + other.with_word,
            self.several + other.several,
        )


def count_found(finder: Finder, sentences: Iterable[tuple[Sequence[str], int]]) -> FoundCount:
    """Look for the focal word of each sentence, which is its tokens and a position."""
    count = FoundCount()
    for tokens, position in sentences:
        occurrences = finder.find(" ".join(tokens))
        start = len(" ".join([*tokens[:position], ""]))
        span = start, start + len(tokens[position])
        is_found = any((match.start, match.end) == span for match in occurrences)
        count += FoundCount(1, is_found, len(occurrences) > 1)
    return count


def found_in_test(corpus: Corpus) -> FoundCount:
    """Count the test sentences of a word, with the forms of the rules and of the training set."""
    finder = Finder([corpus.word], lambda _: corpus.forms)
    rows = np.flatnonzero(corpus.split == "test")
    return count_found(finder, ((corpus.tokens[i], int(corpus.position[i])) for i in rows))


def found_words(tables: Iterable[Path], leave_out: Collection[Path]) -> Iterator[str]:
    """Yield a line per run with the number of test sentences whose focal word is found.

    Parameters
    ----------
    tables : iterable of Path
        The folders of the runs' tables.
    leave_out : collection of Path
        Damaged files.
    """
    count = cache(lambda path: found_in_test(read(path)))
    damaged = {path.absolute() for path in leave_out}
    for folder in tables:
        try:
            listing = RunMap(folder / RUN_MAP).file(f"corpus/{TABLES}")
            paths = [listing.parent / name for name in read_listing(listing)]
        except WsdError:
            continue
        if {path.name for path in paths} >= {*OF_PAIRS}:  # their sentences have no word in common
            continue
        total = sum((count(path) for path in paths if path not in damaged), FoundCount())
        if total.sentences:
            yield f"{folder}: finds the focal word in {total}"
