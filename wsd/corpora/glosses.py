"""Read names and glosses of senses from tables, and glosses as tables of sentences.

The encoder reads a gloss like any sentence of the word. The focal word is the first form of
the word in the gloss. A gloss without one gets the word and a colon in front, as in GlossBERT.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import ENGLISH, MANIFEST, read_manifest
from wsd.artifacts.senses import (
    GLOSS,
    Given,
    SenseText,
    check_text,
    describe_clash,
    find_clash,
    lemma_and_part,
)
from wsd.corpora.find_word import Finder, Occurrence
from wsd.corpora.importer.gathered import LabelledSentence
from wsd.corpora.importer.table_files import read_table
from wsd.corpora.word_forms import plain
from wsd.errors import CorpusError
from wsd.storage.text_files import at_place

COLUMNS = ("word", "sense", "gloss")
NAMED = ("word", "sense", "name", "gloss")
FIX = "give each sense its own gloss"
# The place, sense and text of a gloss.
Line = tuple[str, str, str]
# The place, word, sense and text of a gloss.
_Gloss = tuple[str, str, str, str]


def read_senses(path: Path, rows: Iterable[LabelledSentence]) -> dict[str, Given]:
    """Read a table with the columns ``word``, ``sense``, ``name`` and ``gloss``.

    Parameters
    ----------
    path : Path
        As :func:`wsd.corpora.importer.table_files.read_table` takes it.
    rows : iterable of LabelledSentence
        The sentences with these senses; not every sense needs a line.

    Raises
    ------
    CorpusError
        Naming file and line, for a missing column, a word or sense that no sentence has, a sense
        that is in two lines, and a name or gloss that cannot be shown.
    """
    senses = _senses((row.where, row.word, row.sense, "") for row in rows)
    texts: dict[str, dict[str, SenseText]] = {}
    places: dict[tuple[str, str], str] = {}
    for where, cells in read_table(path, NAMED):
        word, sense, name, gloss = (plain(cells[column]) for column in NAMED)
        with at_place(where):
            if word not in senses:
                known = ", ".join(senses)
                raise ValueError(f"no sentence has the word {word!r}; the words are {known}")
            if sense not in senses[word]:
                known = ", ".join(senses[word])
                raise ValueError(f"no sentence has the sense {sense!r} of {word!r}: it has {known}")
            if (first := places.setdefault((word, sense), where)) != where:
                raise ValueError(f"the sense {sense!r} of {word!r} is in {first} too")
            check_text(SenseText(name, gloss))
        if name or gloss:
            texts.setdefault(word, {})[sense] = SenseText(name, gloss)
    if not places:
        fix = "write a line for each sense, or leave out --senses"
        raise CorpusError("the file has no sense", where=str(path), fix=fix)
    return dict(texts)


def check_names(
    word: str, rows: Iterable[LabelledSentence], given: Given, table: Path | None
) -> None:
    """Refuse two senses with the same name.

    Raises
    ------
    CorpusError
    """
    labels = list(dict.fromkeys(row.sense for row in rows))
    kept = {label: text for label, text in given.items() if label in labels}
    if pair := find_clash(word, labels, kept):
        fix = "give each sense of a word a different name, with --senses"
        raise CorpusError(describe_clash(word, *pair), where=str(table) if table else None, fix=fix)


def read_glosses(
    path: Path, senses: Mapping[str, Sequence[str]] | None = None
) -> dict[str, list[Line]]:
    """Read the glosses of words' senses, from a table or from the manifest of a corpus.

    Parameters
    ----------
    path : Path
        A ``dataset.json``, or a table with the columns ``word``, ``sense`` and ``gloss``, for
        :func:`wsd.corpora.importer.table_files.read_table`. A sense may have several lines.
        Lines with other words are skipped.
    senses : mapping of word to sequence of str, optional
        By default, all words and senses of the file.

    Raises
    ------
    CorpusError
        For a missing column, an unknown sense, a gloss that is empty, occurs twice or cannot be
        shown, and a sense without a gloss. The error names the file and the line.
    """
    lines = [*_lines(path)]
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


def _senses(lines: Iterable[_Gloss]) -> dict[str, list[str]]:
    senses: dict[str, dict[str, None]] = {}
    for _, word, sense, _ in lines:
        senses.setdefault(word, {})[sense] = None
    return {word: [*labels] for word, labels in senses.items()}


def _lines(path: Path) -> Iterator[_Gloss]:
    if path.name != MANIFEST:
        for where, cells in read_table(path, COLUMNS):
            word, sense, gloss = (plain(cells[name]) for name in COLUMNS)
            yield where, word, sense, gloss
        return
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
    sentences = []
    for row in order:
        gloss = lines[row][2]
        with_lemma = Occurrence((word,), f"{lemma} : {gloss}", 0, len(lemma))
        sentences.append(next(iter(finder.find(gloss)), with_lemma).sentence)
    position, tokens, touching = zip(*sentences, strict=True)
    return Corpus(
        word=word,
        senses=senses,
        split=np.repeat(GLOSS, len(lines)),
        index=np.arange(len(lines), dtype=np.int32),
        tokens=tokens,
        position=np.array(position, dtype=np.int32),
        touching=touching,
        gold=np.array(gold, dtype=np.int32)[order],
    )
