"""A sentence as tokens of which one is the focal word, or several together.

The corpus format wants tokens between white space and the focal word's place among them. Text as
people write it is cut at white space, on both sides of the focal word, and between a token and
the punctuation at its ends, as CoarseWSD-20 is. Nothing inside a token is touched, so that any
script passes as it is. A focal word of several tokens is one here, with single spaces in it.
"""

import re
import unicodedata
from collections.abc import Iterator

from wsd.corpora.text_format import joined
from wsd.corpora.word_forms import within_word

Sentence = tuple[int, tuple[str, ...]]
BRACKETS = re.compile(r"\[\[(.*?)\]\]", re.DOTALL)
FIX_MARK = "mark the focal word once, as [[crane]] or *crane*"


def of_mark(text: str) -> Sentence:
    """The sentence of a text whose focal word is marked, as ``[[word]]`` or ``*word*``.

    In a text with double brackets an asterisk is an asterisk.

    >>> of_mark("The *crane*, tall, flew.")
    (1, ('The', 'crane', ',', 'tall', ',', 'flew', '.'))
    >>> of_mark("in [[New  York]].")
    (1, ('in', 'New York', '.'))

    Raises
    ------
    ValueError
        If no word is marked, more than one, or something with white space at its ends.
    """
    return _around(*split_at_mark(text))


def split_at_mark(text: str) -> tuple[str, str, str]:
    """What stands before the marked word, the word, and what stands after it.

    Raises
    ------
    ValueError
        If no word is marked, or more than one.
    """
    if "[[" in text or "]]" in text:
        found = BRACKETS.findall(text)
        if len(found) != 1 or text.count("[[") != 1 or text.count("]]") != 1:
            raise ValueError("not one word in double brackets")
        return text.split("[[", 1)[0], found[0], text.split("]]", 1)[1]
    parts = text.split("*")
    if len(parts) != 3:
        raise ValueError(
            "no word is marked" if len(parts) == 1 else f"{len(parts) - 1} asterisks, not two"
        )
    before, focal, after = parts
    return before, focal, after


def of_span(text: str, start: int, end: int) -> Sentence:
    """The sentence of a text whose focal word is the characters from ``start`` to before ``end``.

    >>> of_span("two cranes flew", 4, 10)
    (1, ('two', 'cranes', 'flew'))

    Raises
    ------
    ValueError
        If the characters are not there, have white space at their ends, or are part of a word.
    """
    if not 0 <= start < end <= len(text):
        how = ": none (`end` is the character after the last)" if 0 <= end <= start else ""
        raise ValueError(f"the characters {start} to {end} of a text of {len(text)}{how}")
    if within_word(text, start) or within_word(text, end):
        raise ValueError(
            f"the characters {start} to {end} are {text[start:end]!r}, part of a word (`end` is "
            "the character after the last)"
        )
    return _around(text[:start], text[start:end], text[end:])


def of_tokens(text: str, position: int, end: int | None = None) -> Sentence:
    """The sentence of a text that is cut already, by white space.

    The focal word is one token, or those from ``position`` to before ``end``.

    Raises
    ------
    ValueError
        If there is no token in that place.
    """
    tokens = tuple(text.split())
    if not 0 <= position < len(tokens):
        raise ValueError(f"the position {position} of a sentence of {len(tokens)} tokens, from 0")
    return position, tokens if end is None else joined(tokens, position, end)


def _around(before: str, focal: str, after: str) -> Sentence:
    if not focal.strip() or focal != focal.strip():
        what = f"the focal word {focal!r} begins or ends with white space"
        raise ValueError(what if focal.strip() else "the focal word is empty")
    left = tuple(_tokens(before))
    return len(left), (*left, " ".join(focal.split()), *_tokens(after))


def _tokens(text: str) -> Iterator[str]:
    for part in text.split():
        start, end = 0, len(part)
        # A mark above or below belongs to the character before it.
        while start < end and _punctuation(part, start) and not _mark(part, start + 1):
            start += 1
        while end > start and _punctuation(part, end - 1):
            end -= 1
        yield from part[:start]
        if start < end:
            yield part[start:end]
        yield from part[end:]


def _punctuation(text: str, i: int) -> bool:
    return unicodedata.category(text[i]).startswith("P")


def _mark(text: str, i: int) -> bool:
    return i < len(text) and unicodedata.category(text[i]).startswith("M")
