"""Read labelled sentences from tables (CSV, JSON, Parquet): the one reader for all imports.

The columns are recognised by their names in the header, or by the keys of the objects; empty lines
are ignored. The place of the focal word is given in one of these ways:

- ``position``: the index of a token, in a sentence split at white space (``3:5`` for several
  tokens, as in :mod:`wsd.corpora.text_format`);
- ``start`` and ``end`` in characters, or both as ``span``: ``4:8`` or ``4-8``. A cell with several
  spans, ``4:8,20:24``, has several instances;
- ``left``, ``keyword`` and ``right``: the sentence in three columns, as concordances have it;
- without these columns, a mark in the sentence (:mod:`wsd.corpora.find_word`);
- with ``--find``, the only form of the word in the sentence (:mod:`wsd.corpora.find_word`).

A column ``document`` names the document of each sentence; a cell may be empty. Other columns become
the extra columns of the instances.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from wsd.artifacts.corpus_table import text_parts
from wsd.corpora import find_word
from wsd.corpora.find_word import RULES, KnownForms, Sentence
from wsd.corpora.focal_form_check import is_form
from wsd.corpora.importer.gathered import BadLines, Gathered, labelled
from wsd.corpora.importer.table_files import TEXT_TABLES, Row, beginning, header_line, open_table
from wsd.corpora.text_format import PLACE
from wsd.corpora.word_forms import plain
from wsd.errors import ConfigError, CorpusError
from wsd.logs import log
from wsd.storage.csv import unguarded
from wsd.storage.text_files import at_place

TEXT = ".txt"
NEEDED = ("sentence", "sense")
NAMES = {
    "sentence": ("sentence", "text", "context"),
    "sense": ("sense", "label", "gold"),
    "word": ("word", "lemma", "target"),
    "split": ("split", "set"),
    "position": ("position",),
    "start": ("start",),
    "end": ("end",),
    "span": ("indexes_target_token",),  # of DWUG
    # The names of Sketch Engine, AntConc, CQPweb, #LancsBox, and the tables of our own pages.
    "left": ("left", "left context", "left_context", "context before"),
    "keyword": ("keyword", "kwic", "hit", "node", "query item", "focal"),
    "right": ("right", "right context", "right_context", "context after"),
    "document": ("document",),
}
CONCORDANCE = ("left", "keyword", "right")
MAY_BE_EMPTY = ("split", "document", "left", "right")
# Each of these columns gives the place of the focal word.
PLACES = ("position", "start", "span", "keyword")
FIX_NESTED = (
    "write a line for each word, with its sense as a text, and its place in `start` and `end`; for "
    "an export of an annotation tool, run the script in docs/how-to/annotation-tools.md"
)
OTHER_FORMATS = "docs/reference/formats.md shows how to convert other formats"
FIX_TOKENS = (
    "count tokens from 0; the end is the token after the last; if the column counts characters, "
    "add --columns span=COLUMN"
)
FIX_FIND = "if no word is marked in any line, add --find: it finds the word in each sentence"
OFFSETS = {"bytes": "bytes of UTF-8", "utf16": "units of UTF-16"}
ENCODINGS = {"bytes": ("utf-8", 1), "utf16": ("utf-16-le", 2)}
# In a table with gaps, pandas writes 2.0.
_NUMBER = re.compile(r"([0-9]{1,9})(?:\.0)?")
_SPAN = re.compile(r"([0-9]{1,9})\s*[:-]\s*([0-9]{1,9})")


@dataclass(frozen=True)
class Options:
    """How tables are read: options of ``wsd import``.

    Attributes
    ----------
    columns : mapping of a key of ``NAMES`` to a column of the file
    word : str, optional
        The word of all rows, if there is no column for it.
    encoding : str, optional
        As :func:`wsd.storage.text_files.decode_file` takes it.
    find : bool
        Whether to find the word in sentences that have neither a place nor a mark.
    one_span : bool
        Whether to refuse a cell with several spans.
    quiet : bool
        Whether to say nothing about what a file was taken for.
    widen : bool
        Whether to widen a place in characters to whole words, instead of refusing it.
    no_quotes : bool
        Whether quotes belong to the text in a table with tabs, except if its header has quotes.
    offsets : {None, "bytes", "utf16"}
        What start, end and span count, if not characters: bytes of UTF-8, or units of UTF-16.
    forms : KnownForms
        The forms by which a word is found.
    bad_lines : BadLines
        Collects the errors about single lines.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    word: str | None = None
    encoding: str | None = None
    find: bool = False
    one_span: bool = False
    quiet: bool = False
    widen: bool = False
    no_quotes: bool = False
    offsets: str | None = None
    forms: KnownForms = RULES
    bad_lines: BadLines = field(default_factory=BadLines)


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
    options : Options
    """

    where: str
    values: Mapping[str, Any]
    column_of: Mapping[str, str]
    header: str
    options: Options

    @property
    def extra(self) -> dict[str, str]:
        """The text of each column that the import does not use."""
        used = set(self.column_of.values())
        extra = {name: value for name, value in self.values.items() if name and name not in used}
        return {name: _as_text(value) for name, value in extra.items()}

    def describe(self) -> str:
        """Return where the place of the focal word is given."""
        keys = ("position", "start", "end", "span", *CONCORDANCE)
        names = [self.column_of[key] for key in keys if self.has(key)]
        otherwise = ", or the word where it is found" if self.options.find else ""
        return f"place: {', '.join(names) or f'a mark in the sentence{otherwise}'}"

    def has(self, *keys: str) -> bool:
        """Return whether the table has a column for one of these keys."""
        return any(key in self.column_of for key in keys)

    def place(self, key: str) -> str:
        """Return file, line and column of a key."""
        return f"{self.where}, column {self.column_of[key]}"

    def text(self, key: str, default: str | None = None) -> str:
        """Return the text of a cell; refuse an empty one, except for ``MAY_BE_EMPTY``."""
        if not self.has(key) and default is not None:
            return default
        value = self.values[self.column_of[key]]
        # Senses may be numbers.
        if type(value) is int and key != "sentence":
            value = str(value)
        if isinstance(value, str) and (value.strip() or key in MAY_BE_EMPTY):
            return value
        shown, fix = "nothing" if value in ("", None) else repr(value), "write a text"
        if isinstance(value, dict | list):
            shown, fix = "a list" if isinstance(value, list) else "an object", FIX_NESTED
        raise CorpusError(f"{shown} for the {key}", where=self.place(key), fix=fix)

    def number(self, key: str) -> int:
        """Return the number of a cell, from 0 up."""
        value = self.values[self.column_of[key]]
        if number := _NUMBER.fullmatch(str(value).strip()):
            return int(number[1])
        problem = f"the {key} {value!r} is not a whole number from 0 up"
        raise CorpusError(problem, where=self.place(key), fix="write a whole number, in digits")

    def uses(self) -> tuple[str, list[Sentence]]:
        """Return the word, and its uses in the sentence.

        Without a name of the word, it is the first focal word in lower case. If neither a column
        nor a mark gives the place, the option ``find`` finds all forms of the word.
        """
        word = self.text("word") if self.has("word") else self.options.word
        if self.options.find and not self.has(*PLACES):
            place, text = self.place("sentence"), self.text("sentence")
            return marked_or_found(place, text, word, self.options.forms)
        if self.has("position"):
            sentences = [self._from_tokens()]
        else:
            text, spans = self.located()
            fix = find_word.FIX_SPAN if spans else f"{find_word.FIX_MARK}; {FIX_FIND}"
            place = self.place("keyword" if self.has("keyword") else "sentence")
            try:
                with at_place(place, fix):
                    sentences = [find_word.from_span(text, *span, word or "") for span in spans]
                    sentences = sentences or [find_word.from_mark(text, word or "")]
            except CorpusError as error:
                fix = self._other_offsets(text, word) if spans else ""
                raise CorpusError(error.problem, where=place, fix=fix or str(error.fix)) from None
        return word or sentences[0].word.lower(), sentences

    def located(self) -> tuple[str, list[tuple[int, int]]]:
        """Return the sentence, and the characters of each focal word that a column locates.

        Without such a column there are none: the sentence may have a mark.
        """
        if self.has("keyword"):
            left, keyword, right = (unguarded(self.text(key)) for key in CONCORDANCE)
            start, keyword = len(left) + 1, keyword.strip()
            return f"{left} {keyword} {right}", [(start, start + len(keyword))]
        if self.has("position"):
            left, focal, right = text_parts(*self._from_tokens())
            return left + focal + right, [(len(left), len(left + focal))]
        text = self.text("sentence")
        with at_place(self.where, "correct the place, or leave out --offsets"):
            spans = self._in_characters(text, self.options.offsets)
        if self.options.widen:
            spans = [find_word.whole_words(text, *span) for span in spans]
        return text, spans

    def _in_characters(self, text: str, offsets: str | None) -> list[tuple[int, int]]:
        """Return the start and end of each focal word, in characters."""
        spans = self._spans()
        if offsets is None:
            return spans
        return [
            (in_characters(text, a, offsets), in_characters(text, b, offsets)) for a, b in spans
        ]

    def _other_offsets(self, text: str, word: str | None) -> str:
        """Return advice if the places are wrong in characters, and right in other units."""
        if self.options.offsets or text.isascii() or self.has("keyword", "position"):
            return ""
        for offsets, name in OFFSETS.items():
            with suppress(ValueError):
                spans = self._in_characters(text, offsets)
                sentences = [find_word.from_span(text, *span) for span in spans]
                if all(word and is_form(word, sentence.word) for sentence in sentences):
                    return f"the place is right in {name}: add --offsets {offsets}"
        return ""

    def _spans(self) -> list[tuple[int, int]]:
        """Return the start of each focal word, and its end, as the file counts them."""
        if self.has("start"):
            return [(self.number("start"), self.number("end"))]
        if not self.has("span"):
            return []
        value = self.values[self.column_of["span"]]
        spans = [_SPAN.fullmatch(part.strip()) for part in re.split("[,;]", str(value))]
        if not all(spans):
            problem, fix = f"the span {value!r} is not two numbers", "write characters, such as 4:8"
            raise CorpusError(problem, where=self.place("span"), fix=fix)
        if len(spans) > 1 and self.options.one_span:
            problem, fix = f"{len(spans)} spans in {value!r}", "keep one, or leave out --one-span"
            raise CorpusError(problem, where=self.place("span"), fix=fix)
        return [(int(span[1]), int(span[2])) for span in spans if span]

    def _from_tokens(self) -> Sentence:
        tokens = self.values[self.column_of["sentence"]]
        in_list = isinstance(tokens, list) and all(
            isinstance(token, str) and token.split() == [token] for token in tokens
        )
        text = " ".join(tokens) if in_list and tokens else self.text("sentence")
        place = PLACE.fullmatch(str(self.values[self.column_of["position"]]).strip())
        with at_place(self.place("sentence"), FIX_TOKENS):
            if place and place[2]:
                return find_word.from_tokens(text, int(place[1]), int(place[2]))
            return find_word.from_tokens(text, self.number("position"))


def in_characters(text: str, offset: int, offsets: str) -> int:
    """Return the number of characters before an offset in other units.

    >>> in_characters("na\u00efve crane", 7, "bytes")
    6

    Raises
    ------
    ValueError
        For an offset inside a character, or behind the text.
    """
    encoding, size = ENCODINGS[offsets]
    encoded = text.encode(encoding, "surrogatepass")
    if offset * size > len(encoded):
        raise ValueError(f"{offset} in a sentence of {len(encoded) // size} {OFFSETS[offsets]}")
    try:
        return len(encoded[: offset * size].decode(encoding))
    except UnicodeDecodeError:
        raise ValueError(f"{offset} {OFFSETS[offsets]} end inside a character") from None


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
        Naming file and line, for a file without a line below the header, and as
        :func:`find_columns`.
    """
    guard = options.bad_lines.line
    description, rows = open_table(path, options.encoding, guard, no_quotes=options.no_quotes)
    find = partial(find_columns, options=options, needed=needed)
    number = 0
    for cells in cells_of(rows, options, find):
        number += 1
        yield cells
    if number and not options.quiet:
        sentences = f"{number:,} sentence{'s' if number > 1 else ''}"
        log.info(f"{path}: {description}, {sentences}; {cells.describe()}")
    elif not number and not options.bad_lines.errors:
        fix = "write a sentence in each line below the header"
        raise CorpusError("the file has no sentence", where=str(path), fix=fix)


def cells_of(
    rows: Iterable[Row], options: Options, find: Callable[..., dict[str, str]]
) -> Iterator[Cells]:
    """Yield the lines of a table with their columns, which ``find(values, where=…)`` returns."""
    cells: Cells | None = None
    for where, values, header in rows:
        # The objects of one file may have different keys.
        with options.bad_lines.line() if cells else nullcontext():
            if cells is None or tuple(cells.values) != tuple(values):
                column_of = find(values, where=header)
            cells = Cells(where, values, column_of, header, options)
            yield cells


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
    values: Mapping[str, Any], options: Options, where: str, needed: Sequence[str]
) -> dict[str, str]:
    """Return the column of each key of ``NAMES`` that the table has.

    Parameters
    ----------
    values : mapping
        A line of the table, by column.
    options : Options
        With the columns that the user names.
    where : str
        File and line of the names.
    needed : sequence of str
        Keys that the table must have. Three columns of a concordance count as the sentence.

    Raises
    ------
    CorpusError
        For a missing or ambiguous column, a column for the word if ``word`` is given, and a place
        that is incomplete or given twice.
    """
    fitting = fitting_columns(values, NAMES, options.columns, where)
    # A table with a sentence is no concordance, unless the user names its columns.
    may_be = not fitting["sentence"] or options.columns.keys() & {*CONCORDANCE}
    in_parts = may_be and all(fitting[key] for key in CONCORDANCE)
    others = ("sentence", "position", "start", "end", "span") if in_parts else CONCORDANCE
    known: dict[str, str] = {}
    for key, names in fitting.items():
        if key in others or not names:
            continue
        known[key], *more = names
        if more:
            problem = f"{' and '.join(names)} could both be the {key}"
            raise CorpusError(problem, where=where, fix=f"choose with --columns {key}={names[0]}")
    missing = [key for key in needed if key not in known and not (in_parts and key == "sentence")]
    if missing:
        header = ", ".join(values) or "none"
        problem = f"no column for the {' and the '.join(missing)} among {header}"
        raise CorpusError(problem, where=where, fix=_how_to_name(missing, values))
    is_half = ("start" in known) != ("end" in known)
    if is_half or len(known.keys() & {*PLACES}) > 1:
        places = [known[key] for key in ("position", "start", "end", "span") if key in known]
        problem = f"the focal word's place is incomplete, or given twice: {', '.join(places)}"
        fix = "keep position, or start and end, or span; or none of them, and mark the word"
        raise CorpusError(problem, where=where, fix=fix)
    if "word" in known and options.word is not None:
        problem = f"--word is given, but there is a column {known['word']!r} for it"
        fix = "leave out --word; to import only some words, delete the other lines"
        raise CorpusError(problem, where=where, fix=fix)
    return known


def fitting_columns(
    header: Iterable[str],
    names: Mapping[str, Sequence[str]],
    columns: Mapping[str, str],
    where: str,
) -> dict[str, list[str]]:
    """Return the columns that may be meant by each key: all with a usual name, or the given one.

    Raises
    ------
    CorpusError
        For a given column that the header does not have.
    """
    header = list(header)
    if absent := [name for name in columns.values() if name not in header]:
        problem = f"no column {absent[0]!r} among {', '.join(header)}"
        raise CorpusError(problem, where=where, fix="correct --columns")
    free = [name for name in header if name not in columns.values()]
    return {
        key: [columns[key]]
        if key in columns
        else [name for own in usual for name in free if name.strip().lower() == own]
        for key, usual in names.items()
    }


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


def _as_text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def marked_or_found(
    where: str, text: str, word: str | None, known: KnownForms
) -> tuple[str, list[Sentence]]:
    """Return the word and its uses in a sentence: the marked use, or else all that are found."""
    with at_place(where, find_word.FIX_MARK):
        is_form = bool if word is None else known.finder(plain(word)).words_of
        if mark := find_word.find_mark(text, is_form):
            sentence = find_word.from_span(mark.text, mark.start, mark.end, word or "")
            return plain(word or sentence.word.lower()), [sentence]
        if word is None:
            raise ValueError("no word is marked, and none is named: add --word WORD")
        occurrences = known.finder(plain(word)).find(text)
        return plain(word), [
            find_word.from_span(text, use.start, use.end, word) for use in occurrences
        ]
