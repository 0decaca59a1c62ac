"""Make a corpus of senses from pairs of sentences.

A pair does not say which sense its word has, but all pairs of a word together can: sentences that a
chain of ``T`` joins have the same sense, and an ``F`` between two such groups makes them two
senses. For each word, the largest groups are kept that are all separated from each other; they are
called ``word.n.1``, ``word.n.2``. The rest is left out and counted, since two groups that no pair
separates may be one sense. Words whose pairs contradict each other are left out too.

The pipeline then scores in which of a word's groups a sentence is. This is not the task of WiC, and
the scores must not be compared with accuracies on WiC.
"""

from collections.abc import Sequence
from pathlib import Path

from scipy.cluster.hierarchy import DisjointSet

from wsd.corpora.importer.focal_word import Sentence
from wsd.corpora.importer.labelled_sentence import Gathered, labelled
from wsd.errors import CorpusError
from wsd.studies.pairs.wic import Pair, gold_of, labelled_pairs

LEFT_OUT = "words whose pairs do not tell two senses apart, or groups that they do not"
# The sentences of each word, each with the file and line where it first occurs.
_Places = dict[str, dict[Sentence, str]]


def read(
    train: Sequence[Path], test: Sequence[Path], gold: Path | None
) -> tuple[Gathered, Gathered]:
    """Read the pairs of all files as sentences with senses.

    The pairs of all files together decide which sentences have the same sense, so that a sense has
    the same number in all files. A sentence that is in several pairs is one row.

    Parameters
    ----------
    train : sequence of Path
    test : sequence of Path
        Files to test on; a sentence that is in both is a row of both.
    gold : Path or None
        The labels, if they are not next to the only file.

    Returns
    -------
    Gathered, Gathered
        The sentences of the files to train on, and of those to test on.

    Raises
    ------
    CorpusError
        Naming file and line.
    """
    words: dict[str, list[Pair]] = {}
    sides: tuple[_Places, _Places] = ({}, {})
    gathered = Gathered(), Gathered()
    for side, into, paths in zip(sides, gathered, (train, test), strict=True):
        for path in paths:
            labels = gold or gold_of(path)
            into.files += [path, labels]
            for pair in labelled_pairs(path, labels):
                words.setdefault(pair.word, []).append(pair)
                places = side.setdefault(pair.word, {})
                places.setdefault(pair.first, pair.where)
                places.setdefault(pair.second, pair.where)
    left_out = gathered[0].left_out
    for word, pairs in words.items():
        sentences = list(sides[0].get(word, {}) | sides[1].get(word, {}))
        try:
            groups = _separated_groups(sentences, pairs)
        except _ContradictionError as error:
            left_out[f"{word}, whose pairs contradict themselves ({error})"] += len(sentences)
            continue
        for number, group in enumerate(groups, start=1):
            for side, into in zip(sides, gathered, strict=True):
                places = side.get(word, {})
                into.rows += [
                    labelled(places[sentence], word, f"{word}.{number}", sentence)
                    for sentence in group
                    if sentence in places
                ]
        left_out[LEFT_OUT] += len(sentences) - sum(map(len, groups))
    if not gathered[0].rows:
        fix = "a corpus of senses needs words with several pairs, some T and some F"
        reasons = "; ".join(f"{count} of {reason}" for reason, count in left_out.most_common(3))
        problem = f"no word's pairs tell two senses apart (sentences left out: {reasons})"
        raise CorpusError(problem, where=", ".join(map(str, train)), fix=fix)
    return gathered


class _ContradictionError(Exception):
    """Pairs of a word contradict each other; the argument is the file and line of one."""


def _separated_groups(sentences: list[Sentence], pairs: list[Pair]) -> list[list[Sentence]]:
    """Return groups of one sense each that are all separated; none, or at least two."""
    joined = DisjointSet(sentences)
    for pair in pairs:
        if pair.same:
            joined.merge(pair.first, pair.second)
    by_root: dict[Sentence, list[Sentence]] = {}
    for sentence in sentences:
        by_root.setdefault(joined[sentence], []).append(sentence)
    groups = sorted(by_root.values(), key=len, reverse=True)
    number = {sentence: i for i, group in enumerate(groups) for sentence in group}
    separated: set[frozenset[int]] = set()
    for pair in pairs:
        if not pair.same:
            separated.add(frozenset((number[pair.first], number[pair.second])))
            if number[pair.first] == number[pair.second]:
                raise _ContradictionError(pair.where)
    if not separated:
        return []
    # The largest pair of groups first, then each group that is separated from all that are kept.
    kept = min(map(sorted, separated), key=lambda pair: (-sum(len(groups[i]) for i in pair), pair))
    for i in range(len(groups)):
        if i not in kept and all(frozenset((i, other)) in separated for other in kept):
            kept.append(i)
    return [groups[i] for i in kept]
