"""How many of a corpus's own sentences have their focal word found again, as running text."""

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
    """Of some sentences, in how many the focal word is found, alone or beside other occurrences.

    Attributes
    ----------
    sentences, found : int
    several : int
        Those with more than one occurrence.
    """

    sentences: int = 0
    found: int = 0
    several: int = 0

    def __str__(self) -> str:
        return f"{self.found:,} of {self.sentences:,} test sentences"

    def __add__(self, other: "FoundCount") -> "FoundCount":
        return FoundCount(
            self.sentences + other.sentences,
            self.found + other.found,
            self.several + other.several,
        )


def count_found(finder: Finder, sentences: Iterable[tuple[Sequence[str], int]]) -> FoundCount:
    """Look for the focal word of each sentence, which is its tokens and a position."""
    count = FoundCount()
    for tokens, position in sentences:
        there = finder.find(" ".join(tokens))
        start = len(" ".join([*tokens[:position], ""]))
        end = start + len(tokens[position])
        is_found = any((one.start, one.end) == (start, end) for one in there)
        count += FoundCount(1, is_found, len(there) > 1)
    return count


def found_in_test(corpus: Corpus) -> FoundCount:
    """How many test sentences of a word have it found, by rule or as the training set has it."""
    finder = Finder([corpus.word], lambda _: corpus.forms)
    rows = np.flatnonzero(corpus.split == "test")
    return count_found(finder, ((corpus.tokens[i], int(corpus.position[i])) for i in rows))


def found_words(tables: Iterable[Path], leave_out: Collection[Path]) -> Iterator[str]:
    """In how many test sentences of each run the focal word is found in running text.

    Parameters
    ----------
    tables : iterable of Path
        The folders of the runs' tables.
    leave_out : collection of Path
        What cannot be relied on.
    """
    count = cache(lambda path: found_in_test(read(path)))
    for folder in tables:
        try:
            listing = RunMap(folder / RUN_MAP).file(f"corpus/{TABLES}")
            paths = [listing.parent / name for name in read_listing(listing)]
        except WsdError:
            continue
        if {path.name for path in paths} >= {*OF_PAIRS}:  # their sentences have no word in common
            continue
        wrong = {path.absolute() for path in leave_out}
        found = sum((count(path) for path in paths if path not in wrong), FoundCount())
        if found.sentences:
            yield f"{folder}: finds the focal word in {found}"
