"""Apply ``--at-least``: keep senses with enough instances, and words with two such senses.

An import also shows how much the option would keep with some numbers.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from wsd.corpora.importer.labelled_sentence import LabelledSentence
from wsd.metrics.near_duplicates import components

Words = Mapping[str, Sequence[LabelledSentence]]
# The numbers for which an import shows how much --at-least would keep.
NUMBERS = (2, 4, 10)
FEW = "words with fewer than two senses left"
UNTRAINED = "senses without a training instance"
UNTESTED = "words without a test instance"


class Counted:
    """The sentences of a word, and each sense's number of instances without near-duplicates.

    Parameters
    ----------
    rows : sequence of LabelledSentence
    """

    def __init__(self, rows: Sequence[LabelledSentence]) -> None:
        self.rows = rows
        group, sense_of = groups(rows)
        self._count = Counter(sense_of.tolist())
        in_groups = {(row.sense, g) for row, g in zip(rows, group.tolist(), strict=True)}
        self._mixed = len(in_groups) > len(sense_of)

    def enough(self, least: int) -> list[LabelledSentence]:
        """Return the sentences of the senses that have enough independent instances."""
        kept = [row for row in self.rows if self._count[row.sense] >= least]
        if self._mixed and 0 < len(kept) < len(self.rows):
            # A group of a removed sense now counts for another one of its senses.
            return Counted(kept).enough(least)
        return kept

    def kept(self, least: int, left_out: Counter[str]) -> list[LabelledSentence]:
        """Return the sentences that can be trained and tested; none if the word is left out.

        Parameters
        ----------
        least : int
        left_out : Counter
            The method adds the number of sentences that are left out, by reason.
        """
        rows = self.enough(least)
        left_out[f"senses with fewer than {least} instances"] += len(self.rows) - len(rows)
        if any(row.split for row in rows):
            trained = {row.sense for row in rows if row.split == "train"}
            before, rows = len(rows), [row for row in rows if row.sense in trained]
            left_out[UNTRAINED] += before - len(rows)
            if rows and all(row.split != "test" for row in rows):
                left_out[UNTESTED] += len(rows)
                return []
        if len({row.sense for row in rows}) < 2:
            left_out[FEW] += len(rows)
            return []
        return rows


def counted(words: Words) -> dict[str, Counted]:
    """Count the sentences of each word."""
    return {word: Counted(rows) for word, rows in words.items()}


def keep(
    words: Mapping[str, Counted], least: int, left_out: Counter[str] | None = None
) -> dict[str, list[LabelledSentence]]:
    """Return the sentences of each word that can be trained and tested, without empty words."""
    left_out = Counter() if left_out is None else left_out
    kept = {word: counts.kept(least, left_out) for word, counts in words.items()}
    return {word: rows for word, rows in kept.items() if rows}


def would_keep(keep: Callable[[int], Words], n_words: int) -> list[str]:
    """Return a line for each of some numbers: how much ``--at-least`` would keep with it.

    Parameters
    ----------
    keep : function of a number
        Returns the sentences that would be kept, by word.
    n_words : int
        The number of words.
    """
    lines = []
    for least in NUMBERS:
        kept = keep(least).values()
        senses = sum(len({row.sense for row in rows}) for rows in kept)
        lines.append(
            f"--at-least {least} would keep {len(kept):,} of {n_words:,} words, "
            f"{senses:,} senses, {sum(map(len, kept)):,} instances"
        )
    return lines


def groups(rows: Sequence[LabelledSentence]) -> tuple[np.ndarray, np.ndarray]:
    """Return groups of near-duplicates, and the sense that each group counts for.

    Returns
    -------
    int array of shape (n,)
        Each sentence's group.
    str array of shape (number of groups,)
        The group's sense. If it has several, the sense with the fewest groups so far, in a tie the
        rarest.
    """
    names, gold = np.unique([row.sense for row in rows], return_inverse=True)
    group = components([row.composed for row in rows])
    frequency = np.bincount(gold)
    senses = [set(gold[group == g].tolist()) for g in range(group.max() + 1)]
    sense_of = np.zeros(len(senses), dtype=int)
    count = np.zeros(len(frequency), dtype=int)
    # Groups with several senses come last.
    for g in sorted(range(len(senses)), key=lambda g: (len(senses[g]), g)):
        sense_of[g] = min(senses[g], key=lambda sense: (count[sense], frequency[sense], sense))
        count[sense_of[g]] += 1
    return group, names[sense_of]
