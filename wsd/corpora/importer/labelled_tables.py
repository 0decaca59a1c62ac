"""Read labelled sentences from CSV, TSV and JSON lines.

The columns are recognised by their names in the header, or by the keys of the objects; other
columns are ignored. There are three ways to give the place of the focal word: ``position``, the
index of a token of a sentence split at white space (``3:5`` for several tokens, as in
:mod:`wsd.corpora.text_format`); ``start`` and ``end`` in characters, or both as ``span``, ``4:8``;
or, without these columns, a mark in the sentence (:mod:`wsd.corpora.importer.focal_word`). Empty
lines are skipped.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wsd.corpora.importer.delimited_text import read_table
from wsd.corpora.importer.focal_word import (
    FIX_MARK,
    FIX_SPAN,
    Sentence,
    from_mark,
    from_span,
    from_tokens,
)
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
}
# Each of these columns gives the place of the focal word.
PLACES = ("position", "start", "span")
NEEDED = ("sentence", "sense")
FIX_NESTED = (
    "write a line for each word, with its sense as a text, and its place in `start` and `end`"
)
FIX_TOKENS = (
    "count from 0; the end is the token after the last; if the column has characters, such as 4:8, "
    "say --columns span=COLUMN"
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
    first: tuple[str, bool] | None = None
    header: tuple[str, ...] | None = None
    column_of: dict[str, str] = {}
    for where, values, header_place in lines_of(path):
        # The objects of one file may have different keys.
        if header != tuple(values):
            header = tuple(values)
            column_of = columns_of(values, columns, header_place)
            has_word = "word" in column_of
            if has_word and word is not None:
                problem = f"--word, and a column {column_of['word']!r} for it"
                fix = "leave out --word; to import some words, keep their lines alone"
                raise CorpusError(problem, where=header_place, fix=fix)
            first = first or (where, has_word)
            if has_word != first[1]:
                problem = f"{'a' if has_word else 'no'} word, unlike in {first[0]}"
                raise CorpusError(problem, where=where, fix="give every line its word, or none")
        cells = Cells(where, values, column_of)
        sense, split = cells.text("sense"), cells.text("split", "").strip()
        row_word = word if word is not None else cells.text("word", "")
        position, tokens = cells.sentence(row_word)
        # Without a column for it, the word is the focal token in lower case.
        row_word = row_word or tokens[position].lower()
        gathered.rows.append(labelled(where, row_word, sense, (position, tokens), split))
    if not gathered.rows:
        fix = "write a sentence in each line below the header"
        raise CorpusError("the file has no sentence", where=str(path), fix=fix)
    return gathered


def lines_of(path: Path) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield file and line, values by column, and the place of the columns' names, of a table."""
    if path.suffix.lower() != ".jsonl":
        yield from read_table(path)
        return
    for where, values in json_lines(path, "write one object per line"):
        yield where, values, where


def columns_of(
    values: Mapping[str, Any],
    columns: Mapping[str, str],
    where: str,
    needed: Sequence[str] = NEEDED,
) -> dict[str, str]:
    """Return the column of each key of ``NAMES`` that the table has.

    Parameters
    ----------
    values : mapping
        A line of the table, by column.
    columns : mapping
        As :func:`read` takes them.
    where : str
        File and line of the names of the columns.
    needed : sequence of str
    """
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
        names_of_missing = " and the ".join(missing)
        problem = f"no column for the {names_of_missing} among {', '.join(header) or 'none'}"
        raise CorpusError(problem, where=where, fix=_how_to_name(missing, values))
    is_half = ("start" in column_of) != ("end" in column_of)
    if is_half or len(set(PLACES) & set(column_of)) > 1:
        places = [column_of[k] for k in ("position", "start", "end", "span") if k in column_of]
        problem = f"the focal word's place is told by half, or twice: {', '.join(places)}"
        fix = "keep either position, or start and end, or span, or none of them and mark the word"
        raise CorpusError(problem, where=where, fix=fix)
    return column_of


def _how_to_name(missing: Sequence[str], values: Mapping[str, Any]) -> str:
    """Return what to do about missing columns."""
    if nested := [name for name, value in values.items() if _is_nested(value)]:
        return f"{FIX_NESTED} (now {', '.join(nested)} holds lists or objects)"
    if len(values) == 1:
        keys = " and ".join(missing)
        return f"name the columns in the first line of a table, or the keys: {keys} among them"
    fix = [
        f"call the column with the {key} {' or '.join(map(repr, NAMES[key]))}, or say "
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
    """A line of a table: its values by column, and the column of each key."""

    where: str
    values: Mapping[str, Any]
    column_of: Mapping[str, str]

    def place(self, key: str) -> str:
        """Return file, line and column of a key."""
        return f"{self.where}, column {self.column_of[key]}"

    def text(self, key: str, default: str | None = None) -> str:
        """Return the text of a cell, which is not empty."""
        if key not in self.column_of and default is not None:
            return default
        value = self.values[self.column_of[key]]
        # Senses may be numbers.
        if type(value) is int and key != "sentence":
            value = str(value)
        if isinstance(value, dict | list):
            shown = "a list" if isinstance(value, list) else "an object"
            raise CorpusError(f"{shown} for the {key}", where=self.place(key), fix=FIX_NESTED)
        if not isinstance(value, str) or (not value.strip() and key != "split"):
            shown = "nothing" if value in ("", None) else repr(value)
            raise CorpusError(f"{shown} for the {key}", where=self.place(key), fix="write a text")
        return value

    def number(self, key: str) -> int:
        """Return the number of a cell, from 0 up."""
        value = self.values[self.column_of[key]]
        # In a table with gaps, pandas writes 2.0.
        if isinstance(value, str) and re.fullmatch(r"[0-9]{1,9}(?:\.0)?", value.strip()):
            return int(float(value))
        if type(value) is int or (type(value) is float and value.is_integer()):
            return int(value)
        problem = f"the {key} {value!r} is no number from 0 up"
        raise CorpusError(problem, where=self.place(key), fix="write a whole number, in digits")

    def _range(self, key: str) -> tuple[int, int] | None:
        """Return the two numbers of a cell such as 3:5; None if it has no such text."""
        value = self.values[self.column_of[key]]
        place = PLACE.fullmatch(value.strip()) if isinstance(value, str) else None
        return (int(place[1]), int(place[2])) if place and place[2] else None

    def characters(self) -> tuple[int, int]:
        """Return the first character of the focal word, and the character after its last."""
        if "start" in self.column_of:
            return self.number("start"), self.number("end")
        if span := self._range("span"):
            return span
        problem = f"the span {self.values[self.column_of['span']]!r} is not first:end"
        raise CorpusError(problem, where=self.place("span"), fix="write characters, such as 4:8")

    def sentence(self, word: str = "") -> Sentence:
        """Return the sentence and its focal word, which is marked or placed by other columns."""
        tokens = self.values[self.column_of["sentence"]]
        text = self._joined(tokens) if isinstance(tokens, list) else self.text("sentence")
        if "position" in self.column_of:
            with at_place(self.place("sentence"), FIX_TOKENS):
                return from_tokens(text, *(self._range("position") or (self.number("position"),)))
        if "start" in self.column_of or "span" in self.column_of:
            with at_place(self.place("sentence"), FIX_SPAN):
                return from_span(text, *self.characters(), word)
        with at_place(self.place("sentence"), FIX_MARK):
            return from_mark(text, word)

    def _joined(self, tokens: list[Any]) -> str:
        well_formed = all(isinstance(token, str) and token.split() == [token] for token in tokens)
        if not tokens or not well_formed or "position" not in self.column_of:
            problem = "a list that is not of tokens without white space, with a position"
            fix = "give the sentence as one text, or its tokens and the focal word's position"
            raise CorpusError(problem, where=self.place("sentence"), fix=fix)
        return " ".join(tokens)
