"""A sentence and its focal word, as a user has them, brought to the tokens of a corpus.

A user names the focal word by its place in the text, characters ``start`` to ``end``, by a mark, or
by the word alone where it stands there once. The text is cut at white space, and the focal word
freed of what sticks to it, as :mod:`wsd.corpora.word_forms` does; the tokenizer does the rest.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wsd.artifacts.corpus_table import UNLABELLED, Corpus
from wsd.artifacts.dataset import DATA
from wsd.corpora.focal_form_check import is_form
from wsd.corpora.importer.focal_word import FIX_MARK, FIX_SPAN, bare_span, check_span, find_mark
from wsd.corpora.text_format import read_text
from wsd.corpora.word_forms import Finder
from wsd.errors import ConfigError, unknown_choice

# The characters (start, end) of a text, or the word itself.
Span = tuple[int, int] | str


class Focus(NamedTuple):
    """The tokens of a sentence, and which of them is the focal word, from 0."""

    tokens: tuple[str, ...]
    position: int

    @property
    def word(self) -> str:
        """The focal word as it stands in the text."""
        return self.tokens[self.position]


def cut(sentence: str, span: tuple[int, int], word: str = "") -> Focus:
    """Return the tokens of a sentence whose focal word is ``sentence[start:end]``.

    The span may hold several words (``New York``): they are one focal word then.

    Parameters
    ----------
    sentence : str
    span : (start, end)
        Characters, as in a slice.
    word : str
        Whose form it is, if that is known: it may be spelt with punctuation at its ends.

    Raises
    ------
    ConfigError
        As :func:`wsd.corpora.importer.focal_word.check_span`: if the span is not within the
        sentence, is part of a word, or has white space or punctuation at its ends.

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
        Which one is meant, from 1; needed where there are several and none is marked.

    Raises
    ------
    ConfigError
        If the word is not there, if it is there more than once and neither a mark nor
        ``occurrence`` says which, or if a mark cannot be read.

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
    found = finder.find(sentence)
    if not found:
        fix = "name one of its words, a verb as serve.v: served is found then"
        raise _wrong(sentence, f"no form of {word!r} in the sentence", fix)
    if occurrence is None and len(found) > 1:
        places = [f"{i} at character {one.start}" for i, one in enumerate(found, start=1)]
        what = f"{word!r} stands in the sentence {len(found)} times: {', '.join(places)}"
        raise _wrong(sentence, what, f"say which one is meant: occurrence 1 to {len(found)}")
    if occurrence is not None and not 1 <= occurrence <= len(found):
        there = f"there is no occurrence {occurrence} of {word!r}"
        raise _wrong(sentence, there, f"give 1 to {len(found)}")
    one = found[(occurrence or 1) - 1]
    return Focus(one.tokens, one.position)


def _wrong(sentence: str, what: str, fix: str | None = None) -> ConfigError:
    return ConfigError(what, where=repr(sentence), fix=fix)


def read_instances(X: Iterable[Any]) -> list[Focus]:
    """Instances as a user has them: pairs of a sentence and its focal word.

    Parameters
    ----------
    X : iterable of (sentence, span)
        A span is ``(start, end)`` or the word itself; a table of two columns will do.

    Raises
    ------
    ConfigError
        Naming the first instance that is no such pair, or whose focal word is not there.
    """
    rows = X.itertuples(index=False, name=None) if hasattr(X, "itertuples") else X
    return [_one(row, i) for i, row in enumerate(rows)]


def _one(row: Any, i: int) -> Focus:
    try:
        sentence, span = row
        if not isinstance(sentence, str):
            raise TypeError
        if isinstance(span, str):
            return find(sentence, span)
        start, end = map(_whole, span)
        return cut(sentence, (start, end))
    except ConfigError as error:
        raise ConfigError(f"instance {i}: {error.what}", where=error.where, fix=error.fix) from None
    except (OverflowError, TypeError, ValueError):
        what = f"instance {i} is no sentence with a span: {row!r:.80}"
        fix = 'give pairs such as ("a crane flew", (2, 7)) or ("a crane flew", "crane")'
        raise ConfigError(what, fix=fix) from None


def _whole(edge: Any) -> int:
    # Numbers of a table with gaps are 2.0.
    if int(edge) != float(edge):
        raise ValueError(edge)
    return int(edge)


def as_corpus(
    found: Sequence[Focus], *, word: str = "instance", index: Sequence[int] | None = None
) -> Corpus:
    """Instances as the encoder takes them; words may differ, there is no gold.

    Parameters
    ----------
    found : sequence of Focus
    word : str
        What one of them is called in messages.
    index : sequence of int, optional
        Their numbers; by default from 0.
    """
    return Corpus(
        word=word,
        senses=UNLABELLED,
        split=np.array(["new"] * len(found)),
        index=np.array(range(len(found)) if index is None else index, dtype=np.int64),
        tokens=tuple(one.tokens for one in found),
        position=np.array([one.position for one in found], dtype=np.int32),
        gold=np.zeros(len(found), dtype=np.int32),
    )


def labelled(corpus: Corpus, split: str = "train") -> tuple[list[tuple[str, Span]], np.ndarray]:
    """A split of a corpus as scikit-learn takes it.

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
        there = dict.fromkeys(corpus.split.tolist())
        raise unknown_choice(f"{corpus.word!r} has no split {split!r}", there)
    instances: list[tuple[str, Span]] = []
    for row in rows:
        tokens, position = corpus.tokens[row], int(corpus.position[row])
        start, text = sum(len(token) + 1 for token in tokens[:position]), " ".join(tokens)
        # Of a token such as `Mr.` only what any reader takes for the word.
        instances.append((text, bare_span(text, start, start + len(tokens[position]))))
    return instances, np.array(corpus.senses)[corpus.gold[rows]]


def quickstart(word: str) -> Corpus:
    """A word of the built-in corpus, such as apple, bank, charge, crane or light.

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
    """Whether a text has no half characters, which nothing after this can take.

    They come from JSON, or an argument that is not UTF-8.
    """
    return text.encode(errors="replace").decode() == text


def _check_text(sentence: str) -> None:
    if not is_whole(sentence):
        raise ConfigError(
            "half a character in the text", where=ascii(sentence), fix="write it anew"
        )
