"""Read sentences without senses: lines of text, or a table without a column for senses.

The place of the focal word may be given as in a table of labelled sentences. Otherwise, every form
of the word that :mod:`wsd.corpora.word_forms` finds is a use. The import lists the sentences in
which it finds no form.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from wsd.corpora.focal_form_check import FormCheck
from wsd.corpora.importer.focal_word import FIX_MARK, Sentence, find_mark, from_span
from wsd.corpora.importer.labelled_sentence import labelled, plain
from wsd.corpora.importer.labelled_tables import PLACES, read_cells
from wsd.corpora.word_forms import Finder
from wsd.errors import CorpusError
from wsd.storage.text_files import at_place, numbered_lines

TEXT = ".txt"
# File and line, the word, and its uses.
Line = tuple[str, str, list[Sentence]]


@dataclass
class Uses:
    """The uses in some files.

    Attributes
    ----------
    rows : dict of word to list of Sentence
    not_found : dict of word to list of str
        File and line of the sentences without the word.
    repeated : int
        The number of uses that are left out because they equal an earlier one.
    forms : FormCheck
        Counts the focal words of all uses.
    """

    rows: dict[str, list[Sentence]] = field(default_factory=dict)
    not_found: dict[str, list[str]] = field(default_factory=dict)
    repeated: int = 0
    forms: FormCheck = field(default_factory=FormCheck)


def read(path: Path, columns: Mapping[str, str], word: str | None, uses: Uses) -> None:
    """Read a file, and add its uses.

    Parameters
    ----------
    path : Path
        A ``.txt`` with a sentence in each line, or a table.
    columns : mapping
        As :func:`wsd.corpora.importer.labelled_tables.read` takes them.
    word : str, optional
        The word of all sentences.
    uses : Uses

    Raises
    ------
    CorpusError
        Naming file and line, for a file without a sentence, a table with a column for senses, or
        a sentence without a word.
    """
    seen = {(w, sentence) for w, sentences in uses.rows.items() for sentence in sentences}
    n_sentences = 0
    is_text = path.suffix.lower() == TEXT
    for where, name, sentences in _lines(path, word) if is_text else _cells(path, columns, word):
        n_sentences += 1
        if not sentences:
            uses.not_found.setdefault(name, []).append(where)
        for sentence in sentences:
            # Refuses invisible characters and invalid Unicode.
            row = labelled(where, name, "-", sentence)
            uses.forms.add(row.word, row.position, row.tokens, where)
            use = row.word, (row.position, row.tokens)
            if use in seen:
                uses.repeated += 1
            else:
                seen.add(use)
                uses.rows.setdefault(row.word, []).append(use[1])
    if not n_sentences:
        fix = "write a sentence in each line"
        raise CorpusError("the file has no sentence", where=str(path), fix=fix)


def _lines(path: Path, word: str | None) -> Iterator[Line]:
    for where, text in numbered_lines(path):
        if "\t" in text.strip():
            problem = "a tab in a line of sentences"
            fix = "if the file is a table, call it .tsv; if not, write a space"
            raise CorpusError(problem, where=where, fix=fix)
        if text.strip():
            yield where, *_marked_or_found(where, text, word)


def _cells(path: Path, columns: Mapping[str, str], word: str | None) -> Iterator[Line]:
    for cells in read_cells(path, columns, word, needed=("sentence",)):
        if cells.has("sense"):
            problem = (
                f"--unlabelled is given, but {cells.column_of['sense']!r} is a column of senses"
            )
            fix = "leave out --unlabelled, or the column"
            raise CorpusError(problem, where=cells.header, fix=fix)
        name = cells.text("word") if cells.has("word") else word
        if cells.has(*PLACES):
            position, tokens = cells.sentence(name or "")
            # As in a labelled table: without a word it is the focal token in lower case.
            yield cells.where, name or tokens[position].lower(), [(position, tokens)]
        else:
            place, text = cells.place("sentence"), cells.text("sentence")
            yield cells.where, *_marked_or_found(place, text, name)


def _marked_or_found(where: str, text: str, word: str | None) -> tuple[str, list[Sentence]]:
    """Return the word and its uses in a sentence: the marked use, or else all that are found."""
    with at_place(where, FIX_MARK):
        if mark := find_mark(text, bool if word is None else _finder(plain(word)).words_of):
            position, tokens = from_span(mark.text, mark.start, mark.end, word or "")
            return plain(word or tokens[position].lower()), [(position, tokens)]
        if word is None:
            raise ValueError("no word is marked, and none is named: add --word WORD")
        occurrences = _finder(plain(word)).find(text)
        return plain(word), [from_span(text, use.start, use.end, word) for use in occurrences]


@cache
def _finder(word: str) -> Finder:
    return Finder([word])
