"""Check that the focal words of a corpus are forms of their words, to detect wrong positions.

If another tokenizer counted the positions, or if characters are read as tokens, the corpus is about
other words, but training and scoring work without an error. A focal word is a form of its word if
the tables of English forms have it (:mod:`wsd.corpora.word_forms`). For other languages and missing
forms, a similar spelling is enough. In WiC, DWUG, NOAD and the all-words sets, at most 1 in 1,000
focal words fails this check. At least 95 in 100 of the tokens after them fail it.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import cache

from wsd.artifacts.dataset import ENGLISH
from wsd.artifacts.senses import lemma_and_part
from wsd.corpora.find_word import RULES, KnownForms, bare_span, is_punctuation
from wsd.errors import CorpusError
from wsd.logs import log

# Words are spelt similarly if twice their shared letters are at least this share of all letters.
SIMILAR = 0.5
# The most letters of an abbreviation: ft, atm.
SHORT = 3
# A corpus is refused if a smaller share of its focal words, or those of a word with at least LEAST
# different strange ones, are forms of their words.
REFUSED, REFUSED_OF_WORD = 0.1, 0.5
# A larger share of focal words that are not forms causes a warning. For a single word, at least
# LEAST different ones are needed too: wrong positions rarely repeat a word, abbreviations do.
WARNED, LEAST = 0.1, 3
# A larger share of focal words with punctuation at their ends causes a warning.
PUNCTUATION = 0.01
SHOWN = 3
# The manifest key of a corpus whose focal words are accepted without this check.
ANY_FORM = "any_form"


class FormCheck:
    """Counts focal words that are not forms of their words, and reports them."""

    def __init__(self, known: KnownForms = RULES) -> None:
        self._known = known
        self._judged, self._strange = Counter[str](), Counter[str]()
        self._hints, self._n_punctuated = Counter[str](), 0
        # The first place of each strange form of a word, and of each form with punctuation.
        self._examples: dict[str, dict[str, str]] = defaultdict(dict)
        self._punctuated: dict[str, str] = {}

    def add(self, word: str, position: int, tokens: Sequence[str], where: str) -> None:
        """Count the focal word of a sentence; signs (%) and contractions ('s) do not count."""
        focal = tokens[position]
        form = focal[slice(*bare_span(focal, 0, len(focal), word))]
        if form != focal:
            self._n_punctuated += 1
            self._punctuated.setdefault(focal, where)
        is_sign = not any(map(str.isalnum, form)) and not is_punctuation(form)
        if is_sign or form[0] in "'\u2019":
            return
        self._judged[word] += 1
        if not is_form(word, form, self._known):
            self._strange[word] += 1
            self._examples[word].setdefault(focal, where)
            self._hints.update(_hints(word, position, tokens, self._known))

    def report(self, where: str, fix: str) -> None:
        """Warn about focal words that are not forms of their words, or have extra punctuation.

        Parameters
        ----------
        where : str
            The files.
        fix : str
            The advice if the focal words are correct.

        Raises
        ------
        CorpusError
            If hardly any focal word is a form of its word, or less than half of those of one word,
            in English. In other languages, whose forms are not known, this is a warning.
        """
        judged, strange = self._judged.total(), self._strange.total()
        hints = [hint for hint, n in self._hints.items() if 2 * n > strange]
        advice = "; ".join(["correct the places", *hints, fix])
        words = [
            word
            for word, n in self._strange.items()
            if len(self._examples[word]) >= LEAST and n > WARNED * self._judged[word]
        ]
        examples = [
            f"{form!r} for {word!r} ({place})"
            for word in words or self._examples
            for form, place in self._examples[word].items()
        ]
        problem = (
            f"{strange:,} of {judged:,} focal words are not a form of their word, such as "
            f"{', '.join(examples[:SHOWN])}"
        )
        hardly_any = judged - strange < REFUSED * judged or any(
            self._judged[word] - self._strange[word] < REFUSED_OF_WORD * self._judged[word]
            for word in words
        )
        if hardly_any and self._known.language == ENGLISH:
            raise CorpusError(problem, where=where, fix=advice)
        if words or strange > WARNED * judged:
            log.warning("%s: %s: %s", where, problem, advice)
        if (n := self._n_punctuated) >= LEAST and n > PUNCTUATION * judged:
            places = [f"{form!r} ({place})" for form, place in self._punctuated.items()]
            log.warning(
                f"{where}: {n:,} focal words have punctuation at their ends, which the encoder "
                f"reads too, such as {', '.join(places[:SHOWN])}: put a space between a word and "
                "its punctuation, or give start and end"
            )


def _hints(word: str, position: int, tokens: Sequence[str], known: KnownForms) -> Iterable[str]:
    """Yield other readings of a position for which the focal word is a form of its word."""
    length = len(tokens[position].split())
    characters = " ".join(tokens)[position : position + length]
    if length > 1 and is_form(word, characters, known):
        yield "they are right as characters: import with --columns span=COLUMN"
    if position and is_form(word, tokens[position - 1], known):
        yield "they are right counted from 1: count from 0"


@cache
def is_form(word: str, form: str, known: KnownForms = RULES) -> bool:
    """Return whether a text is a form of a word, by the known forms or by its letters.

    >>> is_form("go.v", "went"), is_form("colour", "colors"), is_form("sehen", "gesehen")
    (True, True, True)
    >>> is_form("cell", "divides"), is_form("cell", "has")
    (False, False)
    """
    if known.finder(word).words_of(form):
        return True
    lemma = lemma_and_part(word)[0]
    # For `go_with` and `tip_vb`, the first part alone is enough.
    parts = {_letters(lemma), _letters(re.split(r"[\W_]+", lemma)[0])}
    letters = _letters(form)
    return any(
        SequenceMatcher(None, part, letters, autojunk=False).ratio() >= SIMILAR
        or (len(letters) <= SHORT and part[:1] == letters[:1] and _in_order(letters, part))
        for part in parts
    )


def _in_order(letters: str, word: str) -> bool:
    rest = iter(word)
    return all(letter in rest for letter in letters)


def _letters(text: str) -> str:
    """Return a text in lower case and without accents."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in parts if not unicodedata.category(c).startswith("M"))
