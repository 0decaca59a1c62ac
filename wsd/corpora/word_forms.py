"""Where a word stands in running text: its forms, by the plural rules of English nouns.

A form is found whatever its capitals, with punctuation around it and with a possessive ``'s`` or
``'`` after it: ``Cranes``, ``"crane,"``, ``crane's``, ``cranes'``. Part of speech is not looked at
(``it springs open`` counts for *spring*), verb forms are not made (``banked``), and a compound
with a hyphen is another word (``crane-like``).

The text is cut at white space alone, and only the token that holds the focal word is cut further,
so that a sentence of the corpus comes back as the tokens it was read from. In scripts without
spaces between words a word is found wherever its characters stand. Letters with their accents
beside them count as those with the accents in them.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

IRREGULAR = {
    "child": ("children",),
    "die": ("dice", "dies"),
    "foot": ("feet",),
    "goose": ("geese",),
    "louse": ("lice",),
    "mouse": ("mice",),
    "ox": ("oxen",),
    "person": ("people", "persons"),
    "tooth": ("teeth",),
}
# The end of a word, and what takes its place in the plural: the first that fits.
PLURALS = (
    (r"is", "es", "ises"),
    (r"([aeiou]z)", r"\1es", r"\1zes"),  # topazes, quizzes
    (r"(s|x|z|sh)", r"\1es"),
    (r"ch", "ches", "chs"),  # churches, stomachs
    (r"([^aeiou])y", r"\1ies"),
    (r"([^aeiou]o)", r"\1s", r"\1es"),
    (r"([^f])(fe?)", r"\1\2s", r"\1ves"),
    (r"man", "men", "mans"),  # women, Germans
    (r"", "s"),
)
# A word with the hyphens and apostrophes inside it.
_RUN = re.compile(r"[^\W_]+(?:(?:_+|[-'\u2010\u2011\u2019])[^\W_]+)*")
# Scripts that put no space between words, or write what belongs to a noun in one with it: the
# beginnings of the names of their characters.
_UNSPACED = (
    *("BOPOMOFO", "CJK", "HALFWIDTH KATAKANA", "HANGUL", "HIRAGANA", "JAVANESE", "KATAKANA"),
    *("KHMER", "LAO", "MYANMAR", "THAI", "TIBETAN", "YI"),
)
_POSSESSIVE = re.compile(r"['\u2019\u02bc]s$", re.IGNORECASE)


def forms(word: str) -> tuple[str, ...]:
    """A noun and its plurals, in small letters.

    ``-es`` after s, x, z and sh, and ``-zzes`` after a vowel and z; ``-es`` or ``-s`` after ch;
    ``-ies`` for y after a consonant; ``-oes`` or ``-os`` for o after a consonant; ``-ves`` or
    ``-fs`` for f and fe; ``-es`` or ``-ises`` for ``-is``; ``-men`` or ``-mans`` for ``-man``; a
    few irregular ones; else ``-s``.

    >>> forms("crane"), forms("bass"), forms("deity"), forms("calf")
    (('crane', 'cranes'), ('bass', 'basses'), ('deity', 'deities'), ('calf', 'calfs', 'calves'))
    """
    word = _plain(word)
    if word in IRREGULAR:
        return (word, *IRREGULAR[word])
    for end, *plurals in PLURALS:
        if match := re.search(rf"{end}\Z", word):
            return (word, *(word[: match.start()] + match.expand(plural) for plural in plurals))
    raise AssertionError("the last rule fits every word")


@dataclass(frozen=True)
class Occurrence:
    """A form of one of the words in a sentence.

    Attributes
    ----------
    words : tuple of str
        Whose form it is: more than one if it is ambiguous.
    form : str
        As it stands in the text, without a possessive.
    start : int
        Its first character in the text.
    tokens : tuple of str
    position : int
        Of the form among the tokens.
    """

    words: tuple[str, ...]
    form: str
    start: int
    tokens: tuple[str, ...]
    position: int


class Finder:
    """Finds forms of some words.

    Parameters
    ----------
    words : iterable of str
    """

    def __init__(self, words: Iterable[str]) -> None:
        found: dict[str, list[str]] = {}
        for word in words:
            for form in forms(word):
                found.setdefault(form, []).append(word)
        self._words: Mapping[str, Sequence[str]] = found
        unspaced = sorted((w for w in found if all(map(_unspaced, w))), key=len, reverse=True)
        self._inside = re.compile("|".join(map(re.escape, unspaced))) if unspaced else None

    def find(self, text: str) -> list[Occurrence]:
        """Every occurrence in a sentence, from left to right."""
        spans = [(match.start(), match[0]) for match in re.finditer(r"\S+", text)]
        tokens = [token for _, token in spans]
        found = []
        for i, (start, token) in enumerate(spans):
            for first, last in self._in_token(token):
                before, form, after = token[:first], token[first:last], token[last:]
                words = tuple(self._words[_plain(form)])
                pieces = filter(None, (before, form, after))
                cut = (*tokens[:i], *pieces, *tokens[i + 1 :])
                found.append(Occurrence(words, form, start + first, cut, i + bool(before)))
        return found

    def _in_token(self, token: str) -> Iterable[tuple[int, int]]:
        # A token of the corpus may be a word with signs in it, such as `c++`.
        if _plain(token) in self._words:
            yield 0, len(token)
            return
        for run in _RUN.finditer(_marks_as_letters(token)):
            form = token[run.start() : run.end()]
            if _plain(form) not in self._words:
                form = _POSSESSIVE.sub("", form)
            if _plain(form) in self._words:
                yield run.start(), run.start() + len(form)
            elif self._inside:
                for inside in self._inside.finditer(form):
                    yield run.start() + inside.start(), run.start() + inside.end()


def within_word(text: str, place: int) -> bool:
    """Whether a word goes on over a place in a text, in a script with spaces between words.

    >>> within_word("a crane", 4), within_word("a crane", 7), within_word("\u6211\u53bb", 1)
    (True, False, False)
    """
    before, after = text[max(0, place - 1) : place], text[place : place + 1]
    if not before or not after or _unspaced(before) or _unspaced(after):
        return False
    return _letter(before) and _letter(after)


def _letter(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character).startswith("M")


def _unspaced(character: str) -> bool:
    return unicodedata.name(character, "").startswith(_UNSPACED)


def _plain(text: str) -> str:
    """What of a form does not matter, taken out: capitals, and how accents are written."""
    return unicodedata.normalize("NFC", text).casefold()


def _marks_as_letters(token: str) -> str:
    """As many characters, in which a mark on a letter is a letter."""
    if token.isascii():
        return token
    made = ""
    for character in token:
        mark = unicodedata.category(character).startswith("M")
        made += "x" if mark and made[-1:].isalnum() else character
    return made
