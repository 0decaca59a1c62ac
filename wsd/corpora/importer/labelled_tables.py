"""Labelled sentences from CSV, TSV and JSON lines.

The columns are found by their names in the header, or the keys of the objects; further ones are
ignored. Where the focal word stands is told in one of three ways: by ``position``, the index of a
token of a sentence that is cut by white space (of several tokens ``3:5``, as in
:mod:`wsd.corpora.text_format`); by ``start`` and ``end``, characters, or both as ``span``, ``4:8``;
or, without these columns, by a mark in the sentence (:mod:`wsd.corpora.importer.focal_word`). Empty
lines are skipped.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wsd.corpora.importer.delimited_text import table
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
# Any of these columns tells where the focal word stands.
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
    columns : mapping of what is looked for, a key of ``NAMES``, to the name it has in the file
    word : str, optional
        The word of all rows, in place of a column.

    Raises
    ------
    CorpusError
        Naming file, line and column.
    """
    found = Gathered(files=[path])
    first: tuple[str, bool] | None = None
    header: tuple[str, ...] | None = None
    column_of: dict[str, str] = {}
    for where, values, header_place in lines_of(path):
        # Objects of one file may differ in their keys.
        if header != tuple(values):
            header = tuple(values)
            column_of = columns_of(values, columns, header_place)
            has_word = "word" in column_of
            if has_word and word is not None:
                what = f"--word, and a column {column_of['word']!r} for it"
                fix = "leave out --word; to import some words, keep their lines alone"
                raise CorpusError(what, where=header_place, fix=fix)
            first = first or (where, has_word)
            if has_word != first[1]:
                what = f"{'a' if has_word else 'no'} word, unlike in {first[0]}"
                raise CorpusError(what, where=where, fix="give every line its word, or none")
        cells = Cells(where, values, column_of)
        sense, split = cells.text("sense"), cells.text("split", "").strip()
        of_word = word if word is not None else cells.text("word", "")
        position, tokens = cells.sentence(of_word)
        # Without a column for it the word is the focal token, in small letters.
        of_word = of_word or tokens[position].lower()
        found.rows.append(labelled(where, of_word, sense, (position, tokens), split))
    if not found.rows:
        fix = "write a sentence in each line below the header"
        raise CorpusError("the file has no sentence", where=str(path), fix=fix)
    return found


def lines_of(path: Path) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield file and line, values by column, and the place of the columns' names, of a table."""
    if path.suffix.lower() != ".jsonl":
        yield from table(path)
        return
    for where, values in json_lines(path, "write one object per line"):
        yield where, values, where


def columns_of(
    values: Mapping[str, Any],
    columns: Mapping[str, str],
    where: str,
    needed: Sequence[str] = NEEDED,
) -> dict[str, str]:
    """What is looked for -> the column that has it.

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
    found = {}
    plain = {name: name.strip().lower() for name in header}
    for key, names in NAMES.items():
        if key in columns:
            if columns[key] not in header:
                what = f"no column {columns[key]!r} among {', '.join(header)}"
                raise CorpusError(what, where=where, fix="correct --columns")
            found[key] = columns[key]
            continue
        fitting = [name for name in header if plain[name] in names and name not in columns.values()]
        if len(fitting) > 1:
            what = f"{' and '.join(fitting)} could both be the {key}"
            raise CorpusError(what, where=where, fix=f"choose with --columns {key}={fitting[0]}")
        if fitting:
            found[key] = fitting[0]
    if missing := [key for key in needed if key not in found]:
        what = f"no column for the {' and the '.join(missing)} among {', '.join(header) or 'none'}"
        raise CorpusError(what, where=where, fix=_how_to_name(missing, values))
    if ("start" in found) != ("end" in found) or len(set(PLACES) & set(found)) > 1:
        told = ", ".join(found[k] for k in ("position", "start", "end", "span") if k in found)
        what = f"the focal word's place is told by half, or twice: {told}"
        fix = "keep either position, or start and end, or span, or none of them and mark the word"
        raise CorpusError(what, where=where, fix=fix)
    return found


def _how_to_name(missing: Sequence[str], values: Mapping[str, Any]) -> str:
    """What to do about columns that are missing."""
    if nested := [name for name, value in values.items() if _is_nested(value)]:
        return f"{FIX_NESTED} (now {', '.join(nested)} holds lists or objects)"
    if len(values) == 1:
        both = " and ".join(missing)
        return f"name the columns in the first line of a table, or the keys: {both} among them"
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
    """Whether it is an object, or a list of something else than tokens."""
    tokens = isinstance(value, list) and all(isinstance(one, str) for one in value)
    return isinstance(value, dict | list) and not tokens


@dataclass(frozen=True)
class Cells:
    """A line of a file: its values by column, and the column of what is looked for."""

    where: str
    values: Mapping[str, Any]
    column_of: Mapping[str, str]

    def place(self, key: str) -> str:
        """File, line and column of what is looked for."""
        return f"{self.where}, column {self.column_of[key]}"

    def text(self, key: str, default: str | None = None) -> str:
        """What stands there, a text that is not empty."""
        if key not in self.column_of and default is not None:
            return default
        value = self.values[self.column_of[key]]
        # Numbers are what people call senses too.
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
        """What stands there, a number from 0 up."""
        value = self.values[self.column_of[key]]
        # Numbers of a table with gaps are 2.0.
        if isinstance(value, str) and re.fullmatch(r"[0-9]{1,9}(?:\.0)?", value.strip()):
            return int(float(value))
        if type(value) is int or (type(value) is float and value.is_integer()):
            return int(value)
        what, fix = f"the {key} {value!r} is no number from 0 up", "write a whole number, in digits"
        raise CorpusError(what, where=self.place(key), fix=fix)

    def tokens(self) -> tuple[int, int | None]:
        """The token, or the first and the one after the last."""
        value = self.values[self.column_of["position"]]
        several = PLACE.fullmatch(value.strip()) if isinstance(value, str) else None
        if several and several[2]:
            return int(several[1]), int(several[2])
        return self.number("position"), None

    def characters(self) -> tuple[int, int]:
        """The first character, and the one after the last."""
        if "start" in self.column_of:
            return self.number("start"), self.number("end")
        value = self.values[self.column_of["span"]]
        span = PLACE.fullmatch(value.strip()) if isinstance(value, str) else None
        if not (span and span[2]):
            what, fix = f"the span {value!r} is not first:end", "write characters, such as 4:8"
            raise CorpusError(what, where=self.place("span"), fix=fix)
        return int(span[1]), int(span[2])

    def sentence(self, word: str = "") -> Sentence:
        """The sentence and its focal word, whose place is marked or stands in other columns."""
        tokens = self.values[self.column_of["sentence"]]
        text = self._joined(tokens) if isinstance(tokens, list) else self.text("sentence")
        if "position" in self.column_of:
            with at_place(self.place("sentence"), FIX_TOKENS):
                return from_tokens(text, *self.tokens())
        told = {"start", "span"} & set(self.column_of)
        with at_place(self.place("sentence"), FIX_SPAN if told else FIX_MARK):
            return from_span(text, *self.characters(), word) if told else from_mark(text, word)

    def _joined(self, tokens: list[Any]) -> str:
        well_formed = all(isinstance(token, str) and token.split() == [token] for token in tokens)
        if not tokens or not well_formed or "position" not in self.column_of:
            what = "a list that is not of tokens without white space, with a position"
            fix = "give the sentence as one text, or its tokens and the focal word's position"
            raise CorpusError(what, where=self.place("sentence"), fix=fix)
        return " ".join(tokens)
