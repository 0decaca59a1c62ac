"""What people read in place of a sense's label: a name, and a gloss where the corpus gives one.

Tables and files keep the labels.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from wsd.artifacts.parts_of_speech import lemma_and_part
from wsd.errors import visible


class SenseText(NamedTuple):
    """A sense in words. Of what a corpus gives, either may be empty."""

    name: str
    gloss: str = ""


# Of one word, by label.
Given = Mapping[str, SenseText]
NOTHING: Given = MappingProxyType({})
# Characters.
LONGEST = {"name": 100, "gloss": 1000}


def readable(word: str, label: str) -> str:
    """A label without the word, or the lemma of ``serve.v``, that it begins with; no underscores.

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
    """What the senses of a word are called, no two of them alike.

    Parameters
    ----------
    word : str
    labels : sequence of str
        All senses of the word.
    given : mapping of label to SenseText
        What the corpus says, of some of them or none, without a :func:`find_clash`.
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
    """A sense whose given name is also the name or the label of another; and that other."""
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
    """Refuse what could not be shown as it is, with a ValueError."""
    for kind, part in text._asdict().items():
        if not isinstance(part, str):
            raise ValueError(f"a {kind} that is no text: {part!r}")
        if visible(part) != part:
            raise ValueError(f"a character in the {kind} {part!r} that cannot be seen")
        if " ".join(part.split()) != part:
            raise ValueError(f"white space at an end of the {kind} {part!r}, or twice in a row")
        if len(part) > LONGEST[kind]:
            raise ValueError(f"a {kind} of {len(part)} characters: {LONGEST[kind]} are the most")


def parse_sense_texts(word: str, senses: Mapping[str, Mapping[str, Any]]) -> dict[str, SenseText]:
    """What a manifest gives of a word's senses, checked; what is wrong is a ValueError.

    Parameters
    ----------
    word : str
    senses : mapping of label to mapping
        In which ``name`` and ``gloss`` may stand.
    """
    if not all(isinstance(of, Mapping) for of in senses.values()):
        raise ValueError(f"senses of {word!r} that are not described by keys")
    texts = {s: SenseText(of.get("name", ""), of.get("gloss", "")) for s, of in senses.items()}
    given = {label: text for label, text in texts.items() if any(text)}
    for text in given.values():
        check_text(text)
    if found := find_clash(word, list(senses), given):
        raise ValueError(describe_clash(word, *found))
    return given


def describe_clash(word: str, label: str, other: str) -> str:
    """What is wrong with a :func:`find_clash`."""
    return f"the name of the sense {label!r} of {word!r} is that of {other!r} too, or its label"
