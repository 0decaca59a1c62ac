"""Where a word stands in running text: its forms, by the plural rules of English nouns.

A form is found whatever its capitals, with punctuation around it and with a possessive ``'s`` or
``'`` after it: ``Cranes``, ``"crane,"``, ``crane's``, ``cranes'``. Part of speech is not looked at
(``it springs open`` counts for *spring*), verb forms are not made (``banked``), and a compound
with a hyphen is another word (``crane-like``).

The text is cut at white space alone, and only the token that holds the focal word is cut further,
so that a sentence of the corpus comes back as the tokens it was read from.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

IRREGULAR = {
    "child": "children",
    "die": "dice",
    "foot": "feet",
    "goose": "geese",
    "louse": "lice",
    "mouse": "mice",
    "ox": "oxen",
    "person": "people",
    "tooth": "teeth",
}
_RUN = re.compile(r"\w+(?:[-'\u2019]\w+)*")  # a word with the hyphens and apostrophes inside it
_POSSESSIVE = re.compile(r"['\u2019]s$", re.IGNORECASE)


def forms(word: str) -> tuple[str, ...]:
    """A noun and its plurals, in small letters.

    ``-es`` after s, x, z, ch and sh; ``-ies`` for y after a consonant; ``-oes`` or ``-os`` for o
    after a consonant; ``-ves`` or ``-fs`` for f and fe; ``-es`` for ``-is``; ``-men`` for
    ``-man``; a few irregular ones; else ``-s``.

    >>> forms("crane"), forms("bass"), forms("deity"), forms("calf")
    (('crane', 'cranes'), ('bass', 'basses'), ('deity', 'deities'), ('calf', 'calfs', 'calves'))
    """
    word = word.casefold()
    plurals = [f"{word}s"]
    if word in IRREGULAR:
        plurals = [IRREGULAR[word], *([f"{word}s"] if word == "die" else [])]
    elif word.endswith("is"):
        plurals = [f"{word[:-2]}es"]
    elif re.search(r"(s|x|z|ch|sh)$", word):
        plurals = [f"{word}es"]
    elif re.search(r"[^aeiou]y$", word):
        plurals = [f"{word[:-1]}ies"]
    elif re.search(r"[^aeiou]o$", word):
        plurals = [f"{word}s", f"{word}es"]
    elif re.search(r"[^f]fe?$", word):
        plurals = [f"{word}s", re.sub(r"fe?$", "ves", word)]
    elif word.endswith("man"):
        plurals = [f"{word[:-3]}men"]
    return (word, *plurals)


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

    def find(self, text: str) -> list[Occurrence]:
        """Every occurrence in a sentence, from left to right."""
        spans = [(match.start(), match[0]) for match in re.finditer(r"\S+", text)]
        tokens = [token for _, token in spans]
        found = []
        for i, (start, token) in enumerate(spans):
            for first, last in self._in_token(token):
                pieces = [token[:first], token[first:last], token[last:]]
                found.append(
                    Occurrence(
                        words=tuple(self._words[token[first:last].casefold()]),
                        form=token[first:last],
                        start=start + first,
                        tokens=(*tokens[:i], *filter(None, pieces), *tokens[i + 1 :]),
                        position=i + bool(pieces[0]),
                    )
                )
        return found

    def _in_token(self, token: str) -> Iterable[tuple[int, int]]:
        # A token of the corpus may be a word with signs in it, such as `c++`.
        if token.casefold() in self._words:
            yield 0, len(token)
            return
        for run in _RUN.finditer(token):
            form = run[0]
            if form.casefold() not in self._words:
                form = _POSSESSIVE.sub("", form)
            if form.casefold() in self._words:
                yield run.start(), run.start() + len(form)
