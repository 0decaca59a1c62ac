"""Read a document of NOAD: one ``<word>`` after another, some of them with a sense.

Each word has ``text`` and ``break_level``, the kind of break before it. A labelled word also has
``lemma``, ``pos`` and ``sense``. A sentence begins at SENTENCE_BREAK and at PARAGRAPH_BREAK. A word
is called by its lemma and its part of speech, ``serve.v``.

Every document names a document type, which is not read. Declarations inside it are refused, and
entities that XML does not predefine too.
"""

import re
import sys
from typing import NamedTuple

from wsd.corpora.importer.all_words_xml import PARTS
from wsd.corpora.importer.xml_reader import XmlReader
from wsd.errors import visible

ROOT, WORD = "SimpleWsdDoc", "word"
ENDS = ("SENTENCE_BREAK", "PARAGRAPH_BREAK")
BREAKS = ("NO_BREAK", "SPACE_BREAK", "LINE_BREAK", *ENDS)
LABELS = ("lemma", "pos", "sense")
FOREIGN_ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9A-Fa-f]+);)")


class Label(NamedTuple):
    """A labelled token: its position in the sentence, and the line of the file."""

    word: str
    sense: str
    position: int
    line: int


class Sentence(NamedTuple):
    """The tokens of a sentence, and the labels of its labelled tokens."""

    tokens: tuple[str, ...]
    labels: tuple[Label, ...]


def read(data: bytes, where: str) -> list[Sentence]:
    """Return the sentences of a document.

    Parameters
    ----------
    data : bytes
        UTF-8, whatever the document says.
    where : str
        The name of the document.

    Raises
    ------
    CorpusError
        Naming document and line.
    """
    reader = _Reader(where)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        reader.refuse(f"not XML in UTF-8: {error.reason}", line=line)
    # In an attribute, expat would drop an entity that an unread document type may declare.
    if entity := FOREIGN_ENTITY.search(data):
        line = data.count(b"\n", 0, entity.start()) + 1
        reader.refuse("an entity that XML does not predefine", "write the character itself", line)
    reader.parse(data)
    reader.close_sentence()
    return reader.sentences


class _Reader(XmlReader):
    fix = "give a document as NOAD's archive has them"
    language, encoding = "XML in UTF-8", "utf-8"
    doctype_allowed = True

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.sentences: list[Sentence] = []
        self._tokens: list[str] = []
        self._labels: list[Label] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        expected = WORD if self.inside else ROOT
        if name != expected or len(self.inside) > 1:
            self.refuse(f"<{name}> instead of <{expected}>")
        if name == ROOT:
            return
        if attributes.get("break_level") not in BREAKS or "text" not in attributes:
            self.refuse(f"a word without text, or with a break_level that is not among {BREAKS}")
        if attributes["break_level"] in ENDS:
            self.close_sentence()
        tokens = attributes["text"].split()
        if any(key in attributes for key in LABELS):
            if len(tokens) != 1:
                self.refuse(f"a labelled word of {len(tokens)} tokens")
            self._labels.append(self._label(attributes))
        # One token of one document is empty.
        self._tokens.extend(map(sys.intern, tokens))

    def close_sentence(self) -> None:
        if self._tokens:
            self.sentences.append(Sentence(tuple(self._tokens), tuple(self._labels)))
        self._tokens, self._labels = [], []

    def _label(self, attributes: dict[str, str]) -> Label:
        lemma, part, sense = (attributes.get(key, "") for key in LABELS)
        sense = sense.rpartition("/")[2]
        for text in (lemma, part, sense):
            if not text or visible(text) != text or len(text.split()) != 1:
                self.refuse(f"a label with lemma {lemma!r}, pos {part!r}, sense {sense!r}")
        # A part of speech that the all-words format does not have is its own suffix.
        word = sys.intern(f"{lemma}.{PARTS.get(part, part.lower())}")
        return Label(word, sys.intern(sense), len(self._tokens), self.line)
