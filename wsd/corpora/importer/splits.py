"""Check the splits of labelled sentences from all files; make splits if there are none."""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from wsd.corpora.importer.bad_lines import BadLines
from wsd.corpora.importer.labelled_sentence import Gathered, LabelledSentence
from wsd.corpora.importer.minimum_instances import Words, counted, groups, keep, would_keep
from wsd.errors import CorpusError
from wsd.logs import log

FIX_FEW = (
    "add instances; merge senses; leave out rare senses with --at-least N (N is 2 or more, and "
    "near-duplicates count once); or give every line its split"
)


def without_contradictions(
    rows: Sequence[LabelledSentence], bad_lines: BadLines
) -> list[LabelledSentence]:
    """Return the rows without sentences that have several senses, which are bad lines."""
    same: dict[tuple[str, tuple[str, ...], int], list[LabelledSentence]] = defaultdict(list)
    for row in rows:
        same[row.word, row.composed, row.position].append(row)
    refused = set()
    for group in same.values():
        places: dict[str, str] = {}
        for row in group:
            places.setdefault(row.sense, row.where)
        if len(places) > 1:
            (first, first_place), *_, (sense, place) = places.items()
            problem = f"the sense {sense!r}, but the same sentence has {first!r} in {first_place}"
            error = CorpusError(problem, where=place, fix="keep one of the senses")
            bad_lines.add(error, len(group))
            refused |= {id(row) for row in group}
    return [row for row in rows if id(row) not in refused]


def with_splits(
    rows: Sequence[LabelledSentence], bad_lines: BadLines
) -> Sequence[LabelledSentence]:
    """Return the rows that have a split; if no row has one, all rows.

    If some rows have a split, the others are bad lines.
    """
    first = next((row for row in rows if row.split), None)
    if first is None:
        return rows
    for row in rows:
        if not row.split:
            problem, fix = (
                f"no split, but {first.where} has one",
                "give every line a split, or none",
            )
            bad_lines.add(CorpusError(problem, where=row.where, fix=fix))
    return [row for row in rows if row.split]


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
    """Return the sentences with splits: about a share of each sense is for testing.

    The groups of near-duplicates of each sense are shuffled. They go to the test split until it has
    its share of the sense's sentences. At least one group goes to each split.

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
                f"the sense {sense!r} of {word!r} has {len(few)} instances, but not two that are "
                "independent: near-duplicates, also of other senses' sentences, stay together"
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
        senses = f"{len(trained)} senses in the training split"
        problem = f"the word {word!r} has {senses} and {tests} test instances"
        fix = "give it two trained senses and a test instance, or leave it out (--at-least 1)"
        raise CorpusError(problem, where=rows[0].where, fix=fix)
    for row in rows:
        if row.sense not in trained:
            problem = f"the sense {row.sense!r} of {word!r} has no training instance"
            fix = "move an instance to the training split, or leave out the sense (--at-least 1)"
            raise CorpusError(problem, where=row.where, fix=fix)
