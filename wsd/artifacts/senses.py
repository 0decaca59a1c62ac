"""Describe words and senses for readers: parts of speech, names and glosses.

The part of speech is in the name of a word: ``cell.n`` is a noun, ``node.js`` is a plain name. A
sense has a name instead of its label, and a gloss if the corpus has one. Tables and other files
keep the labels.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from wsd.errors import visible
from wsd.storage.result_files import require

NOUN, VERB, ADJECTIVE, ADVERB = OPEN_CLASSES = ("noun", "verb", "adjective", "adverb")
_TAGS = {
    NOUN: "n noun nn nns nnp nnps propn",
    VERB: "v verb vb vbd vbg vbn vbp vbz",
    ADJECTIVE: "a s adj adjective jj jjr jjs",
    ADVERB: "r adv adverb rb rbr rbs",
}
# The tag of a closed class is also its name.
_CLOSED_CLASSES = ("adp", "conj", "det", "intj", "num", "pron", "prt")
_PART_OF_TAG = {tag: part for part, tags in _TAGS.items() for tag in tags.split()} | {
    tag: tag for tag in _CLOSED_CLASSES
}


def lemma_and_part(word: str) -> tuple[str, str | None]:
    """Return the lemma and the part of speech of a word; None if its name has no known tag.

    Initials such as ``U.S``, ``p.s`` and ``u.s.a`` have no tag. Other single letters may have one,
    such as ``C.n`` and ``x.n``.

    >>> lemma_and_part("age.n"), lemma_and_part("age.NOUN"), lemma_and_part("so.conj")
    (('age', 'noun'), ('age', 'noun'), ('so', 'conj'))
    >>> lemma_and_part("node.js"), lemma_and_part("U.S"), lemma_and_part("X.n")
    (('node.js', None), ('U.S', None), ('X', 'noun'))
    """
    lemma, _, tag = word.rpartition(".")
    part = _PART_OF_TAG.get(tag.casefold())
    return (word, None) if not lemma or part is None or _are_initials(word) else (lemma, part)


def _are_initials(word: str) -> bool:
    """Return whether a name is an abbreviation of single letters.

    The letters are all capitals, or three or more small letters, or a small letter and ``s``.
    """
    letters = word.split(".")
    if any(len(letter) != 1 for letter in letters):
        return False
    # After a single letter, `s` is rarely the tag of an adjective: u.s is an abbreviation.
    small = len(letters) > 2 or (letters[0].isascii() and letters[-1] == "s")
    return all(map(str.isupper, letters)) or (small and all(map(str.islower, letters)))


def parts_of_speech(words: Collection[str]) -> dict[str, str]:
    """Return each word's part of speech, or {} if a word has none or if all classes are closed.

    >>> parts_of_speech(["cell.n", "age.NOUN"]), parts_of_speech(["cell.n", "bank"])
    ({'cell.n': 'noun', 'age.NOUN': 'noun'}, {})
    >>> parts_of_speech(["so.conj", "cold.s"]), parts_of_speech(["node.js", "cell.n"])
    ({'so.conj': 'conj', 'cold.s': 'adjective'}, {})
    """
    parts = {word: lemma_and_part(word)[1] for word in words}
    known = {word: part for word, part in parts.items() if part is not None}
    has_open_class = not set(OPEN_CLASSES).isdisjoint(known.values())
    return known if has_open_class and len(known) == len(parts) else {}


class SenseText(NamedTuple):
    """The name and the gloss of a sense. Either may be empty."""

    name: str
    gloss: str = ""


# The names and glosses of a word's senses in a corpus, by label.
Given = Mapping[str, SenseText]
NOTHING: Given = MappingProxyType({})
# The split of glosses in a table of instances, and the kind of vector of their focal word.
GLOSS = "gloss"
# The most characters of each text.
LONGEST = {"name": 100, "gloss": 1000}


def readable(word: str, label: str) -> str:
    """Return a label without underscores, and without the word or lemma with which it begins.

    >>> readable("spring", "spring_spring_(hydrology)"), readable("serve.v", "serve_food")
    ('spring (hydrology)', 'food')
    """
    text = label.replace("_", " ")
    for name in (word, lemma_and_part(word)[0]):
        start, end = text[: len(name)], label[len(name) : len(name) + 1]
        if end == "_" and start.casefold() == name.replace("_", " ").casefold():
            text = text[len(name) :]
            break
    return " ".join(text.split()) or label


def sense_texts(word: str, labels: Sequence[str], given: Given = NOTHING) -> tuple[SenseText, ...]:
    """Return a distinct name, and the gloss, of each sense of a word.

    Parameters
    ----------
    word : str
    labels : sequence of str
        All senses of the word.
    given : mapping of label to SenseText
        The names and glosses of some senses in the corpus, without a clash (:func:`find_clash`).
    """
    names = _names(word, labels, given)
    count = Counter(names.values())
    return tuple(
        SenseText(
            names[label] if count[names[label]] == 1 else label,
            given[label].gloss if label in given else "",
        )
        for label in labels
    )


def find_clash(word: str, labels: Sequence[str], given: Given) -> tuple[str, str] | None:
    """Return two senses, where the given name of the first is the name or label of the second."""
    names = _names(word, labels, given)
    for label, text in given.items():
        for other in labels:
            if text.name and other != label and text.name in (names[other], other):
                return label, other
    return None


def _names(word: str, labels: Sequence[str], given: Given) -> dict[str, str]:
    own = {label: text.name for label, text in given.items() if text.name}
    return {label: own.get(label) or readable(word, label) for label in labels}


def check_text(text: SenseText) -> None:
    """Refuse a text that cannot be shown unchanged; raise a ValueError."""
    for kind, part in text._asdict().items():
        require(isinstance(part, str), f"a {kind} that is not a text: {part!r}")
        require(visible(part) == part, f"a character in the {kind} {part!r} that cannot be seen")
        spaced = " ".join(part.split()) == part
        require(spaced, f"white space at an end of the {kind} {part!r}, or twice in a row")
        most = LONGEST[kind]
        require(len(part) <= most, f"a {kind} of {len(part)} characters; the maximum is {most}")


def parse_sense_texts(word: str, senses: Mapping[str, Mapping[str, Any]]) -> dict[str, SenseText]:
    """Return the names and glosses of a word's senses in a manifest, checked.

    Parameters
    ----------
    word : str
    senses : mapping of label to mapping
        Each may have the keys ``name`` and ``gloss``.

    Raises
    ------
    ValueError
    """
    described = all(isinstance(about, Mapping) for about in senses.values())
    require(described, f"senses of {word!r} that are not described by keys")
    texts = {s: SenseText(d.get("name", ""), d.get("gloss", "")) for s, d in senses.items()}
    given = {label: text for label, text in texts.items() if any(text)}
    for text in given.values():
        check_text(text)
    if pair := find_clash(word, list(senses), given):
        raise ValueError(describe_clash(word, *pair))
    return given


def describe_clash(word: str, label: str, other: str) -> str:
    """Return the message about a clash."""
    return f"the name of the sense {label!r} of {word!r} is the name or the label of {other!r}"
