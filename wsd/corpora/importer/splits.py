"""The labelled sentences of all files, taken together: what they must hold, and their splits, which
are made here where the source gives none.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from wsd.corpora.importer.labelled import Gathered, LabelledSentence
from wsd.errors import CorpusError
from wsd.logs import log
from wsd.metrics.near_duplicates import components

# Numbers of which is said what --at-least would keep.
TOLD = (2, 4, 10)
FIX_FEW = (
    "add instances, merge senses, or leave out what is rare with --at-least N (N instances that "
    "are no near-duplicates of one another, 2 or more), or give every line its split"
)


def check_contradictions(rows: Sequence[LabelledSentence]) -> None:
    """Refuse a sentence that has two senses."""
    seen: dict[tuple[str, tuple[str, ...], int], LabelledSentence] = {}
    for one in rows:
        first = seen.setdefault((one.word, one.composed, one.position), one)
        if first.sense != one.sense:
            other = f"{first.sense!r} for the same sentence in {first.where}"
            what = f"the sense {one.sense!r}, but {other}"
            raise CorpusError(what, where=one.where, fix="keep one of the two")


def given_splits(rows: Sequence[LabelledSentence]) -> bool:
    """Whether the rows have splits: all of them, or none."""
    with_split = [one for one in rows if one.split]
    if with_split and len(with_split) < len(rows):
        lacking = next(one for one in rows if not one.split)
        what = f"no split, but {with_split[0].where} has one"
        raise CorpusError(what, where=lacking.where, fix="give every line a split, or none")
    return bool(with_split)


def grouped(rows: Sequence[LabelledSentence]) -> dict[str, list[LabelledSentence]]:
    """The rows of each word, sorted by word."""
    words = defaultdict(list)
    for one in rows:
        words[one.word].append(one)
    return dict(sorted(words.items()))


def independent(words: Mapping[str, Sequence[LabelledSentence]]) -> dict[str, Counter[str]]:
    """Of each word its senses' instances; near-duplicates are counted once."""
    return {word: Counter(groups(rows)[1].tolist()) for word, rows in words.items()}


def would_keep(counts: Mapping[str, Counter[str]]) -> list[str]:
    """What ``--at-least`` would keep at some numbers, a line each."""
    lines = []
    for least in TOLD:
        senses = [[n for n in of.values() if n >= least] for of in counts.values()]
        kept = [of for of in senses if len(of) > 1]
        lines.append(
            f"--at-least {least} would keep {len(kept):,} of {len(counts):,} words, "
            f"{sum(map(len, kept)):,} senses, {sum(map(sum, kept)):,} instances"
        )
    return lines


def by_word(found: Gathered, at_least: int | None) -> dict[str, list[LabelledSentence]]:
    """The rows of each word, sorted by word; those with too few instances left out, if asked."""
    words = grouped(found.rows)
    counts = {} if at_least is None else independent(words)
    # Before anything is left out.
    for line in would_keep(counts) if counts else ():
        log.info(line)
    kept = {}
    for word, rows in words.items():
        if at_least is not None:
            enough = {sense for sense, n in counts[word].items() if n >= at_least}
            before, rows = len(rows), [one for one in rows if one.sense in enough]
            found.left_out[f"senses with fewer than {at_least} instances"] += before - len(rows)
            if len(enough) < 2:
                found.left_out["words with fewer than two senses left"] += len(rows)
                continue
        if len({one.sense for one in rows}) < 2:
            raise CorpusError(
                f"the word {word!r} has one sense, {rows[0].sense!r}: nothing to tell apart",
                where=rows[0].where,
                fix="if it is a form of another word, say which in a column `word` or with --word; "
                "to leave such words out, add --at-least 2:\n"
                + "\n".join(would_keep(independent(words))),
            )
        kept[word] = rows
    found.left_out = +found.left_out  # no zeros
    if not kept:
        left_out = "; ".join(f"{count} of {reason}" for reason, count in found.left_out.items())
        fix = "see to those" if at_least is None else "see to those, or give a lower --at-least"
        what = f"no word with two senses is left (instances left out: {left_out})"
        raise CorpusError(what, fix=fix)
    return kept


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


def check_splits(word: str, rows: Sequence[LabelledSentence]) -> None:
    """Refuse a word with one sense to train on, none to test, or a sense to test alone."""
    trained = {one.sense for one in rows if one.split == "train"}
    tests = sum(one.split == "test" for one in rows)
    if len(trained) < 2 or not tests:
        there = f"{len(trained)} senses in the training split and {tests} test instances"
        fix = "give it two senses for training and an instance for testing, or leave it out"
        raise CorpusError(f"the word {word!r} has {there}", where=rows[0].where, fix=fix)
    for one in rows:
        if one.sense not in trained:
            what = f"the sense {one.sense!r} of {word!r} has no training instance"
            fix = "move one of its instances to the training split, or leave it out"
            raise CorpusError(what, where=one.where, fix=fix)
