"""The forms of words that are known: English inflection, and a table that the user gives.

The table has the columns ``word`` and ``form``, with a line for each form. Its forms are found in
addition to the word itself, and to the inflected forms of an English word.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from wsd.artifacts.dataset import ENGLISH
from wsd.corpora.importer.labelled_sentence import plain
from wsd.corpora.importer.table_files import read_table
from wsd.corpora.inflection import forms
from wsd.corpora.word_forms import Finder
from wsd.errors import CorpusError, visible

COLUMNS = ("word", "form")


@dataclass(frozen=True, eq=False)
class KnownForms:
    """The known forms of words.

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
    def finder(self, word: str) -> Finder:
        """Return the finder of a word."""
        return self.finder_of([word])

    def finder_of(
        self, words: Iterable[str], seen: Mapping[str, Iterable[str]] | None = None
    ) -> Finder:
        """Return the finder of words, with further forms of each that were seen in sentences."""
        seen = seen or {}
        return Finder(
            words, lambda word: (*self.given.get(word, ()), *seen.get(word, ())), self.language
        )


# The forms by the rules of English alone.
RULES = KnownForms()


def language_code(text: str) -> str:
    """Return the code of a language without country or script, as two letters where we know them.

    >>> language_code("en-GB"), language_code("eng"), language_code("fr_CA"), language_code("zh")
    ('en', 'en', 'fr', 'zh')
    """
    code = re.split("[-_]", text.strip().lower())[0]
    return {"eng": ENGLISH, "english": ENGLISH, "aze": "az", "tur": "tr"}.get(code, code)


def read_forms(path: Path, encoding: str | None = None) -> dict[str, tuple[str, ...]]:
    """Read a table of forms.

    Raises
    ------
    CorpusError
        For a missing column, and for a word or form that is empty, has an invisible character, or
        occurs twice. The error names the file and the line.
    """
    read: dict[str, dict[str, str]] = {}
    fix = "write a word and one of its forms in each line"
    for where, values in read_table(path, COLUMNS, encoding):
        word, form = (plain(values[name]) for name in COLUMNS)
        for name, text in zip(COLUMNS, (word, form), strict=True):
            if not text:
                raise CorpusError(f"the {name} is empty", where=where, fix=fix)
            if visible(text) != text:
                raise CorpusError(f"an invisible character: {text!r}", where=where, fix=fix)
        first = read.setdefault(word, {}).setdefault(form, where)
        if first != where:
            problem = f"the form {form!r} of {word!r} is in {first} too"
            raise CorpusError(problem, where=where, fix="delete one of the two")
    if not read:
        raise CorpusError("the file has no form", where=str(path), fix=fix)
    return {word: tuple(of_word) for word, of_word in read.items()}
