"""Check the splits of labelled sentences from all files; make splits if there are none."""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from wsd.corpora.importer.import_summary import BadLines
from wsd.corpora.importer.kept_senses import groups
from wsd.corpora.importer.labelled_sentence import LabelledSentence
from wsd.errors import CorpusError

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
