"""Read the cells of a line of a table: texts, numbers, and the uses of the focal word."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wsd.corpora import focal_word
from wsd.corpora.find_word import RULES, KnownForms
from wsd.corpora.focal_word import Sentence
from wsd.corpora.importer.import_summary import BadLines
from wsd.corpora.text_format import PLACE
from wsd.corpora.word_forms import plain
from wsd.errors import CorpusError
from wsd.storage.csv import unguarded
from wsd.storage.text_files import at_place

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
        """Return where the place of the focal word is given, and which columns are extra."""
        keys = ("position", "start", "end", "span", *CONCORDANCE)
        names = [self.column_of[key] for key in keys if self.has(key)]
        otherwise = ", or the word where it is found" if self.options.find else ""
        place = ", ".join(names) or f"a mark in the sentence{otherwise}"
        extra = f"; extra columns: {', '.join(self.extra)}" if self.extra else ""
        return f"place: {place}{extra}"

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

    def _range(self, key: str) -> tuple[int, int] | None:
        """Return the two numbers of a cell such as 3:5; None if it has no such text."""
        value = self.values[self.column_of[key]]
        place = PLACE.fullmatch(value.strip()) if isinstance(value, str) else None
        return (int(place[1]), int(place[2])) if place and place[2] else None

    def _spans(self) -> list[tuple[int, int]]:
        """Return the first character of each focal word, and the character after its last."""
        if self.has("start"):
            return [(self.number("start"), self.number("end"))]
        value = self.values[self.column_of["span"]]
        spans = [_SPAN.fullmatch(part.strip()) for part in re.split("[,;]", str(value))]
        if not all(spans):
            problem, fix = f"the span {value!r} is not two numbers", "write characters, such as 4:8"
            raise CorpusError(problem, where=self.place("span"), fix=fix)
        if len(spans) > 1 and self.options.one_span:
            problem, fix = f"{len(spans)} spans in {value!r}", "keep one, or leave out --one-span"
            raise CorpusError(problem, where=self.place("span"), fix=fix)
        return [(int(span[1]), int(span[2])) for span in spans if span]

    def uses(self) -> tuple[str, list[Sentence]]:
        """Return the word, and its uses in the sentence.

        Without a name of the word, it is the first focal word in lower case. If neither a column
        nor a mark gives the place, the option ``find`` finds all forms of the word.
        """
        word = self.text("word") if self.has("word") else self.options.word
        if self.options.find and not self.has(*PLACES):
            place, text = self.place("sentence"), self.text("sentence")
            return marked_or_found(place, text, word, self.options.forms)
        sentences = self._sentences(word or "")
        position, tokens = sentences[0]
        return word or tokens[position].lower(), sentences

    def _sentences(self, word: str) -> list[Sentence]:
        """Return the sentence with each focal word, by a mark or by the columns for its place."""
        if self.has("position"):
            return [self._from_tokens()]
        text, spans = self.located()
        if spans:
            with at_place(
                self.place("keyword" if self.has("keyword") else "sentence"), focal_word.FIX_SPAN
            ):
                return [focal_word.from_span(text, *span, word) for span in spans]
        with at_place(self.place("sentence"), f"{focal_word.FIX_MARK}; {FIX_FIND}"):
            return [focal_word.from_mark(text, word)]

    def located(self) -> tuple[str, list[tuple[int, int]]]:
        """Return the sentence, and the characters of each focal word that a column locates.

        Without such a column there are none: the sentence may have a mark.
        """
        if self.has("keyword"):
            left, keyword, right = (unguarded(self.text(key)) for key in CONCORDANCE)
            start, keyword = len(left) + 1, keyword.strip()
            return f"{left} {keyword} {right}", [(start, start + len(keyword))]
        if self.has("position"):
            position, tokens = self._from_tokens()
            start = len(" ".join([*tokens[:position], ""]))
            return " ".join(tokens), [(start, start + len(tokens[position]))]
        text = self.text("sentence")
        if not self.has("start", "span"):
            return text, []
        with at_place(self.place("sentence"), focal_word.FIX_SPAN):
            spans = self._spans()
            if self.options.widen:
                spans = [focal_word.whole_words(text, *span) for span in spans]
        return text, spans

    def _from_tokens(self) -> Sentence:
        tokens = self.values[self.column_of["sentence"]]
        in_list = isinstance(tokens, list) and all(
            isinstance(token, str) and token.split() == [token] for token in tokens
        )
        text = " ".join(tokens) if in_list and tokens else self.text("sentence")
        with at_place(self.place("sentence"), FIX_TOKENS):
            place = self._range("position") or (self.number("position"),)
            return focal_word.from_tokens(text, *place)


def _as_text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def marked_or_found(
    where: str, text: str, word: str | None, known: KnownForms
) -> tuple[str, list[Sentence]]:
    """Return the word and its uses in a sentence: the marked use, or else all that are found."""
    with at_place(where, focal_word.FIX_MARK):
        is_form = bool if word is None else known.finder(plain(word)).words_of
        if mark := focal_word.find_mark(text, is_form):
            position, tokens = focal_word.from_span(mark.text, mark.start, mark.end, word or "")
            return plain(word or tokens[position].lower()), [(position, tokens)]
        if word is None:
            raise ValueError("no word is marked, and none is named: add --word WORD")
        occurrences = known.finder(plain(word)).find(text)
        return plain(word), [
            focal_word.from_span(text, use.start, use.end, word) for use in occurrences
        ]
