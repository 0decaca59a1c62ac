"""Read lexical samples of Senseval and SemEval, with the answers inside.

A ``lexelt`` names a word. Each ``instance`` in it has an ``answer`` per right sense, and a
``context`` with the focal word in ``head``. The first answer becomes the sense, the others are
kept. Attributes of the instance become extra columns.

The files of Senseval are not quite XML: they have no outermost element, and entities that XML does
not know. Entities of HTML become their characters, and any other ampersand is text.
"""

import re
from dataclasses import replace
from html.entities import html5
from pathlib import Path

from wsd.corpora.focal_word import bare_span, from_span
from wsd.corpora.importer.bad_lines import BadLines
from wsd.corpora.importer.file_beginning import beginning, first_element
from wsd.corpora.importer.labelled_sentence import Gathered, labelled
from wsd.corpora.importer.xml_reader import XmlReader
from wsd.corpora.word_forms import plain
from wsd.errors import CorpusError
from wsd.storage.text_files import at_place

# Answers of annotators who assign no sense: unassignable, and part of a proper name.
NO_SENSES = ("U", "P")
_AMPERSAND = re.compile(rb"<!\[CDATA\[.*?\]\]>|&(?:(\w+) ?;|#\w+;)?", re.DOTALL)
FIX = (
    "give each <instance> in a <lexelt item=...> an <answer senseid=...>, and a <context> with one "
    "<head>; keys in another file are not read"
)


def matches(path: Path) -> bool:
    """Return whether a file is a lexical sample, by its beginning."""
    return first_element(path) in ("corpus", "lexelt") and "<lexelt" in beginning(path)


def read(path: Path, bad_lines: BadLines) -> Gathered:
    """Read a file.

    Raises
    ------
    CorpusError
        Naming file and line: for invalid XML and a declared entity. Also if no instance has a
        sense. Errors about single instances are collected in ``bad_lines``.
    """
    data = _AMPERSAND.sub(_as_character, path.read_bytes())
    start = data.find(b"<lexelt")
    if start >= 0 and first_element(path) == "lexelt":
        data = data[:start] + b"<corpus>" + data[start:] + b"</corpus>"
    reader = _Reader(path, bad_lines)
    reader.parse(data)
    if not reader.gathered.rows and bad_lines.is_empty:
        raise CorpusError("no instance has an answer with a sense", where=str(path), fix=FIX)
    return reader.gathered


def _as_character(ampersand: re.Match[bytes]) -> bytes:
    """Return an ampersand, or an entity that begins with it, as XML."""
    text, character = ampersand[0], html5.get(f"{(ampersand[1] or b'').decode('latin-1')};")
    if character:
        return "".join(f"&#{ord(c)};" for c in character).encode()
    return text if text.startswith((b"<", b"&#")) else b"&amp;" + text[1:]


class _Reader(XmlReader):
    fix = fix_xml = FIX
    doctype_allowed = True

    def __init__(self, path: Path, bad_lines: BadLines) -> None:
        super().__init__(str(path))
        self.gathered, self._bad_lines = Gathered(files=[path]), bad_lines
        self._word = self._text = self._where = ""
        # Where each focal word starts and ends in the text.
        self._heads: list[int] = []
        self._instance: dict[str, str] = {}
        self._senses: dict[str, None] = {}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "lexelt":
            item, part = attributes.get("item", ""), attributes.get("pos", "")
            self._word = item if item.endswith(f".{part}") or not part else f"{item}.{part}"
        elif name == "instance":
            self._where = f"{self.name}:{self.line}"
            self._instance, self._senses, self._heads, self._text = attributes, {}, [], ""
        elif name == "answer":
            self._senses[plain(attributes.get("senseid", ""))] = None
        elif name == "head":
            self._heads.append(len(self._text))

    def text(self, text: str) -> None:
        if "context" in self.inside:
            self._text += text

    def end(self, name: str) -> None:
        if name == "head":
            self._heads.append(len(self._text))
        if name == "instance":
            self._end_instance()

    def _end_instance(self) -> None:
        senses = [sense for sense in self._senses if sense not in NO_SENSES]
        if not senses:
            reason = "no assigned sense (U or P)" if self._senses else "no answer"
            self.gathered.left_out[reason] += 1
            return
        with self._bad_lines.line(), at_place(self._where, FIX):
            if len(self._heads) != 2:
                raise ValueError(f"{len(self._heads) // 2} <head> in the <context>, not one")
            start, end = self._heads
            place = bare_span(self._text, start, end, self._word)
            sentence = from_span(self._text, *place, self._word)
            row = labelled(self._where, self._word, senses[0], sentence)
            self.gathered.rows.append(replace(row, also=tuple(senses[1:]), extra=self._instance))
