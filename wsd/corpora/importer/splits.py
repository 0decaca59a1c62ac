"""Training and test split of a word's sentences, where the source gives none."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from wsd.corpora.importer.labelled import LabelledSentence
from wsd.errors import CorpusError
from wsd.metrics.near_duplicates import components

FIX_FEW = (
    "add instances, merge senses, or leave out what is rare with --at-least N (N instances that "
    "are no near-duplicates of one another, 2 or more), or give every line its split"
)


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


def independent(rows: Sequence[LabelledSentence]) -> Counter[str]:
    """Instances of each sense, near-duplicates counted once."""
    _, of_group = groups(rows)
    return Counter(of_group.tolist())


def divide(
    word: str, rows: Sequence[LabelledSentence], *, share: float, seed: int
) -> list[LabelledSentence]:
    """The sentences with a split: of each sense about a share for testing.

    Of every sense the groups of near-duplicates are shuffled, by the seed and the word, and taken
    for the test split until it has the sense's share of sentences; at least one group goes to
    either side.

    Parameters
    ----------
    word : str
    rows : sequence of LabelledSentence
    share : float
        Between 0 and 1.
    seed : int

    Raises
    ------
    CorpusError
        For a sense that has fewer than two groups.
    """
    group, of_group = groups(rows)
    sizes = np.bincount(group)
    # Another word more or less in the corpus moves no sentence of this one.
    of_word = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
    random = np.random.default_rng([seed, of_word])
    tested: set[int] = set()
    for sense in sorted({one.sense for one in rows}):
        own = np.flatnonzero(of_group == sense)
        if len(own) < 2:
            few = [one for one in rows if one.sense == sense]
            what = (
                f"the sense {sense!r} of {word!r} has {len(few)} instances, near-duplicates of one "
                "another or of other senses' sentences, which stay on one side: none for training, "
                "or none for testing"
            )
            raise CorpusError(what, where=few[0].where, fix=FIX_FEW)
        wanted, taken = share * sizes[own].sum(), 0
        for number, one in enumerate(random.permutation(own).tolist()):
            # The last group stays for training; the first that fits, or the first of all, is taken.
            if number == len(own) - 1 or (number and taken + sizes[one] / 2 > wanted):
                break
            tested.add(one)
            taken += sizes[one]
    return [
        replace(one, split="test" if of in tested else "train")
        for one, of in zip(rows, group.tolist(), strict=True)
    ]
