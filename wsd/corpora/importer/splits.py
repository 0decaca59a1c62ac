"""The labelled sentences of all files, taken together: what they must hold, and their splits, which
are made here where the source gives none.
"""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from wsd.corpora.importer.labelled_sentence import Gathered, LabelledSentence
from wsd.corpora.importer.minimum_instances import Words, counted, groups, keep, would_keep
from wsd.errors import CorpusError
from wsd.logs import log

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


def by_word(found: Gathered, at_least: int | None) -> dict[str, list[LabelledSentence]]:
    """The rows of each word, sorted by word; leave out words that cannot be used, if asked."""
    words = grouped(found.rows)
    if at_least is None:
        for word, rows in words.items():
            if len({one.sense for one in rows}) < 2:
                raise _one_sense(word, words)
        found.left_out = +found.left_out  # no zeros
        return words
    of_words = counted(words)
    for line in would_keep(lambda least: keep(of_words, least), len(words)):
        log.info(line)
    kept = keep(of_words, at_least, found.left_out)
    found.left_out = +found.left_out
    if not kept:
        left_out = "; ".join(f"{count} of {reason}" for reason, count in found.left_out.items())
        what = f"no word with two senses is left (instances left out: {left_out})"
        lower = ", or give a lower --at-least" if at_least > 2 else ""
        raise CorpusError(what, fix=f"add instances of those{lower}")
    return kept


def _one_sense(word: str, words: Words) -> CorpusError:
    """What is wrong with a word that has one sense."""
    first, of_words = words[word][0], counted(words)
    lines = would_keep(lambda least: keep(of_words, least), len(words))
    return CorpusError(
        f"the word {word!r} has one sense, {first.sense!r}: nothing to tell apart",
        where=first.where,
        fix="if it is a form of another word, say which in a column `word` or with --word; "
        "to leave such words out, add --at-least 2:\n" + "\n".join(lines),
    )


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
        fix = (
            "give it two senses for training and an instance for testing, or leave it out "
            "(--at-least 1 leaves such words out)"
        )
        raise CorpusError(f"the word {word!r} has {there}", where=rows[0].where, fix=fix)
    for one in rows:
        if one.sense not in trained:
            what = f"the sense {one.sense!r} of {word!r} has no training instance"
            fix = (
                "move one of its instances to the training split, or leave it out "
                "(--at-least 1 leaves such senses out)"
            )
            raise CorpusError(what, where=one.where, fix=fix)
