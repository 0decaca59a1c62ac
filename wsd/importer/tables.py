"""Labelled sentences from CSV, TSV and JSON lines.

The columns are found by their names in the header, or the keys of the objects; further ones are
ignored. Where the focal word stands is told in one of three ways: by ``position``, the index of a
token of a sentence that is cut by white space; by ``start`` and ``end``, characters; or, without
these columns, by a mark in the sentence (:mod:`wsd.importer.sentence`). Empty lines are skipped.
"""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from wsd.errors import CorpusError
from wsd.importer import sentence
from wsd.importer.rows import Found, row, text_of
from wsd.importer.sentence import FIX_MARK, Sentence

NAMES = {
    "sentence": ("sentence", "text", "context"),
    "sense": ("sense", "label", "gold"),
    "word": ("word", "lemma", "target"),
    "split": ("split", "set"),
    "position": ("position",),
    "start": ("start",),
    "end": ("end",),
}
NEEDED = ("sentence", "sense")

# File and line, and the values by the column's name in the file.
Line = tuple[str, Mapping[str, Any]]


def read(path: Path, columns: Mapping[str, str], word: str | None) -> Found:
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
    lines = _objects(path) if path.suffix.lower() == ".jsonl" else _cells(path)
    found = Found(files=[path])
    first: tuple[str, bool] | None = None
    header: tuple[str, ...] | None = None
    where_is: dict[str, str] = {}
    for where, values in lines:
        # Objects of one file may differ in their keys.
        if header != tuple(values):
            header = tuple(values)
            where_is = _columns(header, columns, where)
            has_word = "word" in where_is
            if has_word and word is not None:
                raise CorpusError(
                    f"--word, and a column {where_is['word']!r} for it",
                    where=where,
                    fix="leave out --word; to import some words, keep their lines alone",
                )
            first = first or (where, has_word)
            if has_word != first[1]:
                raise CorpusError(
                    f"{'a' if has_word else 'no'} word, unlike in {first[0]}",
                    where=where,
                    fix="give every line its word, or none",
                )
        cells = {name: values[column] for name, column in where_is.items()}
        of_sentence = _sentence(cells, where_is, where)
        focal = of_sentence[1][of_sentence[0]]
        of_word = word if word is not None else _text(cells, "word", where_is, where, focal.lower())
        sense = _text(cells, "sense", where_is, where)
        split = _text(cells, "split", where_is, where, "").strip()
        found.rows.append(row(where, of_word, sense, of_sentence, split))
    if not found.rows:
        raise CorpusError("the file has no sentence", where=str(path))
    return found


def _columns(header: tuple[str, ...], columns: Mapping[str, str], where: str) -> dict[str, str]:
    """What is looked for -> the column that has it."""
    found = {}
    plain = {name: name.strip().lower() for name in header}
    for key, names in NAMES.items():
        if key in columns:
            if columns[key] not in header:
                raise CorpusError(
                    f"no column {columns[key]!r} among {', '.join(header)}",
                    where=where,
                    fix="correct --columns",
                )
            found[key] = columns[key]
            continue
        fitting = [name for name in header if plain[name] in names and name not in columns.values()]
        if len(fitting) > 1:
            raise CorpusError(
                f"{' and '.join(fitting)} could both be the {key}",
                where=where,
                fix=f"choose with --columns {key}={fitting[0]}",
            )
        if fitting:
            found[key] = fitting[0]
    for key in NEEDED:
        if key not in found:
            raise CorpusError(
                f"no column for the {key} among {', '.join(header) or 'none'}",
                where=where,
                fix=f"name it {' or '.join(NAMES[key])} in the header, or say --columns {key}=NAME",
            )
    if ("start" in found) != ("end" in found) or {"start", "position"} <= set(found):
        raise CorpusError(
            "the focal word's place is told by half, or twice: "
            f"{', '.join(found[k] for k in ('position', 'start', 'end') if k in found)}",
            where=where,
            fix="keep either position, or start and end, or none of them and mark the word",
        )
    return found


def _sentence(cells: Mapping[str, Any], names: Mapping[str, str], where: str) -> Sentence:
    text, fix = cells["sentence"], "count from 0"
    if isinstance(text, list):
        if (
            not all(isinstance(t, str) and t.split() == [t] for t in text)
            or "position" not in cells
        ):
            raise CorpusError(
                "a list that is not of tokens without white space, with a position",
                where=f"{where}, column {names['sentence']}",
                fix="give the sentence as one text, or its tokens and the focal word's position",
            )
        text = " ".join(text)
    text = _text({"sentence": text}, "sentence", names, where)
    try:
        if "position" in cells:
            return sentence.of_tokens(text, _number(cells, "position", names, where))
        if "start" in cells:
            start, end = (_number(cells, key, names, where) for key in ("start", "end"))
            return sentence.of_span(text, start, end)
        fix = FIX_MARK
        return sentence.of_mark(text)
    except ValueError as error:
        raise CorpusError(
            str(error), where=f"{where}, column {names['sentence']}", fix=fix
        ) from None


def _text(
    cells: Mapping[str, Any],
    key: str,
    names: Mapping[str, str],
    where: str,
    default: str | None = None,
) -> str:
    if key not in cells and default is not None:
        return default
    value = cells[key]
    # Numbers are what people call senses too.
    if isinstance(value, int) and not isinstance(value, bool) and key != "sentence":
        value = str(value)
    if not isinstance(value, str) or (not value.strip() and key != "split"):
        shown = "nothing" if value in ("", None) else repr(value)
        raise CorpusError(
            f"{shown} for the {key}", where=f"{where}, column {names[key]}", fix="write a text"
        )
    return value


def _number(cells: Mapping[str, Any], key: str, names: Mapping[str, str], where: str) -> int:
    value = cells[key]
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,9}", value.strip()):
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise CorpusError(
        f"the {key} {value!r} is no number from 0 up", where=f"{where}, column {names[key]}"
    )


def _cells(path: Path) -> Iterator[Line]:
    """The lines of a table whose first is its header."""
    text = text_of(path)
    header: list[str] | None = None
    for number, cells in _split(path, text):
        where = f"{path}:{number}"
        if header is None:
            header = cells
            if len(cells) == 1 and (other := re.search(r"[;\t]", cells[0])):
                raise CorpusError(
                    f"columns with {'semicolons' if other[0] == ';' else 'tabs'} between them",
                    where=where,
                    fix="save it as CSV with commas, or as .tsv with tabs",
                )
            twice = sorted({name for name in header if name and header.count(name) > 1})
            if twice:
                raise CorpusError(
                    f"two columns are called {twice[0]!r}", where=where, fix="rename one"
                )
            continue
        if not any(cells):
            continue
        if len(cells) != len(header):
            raise CorpusError(
                f"{len(cells)} columns, but the header has {len(header)}",
                where=where,
                fix="give every line the columns of the first: "
                + ", ".join(name or "(unnamed)" for name in header),
            )
        yield where, dict(zip(header, cells, strict=True))


def _split(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """(line number, cells). Quotes mean something in CSV alone."""
    if path.suffix.lower() != ".csv":
        for number, line in enumerate(text.split("\n"), start=1):
            cells = line.removesuffix("\r").split("\t")
            if any(map(_quoted, cells)):
                raise CorpusError(
                    "a cell in quotes with doubled quotes in it, as CSV has it",
                    where=f"{path}:{number}",
                    fix="save it as .csv; in a .tsv a quote is a quote",
                )
            if cells != [""]:
                yield number, cells
        return
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    before = 0
    try:
        for cells in reader:
            if cells:
                yield before + 1, cells
            before = reader.line_num
    except csv.Error as error:
        raise CorpusError(
            f"not CSV: {error}",
            where=f"{path}:{before + 1}",
            fix='put a cell with a comma, a quote or a line end in "quotes", and double a quote',
        ) from None


def _quoted(cell: str) -> bool:
    inside = cell[1:-1]
    return cell[:1] == cell[-1:] == '"' and '""' in inside and '"' not in inside.replace('""', "")


def _objects(path: Path) -> Iterator[Line]:
    for number, line in enumerate(text_of(path).split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            pairs = json.loads(line, object_pairs_hook=_once)
        except (RecursionError, ValueError) as error:
            raise CorpusError(
                f"not valid JSON: {error}", where=where, fix="write one object per line"
            ) from None
        if not isinstance(pairs, dict):
            raise CorpusError("not a JSON object", where=where, fix="write one object per line")
        yield where, pairs


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands in an object twice")
    return found
