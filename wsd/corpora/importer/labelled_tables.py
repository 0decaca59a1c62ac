"""Read labelled sentences from CSV, TSV and JSON lines.

The columns are recognised by their names in the header, or by the keys of the objects; other
columns and empty lines are ignored. The place of the focal word is given in one of three ways:

- ``position``: the index of a token, in a sentence split at white space (``3:5`` for several
  tokens, as in :mod:`wsd.corpora.text_format`);
- ``start`` and ``end`` in characters, or both as ``span``, ``4:8``;
- without these columns, a mark in the sentence (:mod:`wsd.corpora.importer.focal_word`).

A column ``document`` names the document of each sentence; a cell may be empty.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wsd.corpora.importer import focal_word
from wsd.corpora.importer.delimited_text import read_table
from wsd.corpora.importer.focal_word import Sentence
from wsd.corpora.importer.labelled_sentence import Gathered, labelled
from wsd.corpora.text_format import PLACE
from wsd.errors import CorpusError
from wsd.storage.text_files import at_place, json_lines

KINDS = (".csv", ".tsv", ".jsonl")
NAMES = {
    "sentence": ("sentence", "text", "context"),
    "sense": ("sense", "label", "gold"),
    "word": ("word", "lemma", "target"),
    "split": ("split", "set"),
    "position": ("position",),
    "start": ("start",),
    "end": ("end",),
    "span": ("indexes_target_token",),  # of DWUG
    "document": ("document",),
}
# Each of these columns gives the place of the focal word.
PLACES = ("position", "start", "span")
NEEDED = ("sentence", "sense")
FIX_NESTED = (
    "write a line for each word, with its sense as a text, and its place in `start` and `end`"
)
FIX_TOKENS = (
    "count tokens from 0; the end is the token after the last; if the column counts characters, "
    "add --columns span=COLUMN"
)


def read(path: Path, columns: Mapping[str, str], word: str | None) -> Gathered:
    """Read a ``.csv``, ``.tsv`` or ``.jsonl`` file.

    Parameters
    ----------
    path : Path
    columns : mapping of a key of ``NAMES`` to a column of the file
    word : str, optional
        The word of all rows, if there is no column for it.

    Raises
    ------
    CorpusError
        Naming file, line and column.
    """
    gathered = Gathered(files=[path])
    first: Cells | None = None
    for cells in read_cells(path, columns, word):
        first = first or cells
        if cells.has("word") != first.has("word"):
            problem = f"{'a' if cells.has('word') else 'no'} word, unlike in {first.where}"
            raise CorpusError(problem, where=cells.where, fix="give every line its word, or none")
        sense, split = cells.text("sense"), cells.text("split", "").strip()
        row_word = word if word is not None else cells.text("word", "")
        document = cells.text("document", "")
        position, tokens = cells.sentence(row_word)
        # Without a column for it, the word is the focal token in lower case.
        row_word = row_word or tokens[position].lower()
        row = labelled(cells.where, row_word, sense, (position, tokens), split, document)
        gathered.rows.append(row)
    if not gathered.rows:
        fix = "write a sentence in each line below the header"
        raise CorpusError("the file has no sentence", where=str(path), fix=fix)
    return gathered


def read_cells(
    path: Path, columns: Mapping[str, str], word: str | None, needed: Sequence[str] = NEEDED
) -> Iterator["Cells"]:
    """Yield the lines of a table.

    Parameters
    ----------
    path, columns, word
        As :func:`read` takes them.
    needed : sequence of str
        The keys of ``NAMES`` that the table must have.

    Raises
    ------
    CorpusError
        Naming file and line, for a malformed line, a missing or ambiguous column, and a column for
        the word if ``word`` is given.
    """
    header: tuple[str, ...] | None = None
    column_of: dict[str, str] = {}
    lines: Iterator[tuple[str, Mapping[str, Any], str]]
    if path.suffix.lower() == ".jsonl":
        objects = json_lines(path, "write one object per line")
        lines = ((where, values, where) for where, values in objects)
    else:
        lines = read_table(path)
    for where, values, header_place in lines:
        # The objects of one file may have different keys.
        if header != tuple(values):
            header = tuple(values)
            column_of = _columns_of(values, columns, header_place, needed)
            if "word" in column_of and word is not None:
                problem = f"--word is given, but there is a column {column_of['word']!r} for it"
                fix = "leave out --word; to import only some words, delete the other lines"
                raise CorpusError(problem, where=header_place, fix=fix)
        yield Cells(where, values, column_of, header_place)


def _columns_of(
    values: Mapping[str, Any], columns: Mapping[str, str], where: str, needed: Sequence[str]
) -> dict[str, str]:
    """Return the column of each key of ``NAMES`` that the table has."""
    header = tuple(values)
    column_of = {}
    for key, names in NAMES.items():
        if key in columns:
            if columns[key] not in header:
                problem = f"no column {columns[key]!r} among {', '.join(header)}"
                raise CorpusError(problem, where=where, fix="correct --columns")
            column_of[key] = columns[key]
            continue
        free = [name for name in header if name not in columns.values()]
        fitting = [name for name in free if name.strip().lower() in names]
        if len(fitting) > 1:
            problem = f"{' and '.join(fitting)} could both be the {key}"
            raise CorpusError(problem, where=where, fix=f"choose with --columns {key}={fitting[0]}")
        if fitting:
            column_of[key] = fitting[0]
    if missing := [key for key in needed if key not in column_of]:
        known = ", ".join(header) or "none"
        problem = f"no column for the {' and the '.join(missing)} among {known}"
        raise CorpusError(problem, where=where, fix=_how_to_name(missing, values))
    is_half = ("start" in column_of) != ("end" in column_of)
    if is_half or len(set(PLACES) & set(column_of)) > 1:
        places = [column_of[k] for k in ("position", "start", "end", "span") if k in column_of]
        problem = f"the focal word's place is incomplete, or given twice: {', '.join(places)}"
        fix = "keep position, or start and end, or span; or none of them, and mark the word"
        raise CorpusError(problem, where=where, fix=fix)
    return column_of


def _how_to_name(missing: Sequence[str], values: Mapping[str, Any]) -> str:
    """Return the advice about missing columns."""
    if nested := [name for name, value in values.items() if _is_nested(value)]:
        return f"{FIX_NESTED} (now {', '.join(nested)} has lists or objects)"
    if len(values) == 1:
        names = " and ".join(missing)
        return f"write the names of the columns, such as {names}, in the first line of a table"
    fix = [
        f"call the column with the {key} {' or '.join(map(repr, NAMES[key]))}, or add "
        f"--columns {key}=NAME"
        for key in missing
    ]
    if "sentence" in missing:
        fix.append("join a sentence that is in several columns, and mark the word, as [[crane]]")
    else:
        fix.append("for sentences without senses add --unlabelled")
    return "; ".join(fix)


def _is_nested(value: Any) -> bool:
    """Return whether a value is an object, or a list of anything but tokens."""
    is_tokens = isinstance(value, list) and all(isinstance(token, str) for token in value)
    return isinstance(value, dict | list) and not is_tokens


@dataclass(frozen=True)
class Cells:
    """A line of a table.

    Attributes
    ----------
    where : str
        File and line.
    values : mapping of str to value
        By column.
    column_of : mapping of str to str
        The column of each key of ``NAMES`` that the table has.
    header : str
        File and line of the names of the columns.
    """

    where: str
    values: Mapping[str, Any]
    column_of: Mapping[str, str]
    header: str

    def has(self, *keys: str) -> bool:
        """Return whether the table has a column for one of these keys."""
        return any(key in self.column_of for key in keys)

    def place(self, key: str) -> str:
        """Return file, line and column of a key."""
        return f"{self.where}, column {self.column_of[key]}"

    def text(self, key: str, default: str | None = None) -> str:
        """Return the text of a cell; refuse an empty one, except for split and document."""
        if not self.has(key) and default is not None:
            return default
        value = self.values[self.column_of[key]]
        # Senses may be numbers.
        if type(value) is int and key != "sentence":
            value = str(value)
        if isinstance(value, str) and (value.strip() or key in ("split", "document")):
            return value
        shown, fix = "nothing" if value in ("", None) else repr(value), "write a text"
        if isinstance(value, dict | list):
            shown, fix = "a list" if isinstance(value, list) else "an object", FIX_NESTED
        raise CorpusError(f"{shown} for the {key}", where=self.place(key), fix=fix)

    def number(self, key: str) -> int:
        """Return the number of a cell, from 0 up."""
        value = self.values[self.column_of[key]]
        # In a table with gaps, pandas writes 2.0.
        if isinstance(value, str) and re.fullmatch(r"[0-9]{1,9}(?:\.0)?", value.strip()):
            return int(float(value))
        if type(value) is int or (type(value) is float and value.is_integer()):
            return int(value)
        problem = f"the {key} {value!r} is not a whole number from 0 up"
        raise CorpusError(problem, where=self.place(key), fix="write a whole number, in digits")

    def _range(self, key: str) -> tuple[int, int] | None:
        """Return the two numbers of a cell such as 3:5; None if it has no such text."""
        value = self.values[self.column_of[key]]
        place = PLACE.fullmatch(value.strip()) if isinstance(value, str) else None
        return (int(place[1]), int(place[2])) if place and place[2] else None

    def characters(self) -> tuple[int, int]:
        """Return the first character of the focal word, and the character after its last."""
        if self.has("start"):
            return self.number("start"), self.number("end")
        if span := self._range("span"):
            return span
        problem = f"the span {self.values[self.column_of['span']]!r} is not two numbers"
        raise CorpusError(problem, where=self.place("span"), fix="write characters, such as 4:8")

    def sentence(self, word: str = "") -> Sentence:
        """Return the sentence and its focal word, by a mark or by the columns for its place."""
        tokens, place = self.values[self.column_of["sentence"]], self.place("sentence")
        text = self._joined(tokens) if isinstance(tokens, list) else self.text("sentence")
        if self.has("position"):
            with at_place(place, FIX_TOKENS):
                span = self._range("position") or (self.number("position"),)
                return focal_word.from_tokens(text, *span)
        if self.has("start", "span"):
            with at_place(place, focal_word.FIX_SPAN):
                return focal_word.from_span(text, *self.characters(), word)
        with at_place(place, focal_word.FIX_MARK):
            return focal_word.from_mark(text, word)

    def _joined(self, tokens: list[Any]) -> str:
        well_formed = all(isinstance(token, str) and token.split() == [token] for token in tokens)
        if not tokens or not well_formed or not self.has("position"):
            problem = "a list that is not of tokens without white space, with a position"
            fix = "give the sentence as one text, or its tokens and the focal word's position"
            raise CorpusError(problem, where=self.place("sentence"), fix=fix)
        return " ".join(tokens)
