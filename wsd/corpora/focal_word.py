"""Turn a text into tokens, one of which is the focal word.

The corpus format needs tokens, and the position of the focal word among them. Running text is split
at white space, on both sides of the focal word, and between a token and the punctuation at its
ends, as in CoarseWSD-20. The inside of a token is never changed, so that every script works. A
focal word of several tokens becomes one token, with single spaces in it.

All marks and all places in characters are read and checked here. A sentence has one mark. A mark or
place covers whole words, without the white space and punctuation around them, unless that
punctuation is part of the word.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import NamedTuple

from wsd.artifacts.parts_of_speech import lemma_and_part
from wsd.corpora.find_word import within_word
from wsd.corpora.text_format import join_tokens

Sentence = tuple[int, tuple[str, ...]]
FIX_MARK = (
    "mark the whole focal word once, as [[crane]] or *crane*, or with a tag such as "
    "<b>crane</b>; or give its place by start and end"
)
FIX_SPAN = (
    "count characters from 0, not bytes or UTF-16 code units; `end` is the character after the "
    "word's last"
)
# Punctuation that can be part of a word: AT&T, #1, goin'.
_IN_WORDS = "#%&'*/@\\_\u2019"
_BRACKETS = re.compile(r"\[\[(?P<focal>.*?)\]\]", re.DOTALL)
_ASTERISKS = re.compile(r"\*(?P<focal>[^*]*)\*")
# <b>crane</b>, <head id="1">crane</head>, [TGT]crane[/TGT]
_TAGS = (
    re.compile(r"<([A-Za-z]\w*)(?:\s[^<>]*)?>(?P<focal>[^<>]*)</\1>"),
    re.compile(r"\[([A-Za-z]\w*)\](?P<focal>[^\[\]]*)\[/\1\]"),
)
# U.S, Ph.D: the full stop after such a text belongs to it.
_ABBREVIATION = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}")


class Marked(NamedTuple):
    """A text without its mark.

    Attributes
    ----------
    text : str
    start, end : int
        The characters of the focal word in ``text``.
    at : int
        Where the focal word starts in the text with its mark.
    """

    text: str
    start: int
    end: int
    at: int


def find_mark(text: str, is_form: Callable[[str], object]) -> Marked | None:
    """Return a text without its mark, or None for a text that has no mark.

    A mark is ``[[word]]``, ``*word*``, ``<b>word</b>`` or ``[T]word[/T]``; a tag may have any name.
    In a text with double brackets, asterisks and tags are text. Asterisks and tags also emphasize
    words. They are a mark if there are two asterisks or one tag, with a form of the word in
    between; otherwise they are text. :func:`check_span` checks the marked word.

    Raises
    ------
    ValueError
        If more than one word is marked, or a mark is not closed.
    """
    brackets = [*_BRACKETS.finditer(text)]
    counts = {text.count("[["), text.count("]]")}
    if counts != {0}:
        if counts != {len(brackets)}:
            raise ValueError("double brackets are not opened or not closed")
        return _only(brackets, "in double brackets")
    asterisks = [*_ASTERISKS.finditer(text)] if text.count("*") % 2 == 0 else []
    starred = [mark for mark in asterisks if is_form(mark["focal"].strip())]
    if starred and len(asterisks) == 1:
        return _without(starred[0])
    tags = (tag for pattern in _TAGS for tag in pattern.finditer(text))
    if tagged := [tag for tag in tags if is_form(tag["focal"].strip())]:
        return _only(tagged, "with tags")
    if len(starred) > 1:
        raise ValueError(f"{text.count('*')} asterisks, not two")
    return None


def read_mark(text: str) -> Marked:
    """Return a text without its mark, which may be around any word.

    Raises
    ------
    ValueError
        As :func:`find_mark`; also if no word is marked.
    """
    if mark := find_mark(text, lambda focal: True):
        return mark
    n = text.count("*")
    raise ValueError(f"{n} asterisks, not two" if n else "no word is marked")


def _only(marks: list[re.Match[str]], how: str) -> Marked:
    if len(marks) > 1:
        raise ValueError(f"{len(marks)} words are marked {how}, not one")
    return _without(marks[0])


def _without(mark: re.Match[str]) -> Marked:
    before, focal, after = mark.string[: mark.start()], mark["focal"], mark.string[mark.end() :]
    start, end = len(before), len(before) + len(focal)
    return Marked(before + focal + after, start, end, mark.start("focal"))


def check_span(text: str, start: int, end: int, word: str = "") -> None:
    """Refuse characters that are not a whole focal word.

    Parameters
    ----------
    text : str
    start, end : int
        Characters, as in a slice.
    word : str
        The word of which they should be a form, if it is known.

    Raises
    ------
    ValueError
        If the characters are outside the text, are part of a word, or have white space or
        punctuation at their ends that the word does not have.
    """
    characters = f"the characters {start} to {end}"
    if 0 <= end < start:
        raise ValueError(f"{characters}: the end is before the start")
    if not 0 <= start <= end <= len(text):
        raise ValueError(f"{characters} are not within the text, which has {len(text)} characters")
    focal = text[start:end]
    if not focal.strip():
        raise ValueError("the focal word is empty")
    if within_word(text, start) or within_word(text, end):
        raise ValueError(f"the focal word {focal!r} is part of a word")
    if (start, end) != (bare := bare_span(text, start, end, word)):
        problem = f"the focal word {focal!r} begins or ends with"
        word = text[slice(*bare)]
        if focal != focal.strip():
            raise ValueError(f"{problem} white space: take {word!r} alone")
        raise ValueError(
            f"{problem} punctuation: take {word!r} alone, or name a word with this punctuation"
        )


def bare_span(text: str, start: int, end: int, word: str = "") -> tuple[int, int]:
    """Return the characters of a focal word without white space and punctuation around it.

    >>> bare_span("in his cell.", 7, 12), bare_span("the U.S. won", 4, 8)
    ((7, 11), (4, 8))
    >>> bare_span("ask Yahoo!", 4, 10), bare_span("ask Yahoo!", 4, 10, "yahoo!")
    ((4, 9), (4, 10))
    """
    head, body, tail = _apart(text[start:end])
    of_word, _, after_word = _apart(lemma_and_part(word)[0])
    if not body:
        return start, end
    if not after_word and _ABBREVIATION.fullmatch(body):
        after_word = "."
    start += len(head) - len(of_word) * head.endswith(of_word)
    return start, end - len(tail) + len(after_word) * tail.startswith(after_word)


def whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a place without white space at its ends, widened to whole words.

    >>> whole_words("undoing it ", 2, 4), whole_words("do it ", 3, 6)
    ((0, 7), (3, 5))
    """
    if not (0 <= start < end <= len(text) and (inside := text[start:end].strip())):
        return start, end
    start = text.index(inside, start)
    end = start + len(inside)
    while within_word(text, start):
        start -= 1
    while within_word(text, end):
        end += 1
    return start, end


def is_punctuation(text: str) -> bool:
    """Return whether a text has only white space and punctuation that is never part of a word."""
    return not _apart(text)[1]


def _apart(text: str) -> tuple[str, str, str]:
    """Return the white space and punctuation before a word, the word, and those after it."""
    around = "".join(c for c in text if c.isspace() or (_is_of(c, "P") and c not in _IN_WORDS))
    rest = text.lstrip(around)
    body = rest.rstrip(around)
    return text[: len(text) - len(rest)], body, rest[len(body) :]


def from_mark(text: str, word: str = "") -> Sentence:
    """Return the sentence of a text whose focal word is marked, as ``[[word]]`` or ``*word*``.

    >>> from_mark("The *crane*, tall, flew.")
    (1, ('The', 'crane', ',', 'tall', ',', 'flew', '.'))
    >>> from_mark("in [[New  York]].")
    (1, ('in', 'New York', '.'))

    Raises
    ------
    ValueError
        As :func:`read_mark` and :func:`check_span`.
    """
    return from_span(*read_mark(text)[:3], word)


def from_span(text: str, start: int, end: int, word: str = "") -> Sentence:
    """Return the sentence of a text whose focal word is its characters ``start`` to ``end``.

    >>> from_span("two cranes flew", 4, 10)
    (1, ('two', 'cranes', 'flew'))

    Raises
    ------
    ValueError
        As :func:`check_span`.
    """
    check_span(text, start, end, word)
    left = tuple(_tokens(text[:start]))
    focal = " ".join(text[start:end].split())
    return len(left), (*left, focal, *_tokens(text[end:]))


def from_tokens(text: str, position: int, end: int | None = None) -> Sentence:
    """Return the sentence of a text whose tokens are already separated by spaces.

    The focal word is one token, or the tokens from ``position`` to before ``end``.

    Raises
    ------
    ValueError
        If the sentence has no such token.
    """
    tokens = tuple(text.split())
    if not 0 <= position < len(tokens):
        raise ValueError(
            f"position {position} (counted from 0) in a sentence of {len(tokens)} tokens"
        )
    return position, tokens if end is None else join_tokens(tokens, position, end)


def _tokens(text: str) -> Iterator[str]:
    for part in text.split():
        start, end = 0, len(part)
        # A combining mark belongs to the character before it.
        while start < end and _is_of(part[start], "P") and not _is_of(part[start + 1 :][:1], "M"):
            start += 1
        while end > start and _is_of(part[end - 1], "P"):
            end -= 1
        yield from part[:start]
        if start < end:
            yield part[start:end]
        yield from part[end:]


def _is_of(character: str, category: str) -> bool:
    return character != "" and unicodedata.category(character).startswith(category)
