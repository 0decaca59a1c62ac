"""Cut the words of a text into pieces, and find the words of a sentence that fit a limit.

The tokenizer gets the words one by one, each with the space before it if that is part of the word
(RoBERTa, GPT-2). So the pieces are the same as in running text, and the word of each is known.
Words that touch each other, as a quotation mark of a template touches the sentence, are cut
together. Then the characters of a piece say whose it is.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from wsd.artifacts.input_template import NONE, InputWord


class Pieces(NamedTuple):
    """The pieces of a word: their numbers in the vocabulary, and their spelling."""

    ids: list[int]
    spelled: tuple[str, ...]


class Cutter:
    """Cuts texts, and remembers the pieces of their words.

    Parameters
    ----------
    backend : tokenizers.Tokenizer
    spaced : bool
        Whether the space before a word is part of the word.
    mask : int, optional
        The number of the mask token, which replaces the focal word.
    """

    def __init__(self, backend: Any, spaced: bool, mask: int | None = None) -> None:
        self._backend, self._spaced, self._mask = backend, spaced, mask
        # By the words of a group without spaces, the pieces of each.
        self._known: dict[tuple[str, ...], list[Pieces]] = {}

    def cut(self, texts: Sequence[Sequence[InputWord]]) -> list[list[Pieces]]:
        """Return the pieces of each word of each text, without a mask."""
        groups_of = [_touching(words, self._spaced) for words in texts]
        groups = dict.fromkeys(group for groups in groups_of for group in groups)
        new = [group for group in groups if group not in self._known]
        encodings = self._backend.encode_batch(
            [["".join(group)] for group in new], is_pretokenized=True, add_special_tokens=False
        )
        for group, encoding in zip(new, encodings, strict=True):
            self._known[group] = _shared(group, encoding)
        return [
            [pieces for group in groups for pieces in self._known[group]] for groups in groups_of
        ]

    def fit(
        self,
        words: Sequence[InputWord],
        cut: Sequence[Pieces],
        position: int,
        room: int | None,
    ) -> tuple[Sequence[InputWord], list[list[int]]] | None:
        """Return the words that fit, and the numbers of their pieces; a mask is one piece.

        Every copy of the sentence loses the same words. It is None if the template and the focal
        word alone do not fit.

        Parameters
        ----------
        words, cut
            A text, and its pieces from :meth:`cut`.
        position : int
            The number of the focal word in the sentence.
        room : int or None
            The most pieces; None if there is no limit.
        """
        ids = self._masked(words, cut, position)
        if room is None or sum(map(len, ids)) <= room:
            return words, ids
        lengths = [0] * (1 + max(word.place for word in words))
        template = 0
        for word, pieces in zip(words, ids, strict=True):
            if word.place == NONE:
                template += len(pieces)
            else:
                lengths[word.place] += len(pieces)
        left = room - template
        while kept := words_that_fit(lengths, position, left):
            fitting = [word for word in words if word.place == NONE or word.place in kept]
            (cut,) = self.cut([fitting])
            ids = self._masked(fitting, cut, position)
            excess = sum(map(len, ids)) - room
            if excess <= 0:
                return fitting, ids
            left -= excess  # text of the template may have more pieces next to other words
        return None

    def _masked(
        self, words: Sequence[InputWord], cut: Sequence[Pieces], position: int
    ) -> list[list[int]]:
        if self._mask is None:
            return [pieces.ids for pieces in cut]
        return [
            [self._mask] if word.place == position else pieces.ids
            for word, pieces in zip(words, cut, strict=True)
        ]


def _touching(words: Sequence[InputWord], spaced: bool) -> list[tuple[str, ...]]:
    """Return the groups of words without a space between them."""
    groups: list[tuple[str, ...]] = []
    for word in words:
        if word.before or not groups:
            groups.append((word.before * spaced + word.text,))
        else:
            groups[-1] = (*groups[-1], word.text)
    return groups


def _shared(group: Sequence[str], encoding: Any) -> list[Pieces]:
    """Return the pieces of each word of a group: those whose first letter is in the word."""
    if len(group) == 1:
        return [Pieces(encoding.ids, tuple(encoding.tokens))]
    text, ends = "".join(group), list(accumulate(map(len, group)))
    words: list[list[int]] = [[] for _ in group]
    for i, (start, end) in enumerate(encoding.offsets):
        # A piece that is only the space before a word belongs to the word.
        while start < end and text[start].isspace():
            start += 1
        words[min(bisect_right(ends, start), len(ends) - 1)].append(i)
    return [
        Pieces([encoding.ids[i] for i in of_word], tuple(encoding.tokens[i] for i in of_word))
        for of_word in words
    ]


def words_that_fit(lengths: Sequence[int], position: int, room: int) -> range:
    """Return the words around the focal word that fit, in turn from both sides.

    Parameters
    ----------
    lengths : sequence of int
        The number of pieces of each word of the sentence.
    position : int
        The number of the focal word.
    room : int
        The most pieces.

    Returns
    -------
    range
        It is empty if not even the focal word fits.
    """
    if sum(lengths) <= room:
        return range(len(lengths))
    room -= lengths[position]
    if room < 0:
        return range(0)
    first, last, words = position, position, 0
    while words < last + 1 - first:
        words = last + 1 - first
        if first > 0 and lengths[first - 1] <= room:
            first -= 1
            room -= lengths[first]
        if last < len(lengths) - 1 and lengths[last + 1] <= room:
            last += 1
            room -= lengths[last]
    return range(first, last + 1)
