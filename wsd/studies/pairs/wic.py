"""Read the pairs of sentences of Word in Context (Pilehvar and Camacho-Collados, NAACL 2019).

A line of ``NAME.data.txt`` is ``word<TAB>part of speech<TAB>1-3<TAB>sentence<TAB>sentence``, with
the position of the word in both sentences. A line of ``NAME.gold.txt`` is ``T`` if the word has the
same sense in both, and ``F`` if not.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from wsd.corpora.importer.focal_word import Sentence, from_tokens
from wsd.errors import CorpusError
from wsd.storage.text_files import at_place, read_lines

DATA, GOLD = ".data.txt", ".gold.txt"
PARTS = {"N": "n", "V": "v"}
FIX = "write `word<TAB>N or V<TAB>position-position<TAB>sentence<TAB>sentence`"


class Pair(NamedTuple):
    """Two sentences with the same word.

    Attributes
    ----------
    word : str
        With its part of speech: ``carry.v``.
    sentences : (Sentence, Sentence)
    same : bool or None
        Whether the word has the same sense in both; None if there is no label.
    where : str
        File and line.
    """

    word: str
    sentences: tuple[Sentence, Sentence]
    same: bool | None
    where: str


def gold_of(path: Path) -> Path:
    """Return the default path of the labels of a file of pairs."""
    return path.with_name(path.name[: -len(DATA)] + GOLD)


def labelled_pairs(path: Path, gold: Path | None) -> Iterator[Pair]:
    """Yield the pairs of a file, in its order.

    Parameters
    ----------
    path : Path
    gold : Path or None
        The file with their labels; None if the labels are unknown.

    Raises
    ------
    CorpusError
        Naming file and line.
    """
    lines = _lines(path)
    labels = [None] * len(lines) if gold is None else _lines(gold)
    if len(lines) != len(labels):
        problem = f"{len(lines)} pairs but {len(labels)} labels"
        fix = "give one label per pair, T or F"
        raise CorpusError(problem, where=f"{gold}:{min(len(lines), len(labels)) + 1}", fix=fix)
    for number, (line, label) in enumerate(zip(lines, labels, strict=True), start=1):
        where = f"{path}:{number}"
        if label not in ("T", "F", None):
            problem = f"{label!r} is no label"
            raise CorpusError(problem, where=f"{gold}:{number}", fix="write T or F")
        with at_place(where, FIX):
            word, sentences = _parse(line)
        yield Pair(word, sentences, None if label is None else label == "T", where)


def _lines(path: Path) -> list[str]:
    first, *others = read_lines(path)
    return [first.removeprefix("\ufeff"), *others]


def _parse(line: str) -> tuple[str, tuple[Sentence, Sentence]]:
    cells = line.split("\t")
    if len(cells) != 5:
        raise ValueError(f"{len(cells)} columns, not 5")
    word, part, positions, first, second = cells
    if part not in PARTS:
        raise ValueError(f"the part of speech {part!r} is neither N nor V")
    numbers = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", positions)
    if not numbers:
        raise ValueError(f"the positions {positions!r} are not two numbers")
    sentences = from_tokens(first, int(numbers[1])), from_tokens(second, int(numbers[2]))
    if not word.strip():
        raise ValueError("the word is empty")
    return f"{word.strip()}.{PARTS[part]}", sentences
