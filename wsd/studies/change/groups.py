"""Divide the uses of each word into two groups, by a column of the imported file."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from wsd.artifacts.corpus_table import Corpora, Corpus
from wsd.corpora.importer.import_summary import shorten
from wsd.errors import ConfigError

# The fewest uses in a group: a single use has no variation to resample.
FEWEST = 2
# A column of every word.
Columns = Mapping[str, tuple[str, ...]]


class Grouped(NamedTuple):
    """The uses of one word that are in one of the two groups.

    Attributes
    ----------
    corpus : Corpus
    rows : bool array
        Whether each use of the word is in a group.
    is_second : bool array of shape (len(corpus),)
    """

    corpus: Corpus
    rows: np.ndarray
    is_second: np.ndarray

    @property
    def sizes(self) -> tuple[int, int]:
        """The number of uses in each group."""
        second = int(self.is_second.sum())
        return len(self.is_second) - second, second

    @property
    def left_out(self) -> str:
        """Why the word has no measures; empty if it has."""
        if not min(self.sizes):
            return "in one group only" if max(self.sizes) else "in neither group"
        return f"fewer than {FEWEST} uses in a group" if min(self.sizes) < FEWEST else ""


def column(corpora: Corpora, name: str, where: str) -> Columns:
    """Return a column of every word.

    Raises
    ------
    ConfigError
        If a word lacks the column.
    """
    for word, corpus in corpora.items():
        if name not in corpus.extra:
            known = ", ".join(shorten([*corpus.extra], "columns")) or "none"
            problem = f"the uses of {word!r} have no column {name!r} (extra columns: {known})"
            raise ConfigError(problem, where=where, fix="name a column of the imported file")
    return {word: corpus.extra[name] for word, corpus in corpora.items()}


def group_names(cells: Columns, given: Sequence[str], where: str) -> list[str]:
    """Return the names of the two groups: the given ones, or else the only two values.

    Raises
    ------
    ConfigError
        If a given group has no uses, or if none are given and there are not two values.
    """
    values = sorted({cell for of_word in cells.values() for cell in of_word} - {""})
    shown = ", ".join(shorten(values, "values")) or "none"
    if missing := [name for name in given if name not in values]:
        problem = f"no use is in the group {missing[0]!r} (values: {shown})"
        raise ConfigError(problem, where=where, fix="name two of the values")
    if not given and len(values) != 2:
        problem = f"{len(values)} values where two groups are needed ({shown})"
        raise ConfigError(problem, where=where, fix="name two groups, the earlier one first")
    return list(given) or values


def divide(corpora: Corpora, by: str, names: Sequence[str], where: str) -> dict[str, Grouped]:
    """Return the grouped uses of each word, also of words that are left out.

    Raises
    ------
    ConfigError
        If no word has two groups.
    """
    words = {}
    for word, corpus in corpora.items():
        values = np.array(corpus.extra[by])
        rows = np.isin(values, names)
        words[word] = Grouped(corpus.take(rows), rows, values[rows] == names[1])
    if all(grouped.left_out for grouped in words.values()):
        problem = f"no word has {FEWEST} or more uses in both {names[0]!r} and {names[1]!r}"
        raise ConfigError(problem, where=where, fix="name other groups, or import more uses")
    return words
