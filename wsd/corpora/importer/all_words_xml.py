"""Read the all-words format of Raganato, Camacho-Collados and Navigli (EACL 2017).

``NAME.data.xml`` has sentences of ``wf`` (a token) and ``instance`` (a token with a sense). A line
of ``NAME.gold.key.txt`` has the id of an instance and its sense keys. All keys of an instance are
right: the first becomes its sense, the others are kept. A word is called by its lemma and the
WordNet suffix of its part of speech, ``cell.n``. The id of the ``text`` around a sentence, if there
is one, names its document.
"""

import re
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from wsd.corpora.focal_word import Sentence
from wsd.corpora.importer.labelled_sentence import Gathered, labelled
from wsd.corpora.importer.table_columns import OTHER_FORMATS
from wsd.corpora.importer.xml_reader import XmlReader
from wsd.corpora.word_forms import plain
from wsd.errors import CorpusError
from wsd.storage.text_files import Guard, at_place, numbered_lines

DATA, GOLD = ".data.xml", ".gold.key.txt"
PARTS = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}
TEXTS = ("wf", "instance")
# White space other than a space.
SPACES = re.compile(r"[^\S ]")
FIX_FORMAT = (
    "give a file of the all-words format, with a <wf> or an <instance> for every token of a "
    f"<sentence>; or write a table with the columns word, sense and sentence; {OTHER_FORMATS}"
)


def read(path: Path, gold: Path | None, guard: Guard = nullcontext) -> Gathered:
    """Read a file and its gold keys, by default from the file next to it.

    Parameters
    ----------
    path : Path
    gold : Path or None
    guard : function
        Returns a context in which an instance is read. It may collect the instance's error.

    Raises
    ------
    CorpusError
        Naming file and line: for invalid XML, a document type, an instance without id, lemma, part
        of speech or key, or a key without an instance.
    """
    sentences, language = _sentences(path)
    if not any(sentence.instances for sentence in sentences):
        raise CorpusError("no <instance> in a <sentence>", where=str(path), fix=FIX_FORMAT)
    if gold is None:
        stem = re.sub(r"(?:\.data)?\.xml\Z", "", path.name, flags=re.IGNORECASE)
        gold = path.with_name(stem + GOLD)
        if not gold.exists():
            fix = f"put it next to the {DATA}, or give --gold FILE ({DATA} and {GOLD} form a pair)"
            raise CorpusError("the file of gold keys is missing", where=str(gold), fix=fix)
    keys = _read_gold(gold)
    gathered, seen = Gathered(files=[path, gold]), set()
    fix = f"give it a unique id, a lemma, a pos among {', '.join(PARTS)} and a key in {gold}"
    for sentence in sentences:
        for element, where, attributes in sentence.instances:
            with guard(), at_place(where, fix):
                name = attributes.get("id", "").strip()
                if name in seen:
                    raise ValueError(f"two instances have the id {name!r}")
                seen.add(name)
                word = _word(name, attributes)
                if name not in keys:
                    raise ValueError(f"the instance {name!r} has no key")
                _, (sense, *others) = keys[name]
                document = f"{path.name} {sentence.text}" if sentence.text else ""
                row = labelled(where, word, sense, sentence.around(element), document=document)
                gathered.rows.append(replace(row, also=tuple(map(plain, others))))
    for name, (number, _) in keys.items():
        if name not in seen:
            problem = f"a key of {name!r}, but {path} has no such instance"
            fix = "give the file of keys that belongs to these sentences"
            with guard():
                raise CorpusError(problem, where=f"{gold}:{number}", fix=fix)
    gathered.language = language
    return gathered


def _word(name: str, attributes: Mapping[str, str]) -> str:
    lemma, part = (attributes.get(key, "").strip() for key in ("lemma", "pos"))
    if not (name and lemma) or part not in PARTS:
        raise ValueError(f"an instance with id {name!r}, lemma {lemma!r}, pos {part!r}")
    return f"{lemma}.{PARTS[part]}"


def _read_gold(path: Path) -> dict[str, tuple[int, list[str]]]:
    """Return line number and keys, by id."""
    keys_of: dict[str, tuple[int, list[str]]] = {}
    fix = "write a line for every id, such as `id key` or `id key key`, separated by spaces"
    for number, (where, line) in enumerate(numbered_lines(path), start=1):
        name, *keys = line.split() or [""]
        if not name:
            continue
        with at_place(where, fix):
            # Such a character may separate two keys, or be part of one.
            if strange := SPACES.search(line):
                raise ValueError(f"a {strange[0]!r} in the line")
            if not keys:
                raise ValueError("not an id and its keys")
            if len(set(keys)) < len(keys):
                raise ValueError(f"{name!r} has the same key twice")
            if name in keys_of:
                raise ValueError(f"{name!r} has keys already, in line {keys_of[name][0]}")
        keys_of[name] = (number, keys)
    return keys_of


class ParsedSentence(NamedTuple):
    """A sentence in XML.

    Attributes
    ----------
    elements : list of list of str
        The tokens of each element.
    instances : list of (int, str, dict)
        For each instance the number of its element, file and line, and its attributes.
    text : str
        The id of the text around the sentence; empty if there is none.
    """

    elements: list[list[str]]
    instances: list[tuple[int, str, dict[str, str]]]
    text: str

    def around(self, element: int) -> Sentence:
        """Return the sentence whose focal word is an element, of one token or several."""
        before = tuple(chain.from_iterable(self.elements[:element]))
        after = chain.from_iterable(self.elements[element + 1 :])
        return len(before), (*before, " ".join(self.elements[element]), *after)


def _sentences(path: Path) -> tuple[list[ParsedSentence], str]:
    """Return the sentences of a file, and the language that it names."""
    reader = _Reader(str(path))
    try:
        reader.parse(path.read_bytes())
    except FileNotFoundError:
        fix = "name an existing file"
        raise CorpusError("a corpus file is missing", where=str(path), fix=fix) from None
    if not reader.sentences:
        raise CorpusError("no <sentence> in the file", where=str(path), fix=FIX_FORMAT)
    return reader.sentences, reader.corpus_language


class _Reader(XmlReader):
    fix = FIX_FORMAT
    fix_xml = f"{FIX_FORMAT}; save the XML in UTF-8, or in the encoding that it declares"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.sentences: list[ParsedSentence] = []
        self._text = self._document = self.corpus_language = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "corpus":
            self.corpus_language = attributes.get("lang", "")
        in_token = self.inside[-1:] in (["wf"], ["instance"])
        if name == "sentence":
            if name in self.inside:
                self.refuse("a <sentence> inside another", "close the sentence first")
            document = self._document if "text" in self.inside else ""
            self.sentences.append(ParsedSentence([], [], document))
        if name == "text":
            self._document = attributes.get("id", "").strip()
        if name in TEXTS:
            if "sentence" not in self.inside or in_token:
                self.refuse(f"<{name}> is not in a sentence")
            self._text = ""
            if name == "instance":
                elements, instances, _ = self.sentences[-1]
                instances.append((len(elements), f"{self.name}:{self.line}", attributes))
        elif in_token:
            self.refuse(f"<{name}> inside a token", "close the token first")

    def text(self, text: str) -> None:
        self._text += text

    def end(self, name: str) -> None:
        if name in TEXTS:
            tokens = self._text.split()
            if not tokens:
                self.refuse(f"an empty <{name}>", "give it a text")
            self.sentences[-1].elements.append(tokens)
