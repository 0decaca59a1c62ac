"""Read XML element by element, without entities that a file declares itself."""

import re
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from wsd.corpora.importer.table_files import beginning
from wsd.errors import CorpusError

_FIRST_ELEMENT = re.compile(r"\s*(?:<[?!][^>]*>\s*)*+<(\w+)")
# The most elements inside each other.
DEEPEST = 100


def first_element(path: Path) -> str:
    """Return the name of the outermost element of an XML file; empty for other files."""
    element = _FIRST_ELEMENT.match(beginning(path))
    return element[1] if element else ""


class XmlReader:
    """Calls :meth:`start`, :meth:`text` and :meth:`end` for the elements of a document.

    Subclasses define these methods. Entities that a document declares are refused, since they can
    expand to any size. A document type is refused too, unless :attr:`doctype_allowed`.

    Parameters
    ----------
    name : str
        The name of the document, for messages.

    Attributes
    ----------
    inside : list of str
        The names of the elements that are open.
    language : str
        The name of the format in messages.
    encoding : str or None
        The encoding of a document; None if the document declares it.
    fix, fix_xml : str
        The default advice, and the advice for a document that is not XML.
    """

    language = "XML"
    encoding: str | None = None
    doctype_allowed = False
    fix = fix_xml = ""

    def __init__(self, name: str) -> None:
        self.name = name
        self.inside: list[str] = []
        self._parser = expat.ParserCreate(self.encoding)
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.EntityDeclHandler = self._doctype
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self.text

    @property
    def line(self) -> int:
        """The current line, from 1."""
        return self._parser.CurrentLineNumber

    def refuse(self, problem: str, fix: str | None = None, line: int | None = None) -> NoReturn:
        """Raise a CorpusError about a line, by default the current one."""
        where = f"{self.name}:{line or self.line}"
        raise CorpusError(problem, where=where, fix=fix or self.fix)

    def parse(self, data: bytes) -> None:
        """Parse a whole document.

        Raises
        ------
        CorpusError
            Naming document and line.
        """
        try:
            self._parser.Parse(data, True)
        except (expat.ExpatError, ValueError, LookupError) as error:
            self.refuse(f"not {self.language}: {error}", self.fix_xml)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Read the start of an element inside :attr:`inside`."""

    def text(self, text: str) -> None:
        """Read a piece of text."""

    def end(self, name: str) -> None:
        """Read the end of an element."""

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self.inside) == DEEPEST:
            self.refuse(f"<{name}> inside {DEEPEST} other elements", "close elements earlier")
        self.start(name, attributes)
        self.inside.append(name)

    def _end(self, name: str) -> None:
        self.inside.pop()
        self.end(name)

    def _doctype(self, *details: object) -> None:
        declares_something = details[-1] != 0
        if declares_something or not self.doctype_allowed:
            problem = (
                "the file declares a document type or an entity, which could expand to any size"
            )
            self.refuse(problem, "remove the DOCTYPE")
