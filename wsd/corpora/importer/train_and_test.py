"""Select the words of a corpus whose training and test sentences are in separate files.

A word is trained if it has two senses in the training files. It is tested if the test files have an
instance of one of these senses.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from wsd.corpora.importer.labelled_sentence import LabelledSentence
from wsd.corpora.importer.minimum_instances import FEW, Counted, counted, would_keep
from wsd.corpora.importer.splits import grouped
from wsd.errors import CorpusError
from wsd.logs import log

LACKING = "words that the test files lack"
UNTESTED = "words of whose senses the test files have no instance"


Words = dict[str, list[LabelledSentence]]


def divide(
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
    shared = counted({word: rows for word, rows in trained.items() if word in tested})
    for line in would_keep(lambda least: _divide(shared, test, least)[0], len(shared)):
        log.info(line)
    words, left_out = _divide(shared, test, at_least)
    if not words:
        problem = "no word has two senses in the training files, and one of these in the test files"
        lower = ", or a lower --at-least" if at_least is not None and at_least > 2 else ""
        raise CorpusError(problem, fix=f"give more training files{lower}")
    lacking = sum(len(rows) for word, rows in trained.items() if word not in shared)
    return words, left_out + Counter({LACKING: lacking})


def _divide(
    shared: Mapping[str, Counted], test: Sequence[LabelledSentence], at_least: int | None
) -> tuple[Words, Counter[str]]:
    left_out = Counter[str]()
    words: Words = {}
    for word, sentences in shared.items():
        rows = sentences.rows if at_least is None else sentences.enough(at_least)
        left_out[f"senses with fewer than {at_least} instances"] += len(sentences.rows) - len(rows)
        if len({row.sense for row in rows}) < 2:
            left_out[FEW] += len(rows)
        else:
            words[word] = [replace(row, split="train") for row in rows]
    trained = {word: {row.sense for row in rows} for word, rows in words.items()}
    tested = set()
    for row in test:
        if known := [key for key in row.keys if key in trained.get(row.word, ())]:
            words[row.word].append(replace(row, sense=known[0], split="test"))
            tested.add(row.word)
    for word in words.keys() - tested:
        left_out[UNTESTED] += len(words.pop(word))
    return words, left_out
