"""Add the table of all test instances to an imported corpus.

The table is :data:`wsd.studies.all_words.instance_table.FILE`. A corpus has only the instances
of trained words and senses, but published scores are over all test instances.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence

from wsd.artifacts.parts_of_speech import lemma_and_part
from wsd.corpora.importer.labelled_sentence import LabelledSentence
from wsd.corpora.importer.train_and_test import Division
from wsd.studies.all_words import instance_table as counted
from wsd.studies.all_words.instance_table import FILE, CountedInstance, lines


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add no argument to ``wsd import``."""


def further_files(division: Division) -> tuple[dict[str, list[str]], list[str]]:
    """Return the lines of the table by its name, and lines for the summary.

    There is no table if there are no separate test files and no instance has several right senses.
    """
    if division.test:
        instances = list(_of_test_files(division))
        return {FILE: list(lines(instances))}, list(_summary(division, instances))
    rows = [row for rows in division.words.values() for row in rows]
    if not any(row.also for row in rows):
        return {}, []
    return {FILE: list(lines([*_of_test_splits(division)]))}, []


def _of_test_files(division: Division) -> Iterator[CountedInstance]:
    n_tested = Counter[str]()
    frequent = {word: _most_frequent(rows) for word, rows in division.train.items()}
    for row in division.test:
        status, index = counted.NO_SENSE, -1
        if row.word not in division.trained:
            status = counted.NOT_TRAINED if row.word in division.train else counted.NO_WORD
        elif not division.trained[row.word].isdisjoint(row.keys):
            status, index = counted.TESTED, n_tested[row.word]
            n_tested[row.word] += 1
        yield _instance(row, status, index, frequent.get(row.word, ""))


def _of_test_splits(division: Division) -> Iterator[CountedInstance]:
    for rows in division.words.values():
        frequent = _most_frequent([row for row in rows if row.split == "train"])
        for index, row in enumerate(row for row in rows if row.split == "test"):
            yield _instance(row, counted.TESTED, index, frequent)


def _most_frequent(rows: Sequence[LabelledSentence]) -> str:
    return Counter(row.sense for row in rows).most_common(1)[0][0]


def _instance(row: LabelledSentence, status: str, index: int, frequent: str) -> CountedInstance:
    part, keys = lemma_and_part(row.word)[1] or "", "\t".join(row.keys)
    return CountedInstance(row.where, row.word, part, keys, status, index, frequent)


def _summary(division: Division, instances: Sequence[CountedInstance]) -> Iterator[str]:
    number = Counter(instance.status for instance in instances)
    statuses = ", ".join(f"{status} {n:,}" for status, n in number.most_common())
    yield f"test instances: {len(instances):,}: {statuses}"
    train = [row for rows in division.train.values() for row in rows]
    sentences = {(row.word, row.composed) for row in train}
    if known := sum((row.word, row.composed) in sentences for row in division.test):
        yield f"{known:,} of these are in the training files too, which makes scores too high"
        trained = {(row.word, row.composed, row.position): row for row in train}
        contradictions = [
            f"{row.where} ({example.where})"
            for row in division.test
            if (example := trained.get((row.word, row.composed, row.position)))
            and set(row.keys).isdisjoint(example.keys)
        ]
        if contradictions:
            n = len(contradictions)
            yield f"{n:,} of these have another sense there, such as {contradictions[0]}"
    if untrained := [instance for instance in instances if instance.status == counted.NOT_TRAINED]:
        right = sum(instance.is_right(instance.most_frequent) for instance in untrained)
        yield (
            f"the most frequent training sense is right in {right:,} test instances of words that "
            "are not trained"
        )
