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

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from wsd.corpora.importer import arrow_tables
from wsd.corpora.importer.delimited_text import detect_table, header_line
from wsd.corpora.importer.file_beginning import beginning
from wsd.corpora.importer.labelled_sentence import Gathered, labelled
from wsd.corpora.importer.table_cells import Cells, Options
from wsd.corpora.importer.table_columns import CONCORDANCE, NAMES, PLACES, find_columns
from wsd.errors import CorpusError
from wsd.logs import log
from wsd.storage.text_files import decode_file, is_array, json_objects

JSON = (".json", ".jsonl")
KINDS = (".csv", ".tsv", *JSON)
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


def _not_one(cells: "Cells", word: str, number: int) -> CorpusError:
    problem = f"{number or 'no'} form{'s' if number > 1 else ''} of {word!r} in the sentence"
    known = cells.options.forms.of(word)
    fix = f"mark the right word, as [[{known[0]}]]"
    if not number:
        fix = f"mark the word, as [[crane]], or correct it (looked for: {', '.join(known)})"
    return CorpusError(problem, where=cells.place("sentence"), fix=fix)


def is_table(path: Path) -> bool:
    """Return whether a file is a table, by its name; a ``.txt`` is one if its header has tabs."""
    if path.suffix.lower() != TEXT:
        return path.suffix.lower() in KINDS
    header = header_line(beginning(path)).split("\t")
    known = {name for key in ("sentence", *CONCORDANCE) for name in NAMES[key]}
    return len(header) > 1 and any(name.strip(' "').lower() in known for name in header)


def read_cells(path: Path, options: Options, needed: Sequence[str] = NEEDED) -> Iterator["Cells"]:
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
    lines: Iterator[tuple[str, Mapping[str, Any], str]]
    if arrow_tables.is_arrow(path):
        description = path.suffix[1:].capitalize()
        lines = ((where, values, str(path)) for where, values in arrow_tables.rows(path))
    elif path.suffix.lower() in JSON:
        text, encoding = decode_file(path, options.encoding)
        description = f"{'a JSON array' if is_array(text) else 'JSON objects'}, {encoding}"
        objects = json_objects(path, "write an array of objects, or one object per line",
                               options.encoding, guard)  # fmt: skip
        lines = ((where, values, where) for where, values in objects)
    else:
        table = detect_table(path, options.encoding, no_quotes=options.no_quotes)
        description = table.description
        lines = table.lines(guard=guard)
    cells: Cells | None = None
    number = 0
    for where, values, header_place in lines:
        # The objects of one file may have different keys.
        with guard() if cells else nullcontext():
            if cells is None or tuple(cells.values) != tuple(values):
                column_of = find_columns(values, options.columns, header_place, needed)
                if "word" in column_of and options.word is not None:
                    name = column_of["word"]
                    problem = f"--word is given, but there is a column {name!r} for it"
                    fix = "leave out --word; to import only some words, delete the other lines"
                    raise CorpusError(problem, where=header_place, fix=fix)
            number += 1
            cells = Cells(where, values, column_of, header_place, options)
            yield cells
    if cells is not None and not options.quiet:
        sentences = f"{number:,} sentence{'s' if number > 1 else ''}"
        log.info(f"{path}: {description}, {sentences}; {cells.describe()}")
    elif cells is None and options.bad_lines.is_empty:
        fix = "write a sentence in each line below the header"
        raise CorpusError("the file has no sentence", where=str(path), fix=fix)
