"""Word in Context (Pilehvar and Camacho-Collados, NAACL 2019): pairs of sentences, no senses.

``NAME.data.txt`` has ``word<TAB>part of speech<TAB>1-3<TAB>sentence<TAB>sentence``, with the place
of the word in both; ``NAME.gold.txt`` a ``T`` or ``F`` per line: one sense in both sentences, or
two.

:func:`labelled_pairs` reads them as they are. :func:`read` makes a corpus of senses of them. A pair
says nothing of which sense it is, so one comes out only where the pairs of
one word, taken together, say it: sentences that a chain of ``T`` joins are of one sense, and two
such groups are two senses if an ``F`` stands between them. Of a word those groups are kept that are
all told apart from one another, the largest first; they are called ``word.n.1``, ``word.n.2``. The
rest is left out and counted, for two groups that no pair tells apart may be one sense; so are
words whose pairs contradict themselves.

What the pipeline then scores is which of a word's groups a sentence belongs to. It is not WiC's
task, and its figures are not to be compared with accuracies on WiC.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from scipy.cluster.hierarchy import DisjointSet

from wsd.corpora.importer.focal_word import Sentence, of_tokens
from wsd.corpora.importer.labelled_sentence import Gathered, labelled
from wsd.errors import CorpusError
from wsd.storage.text_files import at_place, read_lines

DATA, GOLD = ".data.txt", ".gold.txt"
PARTS = {"N": "n", "V": "v"}
FIX = "write `word<TAB>N or V<TAB>place-place<TAB>sentence<TAB>sentence`"
# By word its sentences, with file and line.
_Places = dict[str, dict[Sentence, str]]
LEFT_OUT = "words whose pairs do not tell two senses apart, or groups that they do not"


class Pair(NamedTuple):
    """Two sentences of a word, whether they are of one sense, and where that is said.

    ``same`` is None where there are no labels.
    """

    word: str
    first: Sentence
    second: Sentence
    same: bool | None
    where: str


def gold_of(path: Path) -> Path:
    """Where the labels of pairs lie, if not said otherwise."""
    return path.with_name(path.name[: -len(DATA)] + GOLD)


def labelled_pairs(path: Path, gold: Path | None) -> Iterator[Pair]:
    """The pairs of a file, in its order.

    Parameters
    ----------
    path : Path
    gold : Path or None
        Their labels; without any they are not known.

    Raises
    ------
    CorpusError
        Naming file and line.
    """
    lines = _lines(path)
    labels = [None] * len(lines) if gold is None else _lines(gold)
    if len(lines) != len(labels):
        what = f"{len(lines)} pairs but {len(labels)} labels"
        fix = "give one label per pair, T or F"
        raise CorpusError(what, where=f"{gold}:{min(len(lines), len(labels)) + 1}", fix=fix)
    for number, (line, label) in enumerate(zip(lines, labels, strict=True), start=1):
        where = f"{path}:{number}"
        if label not in ("T", "F", None):
            raise CorpusError(f"the label {label!r}", where=f"{gold}:{number}", fix="write T or F")
        with at_place(where, FIX):
            word, both = _parse(line)
        yield Pair(word, *both, None if label is None else label == "T", where)


def _lines(path: Path) -> list[str]:
    first, *others = read_lines(path)
    return [first.removeprefix("\ufeff"), *others]


def read(
    train: Sequence[Path], test: Sequence[Path], gold: Path | None
) -> tuple[Gathered, Gathered]:
    """Read the pairs of all files as senses.

    The pairs of all files decide together which sentences have one sense: a sense has one number
    in all of them. A sentence that several pairs have is one row.

    Parameters
    ----------
    train : sequence of Path
    test : sequence of Path
        Files to test on; a sentence that is in both is a row of both.
    gold : Path or None
        The labels, where they do not lie beside the one file.

    Returns
    -------
    Gathered, Gathered
        Sentences to train on, or of all files, and sentences to test on.

    Raises
    ------
    CorpusError
        Naming file and line.
    """
    words: dict[str, list[Pair]] = {}
    # Of each side its sentences, by word, and where each is first.
    sides: tuple[_Places, _Places] = ({}, {})
    found, tested = Gathered(), Gathered()
    for side, of_side, paths in ((sides[0], found, train), (sides[1], tested, test)):
        for path in paths:
            labels = gold or gold_of(path)
            of_side.files += [path, labels]
            for pair in labelled_pairs(path, labels):
                words.setdefault(pair.word, []).append(pair)
                places = side.setdefault(pair.word, {})
                places.setdefault(pair.first, pair.where)
                places.setdefault(pair.second, pair.where)
    for word, pairs in words.items():
        places = sides[0].get(word, {}) | sides[1].get(word, {})
        try:
            kept = _told_apart(list(places), pairs)
        except _ContradictionError as error:
            why = f"{word}, whose pairs contradict themselves ({error})"
            found.left_out[why] += len(places)
            continue
        for number, group in enumerate(kept, start=1):
            sense = f"{word}.{number}"
            for side, of_side in zip(sides, (found, tested), strict=True):
                there = side.get(word, {})
                of_side.rows += [
                    labelled(there[one], word, sense, one) for one in group if one in there
                ]
        found.left_out[LEFT_OUT] += len(places) - sum(map(len, kept))
    if not found.rows:
        fix = "a corpus of senses needs words with several pairs, some T and some F"
        where = ", ".join(map(str, train))
        left_out = "; ".join(f"{count} of {why}" for why, count in found.left_out.most_common(3))
        what = f"no word's pairs tell two senses apart (sentences left out: {left_out})"
        raise CorpusError(what, where=where, fix=fix)
    return found, tested


def _parse(line: str) -> tuple[str, tuple[Sentence, Sentence]]:
    cells = line.split("\t")
    if len(cells) != 5:
        raise ValueError(f"{len(cells)} columns, not 5")
    word, part, places, one, other = cells
    if part not in PARTS:
        raise ValueError(f"the part of speech {part!r}, which is neither N nor V")
    numbers = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", places)
    if not numbers:
        raise ValueError(f"the places {places!r}")
    both = of_tokens(one, int(numbers[1])), of_tokens(other, int(numbers[2]))
    if not word.strip():
        raise ValueError("the word is empty")
    return f"{word.strip()}.{PARTS[part]}", both


class _ContradictionError(Exception):
    """Pairs that contradict themselves, and where."""


def _told_apart(sentences: list[Sentence], pairs: list[Pair]) -> list[list[Sentence]]:
    """Groups of one sense each, all told apart from one another; none or two at least."""
    joined = DisjointSet(sentences)
    for pair in pairs:
        if pair.same:
            joined.merge(pair.first, pair.second)
    by_root: dict[Sentence, list[Sentence]] = {}
    for one in sentences:
        by_root.setdefault(joined[one], []).append(one)
    groups = sorted(by_root.values(), key=len, reverse=True)
    number = {one: i for i, group in enumerate(groups) for one in group}
    apart: set[frozenset[int]] = set()
    for pair in pairs:
        if not pair.same:
            apart.add(frozenset((number[pair.first], number[pair.second])))
            if number[pair.first] == number[pair.second]:
                raise _ContradictionError(pair.where)
    if not apart:
        return []
    # The largest pair of groups first, then what is told apart from all that are kept.
    kept = min(map(sorted, apart), key=lambda pair: (-sum(len(groups[i]) for i in pair), pair))
    for i in range(len(groups)):
        if i not in kept and all(frozenset((i, other)) in apart for other in kept):
            kept.append(i)
    return [groups[i] for i in kept]
