"""Read glosses, one or more for each sense, as tables of sentences.

The encoder reads a gloss like any sentence of the word. The focal word is the first form of
the word in the gloss. A gloss without one gets the word and a colon in front, as in GlossBERT.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import ENGLISH, MANIFEST
from wsd.artifacts.manifest import read_manifest
from wsd.artifacts.parts_of_speech import lemma_and_part
from wsd.artifacts.senses import GLOSS, SenseText, check_text
from wsd.corpora.find_word import Finder, Occurrence
from wsd.corpora.importer.delimited_text import read_table
from wsd.corpora.word_forms import plain
from wsd.errors import CorpusError
from wsd.storage.text_files import at_place

COLUMNS = ("word", "sense", "gloss")
FIX = "give each sense its own gloss"
# The place, sense and text of a gloss.
Line = tuple[str, str, str]


def read_glosses(
    path: Path, senses: Mapping[str, Sequence[str]] | None = None
) -> dict[str, list[Line]]:
    """Read the glosses of words' senses, from a table or from the manifest of a corpus.

    Parameters
    ----------
    path : Path
        A ``dataset.json``, or a table with the columns ``word``, ``sense`` and ``gloss``, in the
        format of :func:`wsd.corpora.importer.delimited_text.table`. A sense may have several lines.
        Lines with other words are skipped.
    senses : mapping of word to sequence of str, optional
        By default, all words and senses of the file.

    Raises
    ------
    CorpusError
        For a missing column, an unknown sense, a gloss that is empty, occurs twice or cannot be
        shown, and a sense without a gloss. The error names the file and the line.
    """
    lines = [*(_manifest_lines(path) if path.name == MANIFEST else _table_lines(path))]
    senses = _senses(lines) if senses is None else senses
    glosses: dict[str, list[Line]] = {word: [] for word in senses}
    places: dict[tuple[str, str], str] = {}
    for where, word, sense, gloss in lines:
        if word not in senses:
            continue
        with at_place(where, FIX):
            if sense not in senses[word]:
                known = ", ".join(senses[word])
                raise ValueError(f"{word!r} has no sense {sense!r}: there are {known}")
            if not gloss:
                raise ValueError(f"the gloss of {sense!r} is empty")
            check_text(SenseText("", gloss))
            if (first := places.setdefault((word, gloss), where)) != where:
                raise ValueError(f"a gloss of {word!r} that is in {first} too")
        glosses[word].append((where, sense, gloss))
    for word, rows in glosses.items():
        described = {sense for _, sense, _ in rows}
        if lacking := [sense for sense in senses[word] if sense not in described]:
            problem = f"no gloss of the sense {lacking[0]!r} of {word!r}"
            more = f", nor of {len(lacking) - 1} more of its senses" if lacking[1:] else ""
            raise CorpusError(problem + more, where=str(path), fix=FIX)
    return glosses


def _senses(lines: Iterable[tuple[str, str, str, str]]) -> dict[str, list[str]]:
    senses: dict[str, dict[str, None]] = {}
    for _, word, sense, _ in lines:
        senses.setdefault(word, {})[sense] = None
    return {word: [*labels] for word, labels in senses.items()}


def _table_lines(path: Path) -> Iterator[tuple[str, str, str, str]]:
    for where, cells, _ in read_table(path, COLUMNS):
        word, sense, gloss = (plain(cells[name]) for name in COLUMNS)
        yield where, word, sense, gloss


def _manifest_lines(path: Path) -> Iterator[tuple[str, str, str, str]]:
    for word, given in read_manifest(path).given.items():
        for sense, text in given.items():
            if text.gloss:
                yield f"{path}, {sense}", word, sense, text.gloss


def gloss_table(
    word: str,
    senses: tuple[str, ...],
    lines: Sequence[Line],
    forms: tuple[str, ...] = (),
    language: str = ENGLISH,
) -> Corpus:
    """Return the glosses of a word as a table, sorted by the word's senses.

    Parameters
    ----------
    word : str
    senses : tuple of str
    lines : sequence of Line
    forms : tuple of str
        Forms that are searched for in the glosses, before those of the grammar.
    language : str
    """
    finder = Finder([word], lambda _: forms, language)
    lemma = lemma_and_part(word)[0].replace("_", " ")
    gold = [senses.index(sense) for _, sense, _ in lines]
    order = np.argsort(gold, kind="stable")
    occurrences = []
    for row in order:
        gloss = lines[row][2]
        with_lemma = Occurrence((word,), f"{lemma} : {gloss}", 0, len(lemma))
        occurrences.append(next(iter(finder.find(gloss)), with_lemma))
    return Corpus(
        word=word,
        senses=senses,
        split=np.repeat(GLOSS, len(lines)),
        index=np.arange(len(lines), dtype=np.int32),
        tokens=tuple(occurrence.tokens for occurrence in occurrences),
        position=np.array([o.position for o in occurrences], dtype=np.int32),
        gold=np.array(gold, dtype=np.int32)[order],
    )
