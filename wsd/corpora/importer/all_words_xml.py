"""The all-words format of Raganato, Camacho-Collados and Navigli (EACL 2017).

``NAME.data.xml`` holds texts of sentences of ``wf`` (a token) and ``instance`` (a token with a
sense); ``NAME.gold.key.txt`` a line per instance: its id and one sense key or several. A word here
is a lemma with its part of speech, as the inventory has it, ``cell.n``. Several keys of an instance
are as right as one another: the first is its sense, the others stand beside it.

XML is parsed without a document type, and so without entities: a file that declares any is refused.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple
from xml.parsers import expat

from wsd.corpora.importer.focal_word import Sentence
from wsd.corpora.importer.labelled_sentence import Gathered, labelled, plain
from wsd.errors import CorpusError
from wsd.storage.text_files import at_place, numbered_lines

DATA, GOLD = ".data.xml", ".gold.key.txt"
PARTS = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}
TEXTS = ("wf", "instance")
# White space that is no space.
SPACES = re.compile(r"[^\S ]")
DEEPEST = 100
FIX_FORMAT = (
    "give a file of the all-words format, with a <wf> or an <instance> for every token of a "
    "<sentence>; or write a table with the columns word, sense and sentence"
)


def read(path: Path, gold: Path | None) -> Gathered:
    """Read a file and its gold keys, which lie beside it if not said otherwise.

    Raises
    ------
    CorpusError
        Naming file and line: for what is no XML, has a document type, an instance without id,
        lemma or part of speech, or without key, or a key of no instance.
    """
    sentences = _sentences(path)
    if not any(sentence.instances for sentence in sentences):
        raise CorpusError("no <instance> in a <sentence>", where=str(path), fix=FIX_FORMAT)
    if gold is None:
        stem = re.sub(r"(?:\.data)?\.xml\Z", "", path.name, flags=re.IGNORECASE)
        gold = path.with_name(stem + GOLD)
        if not gold.exists():
            fix = f"put them there, or give --gold FILE ({DATA} and {GOLD} belong together)"
            raise CorpusError("there are no gold keys beside the file", where=str(gold), fix=fix)
    keys = _read_gold(gold)
    found, seen = Gathered(files=[path, gold]), set()
    fix = f"give it an id of its own, a lemma, a pos among {', '.join(PARTS)} and a key in {gold}"
    for sentence in sentences:
        for place, where, attributes in sentence.instances:
            with at_place(where, fix):
                name, word = _name_and_word(attributes)
                if name in seen:
                    raise ValueError(f"the instance {name!r} is there twice")
                if name not in keys:
                    raise ValueError(f"the instance {name!r} has no key")
            seen.add(name)
            _, senses = keys[name]
            one = labelled(where, word, senses[0], sentence.around(place))
            found.rows.append(replace(one, also=tuple(map(plain, senses[1:]))))
    for name, (number, _) in keys.items():
        if name not in seen:
            what = f"a key of {name!r}, which is no instance of {path}"
            raise CorpusError(what, where=f"{gold}:{number}", fix="give the keys of this file")
    return found


def _name_and_word(attributes: Mapping[str, str]) -> tuple[str, str]:
    name, lemma, part = (attributes.get(key, "").strip() for key in ("id", "lemma", "pos"))
    if not (name and lemma) or part not in PARTS:
        raise ValueError(f"an instance with id {name!r}, lemma {lemma!r}, pos {part!r}")
    return name, f"{lemma}.{PARTS[part]}"


def _read_gold(path: Path) -> dict[str, tuple[int, tuple[str, ...]]]:
    """Id -> (line number, keys)."""
    found: dict[str, tuple[int, tuple[str, ...]]] = {}
    for number, (where, line) in enumerate(numbered_lines(path), start=1):
        name, *keys = line.split() or [""]
        if not name:
            continue
        fix = "write `id key`, or of several `id key key`, with spaces, a line for every id"
        with at_place(where, fix):
            # Whether it parts two keys or stands in one nobody knows.
            if strange := SPACES.search(line):
                raise ValueError(f"a {strange[0]!r} in the line")
            if not keys:
                raise ValueError("not an id and its keys")
            if len(set(keys)) < len(keys):
                raise ValueError(f"the same key of {name!r} twice")
            if name in found:
                raise ValueError(f"{name!r} has keys already, in line {found[name][0]}")
        found[name] = (number, tuple(keys))
    return found


class ParsedSentence(NamedTuple):
    """A sentence: the tokens of each element; of instances element, file and line, attributes."""

    elements: list[list[str]]
    instances: list[tuple[int, str, dict[str, str]]]

    def around(self, place: int) -> Sentence:
        """The sentence whose focal word is an element, of however many tokens."""
        before = tuple(chain.from_iterable(self.elements[:place]))
        after = chain.from_iterable(self.elements[place + 1 :])
        return len(before), (*before, " ".join(self.elements[place]), *after)


def _sentences(path: Path) -> list[ParsedSentence]:
    made: list[ParsedSentence] = []
    text: list[str] = []
    inside: list[str] = []

    def where() -> str:
        return f"{path}:{parser.CurrentLineNumber}"

    def refuse(*_: Any) -> None:
        what = "a document type or an entity of its own, which could unfold to any size"
        raise CorpusError(what, where=where(), fix="take the DOCTYPE out")

    def start(name: str, attributes: dict[str, str]) -> None:
        if len(inside) == DEEPEST:
            what = f"<{name}> inside {DEEPEST} other elements"
            raise CorpusError(what, where=where(), fix="close an element before the next begins")
        if name == "sentence":
            if name in inside:
                fix = "close the sentence first"
                raise CorpusError("a <sentence> in another", where=where(), fix=fix)
            made.append(ParsedSentence([], []))
        if name in TEXTS:
            if "sentence" not in inside or inside[-1] in TEXTS:
                raise CorpusError(f"<{name}> is not in a sentence", where=where(), fix=FIX_FORMAT)
            text.clear()
            if name == "instance":
                made[-1].instances.append((len(made[-1].elements), where(), attributes))
        elif inside and inside[-1] in TEXTS:
            raise CorpusError(
                f"<{name}> inside a token", where=where(), fix="close the token first"
            )
        inside.append(name)

    def end(name: str) -> None:
        inside.pop()
        if name in TEXTS:
            tokens = "".join(text).split()
            if not tokens:
                raise CorpusError(f"an empty <{name}>", where=where(), fix="give it a text")
            made[-1].elements.append(tokens)

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text.append
    try:
        raw = path.read_bytes()
        parser.Parse(raw, True)
    except FileNotFoundError:
        fix = "name a file that is there"
        raise CorpusError("a corpus file is missing", where=str(path), fix=fix) from None
    except (expat.ExpatError, ValueError, LookupError) as error:
        fix = f"{FIX_FORMAT}; the XML is in UTF-8, or in the encoding it names"
        raise CorpusError(f"not XML: {error}", where=where(), fix=fix) from None
    if not made:
        raise CorpusError("no <sentence> in the file", where=str(path), fix=FIX_FORMAT)
    return made
