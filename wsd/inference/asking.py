"""What a line asks for: the occurrences that are to be answered, or why there are none."""

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from wsd.corpora.importer.focal_word import split_at_mark
from wsd.corpora.word_forms import Finder, Occurrence
from wsd.corpora.word_names import named
from wsd.errors import ConfigError
from wsd.fitted.refit import Fitting
from wsd.fitted.wsd_file import WsdFile
from wsd.inference.focus import cut, is_whole
from wsd.inference.lines import AMBIGUOUS, NOT_FOUND, UNREADABLE, Answer, Line

if TYPE_CHECKING:
    from wsd.encoder.word_pieces import Aligned

# Fitted words of one configuration: of a model file, or of the results themselves.
Words = Fitting | WsdFile


@dataclass(frozen=True)
class Asked:
    """An occurrence that is to be answered; in the line, marks and all, it begins at ``start``."""

    line: Line
    word: str
    at: Occurrence
    start: int
    aligned: "Aligned | None" = None

    def answer(self, status: str, **said: Any) -> Answer:
        """An answer about it."""
        return Answer(self.line, status, self.word, self.at.form, self.start, **said)


class Asking:
    """Finds what lines ask for.

    Parameters
    ----------
    words : Words
    """

    def __init__(self, words: Words) -> None:
        self._words = words.words
        self._finder = cache(lambda word: Finder([word] if word else self._words, words.forms))

    def find(self, line: Line) -> list[Asked | Answer]:
        """The occurrences that a line asks for, or an answer that says why there are none."""
        if line.wrong is not None:
            return [Answer(line, UNREADABLE, message=line.wrong)]
        if not is_whole(line.text):
            empty = replace(line, text="")
            return [Answer(empty, UNREADABLE, message="half a character in the text")]
        meant = [None] if line.word is None else named(line.word, self._words)
        if len(meant) != 1:
            several = f"{line.word!r} may be {' or '.join(map(str, meant))}"
            none = f"no word {line.word!r} here: there are {', '.join(self._words)}"
            return [Answer(line, UNREADABLE, message=several if meant else none)]
        (word,) = meant
        if line.span is not None:
            return [self._of_span(line, word, line.span)]
        if found := self._of_mark(line, word):
            return [found]
        there = self._finder(word).find(line.text)
        nothing = f"no form of {word or 'any of the words'} here"
        return [self._one(line, at.words, at, at.start) for at in there] or [
            Answer(line, NOT_FOUND, word, message=nothing)
        ]

    def _of_span(self, line: Line, word: str | None, span: tuple[int, int]) -> Asked | Answer:
        try:
            cut(line.text, span)
        except ConfigError as error:
            message = ": ".join(filter(None, (error.what, error.fix)))
            return Answer(line, UNREADABLE, word, message=message)
        at = Occurrence((), line.text, *span)
        return self._one(line, self._meant(word, at.form), at, at.start)

    def _of_mark(self, line: Line, word: str | None) -> Asked | Answer | None:
        """The marked word, if one is; between asterisks, which emphasize too, only a form is."""
        try:
            before, focal, after = split_at_mark(line.text)
        except ValueError:
            return None
        in_brackets = "[[" in line.text
        if not focal.strip() or not (in_brackets or self._finder(word).words_of(focal)):
            return None
        at = Occurrence((), before + focal + after, len(before), len(before) + len(focal))
        start = len(before) + (2 if in_brackets else 1)
        return self._one(line, self._meant(word, focal), at, start)

    def _meant(self, word: str | None, form: str) -> tuple[str, ...]:
        """The words that a form in a given place can be of."""
        if word is not None:
            return (word,)
        if len(self._words) == 1:
            return tuple(self._words)
        return self._finder(None).words_of(form.strip())

    def _one(
        self, line: Line, words: tuple[str, ...], at: Occurrence, start: int
    ) -> Asked | Answer:
        if len(words) == 1:
            return Asked(line, words[0], at, start)
        fix = "say which word is meant"
        if words:
            message = f"{at.form!r} is a form of {' and of '.join(words)}: {fix}"
            return Answer(line, AMBIGUOUS, form=at.form, start=start, message=message)
        message = f"{at.form!r} is a form of none of the words: {fix}"
        return Answer(line, NOT_FOUND, form=at.form, start=start, message=message)
