"""Read XML with senses: all-words sets, lexical samples, and UFSAC.

The first of several right senses becomes the sense of an instance; the others are kept.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from html.entities import html5
from itertools import chain
from pathlib import Path
from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from wsd.corpora.find_word import Sentence, bare_span, from_span
from wsd.corpora.importer.gathered import BadLines, Gathered, labelled
from wsd.corpora.importer.labelled_tables import OTHER_FORMATS
from wsd.corpora.importer.table_files import beginning
from wsd.corpora.word_forms import plain
from wsd.errors import CorpusError
from wsd.storage.text_files import Guard, at_place, numbered_lines

SENTENCE = "sentence"
# The most elements inside each other.
DEEPEST = 100
DATA, GOLD = ".data.xml", ".gold.key.txt"
PARTS = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}
FIX_ALL_WORDS = (
    "give a file of the all-words format, with a <wf> or an <instance> for every token of a "
    "<sentence>, in UTF-8 or in the encoding that it declares; or write a table with the columns "
    f"word, sense and sentence; {OTHER_FORMATS}"
)
# Answers of annotators who assign no sense: unassignable, and part of a proper name.
NO_SENSES = ("U", "P")
FIX_SAMPLE = (
    "give each <instance> in a <lexelt item=...> an <answer senseid=...>, and a <context> with one "
    "<head>; keys in another file are not read"
)
KEY = "wn30_key"
# How tags of the Penn Treebank, and universal ones, begin.
TAGS = {"n": ("NN", "NOUN"), "v": ("VB", "VERB"), "a": ("JJ", "ADJ"), "r": ("RB", "ADV")}
FIX_UFSAC = (
    f"give each <word> in a <sentence> a surface_form, and labelled words a lemma and {KEY}; "
    "rename an attribute with other keys"
)
_FIRST_ELEMENT = re.compile(r"\s*(?:<[?!][^>]*>\s*)*+<(\w+)")
_AMPERSAND = re.compile(rb"<!\[CDATA\[.*?\]\]>|&(?:(\w+) ?;|#\w+;)?", re.DOTALL)


class _Tree:
    """The elements of a document with their lines.

    Entities that a document declares are refused, since they can expand to any size. A document
    type is refused too, unless ``doctype`` is set.
    """

    def __init__(self, path: Path, data: bytes, fix: str, *, doctype: bool = False) -> None:
        self.path, self.fix, self._doctype = path, fix, doctype
        self._lines: dict[Element, int] = {}
        self._depth = 0
        self._parser, self._builder = expat.ParserCreate(), TreeBuilder()
        self._parser.StartDoctypeDeclHandler = self._parser.EntityDeclHandler = self._declare
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._builder.data
        try:
            self._parser.Parse(data, True)
        except (expat.ExpatError, ValueError, LookupError) as error:
            self.refuse(f"not XML: {error}")
        self.root = self._builder.close()

    def where(self, element: Element | None = None) -> str:
        """Return the file, and the line of an element, by default the one that is being read."""
        line = self._parser.CurrentLineNumber if element is None else self._lines[element]
        return f"{self.path}:{line}"

    def refuse(self, problem: str, element: Element | None = None) -> NoReturn:
        """Raise a CorpusError about a line."""
        raise CorpusError(problem, where=self.where(element), fix=self.fix)

    def sentences(self, part: str, *tokens: str) -> Iterator[tuple[list[Element], str]]:
        """Yield each sentence's tokens, and the document that the id of the part around it names.

        A token outside a sentence is refused, and a sentence inside another.
        """
        names = {s: e.get("id", "").strip() for e in self.root.iter(part) for s in e.iter(SENTENCE)}
        left = {element: True for element in self.root.iter() if element.tag in tokens}
        for sentence in self.root.iter(SENTENCE):
            own = [element for element in sentence.iter() if element.tag in tokens]
            for element in own:
                if left.pop(element, None) is None:
                    self.refuse("a <sentence> inside another", element)
            name = names.get(sentence, "")
            yield own, f"{self.path.name} {name}" if name else ""
        for element in left:
            self.refuse(f"a <{element.tag}> outside a <sentence>", element)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if self._depth == DEEPEST:
            self.refuse(f"<{name}> inside {DEEPEST} other elements")
        self._depth += 1
        self._lines[self._builder.start(name, attributes)] = self._parser.CurrentLineNumber

    def _end(self, name: str) -> None:
        self._depth -= 1
        self._builder.end(name)

    def _declare(self, *details: object) -> None:
        if details[-1] != 0 or not self._doctype:
            problem = "the file declares a document type or an entity, which could have any size"
            self.refuse(f"{problem}: remove the DOCTYPE")


def _around(elements: Sequence[Sequence[str]], number: int) -> Sentence:
    """Return a sentence whose focal word is an element, of one token or several."""
    before = tuple(chain.from_iterable(elements[:number]))
    after = chain.from_iterable(elements[number + 1 :])
    return Sentence(len(before), (*before, " ".join(elements[number]), *after))


def is_lexical_sample(path: Path) -> bool:
    """Return whether a file is a lexical sample, by its beginning."""
    return _first_element(path) in ("corpus", "lexelt") and "<lexelt" in beginning(path)


def is_ufsac(path: Path) -> bool:
    """Return whether a file is UFSAC, by its beginning."""
    return _first_element(path) == "corpus" and "<word surface_form=" in beginning(path)


def _first_element(path: Path) -> str:
    element = _FIRST_ELEMENT.match(beginning(path))
    return element[1] if element else ""


def read_all_words(path: Path, gold: Path | None, guard: Guard = nullcontext) -> Gathered:
    """Read the all-words format of Raganato, Camacho-Collados and Navigli (EACL 2017).

    ``NAME.data.xml`` has sentences of ``wf`` (a token) and ``instance`` (a token with a sense). A
    line of ``NAME.gold.key.txt`` has the id of an instance and its sense keys, which all are right.
    A word is called by its lemma and the WordNet suffix of its part of speech, ``cell.n``. The id
    of the ``text`` around a sentence, if there is one, names its document.

    Parameters
    ----------
    path : Path
    gold : Path or None
        By default, the file of keys next to ``path``.
    guard : function
        Returns a context in which an instance is read. It may collect the instance's error.

    Raises
    ------
    CorpusError
        Naming file and line: for invalid XML, a document type, an instance without id, lemma, part
        of speech or key, or a key without an instance.
    """
    try:
        tree = _Tree(path, path.read_bytes(), FIX_ALL_WORDS)
    except FileNotFoundError:
        fix = "name an existing file"
        raise CorpusError("a corpus file is missing", where=str(path), fix=fix) from None
    if not any(s.find(".//instance") is not None for s in tree.root.iter(SENTENCE)):
        problem = "no <sentence> with an <instance> in the file"
        raise CorpusError(problem, where=str(path), fix=FIX_ALL_WORDS)
    if gold is None:
        stem = re.sub(r"(?:\.data)?\.xml\Z", "", path.name, flags=re.IGNORECASE)
        gold = path.with_name(stem + GOLD)
        if not gold.exists():
            fix = f"put it next to the {DATA}, or give --gold FILE ({DATA} and {GOLD} form a pair)"
            raise CorpusError("the file of gold keys is missing", where=str(gold), fix=fix)
    keys = _read_gold(gold)
    gathered = Gathered(files=[path, gold], language=tree.root.get("lang", ""))
    seen = set()
    fix = f"give it a unique id, a lemma, a pos among {', '.join(PARTS)} and a key in {gold}"
    for tokens, document in tree.sentences("text", "wf", "instance"):
        texts = [_token(tree, element) for element in tokens]
        for number, element in enumerate(tokens):
            if element.tag == "wf":
                continue
            with guard(), at_place(tree.where(element), fix):
                name, lemma, part = (element.get(k, "").strip() for k in ("id", "lemma", "pos"))
                if name in seen:
                    raise ValueError(f"two instances have the id {name!r}")
                seen.add(name)
                if not (name and lemma) or part not in PARTS:
                    problem = f"an instance with id {name!r}, lemma {lemma!r}, pos {part!r}"
                    raise ValueError(problem)
                if name not in keys:
                    raise ValueError(f"the instance {name!r} has no key")
                sense, *others = keys[name][1]
                word, around = f"{lemma}.{PARTS[part]}", _around(texts, number)
                row = labelled(tree.where(element), word, sense, around, document=document)
                gathered.rows.append(replace(row, also=tuple(map(plain, others))))
    for name, (where, _) in keys.items():
        if name not in seen:
            problem = f"a key of {name!r}, but {path} has no such instance"
            fix = "give the file of keys that belongs to these sentences"
            with guard():
                raise CorpusError(problem, where=where, fix=fix)
    return gathered


def _token(tree: _Tree, element: Element) -> list[str]:
    if len(element):
        tree.refuse(f"<{element[0].tag}> inside a token", element[0])
    return (element.text or "").split() or tree.refuse(f"an empty <{element.tag}>", element)


def _read_gold(path: Path) -> dict[str, tuple[str, list[str]]]:
    """Return file and line, and the keys, by id."""
    keys_of: dict[str, tuple[str, list[str]]] = {}
    fix = "write a line for every id, such as `id key` or `id key key`, separated by spaces"
    for where, line in numbered_lines(path):
        name, *keys = line.split() or [""]
        if name and (not keys or name in keys_of):
            problem = f"{name!r} has keys already" if keys else "not an id and its keys"
            raise CorpusError(problem, where=where, fix=fix)
        if name:
            keys_of[name] = (where, list(dict.fromkeys(keys)))
    return keys_of


def read_lexical_sample(path: Path, bad_lines: BadLines) -> Gathered:
    """Read a lexical sample of Senseval or SemEval, with the answers inside.

    A ``lexelt`` names a word. Each ``instance`` in it has an ``answer`` per right sense, and a
    ``context`` with the focal word in ``head``. Attributes of the instance become extra columns.

    The files of Senseval are not quite XML: they have no outermost element, and entities that XML
    does not know. Entities of HTML become their characters, and any other ampersand is text.

    Raises
    ------
    CorpusError
        Naming file and line: for invalid XML and a declared entity. Also if no instance has a
        sense. Errors about single instances are collected in ``bad_lines``.
    """
    data = _AMPERSAND.sub(_as_character, path.read_bytes())
    start = data.find(b"<lexelt")
    if start >= 0 and _first_element(path) == "lexelt":
        data = data[:start] + b"<corpus>" + data[start:] + b"</corpus>"
    tree, gathered = _Tree(path, data, FIX_SAMPLE, doctype=True), Gathered(files=[path])
    for lexelt in tree.root.iter("lexelt"):
        item, part = lexelt.get("item", ""), lexelt.get("pos", "")
        word = item if item.endswith(f".{part}") or not part else f"{item}.{part}"
        for instance in lexelt.iter("instance"):
            answers = [plain(answer.get("senseid", "")) for answer in instance.iter("answer")]
            senses = list(dict.fromkeys(sense for sense in answers if sense not in NO_SENSES))
            where = tree.where(instance)
            if not senses:
                reason = "no assigned sense (U or P)" if answers else "no answer"
                gathered.left_out[reason] += 1
                continue
            with bad_lines.line(), at_place(where, FIX_SAMPLE):
                row = labelled(where, word, senses[0], _context(instance, word))
                gathered.rows.append(replace(row, also=tuple(senses[1:]), extra=instance.attrib))
    if not gathered.rows and not bad_lines.errors:
        problem = "no instance has an answer with a sense"
        raise CorpusError(problem, where=str(path), fix=FIX_SAMPLE)
    return gathered


def _context(instance: Element, word: str) -> Sentence:
    contexts = list(instance.iter("context"))
    heads = [head for context in contexts for head in context.iter("head")]
    if len(heads) != 1:
        raise ValueError(f"{len(heads)} <head> in the <context>, not one")
    focal = "".join(heads[0].itertext())
    # No text of XML has this character.
    heads[0][:], heads[0].text = [], "\0"
    before, after = "".join(chain.from_iterable(c.itertext() for c in contexts)).split("\0")
    text = before + focal + after
    place = bare_span(text, len(before), len(before + focal), word)
    return from_span(text, *place, word)


def _as_character(ampersand: re.Match[bytes]) -> bytes:
    """Return an ampersand, or an entity that begins with it, as XML."""
    text, character = ampersand[0], html5.get(f"{(ampersand[1] or b'').decode('latin-1')};")
    if character:
        return "".join(f"&#{ord(c)};" for c in character).encode()
    return text if text.startswith((b"<", b"&#")) else b"&amp;" + text[1:]


def read_ufsac(path: Path, bad_lines: BadLines) -> Gathered:
    """Read UFSAC (Vial, Lecouteux and Schwab, LREC 2018).

    A ``sentence`` has a ``word`` for each token, with ``surface_form``, ``lemma`` and ``pos``. The
    attribute ``wn30_key`` has sense keys, separated by semicolons. The word is called by its lemma
    and part of speech, ``bank.n``. The id of a ``document`` names the document.

    Raises
    ------
    CorpusError
        Naming file and line: for invalid XML, a document type, and a word without a surface form.
        Also if no word has a sense key. Errors about labels are collected in ``bad_lines``.
    """
    tree, gathered = _Tree(path, path.read_bytes(), FIX_UFSAC), Gathered(files=[path])
    for words, document in tree.sentences("document", "word"):
        texts = [_surface_form(tree, word) for word in words]
        for number, word in enumerate(words):
            keys = [key for key in map(plain, word.get(KEY, "").split(";")) if key]
            if not keys:
                continue
            lemma, tag = word.get("lemma", ""), word.get("pos", "")
            part = next((f".{p}" for p, tags in TAGS.items() if tag.startswith(tags)), "")
            extra = {"id": word.attrib["id"]} if "id" in word.attrib else {}
            with bad_lines.line():
                around, name = _around(texts, number), lemma and lemma + part
                row = labelled(tree.where(word), name, keys[0], around, document=document)
                gathered.rows.append(replace(row, also=tuple(keys[1:]), extra=extra))
    if not gathered.rows and not bad_lines.errors:
        raise CorpusError(f"no word has a {KEY}", where=str(path), fix=FIX_UFSAC)
    return gathered


def _surface_form(tree: _Tree, word: Element) -> list[str]:
    """Return the tokens of a word, whose parts an underscore joins."""
    form = word.get("surface_form", "")
    tokens = form.replace("_", " ").split() or form.split()
    return tokens or tree.refuse("a <word> without a surface_form", word)
