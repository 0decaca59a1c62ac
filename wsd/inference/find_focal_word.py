"""Convert a sentence and its focal word, as a user gives them, into the tokens of a corpus.

A user gives the position of the focal word as characters, ``start`` to ``end``, or by a mark, or
names a word that occurs once. The text is split at white space, and punctuation is split from the
focal word as in :mod:`wsd.corpora.find_word`. The tokenizer cuts the tokens into word pieces.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wsd.artifacts.corpus_table import UNLABELLED, Corpus
from wsd.artifacts.dataset import DATA
from wsd.corpora.find_word import Finder
from wsd.corpora.focal_form_check import is_form
from wsd.corpora.focal_word import FIX_MARK, FIX_SPAN, bare_span, check_span, find_mark
from wsd.corpora.text_format import read_text
from wsd.errors import ConfigError, unknown_choice
from wsd.inference import table_rows

# Characters (start, end) of a text, or the word itself.
Span = tuple[int, int] | str


class Focus(NamedTuple):
    """The tokens of a sentence, and the position of the focal word, from 0."""

    tokens: tuple[str, ...]
    position: int

    @property
    def word(self) -> str:
        """Return the focal word in the form of the text."""
        return self.tokens[self.position]


def cut(sentence: str, span: tuple[int, int], word: str = "") -> Focus:
    """Return the tokens of a sentence whose focal word is ``sentence[start:end]``.

    The span may hold several words (``New York``), which are then one focal word.

    Parameters
    ----------
    sentence : str
    span : (start, end)
        Characters, as in a slice.
    word : str
        The word, if it is known: a form of it may have punctuation at its ends.

    Raises
    ------
    ConfigError
        If the span is not within the sentence, is part of a word, or has white space or punctuation
        at its ends, as :func:`wsd.corpora.focal_word.check_span` decides.

    >>> cut("The crane's driver", (4, 9))
    Focus(tokens=('The', 'crane', "'s", 'driver'), position=1)
    """
    _check_text(sentence)
    start, end = span
    try:
        check_span(sentence, start, end, word)
    except ValueError as error:
        raise _wrong(sentence, str(error), FIX_SPAN) from None
    before, focal = sentence[:start].split(), " ".join(sentence[start:end].split())
    return Focus((*before, focal, *sentence[end:].split()), len(before))


def find(sentence: str, word: str, occurrence: int | None = None) -> Focus:
    """Return the tokens of a sentence whose focal word is marked, or is a form of ``word``.

    Parameters
    ----------
    sentence : str
        The focal word may be marked, ``[[crane]]`` or ``*crane*``.
    word : str
    occurrence : int, optional
        The number of the occurrence, from 1; needed if there are several and none is marked.

    Raises
    ------
    ConfigError
        If the word does not occur, if it occurs several times without a mark or ``occurrence``, or
        if a mark is malformed.

    >>> find("The cranes left.", "crane").word
    'cranes'
    >>> find("A crane by a [[crane]].", "crane")
    Focus(tokens=('A', 'crane', 'by', 'a', 'crane', '.'), position=4)
    """
    _check_text(sentence)
    finder = Finder([word] if word.strip() else [])
    try:
        if mark := find_mark(sentence, finder.words_of):
            if occurrence is not None:
                raise ValueError("the word is marked, and an occurrence is named too")
            check_span(mark.text, mark.start, mark.end, word)
            if not is_form(word, focal := mark.text[mark.start : mark.end]):
                raise ValueError(f"{focal!r} is marked, which is not a form of {word!r}")
            return cut(mark.text, (mark.start, mark.end), word)
    except ValueError as error:
        raise _wrong(sentence, str(error), FIX_MARK) from None
    occurrences = finder.find(sentence)
    n = len(occurrences)
    if not occurrences:
        fix = "name one of its words, a verb as serve.v: served is found then"
        raise _wrong(sentence, f"no form of {word!r} in the sentence", fix)
    if occurrence is None and n > 1:
        places = [f"{i} at character {at.start}" for i, at in enumerate(occurrences, start=1)]
        problem = f"{word!r} occurs in the sentence {n} times: {', '.join(places)}"
        raise _wrong(sentence, problem, f"name one of them: occurrence 1 to {n}")
    if occurrence is not None and not 1 <= occurrence <= n:
        problem = f"there is no occurrence {occurrence} of {word!r}"
        raise _wrong(sentence, problem, f"give 1 to {n}")
    at = occurrences[(occurrence or 1) - 1]
    return Focus(at.tokens, at.position)


def _wrong(sentence: str, problem: str, fix: str | None = None) -> ConfigError:
    return ConfigError(problem, where=repr(sentence), fix=fix)


def read_instances(X: Iterable[Any]) -> list[Focus]:
    """Read instances: pairs of a sentence and its focal word, or the rows of a table.

    Parameters
    ----------
    X : iterable of (sentence, span), or a table
        A span is ``(start, end)`` or the word itself. Tables are read by
        :func:`wsd.inference.table_rows.rows`.

    Raises
    ------
    ConfigError
        For the first instance that is no such pair, or does not contain its focal word.
    """
    return [_instance(row, i) for i, row in enumerate(table_rows.rows(X))]


def _instance(row: Any, i: int) -> Focus:
    try:
        if isinstance(row, table_rows.Row):
            return _of_table(*row)
        sentence, span = row
        if not isinstance(sentence, str):
            raise TypeError
        if isinstance(span, str):
            return find(sentence, span)
        start, end = map(_whole, span)
        return cut(sentence, (start, end))
    except ConfigError as error:
        problem = f"instance {i}: {error.problem}"
        raise ConfigError(problem, where=error.where, fix=error.fix) from None
    except (OverflowError, TypeError, ValueError):
        problem = f"instance {i} is not a sentence with a span: {row!r:.80}"
        fix = 'give pairs such as ("a crane flew", (2, 7)) or ("a crane flew", "crane")'
        raise ConfigError(problem, fix=fix) from None


def _of_table(sentence: str, span: tuple[int, int] | None, word: str) -> Focus:
    return cut(sentence, span, word) if span else find(sentence, word)


def _whole(edge: Any) -> int:
    # A table with missing values has 2.0 for 2.
    if int(edge) != float(edge):
        raise ValueError(edge)
    return int(edge)


def as_corpus(
    sentences: Sequence[Focus], *, word: str = "instance", index: Sequence[int] | None = None
) -> Corpus:
    """Return instances of any words as a corpus without gold senses.

    Parameters
    ----------
    sentences : sequence of Focus
    word : str
        The name of an instance in messages.
    index : sequence of int, optional
        Their numbers; by default from 0.
    """
    return Corpus(
        word=word,
        senses=UNLABELLED,
        split=np.array(["new"] * len(sentences)),
        index=np.array(range(len(sentences)) if index is None else index, dtype=np.int64),
        tokens=tuple(sentence.tokens for sentence in sentences),
        position=np.array([sentence.position for sentence in sentences], dtype=np.int32),
        gold=np.zeros(len(sentences), dtype=np.int32),
    )


def labelled(corpus: Corpus, split: str = "train") -> tuple[list[tuple[str, Span]], np.ndarray]:
    """Return a split of a corpus in the form that scikit-learn expects.

    Parameters
    ----------
    corpus : Corpus
    split : str

    Returns
    -------
    X : list of (sentence, (start, end))
    y : array of str of shape (len(X),)
        The senses.

    Raises
    ------
    ConfigError
        If the corpus has no such split.
    """
    rows = np.flatnonzero(corpus.split == split)
    if not len(rows):
        splits = dict.fromkeys(corpus.split.tolist())
        raise unknown_choice(f"{corpus.word!r} has no split {split!r}", splits)
    return [located(corpus, row) for row in rows.tolist()], np.array(corpus.senses)[
        corpus.gold[rows]
    ]


def located(corpus: Corpus, row: int) -> tuple[str, Span]:
    """Return the text of an instance, and the characters (start, end) of its focal word.

    The span leaves out punctuation: `Mr` of `Mr.`.
    """
    tokens, position = corpus.tokens[row], int(corpus.position[row])
    start, text = sum(len(token) + 1 for token in tokens[:position]), " ".join(tokens)
    return text, bare_span(text, start, start + len(tokens[position]))


def quickstart(word: str) -> Corpus:
    """Return a word of the built-in corpus, such as apple, bank, charge, crane or light.

    Raises
    ------
    ConfigError
        For another word.
    """
    words = sorted(path.parent.name for path in Path(DATA / "quickstart").glob("*/classes_map.txt"))
    if word not in words:
        raise unknown_choice(f"the built-in corpus has no word {word!r}", words)
    return read_text(DATA / "quickstart" / word, word)


def is_whole(text: str) -> bool:
    """Return whether a text has no lone surrogates, which later steps could not encode.

    They come from JSON, or from an argument that is not UTF-8.
    """
    return text.encode(errors="replace").decode() == text


def _check_text(sentence: str) -> None:
    if not is_whole(sentence):
        fix = "type the text again"
        raise ConfigError("half a character in the text", where=ascii(sentence), fix=fix)
