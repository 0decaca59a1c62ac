"""Read UFSAC (Vial, Lecouteux and Schwab, LREC 2018), a format for corpora with WordNet senses.

A ``sentence`` has a ``word`` for each token, with ``surface_form``, ``lemma`` and ``pos``. The
attribute ``wn30_key`` has sense keys, separated by semicolons: the first becomes the sense, the
others are kept. The word is called by its lemma and part of speech, ``bank.n``. The id of a
``document`` names the document.
"""

from dataclasses import replace
from pathlib import Path

from wsd.corpora.importer.all_words_xml import ParsedSentence
from wsd.corpora.importer.bad_lines import BadLines
from wsd.corpora.importer.file_beginning import beginning, first_element
from wsd.corpora.importer.labelled_sentence import Gathered, labelled
from wsd.corpora.importer.xml_reader import XmlReader
from wsd.corpora.word_forms import plain
from wsd.errors import CorpusError

KEY = "wn30_key"
# How tags of the Penn Treebank, and universal ones, begin.
PARTS = {"n": ("NN", "NOUN"), "v": ("VB", "VERB"), "a": ("JJ", "ADJ"), "r": ("RB", "ADV")}
FIX = (
    f"give each <word> in a <sentence> a surface_form, and labelled words a lemma and {KEY}; "
    "rename an attribute with other keys"
)


def matches(path: Path) -> bool:
    """Return whether a file is UFSAC, by its beginning."""
    return first_element(path) == "corpus" and "<word surface_form=" in beginning(path)


def read(path: Path, bad_lines: BadLines) -> Gathered:
    """Read a file.

    Raises
    ------
    CorpusError
        Naming file and line: for invalid XML, a document type, and a word without a surface form.
        Also if no word has a sense key. Errors about labels are collected in ``bad_lines``.
    """
    reader = _Reader(str(path))
    reader.parse(path.read_bytes())
    gathered = Gathered(files=[path])
    for sentence in reader.sentences:
        for element, where, attributes in sentence.instances:
            sense, *also = filter(None, map(plain, attributes[KEY].split(";")))
            lemma, tag = attributes.get("lemma", ""), attributes.get("pos", "")
            part = next((f".{p}" for p, tags in PARTS.items() if tag.startswith(tags)), "")
            document = f"{path.name} {sentence.text}" if sentence.text else ""
            extra = {"id": attributes["id"]} if "id" in attributes else {}
            with bad_lines.line():
                around, word = sentence.around(element), lemma and lemma + part
                row = labelled(where, word, sense, around, document=document)
                gathered.rows.append(replace(row, also=tuple(also), extra=extra))
    if not gathered.rows and bad_lines.is_empty:
        raise CorpusError(f"no word has a {KEY}", where=str(path), fix=FIX)
    return gathered


class _Reader(XmlReader):
    fix = fix_xml = FIX

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.sentences: list[ParsedSentence] = []
        self._document = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "document":
            self._document = attributes.get("id", "").strip()
        elif name == "sentence":
            self.sentences.append(ParsedSentence([], [], self._document))
        elif name == "word":
            # An underscore joins the parts of a word with several tokens.
            form = attributes.get("surface_form", "")
            tokens = form.replace("_", " ").split() or form.split()
            if not tokens or "sentence" not in self.inside:
                self.refuse("a <word> without a surface_form, or outside a <sentence>")
            elements, instances, _ = self.sentences[-1]
            if attributes.get(KEY, "").strip("; "):
                instances.append((len(elements), f"{self.name}:{self.line}", attributes))
            elements.append(tokens)
