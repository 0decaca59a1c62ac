"""Sentences without senses: lines of text, or a table without a column for them.

Where the focal word stands is told as in a table of labelled sentences, or it is looked for: every
form of the word that :mod:`wsd.corpora.word_forms` finds is a use of its own. A sentence in which
none is found is kept apart by its place, so that the import can name it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from wsd.corpora.focal_form_check import FormCheck
from wsd.corpora.importer.focal_word import FIX_MARK, Sentence, find_mark, from_span
from wsd.corpora.importer.labelled_sentence import labelled, plain
from wsd.corpora.importer.labelled_tables import PLACES, Cells, columns_of, lines_of
from wsd.corpora.word_forms import Finder
from wsd.errors import CorpusError
from wsd.storage.text_files import at_place, numbered_lines

TEXT = ".txt"
Use = tuple[str, Sentence]


@dataclass
class Uses:
    """What is in some files.

    Attributes
    ----------
    rows : dict of word to list of Sentence
    not_found : dict of word to list of str
        File and line of the sentences in which a word was not found.
    repeated : int
        Uses that are the same as another, word for word: left out.
    places : FormCheck
        Of all uses.
    """

    rows: dict[str, list[Sentence]] = field(default_factory=dict)
    not_found: dict[str, list[str]] = field(default_factory=dict)
    repeated: int = 0
    places: FormCheck = field(default_factory=FormCheck)


def read(path: Path, columns: Mapping[str, str], word: str | None, found: Uses) -> None:
    """Read a file, and add what is in it.

    Parameters
    ----------
    path : Path
        A ``.txt`` with a sentence in each line, or a table.
    columns : mapping
        As :func:`wsd.corpora.importer.labelled_tables.read` takes them.
    word : str, optional
        The word of all sentences.
    found : Uses

    Raises
    ------
    CorpusError
        Naming file and line: for a file without a sentence, a table with a column for senses, or
        a sentence of which nobody says which word is meant.
    """
    seen = {(of, one) for of, rows in found.rows.items() for one in rows}
    sentences = 0
    for where, of_word, uses in (
        _lines(path, word) if path.suffix.lower() == TEXT else _cells(path, columns, word)
    ):
        sentences += 1
        if not uses:
            found.not_found.setdefault(of_word, []).append(where)
        for position, tokens in uses:
            # Refuses what cannot be seen, or is no Unicode.
            one = labelled(where, of_word, "-", (position, tokens))
            found.places.add(one.word, one.position, one.tokens, where)
            use = one.word, (one.position, one.tokens)
            if use in seen:
                found.repeated += 1
            else:
                seen.add(use)
                found.rows.setdefault(one.word, []).append(use[1])
    if not sentences:
        fix = "write a sentence in each line"
        raise CorpusError("the file has no sentence", where=str(path), fix=fix)


Line = tuple[str, str, list[Sentence]]


def _lines(path: Path, word: str | None) -> Iterator[Line]:
    for where, text in numbered_lines(path):
        if "\t" in text.strip():
            what = "a tab in a line of sentences"
            fix = "if the file is a table, call it .tsv; if not, write a space"
            raise CorpusError(what, where=where, fix=fix)
        if text.strip():
            yield where, *_told_or_found(where, text, word)


def _cells(path: Path, columns: Mapping[str, str], word: str | None) -> Iterator[Line]:
    for where, values, header_place in lines_of(path):
        column_of = columns_of(values, columns, header_place, needed=("sentence",))
        if "sense" in column_of:
            what = f"the column {column_of['sense']!r} says senses, and --unlabelled there are none"
            fix = "leave out --unlabelled, or the column"
            raise CorpusError(what, where=header_place, fix=fix)
        if "word" in column_of and word is not None:
            what = f"--word, and a column {column_of['word']!r} for it"
            raise CorpusError(what, where=header_place, fix="leave out one of the two")
        cells = Cells(where, values, column_of)
        of_word = cells.text("word") if "word" in column_of else word
        if set(PLACES) & set(column_of):
            sentence = cells.sentence(of_word or "")
            # As in a labelled table: without a word it is the focal token in small letters.
            yield where, of_word or sentence[1][sentence[0]].lower(), [sentence]
        else:
            yield where, *_told_or_found(cells.place("sentence"), cells.text("sentence"), of_word)


def _told_or_found(where: str, text: str, word: str | None) -> tuple[str, list[Sentence]]:
    """The word, and its uses in a sentence: that which is marked, or all that are found."""
    with at_place(where, FIX_MARK):
        if mark := find_mark(text, bool if word is None else _finder(plain(word)).words_of):
            marked = from_span(mark.text, mark.start, mark.end, word or "")
            return plain(word or marked[1][marked[0]].lower()), [marked]
        if word is None:
            raise ValueError("no word is marked, and none is named: add --word WORD")
        found = _finder(plain(word)).find(text)
        return plain(word), [from_span(text, one.start, one.end, word) for one in found]


@cache
def _finder(word: str) -> Finder:
    return Finder([word])
