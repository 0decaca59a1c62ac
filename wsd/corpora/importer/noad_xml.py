"""A document of NOAD: one ``<word>`` after the other, some with a sense.

``text``, ``break_level`` (what stood between the token and the one before), and of a labelled token
``lemma``, ``pos`` and ``sense``. A sentence begins at SENTENCE_BREAK and PARAGRAPH_BREAK. A word is
the lemma with its part of speech, ``serve.v``. The document type that every document names is not
read; one with declarations of its own, and any entity but XML's own, is refused.
"""

import re
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple
from xml.parsers import expat

from wsd.corpora.importer.all_words_xml import PARTS
from wsd.errors import CorpusError, visible

ROOT, WORD = "SimpleWsdDoc", "word"
ENDS = ("SENTENCE_BREAK", "PARAGRAPH_BREAK")
BREAKS = ("NO_BREAK", "SPACE_BREAK", "LINE_BREAK", *ENDS)
LABELS = ("lemma", "pos", "sense")
FOREIGN_ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9A-Fa-f]+);)")
FIX = "give a document as NOAD's archive has them"


class Label(NamedTuple):
    """A labelled token: its place in the sentence, and the line of the file."""

    word: str
    sense: str
    position: int
    line: int


class Sentence(NamedTuple):
    """The tokens, and those of them that have a sense."""

    tokens: tuple[str, ...]
    labels: tuple[Label, ...]


def read(data: bytes, where: str) -> list[Sentence]:
    """The sentences of a document.

    Parameters
    ----------
    data : bytes
        UTF-8, whatever the document says that it is.
    where : str
        Its name.

    Raises
    ------
    CorpusError
        Naming document and line.
    """
    made: list[Sentence] = []
    tokens: list[str] = []
    labels: list[Label] = []
    depth = 0

    def refused(what: str, fix: str = FIX, at: int | None = None) -> CorpusError:
        line = parser.CurrentLineNumber if at is None else data.count(b"\n", 0, at) + 1
        return CorpusError(what, where=f"{where}:{line}", fix=fix)

    def close() -> None:
        if tokens:
            made.append(Sentence(tuple(tokens), tuple(labels)))
        tokens.clear()
        labels.clear()

    def doctype(_name: str, _system: str | None, _public: str | None, declares: bool) -> None:
        if declares:
            raise refused("a document type with declarations of its own", "take them out")

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        if name != (ROOT, WORD)[depth > 0] or depth > 1:
            raise refused(f"<{name}> in the place of <{(ROOT, WORD)[depth > 0]}>")
        depth += 1
        if name == WORD:
            if attributes.get("break_level") not in BREAKS or "text" not in attributes:
                raise refused(f"a word without text, or with a break among none of {BREAKS}")
            if attributes["break_level"] in ENDS:
                close()
            text = attributes["text"].split()
            if any(key in attributes for key in LABELS):
                if len(text) != 1:
                    raise refused(f"a sense of {len(text)} tokens")
                labels.append(_label(attributes, len(tokens), parser.CurrentLineNumber, refused))
            # One token of one document is empty.
            tokens.extend(map(sys.intern, text))

    def end(_: str) -> None:
        nonlocal depth
        depth -= 1

    # Not the encoding that the document may name.
    parser = expat.ParserCreate("utf-8")
    parser.StartDoctypeDeclHandler = doctype
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    try:
        data.decode("utf-8")
        # What the document type may declare is not read: in an attribute, expat would leave out
        # such an entity without a word.
        if foreign := FOREIGN_ENTITY.search(data):
            what = "an entity that is not one of XML's own"
            raise refused(what, "write the character itself", foreign.start())
        parser.Parse(data, True)
    except UnicodeDecodeError as error:
        raise refused(f"not XML in UTF-8: {error.reason}", at=error.start) from None
    except (expat.ExpatError, ValueError) as error:
        raise refused(f"not XML in UTF-8: {error}") from None
    close()
    return made


def _label(attributes: Mapping[str, str], position: int, line: int, refused: Any) -> Label:
    lemma, part, sense = (attributes.get(key, "") for key in LABELS)
    sense = sense.rpartition("/")[2]
    for text in (lemma, part, sense):
        if not text or visible(text) != text or len(text.split()) != 1:
            raise refused(f"a label with lemma {lemma!r}, pos {part!r}, sense {sense!r}")
    # Any part of speech but those of the all-words format is its own suffix.
    word = f"{lemma}.{PARTS.get(part, part.lower())}"
    return Label(sys.intern(word), sys.intern(sense), position, line)
