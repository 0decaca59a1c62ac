"""What a line asks for: the occurrences that are to be answered, or why there are none."""

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from wsd.corpora.importer.focal_word import FIX_MARK, FIX_SPAN, check_span, find_mark
from wsd.corpora.word_forms import Finder, Occurrence
from wsd.corpora.word_names import named
from wsd.fitted.train_selected import Fitting
from wsd.fitted.wsd_file import WsdFile
from wsd.inference.focal_word_input import is_whole
from wsd.inference.input_output import AMBIGUOUS, NOT_FOUND, UNREADABLE, Answer, Line

if TYPE_CHECKING:
    from wsd.encoder.focal_pieces import Aligned

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
        try:
            if found := self._in_place(line, word):
                return [found]
        except ValueError as error:
            fix = FIX_MARK if line.span is None else FIX_SPAN
            return [Answer(line, UNREADABLE, word, message=f"{error}: {fix}")]
        there = self._finder(word).find(line.text)
        nothing = f"no form of {word or 'any of the words'} here"
        return [self._one(line, at.words, at, at.start) for at in there] or [
            Answer(line, NOT_FOUND, word, message=nothing)
        ]

    def _in_place(self, line: Line, word: str | None) -> Asked | Answer | None:
        """The occurrence whose place the line tells, by its characters or by a mark.

        Raises
        ------
        ValueError
            If it tells a place that cannot be.
        """
        finder = self._finder(word)
        if line.span is not None:
            (start, end), text, at = line.span, line.text, line.span[0]
        elif mark := find_mark(line.text, finder.words_of):
            text, start, end, at = mark
        else:
            return None
        focal = text[start:end]
        # What the corpus has as a form of the word is spelt so.
        check_span(text, start, end, focal if finder.words_of(focal) else word or "")
        return self._one(line, self._meant(word, focal), Occurrence((), text, start, end), at)

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
