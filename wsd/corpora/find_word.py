"""Find a focal word in a text, by a mark, by its place or by its forms, and return the tokens.

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

The corpus format needs tokens, and the position of the focal word among them. Running text is split
at white space, on both sides of the focal word, and between a token and the punctuation at its
ends, as in CoarseWSD-20. The inside of a token is never changed, so that every script works. A
focal word of several tokens becomes one token, with single spaces in it. Where the text has no
space, the tokens touch, so that encoders read the text and not its tokens.

All marks and all places in characters are read and checked here. A sentence has one mark. A mark or
place covers whole words, without the white space and punctuation around them, unless that
punctuation is part of the word.
"""

import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from wsd.artifacts.corpus_table import text_parts
from wsd.artifacts.dataset import ENGLISH
from wsd.artifacts.senses import lemma_and_part
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
    def sentence(self) -> "Sentence":
        """The text, cut at white space and around the form, which is one token."""
        before, after = self.text[: self.start].split(), self.text[self.end :].split()
        ends = enumerate((self.start, self.end), start=len(before))
        touching = tuple(i for i, end in ends if _touches(self.text, end))
        return Sentence(len(before), (*before, " ".join(self.form.split()), *after), touching)


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


class Sentence(NamedTuple):
    """The tokens of a sentence, and the position of the focal word.

    ``touching`` has the positions of the tokens that no space separates from the one before.
    """

    position: int
    tokens: tuple[str, ...]
    touching: tuple[int, ...] = ()

    @property
    def word(self) -> str:
        """The focal word in the form of the text."""
        return self.tokens[self.position]

    @property
    def text(self) -> str:
        """The text, with single spaces."""
        return "".join(text_parts(*self))


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
    brackets, stars = [*_BRACKETS.finditer(text)], text.count("*")
    asterisks = [*_ASTERISKS.finditer(text)] if stars % 2 == 0 else []
    starred = [mark for mark in asterisks if is_form(mark["focal"].strip())]
    counts = {text.count("[["), text.count("]]")}
    if counts != {0}:
        if counts != {len(brackets)}:
            raise ValueError("double brackets are not opened or not closed")
        marks, how = brackets, "in double brackets"
    elif starred and len(asterisks) == 1:
        marks, how = starred, "with asterisks"
    else:
        tags = (tag for pattern in _TAGS for tag in pattern.finditer(text))
        marks, how = [tag for tag in tags if is_form(tag["focal"].strip())], "with tags"
        if not marks and len(starred) > 1:
            raise ValueError(f"{stars} asterisks, not two")
    if len(marks) > 1:
        raise ValueError(f"{len(marks)} words are marked {how}, not one")
    if not marks:
        return None
    start, focal, after = marks[0].start(), marks[0]["focal"], text[marks[0].end() :]
    at = marks[0].start("focal")
    return Marked(text[:start] + focal + after, start, start + len(focal), at)


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

    >>> from_mark("The *crane*, tall, flew.").tokens
    ('The', 'crane', ',', 'tall', ',', 'flew', '.')
    >>> from_mark("in [[New  York]].")
    Sentence(position=1, tokens=('in', 'New York', '.'), touching=(2,))

    Raises
    ------
    ValueError
        As :func:`find_mark` and :func:`check_span`; also if no word is marked.
    """
    if mark := find_mark(text, lambda focal: True):
        return from_span(mark.text, mark.start, mark.end, word)
    n = text.count("*")
    raise ValueError(f"{n} asterisks, not two" if n else "no word is marked")


def from_span(text: str, start: int, end: int, word: str = "") -> Sentence:
    """Return the sentence of a text whose focal word is its characters ``start`` to ``end``.

    >>> from_span("two cranes flew", 4, 10)
    Sentence(position=1, tokens=('two', 'cranes', 'flew'), touching=())

    Raises
    ------
    ValueError
        As :func:`check_span`.
    """
    check_span(text, start, end, word)
    left, right = [*_tokens(text[:start])], [*_tokens(text[end:])]
    focal = " ".join(text[start:end].split()), _touches(text, start)
    right[:1] = [(token, _touches(text, end)) for token, _ in right[:1]]
    tokens, touches = zip(*left, focal, *right, strict=True)
    return Sentence(len(left), tokens, tuple(i for i, touch in enumerate(touches) if touch))


def _touches(text: str, place: int) -> bool:
    """Return whether no white space separates the characters before and after a place."""
    around = text[max(0, place - 1) : place + 1]
    return len(around) == 2 and not any(map(str.isspace, around))


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
    return Sentence(position, tokens if end is None else join_tokens(tokens, position, end))


def join_tokens(tokens: tuple[str, ...], start: int, end: int) -> tuple[str, ...]:
    """Join the tokens from ``start`` to before ``end`` into one token.

    Raises
    ------
    ValueError
        If there are no tokens between them, or the sentence is shorter.

    >>> join_tokens(("to", "New", "York"), 1, 3)
    ('to', 'New York')
    """
    problem = f"the focal word's tokens {start}:{end}"
    if end <= start:
        raise ValueError(f"{problem}: the end, the token after the last, is not after the start")
    if end > len(tokens):
        raise ValueError(
            f"{problem}: the sentence has {len(tokens)} tokens, so the end is too large"
        )
    if end == start + 1:
        return tokens
    return (*tokens[:start], sys.intern(" ".join(tokens[start:end])), *tokens[end:])


def _tokens(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the tokens of a text, and whether each touches the one before."""
    for part in text.split():
        start, end = 0, len(part)
        # A combining mark belongs to the character before it.
        while start < end and _is_of(part[start], "P") and not _is_of(part[start + 1 :][:1], "M"):
            start += 1
        while end > start and _is_of(part[end - 1], "P"):
            end -= 1
        tokens = [*part[:start], *filter(None, [part[start:end]]), *part[end:]]
        yield from ((token, i > 0) for i, token in enumerate(tokens))


def _is_of(character: str, category: str) -> bool:
    return character != "" and unicodedata.category(character).startswith(category)
