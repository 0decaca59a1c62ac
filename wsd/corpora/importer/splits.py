"""Check the labelled sentences of all files together, and divide them if they have no splits."""

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
    for row in rows:
        first = seen.setdefault((row.word, row.composed, row.position), row)
        if first.sense != row.sense:
            other = f"{first.sense!r} for the same sentence in {first.where}"
            problem = f"the sense {row.sense!r}, but {other}"
            raise CorpusError(problem, where=row.where, fix="keep one of the two")


def given_splits(rows: Sequence[LabelledSentence]) -> bool:
    """Return whether all rows have a split; refuse rows of which only some have one."""
    with_split = [row for row in rows if row.split]
    if with_split and len(with_split) < len(rows):
        lacking = next(row for row in rows if not row.split)
        problem = f"no split, but {with_split[0].where} has one"
        raise CorpusError(problem, where=lacking.where, fix="give every line a split, or none")
    return bool(with_split)


def grouped(rows: Sequence[LabelledSentence]) -> dict[str, list[LabelledSentence]]:
    """Return the rows of each word, sorted by word."""
    words = defaultdict(list)
    for row in rows:
        words[row.word].append(row)
    return dict(sorted(words.items()))


def by_word(gathered: Gathered, at_least: int | None) -> dict[str, list[LabelledSentence]]:
    """Return the rows of each word, sorted by word; with ``--at-least`` leave out rare senses."""
    words = grouped(gathered.rows)
    if at_least is None:
        for word, rows in words.items():
            if len({row.sense for row in rows}) < 2:
                raise _one_sense(word, words)
        gathered.left_out = +gathered.left_out  # no zeros
        return words
    counts = counted(words)
    for line in would_keep(lambda least: keep(counts, least), len(words)):
        log.info(line)
    kept = keep(counts, at_least, gathered.left_out)
    gathered.left_out = +gathered.left_out
    if not kept:
        left_out = "; ".join(f"{n} of {reason}" for reason, n in gathered.left_out.items())
        problem = f"no word with two senses is left (instances left out: {left_out})"
        lower = ", or give a lower --at-least" if at_least > 2 else ""
        raise CorpusError(problem, fix=f"add instances of these{lower}")
    return kept


def _one_sense(word: str, words: Words) -> CorpusError:
    first, counts = words[word][0], counted(words)
    lines = would_keep(lambda least: keep(counts, least), len(words))
    return CorpusError(
        f"the word {word!r} has only one sense, {first.sense!r}",
        where=first.where,
        fix="if it is a form of another word, say which in a column `word` or with --word; "
        "to leave such words out, add --at-least 2:\n" + "\n".join(lines),
    )


def divide(
    word: str, rows: Sequence[LabelledSentence], *, share: float, seed: int
) -> list[LabelledSentence]:
    """Return the sentences with a split: about a share of each sense is for testing.

    For each sense, the groups of near-duplicates are shuffled, by the seed and the word. They go to
    the test split until it has the share of the sense's sentences. At least one group goes to each
    side.

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
    group, sense_of = groups(rows)
    sizes = np.bincount(group)
    # Seeded by the word, so that a division does not depend on the other words.
    word_seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
    random = np.random.default_rng([seed, word_seed])
    tested: set[int] = set()
    for sense in sorted({row.sense for row in rows}):
        own = np.flatnonzero(sense_of == sense)
        if len(own) < 2:
            few = [row for row in rows if row.sense == sense]
            problem = (
                f"the sense {sense!r} of {word!r} has {len(few)} instances, near-duplicates of one "
                "another or of other senses' sentences, which stay on one side: none for training, "
                "or none for testing"
            )
            raise CorpusError(problem, where=few[0].where, fix=FIX_FEW)
        wanted, taken = share * sizes[own].sum(), 0
        for number, g in enumerate(random.permutation(own).tolist()):
            # The first group is always for testing, the last always for training.
            if number == len(own) - 1 or (number and taken + sizes[g] / 2 > wanted):
                break
            tested.add(g)
            taken += sizes[g]
    return [
        replace(row, split="test" if g in tested else "train")
        for row, g in zip(rows, group.tolist(), strict=True)
    ]


def check_splits(word: str, rows: Sequence[LabelledSentence]) -> None:
    """Refuse a word without two trained senses or a test instance, or with an untrained sense."""
    trained = {row.sense for row in rows if row.split == "train"}
    tests = sum(row.split == "test" for row in rows)
    if len(trained) < 2 or not tests:
        problem = (
            f"the word {word!r} has {len(trained)} senses in the training split and {tests} test "
            "instances"
        )
        fix = (
            "give it two senses for training and an instance for testing, or leave it out "
            "(--at-least 1 leaves such words out)"
        )
        raise CorpusError(problem, where=rows[0].where, fix=fix)
    for row in rows:
        if row.sense not in trained:
            problem = f"the sense {row.sense!r} of {word!r} has no training instance"
            fix = (
                "move one of its instances to the training split, or leave it out "
                "(--at-least 1 leaves such senses out)"
            )
            raise CorpusError(problem, where=row.where, fix=fix)
