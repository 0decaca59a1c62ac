"""Choose which sentences an import keeps, and for which split.

With ``--at-least``, senses with enough instances are kept, and words with two such senses. An
import also shows how much the option would keep with some numbers. If the training and test
sentences are in separate files, a word is trained if it has two senses in the training files. It is
tested if the test files have an instance of one of these senses.

Sentences with several senses are bad lines. If the files have no splits, they are drawn.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from wsd.corpora.importer.gathered import BadLines, Gathered, LabelledSentence
from wsd.errors import CorpusError
from wsd.logs import log
from wsd.metrics.near_duplicates import components

Words = dict[str, list[LabelledSentence]]
# The numbers for which an import shows how much --at-least would keep.
NUMBERS = (2, 4, 10)
FEW = "words with fewer than two senses left"
UNTRAINED = "senses without a training instance"
UNTESTED = "words without a test instance"
LACKING = "words that the test files lack"
NEVER_TESTED = "words of whose senses the test files have no instance"
FIX_FEW = (
    "add instances; merge senses; leave out rare senses with --at-least N (N is 2 or more, and "
    "near-duplicates count once); or give every line its split"
)


def grouped(rows: Sequence[LabelledSentence]) -> dict[str, list[LabelledSentence]]:
    """Return the rows of each word, sorted by word."""
    words = defaultdict(list)
    for row in rows:
        words[row.word].append(row)
    return dict(sorted(words.items()))


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

    def enough(self, least: int | None) -> list[LabelledSentence]:
        """Return the sentences of the senses that have enough independent instances."""
        if least is None:
            return [*self.rows]
        kept = [row for row in self.rows if self._count[row.sense] >= least]
        if self._mixed and 0 < len(kept) < len(self.rows):
            # A group of a removed sense now counts for another one of its senses.
            return Counted(kept).enough(least)
        return kept


def _keep(
    test: Sequence[LabelledSentence] | None,
    words: Mapping[str, Counted],
    least: int | None,
    left_out: Counter[str],
) -> Words:
    """Return the sentences of each word that can be trained and tested, without empty words.

    Parameters
    ----------
    test : sequence of LabelledSentence, optional
        The sentences of the test files, if there are any; all others then are for training.
    words : mapping of word to Counted
    least : int, optional
    left_out : Counter
        The function adds the number of sentences that are left out, by reason.
    """
    kept: Words = {}
    for word, counted in words.items():
        rows = counted.enough(least)
        left_out[f"senses with fewer than {least} instances"] += len(counted.rows) - len(rows)
        if test is None and any(row.split for row in rows):
            trained = {row.sense for row in rows if row.split == "train"}
            before, rows = len(rows), [row for row in rows if row.sense in trained]
            left_out[UNTRAINED] += before - len(rows)
            if rows and all(row.split != "test" for row in rows):
                left_out[UNTESTED] += len(rows)
                continue
        if len({row.sense for row in rows}) < 2:
            left_out[FEW] += len(rows)
        else:
            kept[word] = rows
    return kept if test is None else _with_tests(kept, test, left_out)


def _with_tests(
    kept: Mapping[str, Sequence[LabelledSentence]],
    test: Sequence[LabelledSentence],
    left_out: Counter[str],
) -> Words:
    """Return training sentences and the test sentences of their senses, without untested words."""
    words = {word: [replace(row, split="train") for row in rows] for word, rows in kept.items()}
    trained = {word: {row.sense for row in rows} for word, rows in words.items()}
    tested = set()
    for row in test:
        if known := [key for key in row.keys if key in trained.get(row.word, ())]:
            words[row.word].append(replace(row, sense=known[0], split="test"))
            tested.add(row.word)
    for word in words.keys() - tested:
        left_out[NEVER_TESTED] += len(words.pop(word))
    return words


def _would_keep(keep: Callable[[int, Counter[str]], Words], n_words: int) -> list[str]:
    """Return a line for each of some numbers: how much ``--at-least`` would keep with it.

    Parameters
    ----------
    keep : function of a number and a counter
        Returns the sentences that would be kept, by word.
    n_words : int
        The number of words.
    """
    lines = []
    for least in NUMBERS:
        kept = keep(least, Counter()).values()
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


def by_word(gathered: Gathered, at_least: int | None) -> Words:
    """Return the rows of each word, sorted by word; with ``--at-least`` leave out rare senses."""
    words = grouped(gathered.rows)
    single = [rows[0] for rows in words.values() if len({row.sense for row in rows}) < 2]
    if at_least is None and not single:
        return words
    counts = {word: Counted(rows) for word, rows in words.items()}
    lines = _would_keep(partial(_keep, None, counts), len(words))
    if at_least is None:
        raise CorpusError(
            f"the word {single[0].word!r} has only one sense, {single[0].sense!r}",
            where=single[0].where,
            fix="if it is a form of another word, say which in a column `word` or with --word; "
            "to leave such words out, add --at-least 2:\n" + "\n".join(lines),
        )
    for line in lines:
        log.info(line)
    kept = _keep(None, counts, at_least, gathered.left_out)
    if not kept:
        left_out = "; ".join(f"{n} of {reason}" for reason, n in (+gathered.left_out).items())
        problem = f"no word with two senses is left (instances left out: {left_out})"
        lower = ", or give a lower --at-least" if at_least > 2 else ""
        raise CorpusError(problem, fix=f"add instances of these{lower}")
    return kept


def train_and_test(
    train: Sequence[LabelledSentence], test: Sequence[LabelledSentence], at_least: int | None
) -> tuple[Words, Counter[str]]:
    """Select the words to train and the instances to test.

    Returns
    -------
    dict of word to LabelledSentences
        With their splits.
    Counter
        The number of training instances that are left out, by reason.

    Raises
    ------
    CorpusError
        If no word can be trained and tested.
    """
    trained, tested = grouped(train), grouped(test)
    shared = {word: Counted(rows) for word, rows in trained.items() if word in tested}
    for line in _would_keep(partial(_keep, test, shared), len(shared)):
        log.info(line)
    left_out = Counter[str]()
    words = _keep(test, shared, at_least, left_out)
    if not words:
        problem = "no word has two senses in the training files, and one of these in the test files"
        lower = ", or a lower --at-least" if at_least is not None and at_least > 2 else ""
        raise CorpusError(problem, fix=f"give more training files{lower}")
    lacking = sum(len(rows) for word, rows in trained.items() if word not in shared)
    return words, left_out + Counter({LACKING: lacking})


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
    kept = [row for row in rows if row.split]
    if not kept:
        return rows
    problem, fix = f"no split, but {kept[0].where} has one", "give every line a split, or none"
    for row in rows:
        if not row.split:
            bad_lines.add(CorpusError(problem, where=row.where, fix=fix))
    return kept


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
