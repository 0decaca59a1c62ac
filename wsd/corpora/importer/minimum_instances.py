"""What ``--at-least`` keeps: senses with enough instances, and words with two such senses.

What an import says beforehand is counted by the same functions that then leave out the rest.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from wsd.corpora.importer.labelled_sentence import LabelledSentence
from wsd.metrics.near_duplicates import components

Words = Mapping[str, Sequence[LabelledSentence]]
# Numbers for which an import says what --at-least would keep.
SAID = (2, 4, 10)
FEW = "words with fewer than two senses left"
UNTRAINED = "senses without a training instance"
UNTESTED = "words without a test instance"


class Counted:
    """The sentences of a word, and how many of each sense are no near-duplicates of one another.

    Parameters
    ----------
    rows : sequence of LabelledSentence
    """

    def __init__(self, rows: Sequence[LabelledSentence]) -> None:
        self.rows = rows
        group, of_group = groups(rows)
        self._count = Counter(of_group.tolist())
        in_groups = {(one.sense, g) for one, g in zip(rows, group.tolist(), strict=True)}
        self._mixed = len(in_groups) > len(of_group)

    def enough(self, least: int) -> list[LabelledSentence]:
        """Return the sentences of the senses that have some number of independent instances."""
        kept = [one for one in self.rows if self._count[one.sense] >= least]
        if self._mixed and 0 < len(kept) < len(self.rows):
            # A near-duplicate that counted for a sense that is gone counts for another now.
            return Counted(kept).enough(least)
        return kept

    def kept(self, least: int, left_out: Counter[str]) -> list[LabelledSentence]:
        """Return the sentences that can be trained and tested, or none if the word cannot.

        Parameters
        ----------
        least : int
        left_out : Counter
            To which the sentences that are left out are added, by the reason.
        """
        rows = self.enough(least)
        left_out[f"senses with fewer than {least} instances"] += len(self.rows) - len(rows)
        if any(one.split for one in rows):
            trained = {one.sense for one in rows if one.split == "train"}
            before, rows = len(rows), [one for one in rows if one.sense in trained]
            left_out[UNTRAINED] += before - len(rows)
            if rows and all(one.split != "test" for one in rows):
                left_out[UNTESTED] += len(rows)
                return []
        if len({one.sense for one in rows}) < 2:
            left_out[FEW] += len(rows)
            return []
        return rows


def counted(words: Words) -> dict[str, Counted]:
    """Count the sentences of each word."""
    return {word: Counted(rows) for word, rows in words.items()}


def keep(
    words: Mapping[str, Counted], least: int, left_out: Counter[str] | None = None
) -> dict[str, list[LabelledSentence]]:
    """Return what can be trained and tested of each word; words without it are left out."""
    left_out = Counter() if left_out is None else left_out
    return {word: rows for word, of in words.items() if (rows := of.kept(least, left_out))}


def would_keep(keep: Callable[[int], Words], n_words: int) -> list[str]:
    """Say what ``--at-least`` would keep at some numbers, a line each.

    Parameters
    ----------
    keep : function of the number
        Gives what would be written, by word.
    n_words : int
        Words that there are.
    """
    lines = []
    for least in SAID:
        kept = keep(least).values()
        senses = sum(len({one.sense for one in rows}) for rows in kept)
        lines.append(
            f"--at-least {least} would keep {len(kept):,} of {n_words:,} words, "
            f"{senses:,} senses, {sum(map(len, kept)):,} instances"
        )
    return lines


def groups(rows: Sequence[LabelledSentence]) -> tuple[np.ndarray, np.ndarray]:
    """Near-duplicates together, and the sense that each group counts for.

    Returns
    -------
    int array of shape (n,)
        Each sentence's group.
    str array of shape (number of groups,)
        The group's sense; of several the one with the fewest groups so far, the rarer of two such.
    """
    names, gold = np.unique([one.sense for one in rows], return_inverse=True)
    group = components([one.composed for one in rows])
    frequent = np.bincount(gold)
    senses = [set(gold[group == g].tolist()) for g in range(group.max() + 1)]
    of_group = np.zeros(len(senses), dtype=int)
    count = np.zeros(len(frequent), dtype=int)
    # Where there is a choice comes last.
    for g in sorted(range(len(senses)), key=lambda g: (len(senses[g]), g)):
        of_group[g] = min(senses[g], key=lambda sense: (count[sense], frequent[sense], sense))
        count[of_group[g]] += 1
    return group, names[of_group]
