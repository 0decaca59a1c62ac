"""Derive a corpus of senses from pairs of sentences.

A single pair does not show the sense of its word, but all pairs of a word together can. Sentences
that a chain of ``T`` joins form a group with the same sense. An ``F`` between two groups separates
them: their senses are different. For each word, the largest groups that are all separated from each
other are kept and called ``word.n.1``, ``word.n.2``. Other groups are left out and counted, since
they may have the sense of a kept group. Words whose pairs contradict each other are left out too.

A classifier then predicts the group of a sentence. This is not the task of WiC, and its scores must
not be compared with accuracies on WiC.
"""

from collections.abc import Sequence
from pathlib import Path

from scipy.cluster.hierarchy import DisjointSet

from wsd.corpora.importer.focal_word import Sentence
from wsd.corpora.importer.labelled_sentence import Gathered, labelled
from wsd.corpora.importer.table_cells import Options
from wsd.errors import CorpusError
from wsd.studies.pairs.pair_files import Pair
from wsd.studies.pairs.pair_files import read as read_pairs
from wsd.studies.pairs.pair_formats import gold_of

LEFT_OUT = "words whose pairs do not tell two senses apart, or groups that they do not"
# The sentences of each word, with the file and line where each first occurs.
_Places = dict[str, dict[Sentence, str]]


def read(
    train: Sequence[Path], test: Sequence[Path], gold: Path | None, options: Options | None = None
) -> tuple[Gathered, Gathered]:
    """Read the pairs of all files as sentences with senses.

    The senses are derived from the pairs of all files together, so that a sense has the same number
    in all files. A sentence of several pairs becomes one row.

    Parameters
    ----------
    train : sequence of Path
        Files to train on.
    test : sequence of Path
        Files to test on; a sentence that is in both is a row of both.
    gold : Path or None
        The labels, if they are not next to the only file.
    options : Options, optional

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
            into.files += [path, gold or gold_of(path)]
            for pair in read_pairs(path, options or Options(), gold):
                if pair.is_graded:
                    problem, fix = "ratings do not separate senses", "leave out --to-senses"
                    raise CorpusError(problem, where=pair.where, fix=fix)
                words.setdefault(pair.word, []).append(pair)
                for sentence in pair.sentences:
                    side.setdefault(pair.word, {}).setdefault(sentence, pair.where)
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
        problem = f"no word's pairs separate two senses (sentences left out: {reasons})"
        raise CorpusError(problem, where=", ".join(map(str, train)), fix=fix)
    return gathered


class _ContradictionError(Exception):
    """Pairs of a word contradict each other; the argument is the file and line of one."""


def _separated_groups(sentences: list[Sentence], pairs: list[Pair]) -> list[list[Sentence]]:
    """Return groups of sentences that are all separated; none, or at least two."""
    joined = DisjointSet(sentences)
    for pair in pairs:
        if pair.gold == 1:
            joined.merge(*pair.sentences)
    by_root: dict[Sentence, list[Sentence]] = {}
    for sentence in sentences:
        by_root.setdefault(joined[sentence], []).append(sentence)
    groups = sorted(by_root.values(), key=len, reverse=True)
    number = {sentence: i for i, group in enumerate(groups) for sentence in group}
    separated: set[frozenset[int]] = set()
    for pair in pairs:
        if pair.gold == 0:
            ends = frozenset(number[sentence] for sentence in pair.sentences)
            if len(ends) == 1:
                raise _ContradictionError(pair.where)
            separated.add(ends)
    if not separated:
        return []
    # First the largest separated pair of groups, then groups that are separated from all kept ones.
    kept = min(map(sorted, separated), key=lambda pair: (-sum(len(groups[i]) for i in pair), pair))
    for i in range(len(groups)):
        if i not in kept and all(frozenset((i, other)) in separated for other in kept):
            kept.append(i)
    return [groups[i] for i in kept]
