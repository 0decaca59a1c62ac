"""Training sentences of some files, test sentences of others: which words can be tested.

A word is trained if it has two senses in the training files, and tested if the test files have an
instance of one of them. All other test instances are kept too, each with why it is not tested, for
the figures over all of them (:mod:`wsd.artifacts.counted_instances`).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from wsd.artifacts.counted_instances import NO_SENSE, NO_WORD, NOT_TRAINED, TESTED, CountedInstance
from wsd.artifacts.parts_of_speech import lemma_and_part
from wsd.corpora.importer.labelled_sentence import LabelledSentence
from wsd.corpora.importer.minimum_instances import FEW, Counted, counted, would_keep
from wsd.corpora.importer.splits import grouped
from wsd.errors import CorpusError
from wsd.logs import log

LACKING = "words that the test files lack"
UNTESTED = "words of whose senses the test files have no instance"


@dataclass(frozen=True)
class Divided:
    """What is trained and tested.

    Attributes
    ----------
    words : dict of word to LabelledSentences
        With their splits.
    instances : list of CountedInstance
        All of the test files, in their order.
    left_out : Counter
        Training instances by the reason why they are left out.
    known : int
        Test instances whose sentence and word are in the training files.
    contradictions : list of str
        File and line of each known instance that has another sense in training, and where.
    """

    words: dict[str, list[LabelledSentence]]
    instances: list[CountedInstance]
    left_out: Counter[str]
    known: int
    contradictions: Sequence[str] = ()

    @property
    def said(self) -> Iterator[str]:
        """Lines on the test instances."""
        count = Counter(one.status for one in self.instances)
        how = ", ".join(f"{status} {n:,}" for status, n in count.most_common())
        yield f"test instances: {len(self.instances):,}: {how}"
        if self.known:
            yield f"{self.known:,} of these stand in the training files too, and flatter"
        if of := self.contradictions:
            yield f"{len(of):,} of these have another sense there, such as {of[0]}"
        untold = [one for one in self.instances if one.status == NOT_TRAINED]
        right = sum(one.is_right(one.most_frequent) for one in untold)
        if untold:
            yield f"of words not trained, the training's most frequent sense is right in {right:,}"


def divide(
    train: Sequence[LabelledSentence], test: Sequence[LabelledSentence], at_least: int | None
) -> Divided:
    """Decide which words are trained and which instances are tested.

    Raises
    ------
    CorpusError
        If there is no word to train and to test.
    """
    trained, tested = grouped(train), grouped(test)
    shared = counted({word: rows for word, rows in trained.items() if word in tested})
    for line in would_keep(lambda least: _divide(shared, test, least).words, len(shared)):
        log.info(line)
    divided = _divide(shared, test, at_least)
    if not divided.words:
        what = "no word has two senses in the training files and an instance of one in the others"
        lower = ", or a lower --at-least" if at_least is not None and at_least > 2 else ""
        raise CorpusError(what, fix=f"give more training files{lower}")
    lacking = sum(len(rows) for word, rows in trained.items() if word not in shared)
    left_out = +(divided.left_out + Counter({LACKING: lacking}))
    seen = {(one.word, one.composed) for of in shared.values() for one in of.rows}
    known = sum((one.word, one.composed) in seen for one in test)
    return replace(
        divided,
        left_out=left_out,
        known=known,
        contradictions=_contradictions([one for of in shared.values() for one in of.rows], test),
    )


def _contradictions(
    train: Sequence[LabelledSentence], test: Sequence[LabelledSentence]
) -> list[str]:
    """Where a test instance and the same training instance have no sense in common."""
    trained = {(one.word, one.composed, one.position): one for one in train}
    pairs = [(one, trained.get((one.word, one.composed, one.position))) for one in test]
    return [
        f"{one.where} ({other.where})"
        for one, other in pairs
        if other and {one.sense, *one.also}.isdisjoint((other.sense, *other.also))
    ]


def _divide(
    shared: Mapping[str, Counted], test: Sequence[LabelledSentence], at_least: int | None
) -> Divided:
    """What is trained and tested of the words that both have."""
    left_out = Counter[str]()
    words: dict[str, list[LabelledSentence]] = {}
    for word, of in shared.items():
        rows = of.rows if at_least is None else of.enough(at_least)
        left_out[f"senses with fewer than {at_least} instances"] += len(of.rows) - len(rows)
        if len({one.sense for one in rows}) < 2:
            left_out[FEW] += len(rows)
        else:
            words[word] = [replace(one, split="train") for one in rows]
    senses = {word: {one.sense for one in rows} for word, rows in words.items()}
    frequent = {word: _most_frequent(of.rows) for word, of in shared.items()}
    count = Counter[str]()
    instances = [_instance(one, words, senses, count, frequent.get(one.word, "")) for one in test]
    there = {one.word for one in instances if one.status == TESTED}
    for word in words.keys() - there:
        left_out[UNTESTED] += len(words.pop(word))
    return Divided(words, instances, left_out, known=0)


def _most_frequent(rows: Sequence[LabelledSentence]) -> str:
    return Counter(one.sense for one in rows).most_common(1)[0][0]


def _instance(
    one: LabelledSentence,
    words: dict[str, list[LabelledSentence]],
    senses: dict[str, set[str]],
    count: Counter[str],
    most_frequent: str,
) -> CountedInstance:
    """A test instance; if it can be tested, it is put into the words."""
    keys = (one.sense, *one.also)
    status, index = NO_SENSE, -1
    if one.word not in senses:
        status = NOT_TRAINED if most_frequent else NO_WORD
    elif known := [key for key in keys if key in senses[one.word]]:
        status, index = TESTED, count[one.word]
        count[one.word] += 1
        words[one.word].append(replace(one, sense=known[0], split="test"))
    return _as_instance(one, status, index, most_frequent)


def _as_instance(
    one: LabelledSentence, status: str, index: int, most_frequent: str
) -> CountedInstance:
    part, keys = lemma_and_part(one.word)[1] or "", "\t".join((one.sense, *one.also))
    return CountedInstance(one.where, one.word, part, keys, status, index, most_frequent)


def tested(words: Mapping[str, Sequence[LabelledSentence]]) -> list[CountedInstance]:
    """The test instances of words that have splits."""
    return [
        _as_instance(one, TESTED, index, _most_frequent([r for r in rows if r.split == "train"]))
        for rows in words.values()
        for index, one in enumerate(row for row in rows if row.split == "test")
    ]
