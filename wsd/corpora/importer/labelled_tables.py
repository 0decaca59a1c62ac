"""Read labelled sentences from tables (CSV, JSON, Parquet): the one reader for all imports.

The columns are recognised by their names in the header, or by the keys of the objects; empty lines
are ignored. The place of the focal word is given in one of these ways:

- ``position``: the index of a token, in a sentence split at white space (``3:5`` for several
  tokens, as in :mod:`wsd.corpora.text_format`);
- ``start`` and ``end`` in characters, or both as ``span``: ``4:8`` or ``4-8``. A cell with several
  spans, ``4:8,20:24``, has several instances;
- ``left``, ``keyword`` and ``right``: the sentence in three columns, as concordances have it;
- without these columns, a mark in the sentence (:mod:`wsd.corpora.focal_word`);
- with ``--find``, the only form of the word in the sentence (:mod:`wsd.corpora.find_word`).

A column ``document`` names the document of each sentence; a cell may be empty. Other columns become
the extra columns of the instances.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from wsd.corpora.importer.labelled_sentence import Gathered, labelled
from wsd.corpora.importer.table_cells import (
    CONCORDANCE,
    FIX_NESTED,
    NAMES,
    OTHER_FORMATS,
    PLACES,
    Cells,
    Options,
)
from wsd.corpora.importer.table_files import TEXT_TABLES, beginning, header_line, open_table
from wsd.errors import ConfigError, CorpusError
from wsd.logs import log

TEXT = ".txt"
NEEDED = ("sentence", "sense")


def read(path: Path, options: Options) -> Gathered:
    """Read a table of labelled sentences.

    Raises
    ------
    CorpusError
        Naming file, line and column, for a file that cannot be read as a table. Errors about single
        lines are collected in ``options.bad_lines``.
    """
    gathered = Gathered(files=[path])
    first: Cells | None = None
    for cells in read_cells(path, options):
        first = first or cells
        with options.bad_lines.line():
            if cells.has("word") != first.has("word"):
                problem = f"{'a' if cells.has('word') else 'no'} word, unlike in {first.where}"
                fix = "give every line its word, or none"
                raise CorpusError(problem, where=cells.where, fix=fix)
            sense, split = cells.text("sense"), cells.text("split", "").strip()
            document = cells.text("document", "")
            word, sentences = cells.uses()
            if len(sentences) != 1 and not cells.has(*PLACES):
                raise _not_one(cells, word, len(sentences))
            for sentence in sentences:
                row = labelled(cells.where, word, sense, sentence, split, document)
                gathered.rows.append(replace(row, extra=cells.extra))
    return gathered


def _not_one(cells: Cells, word: str, number: int) -> CorpusError:
    problem = f"{number or 'no'} form{'s' if number > 1 else ''} of {word!r} in the sentence"
    known = cells.options.forms.of(word)
    fix = f"mark the right word, as [[{known[0]}]]"
    if not number:
        fix = f"mark the word, as [[crane]], or correct it (looked for: {', '.join(known)})"
    return CorpusError(problem, where=cells.place("sentence"), fix=fix)


def is_table(path: Path) -> bool:
    """Return whether a file is a table, by its name; a ``.txt`` is one if its header has tabs."""
    if path.suffix.lower() != TEXT:
        return path.suffix.lower() in TEXT_TABLES
    header = header_line(beginning(path)).split("\t")
    known = {name for key in ("sentence", *CONCORDANCE) for name in NAMES[key]}
    return len(header) > 1 and any(name.strip(' "').lower() in known for name in header)


def read_cells(path: Path, options: Options, needed: Sequence[str] = NEEDED) -> Iterator[Cells]:
    """Yield the lines of a table; say what the file was taken for.

    Parameters
    ----------
    path : Path
    options : Options
    needed : sequence of str
        The keys of ``NAMES`` that the table must have. Three columns of a concordance count as the
        sentence.

    Raises
    ------
    CorpusError
        Naming file and line, for a file without a line below the header, a missing or ambiguous
        column, and a column for the word if ``word`` is given.
    """
    guard = options.bad_lines.line
    description, rows = open_table(path, options.encoding, guard, no_quotes=options.no_quotes)
    cells: Cells | None = None
    number = 0
    for where, values, header in rows:
        # The objects of one file may have different keys.
        with guard() if cells else nullcontext():
            if cells is None or tuple(cells.values) != tuple(values):
                column_of = find_columns(values, options.columns, header, needed)
                if "word" in column_of and options.word is not None:
                    name = column_of["word"]
                    problem = f"--word is given, but there is a column {name!r} for it"
                    fix = "leave out --word; to import only some words, delete the other lines"
                    raise CorpusError(problem, where=header, fix=fix)
            number += 1
            cells = Cells(where, values, column_of, header, options)
            yield cells
    if cells is not None and not options.quiet:
        sentences = f"{number:,} sentence{'s' if number > 1 else ''}"
        log.info(f"{path}: {description}, {sentences}; {cells.describe()}")
    elif cells is None and options.bad_lines.is_empty:
        fix = "write a sentence in each line below the header"
        raise CorpusError("the file has no sentence", where=str(path), fix=fix)


def parse_columns(items: Sequence[str], known: Iterable[str] = NAMES) -> dict[str, str]:
    """Return the columns of ``--columns``, by key.

    Parameters
    ----------
    items : sequence of str
        Such as ``sentence=text``.
    known : iterable of str
        The possible keys.

    Raises
    ------
    ConfigError
        For a malformed item, an unknown key, and a key or a column that is named twice.
    """
    columns: dict[str, str] = {}
    for item in items:
        key, _, name = item.partition("=")
        if key not in known or not name or key in columns or name in columns.values():
            keys = ", ".join(known)
            fix = f"write KEY=COLUMN, where KEY is one of {keys}, and COLUMN its name in the file"
            problem = f"{item} is not KEY=COLUMN, or one of them is named twice"
            raise ConfigError(problem, where="--columns", fix=fix)
        columns[key] = name
    return columns


def find_columns(
    values: Mapping[str, Any], columns: Mapping[str, str], where: str, needed: Sequence[str]
) -> dict[str, str]:
    """Return the column of each key of ``NAMES`` that the table has.

    Parameters
    ----------
    values : mapping
        A line of the table, by column.
    columns : mapping of a key of ``NAMES`` to a column
        Columns that the user names.
    where : str
        File and line of the names.
    needed : sequence of str
        Keys that the table must have. Three columns of a concordance count as the sentence.

    Raises
    ------
    CorpusError
        For a missing or ambiguous column, and a place that is incomplete or given twice.
    """
    column_of = {key: _find(key, values, columns, where) for key in NAMES if key not in CONCORDANCE}
    # A table with a sentence is no concordance, unless the user names its columns.
    if column_of["sentence"] is None or columns.keys() & set(CONCORDANCE):
        parts = {key: _find(key, values, columns, where) for key in CONCORDANCE}
        if all(parts.values()):
            column_of |= parts | dict.fromkeys(("sentence", "position", "start", "end", "span"))
    known = {key: name for key, name in column_of.items() if name is not None}
    in_parts = {"sentence"} if "keyword" in known else set()
    if missing := [key for key in needed if key not in known.keys() | in_parts]:
        header = ", ".join(values) or "none"
        problem = f"no column for the {' and the '.join(missing)} among {header}"
        raise CorpusError(problem, where=where, fix=_how_to_name(missing, values))
    is_half = ("start" in known) != ("end" in known)
    if is_half or len(set(PLACES) & set(known)) > 1:
        places = [known[key] for key in ("position", "start", "end", "span") if key in known]
        problem = f"the focal word's place is incomplete, or given twice: {', '.join(places)}"
        fix = "keep position, or start and end, or span; or none of them, and mark the word"
        raise CorpusError(problem, where=where, fix=fix)
    return known


def _find(
    key: str, values: Mapping[str, Any], columns: Mapping[str, str], where: str
) -> str | None:
    """Return the column of a key: the one that the user names, or the one with a usual name."""
    if key in columns:
        if columns[key] not in values:
            problem = f"no column {columns[key]!r} among {', '.join(values)}"
            raise CorpusError(problem, where=where, fix="correct --columns")
        return columns[key]
    free = [name for name in values if name not in columns.values()]
    fitting = [name for name in free if name.strip().lower() in NAMES[key]]
    if len(fitting) > 1:
        problem = f"{' and '.join(fitting)} could both be the {key}"
        raise CorpusError(problem, where=where, fix=f"choose with --columns {key}={fitting[0]}")
    return fitting[0] if fitting else None


def _how_to_name(missing: Sequence[str], values: Mapping[str, Any]) -> str:
    """Return the advice about missing columns."""
    if any(map(_is_nested, values.values())):
        return FIX_NESTED
    if len(values) == 1:
        example = " and ".join(missing)
        return f"write the names of the columns ({example}) in the first line; {OTHER_FORMATS}"
    other = "for sentences without senses add --unlabelled"
    if "sentence" in missing:
        other = "for a sentence in three columns add --columns left=NAME keyword=NAME right=NAME"
    names = [f"the {key} {' or '.join(map(repr, NAMES[key]))}" for key in missing]
    columns = " ".join(f"{key}=NAME" for key in missing)
    return f"call the column with {', and '.join(names)}, or add --columns {columns}; {other}"


def _is_nested(value: Any) -> bool:
    """Return whether a value is an object, or a list of anything but tokens."""
    is_tokens = isinstance(value, list) and all(isinstance(token, str) for token in value)
    return isinstance(value, dict | list) and not is_tokens
