"""Find a word in running text, in any of its forms.

A form is found in any capitals, next to punctuation, and before a possessive ``'s`` or another
clitic: ``Cranes``, ``"crane,"``, ``crane's``, ``cranes'``, ``crane'll``. The forms of a word come
from its corpus, from a table that the user gives, and from :mod:`wsd.corpora.word_forms`. The part
of speech is ignored (``it springs open`` counts for *spring*). A compound with a hyphen does not
count (``crane-like``), unless it is a form itself. In languages other than English, a word is also
found after an elided one (``l'avocat``), and only the forms that the corpus or the user gives
count.

The text is split at white space. Only the token with the focal word is split further, so that a
sentence of the corpus gets the same tokens again. In scripts without spaces between words, a word
is found wherever its characters are. Combining accents equal accents in letters, and curly
apostrophes equal straight ones. The underscore of ``ice_cream`` may be a space or a hyphen. Soft
hyphens are ignored.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from wsd.artifacts.dataset import ENGLISH
from wsd.corpora.word_forms import RULES_OF_FORMS, forms

# Scripts without spaces between words, or with particles attached to nouns: how the names of their
# characters begin.
_UNSPACED = (
    *("BOPOMOFO", "CJK", "HALFWIDTH KATAKANA", "HANGUL", "HIRAGANA", "JAVANESE", "KATAKANA"),
    *("KHMER", "LAO", "MYANMAR", "THAI", "TIBETAN", "YI"),
)
_CLITICS, _ELIDED = (frozenset(RULES_OF_FORMS[kind].split()) for kind in ("clitics", "elided"))
# Languages with a dotted and a dotless I.
TURKIC = ("az", "tr")
_TURKIC_LETTERS = str.maketrans("I\u0130", "\u0131i")
# Marks where a word may be hyphenated; invisible inside a line.
_SOFT_HYPHEN = "\u00ad"
_APOSTROPHES = "'\u2018\u2019\u201b\u02bc\uff07"
# Equal signs; soft hyphens and variation selectors are ignored.
_ALIKE = str.maketrans(f"{_APOSTROPHES}\u2010\u2011", "''''''--", f"{_SOFT_HYPHEN}\ufe0e\ufe0f")


class Occurrence(NamedTuple):
    """A form of one of the words in a sentence, ``text[start:end]``.

    Attributes
    ----------
    words : tuple of str
        The words that it is a form of: more than one if it is ambiguous.
    text : str
    start, end : int
    """

    words: tuple[str, ...]
    text: str
    start: int
    end: int

    @property
    def form(self) -> str:
        """The form, spelt as in the text, without a possessive."""
        return self.text[self.start : self.end]

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens of the sentence; the form is one token, even if it has a space in it."""
        before, after = self.text[: self.start].split(), self.text[self.end :].split()
        return (*before, " ".join(self.form.split()), *after)

    @property
    def position(self) -> int:
        """The position of the form among the tokens."""
        return len(self.text[: self.start].split())


class _Piece(NamedTuple):
    """An indivisible part of a text: a word, a sign, white space."""

    plain: str  # for comparisons
    kind: str
    start: int
    end: int


_WORD, _UNSPACED_LETTER, _SPACE, _LINE, _MARK, _JOINER, _SYMBOL, _SIGN = "wu _mjsp"
_PIECE = re.compile(r"w[wmj]*|u[mj]*| +|_+|[sp](?:m|js?)*|[mj]+")
# The plain texts of the pieces of a form; " " matches a space, an underscore or a hyphen.
_Form = tuple[str, ...]


class Finder:
    """Finds forms of some words.

    Parameters
    ----------
    words : iterable of str
    seen : function of a word
        Returns the forms that the corpus has of it.
    language : str
        The rules of inflection are those of English. In other languages, a word may follow an
        elided one: *l'avocat*.
    """

    def __init__(
        self,
        words: Iterable[str],
        seen: Callable[[str], Iterable[str]] = lambda word: (),
        language: str = ENGLISH,
    ) -> None:
        self._language = language
        self._elided = _ELIDED if language != ENGLISH else frozenset[str]()
        words_of: dict[_Form, dict[str, None]] = {}
        # Forms of several tokens in the corpus.
        self._several: set[tuple[_Form, str]] = set()
        for word in words:
            in_corpus = tuple(seen(word))
            for text in (*forms(word, language), *in_corpus):
                form = _as_form(_pieces(text.strip(), language))
                words_of.setdefault(form, {})[word] = None
                if text in in_corpus and len(text.split()) > 1:
                    self._several.add((form, word))
        self._words = {form: tuple(names) for form, names in words_of.items() if form}
        self._by_first: dict[str, list[_Form]] = {}
        for form in sorted(self._words, key=len, reverse=True):
            self._by_first.setdefault(form[0], []).append(form)

    def find(self, text: str) -> list[Occurrence]:
        """Return the occurrences in a sentence, from left to right; the longest if they overlap."""
        occurrences: list[Occurrence] = []
        pieces, i = _pieces(text, self._language), 0
        while i < len(pieces):
            for form in self._by_first.get(pieces[i].plain, ()):
                if words := self._words_at(text, pieces, i, form):
                    start, i = pieces[i].start, i + len(form)
                    occurrences.append(Occurrence(words, text, start, pieces[i - 1].end))
                    break
            else:
                i += 1
        return occurrences

    def words_of(self, form: str) -> tuple[str, ...]:
        """Return the words of which a whole text is a form."""
        for occurrence in self.find(form):
            if (occurrence.start, occurrence.end) == (0, len(form)):
                return occurrence.words
        return ()

    def _words_at(
        self, text: str, pieces: list[_Piece], start: int, form: _Form
    ) -> tuple[str, ...]:
        """Return the words whose form this is, if it begins at the piece ``start``."""
        end = start + len(form)
        part = pieces[start:end]
        if len(part) < len(form) or not all(map(_fits, part, form)):
            return ()
        before, following = pieces[max(0, start - 2) : start + 1][::-1], pieces[end : end + 2]
        # A clitic belongs to the form.
        if len(following) == 2 and following[0].plain == "'" and following[1].plain in _CLITICS:
            end += 2
        is_elided = len(before) > 2 and before[1].plain == "'" and before[2].plain in self._elided
        if (_goes_on(before) and not is_elided) or _goes_on(pieces[end - 1 : end + 2]):
            return ()
        words = self._words[form]
        if any(piece.kind == _SPACE for piece in part):
            # A token that is itself a form of the word is found instead.
            first, last = part[0].start, part[-1].end
            tokens = [t for t in re.finditer(r"\S+", text) if t.end() > first and t.start() < last]
            alone = {word for token in tokens for word in self.words_of(token[0])}
            words = tuple(w for w in words if w not in alone or (form, w) in self._several)
        return words


@dataclass(frozen=True, eq=False)
class KnownForms:
    """The known forms of words: English inflection, and those that the user gives in addition.

    Attributes
    ----------
    language : str
        A code such as ``en``. Only English words are inflected.
    given : mapping of word to tuple of str
        The user's forms.
    """

    language: str = ENGLISH
    given: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def of(self, word: str) -> tuple[str, ...]:
        """Return the forms of a word, the word first."""
        return tuple(dict.fromkeys((*forms(word, self.language), *self.given.get(word, ()))))

    @cache  # noqa: B019 - there is one object per import
    def finder(self, word: str, *seen: str) -> Finder:
        """Return the finder of a word, with further forms that were seen in sentences."""
        return Finder([word], lambda word: (*self.given.get(word, ()), *seen), self.language)


# The forms by the rules of English alone.
RULES = KnownForms()


def _as_form(pieces: list[_Piece]) -> _Form:
    inside = range(1, len(pieces) - 1)
    return tuple(
        " " if i in inside and piece.kind in (_SPACE, _LINE) else piece.plain
        for i, piece in enumerate(pieces)
    )


def _fits(piece: _Piece, plain: str) -> bool:
    return piece.plain == plain or (plain == " " and piece.plain in ("_", "-"))


def _goes_on(edge: list[_Piece]) -> bool:
    """Return whether a word continues from its last piece to the next, or from its first back."""
    last, *beyond = edge
    kinds = [piece.kind for piece in beyond]
    if last.kind == _WORD:
        joined = beyond and beyond[0].plain in ("'", "-", "_")
        return bool(joined) and kinds[1:] in ([_WORD], [_UNSPACED_LETTER])
    return last.kind in (_SIGN, _LINE) and kinds[:1] == [_WORD]


def _pieces(text: str, language: str) -> list[_Piece]:
    shape = "".join(map(_kind, text))
    if language in TURKIC:
        text = text.translate(_TURKIC_LETTERS)
    return [
        _Piece(_plain(text[start:end], shape[start]), shape[start], start, end)
        for start, end in (match.span() for match in _PIECE.finditer(shape))
    ]


def _plain(piece: str, kind: str) -> str:
    """Return a piece without capitals and variants of accents and signs."""
    if kind in (_SPACE, _LINE):
        return kind
    return unicodedata.normalize("NFC", piece.translate(_ALIKE)).casefold()


@cache
def _kind(character: str) -> str:
    if character.isspace():
        return _SPACE
    if character == "_":
        return _LINE
    if character in f"\u200c\u200d{_SOFT_HYPHEN}":
        return _JOINER
    category = unicodedata.category(character)
    is_skin_tone = "\U0001f3fb" <= character <= "\U0001f3ff"
    continues_syllable = "\u1160" <= character <= "\u11ff"
    if category.startswith("M") or is_skin_tone or continues_syllable:
        return _MARK
    if character.isalnum() and character not in _APOSTROPHES:
        return _UNSPACED_LETTER if _unspaced(character) else _WORD
    return _SYMBOL if category == "So" else _SIGN


def within_word(text: str, place: int) -> bool:
    """Return whether a place in a text is inside a word, in a script with spaces between words.

    >>> within_word("a crane", 4), within_word("a crane", 7), within_word("\u6211\u53bb", 1)
    (True, False, False)
    """
    before = text[max(0, place - 2) : place].rstrip(_SOFT_HYPHEN)[-1:]
    after = text[place : place + 2].lstrip(_SOFT_HYPHEN)[:1]
    return all(map(_is_spaced_letter, (before, after)))


def _is_spaced_letter(character: str) -> bool:
    if not character or _unspaced(character):
        return False
    return character.isalnum() or unicodedata.category(character).startswith("M")


def _unspaced(character: str) -> bool:
    return unicodedata.name(character, "").startswith(_UNSPACED)
