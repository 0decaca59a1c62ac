"""Find the occurrences that a line of input asks about, or the reason why there are none."""

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from wsd.corpora.find_word import Finder, Occurrence
from wsd.corpora.focal_word import FIX_MARK, FIX_SPAN, check_span, find_mark
from wsd.corpora.word_forms import matching_words
from wsd.fitted.train_selected import Fitting
from wsd.fitted.wsd_file import WsdFile
from wsd.inference.dictionary import Dictionary
from wsd.inference.find_focal_word import is_whole
from wsd.inference.input_output import AMBIGUOUS, NOT_FOUND, UNREADABLE, Answer, Line

if TYPE_CHECKING:
    from wsd.encoder.aligned import Aligned

# The fitted words of one configuration: from a model file, the results, or a dictionary.
Words = Fitting | WsdFile | Dictionary


@dataclass(frozen=True)
class Request:
    """An occurrence to answer; ``start`` is its position in the line, marks included."""

    line: Line
    word: str
    at: Occurrence
    start: int
    aligned: "Aligned | None" = None

    def answer(self, status: str, **details: Any) -> Answer:
        """Return an answer about this occurrence."""
        return Answer(self.line, status, self.word, self.at.form, self.start, **details)


class RequestFinder:
    """Finds the occurrences that lines ask about.

    Parameters
    ----------
    words : Words
    """

    def __init__(self, words: Words) -> None:
        self._words = words.words
        self._finder = cache(
            lambda word: Finder([word] if word else self._words, words.forms, words.language)
        )

    def find(self, line: Line) -> list[Request | Answer]:
        """Return the occurrences that a line asks about, or an answer with the reason for none."""
        if line.wrong is not None:
            return [Answer(line, UNREADABLE, message=line.wrong)]
        if not is_whole(line.text):
            empty = replace(line, text="")
            return [Answer(empty, UNREADABLE, message="half a character in the text")]
        words = [None] if line.word is None else matching_words(line.word, self._words)
        if len(words) != 1:
            several = f"{line.word!r} may be {' or '.join(map(str, words))}"
            unknown = f"no word {line.word!r} here: there are {', '.join(self._words)}"
            return [Answer(line, UNREADABLE, message=several if words else unknown)]
        (word,) = words
        try:
            if request := self._in_place(line, word):
                return [request]
        except ValueError as error:
            fix = FIX_MARK if line.span is None else FIX_SPAN
            return [Answer(line, UNREADABLE, word, message=f"{error}: {fix}")]
        occurrences = self._finder(word).find(line.text)
        nothing = f"no form of {word or 'any of the words'} here"
        return [self._request(line, at.words, at, at.start) for at in occurrences] or [
            Answer(line, NOT_FOUND, word, message=nothing)
        ]

    def _in_place(self, line: Line, word: str | None) -> Request | Answer | None:
        """Return the occurrence that the line locates by characters or by a mark, if it does.

        Raises
        ------
        ValueError
            If no word is at this place.
        """
        finder = self._finder(word)
        if line.span is not None:
            (start, end), text, at = line.span, line.text, line.span[0]
        elif mark := find_mark(line.text, finder.words_of):
            text, start, end, at = mark
        else:
            return None
        focal = text[start:end]
        # A form from the corpus may have punctuation at its ends.
        check_span(text, start, end, focal if finder.words_of(focal) else word or "")
        words = (word,) if word is not None else self._words
        if len(words) > 1:
            words = finder.words_of(focal.strip())
        return self._request(line, words, Occurrence((), text, start, end), at)

    def _request(
        self, line: Line, words: tuple[str, ...], at: Occurrence, start: int
    ) -> Request | Answer:
        if len(words) == 1:
            return Request(line, words[0], at, start)
        status = AMBIGUOUS if words else NOT_FOUND
        candidates = " and of ".join(words) or "none of the words"
        message = f"{at.form!r} is a form of {candidates}: say which word is meant"
        return Answer(line, status, form=at.form, start=start, message=message)
