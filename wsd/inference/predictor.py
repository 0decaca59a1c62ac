"""Senses of words in new text, by a fitted configuration and the encoder it belongs to.

A sentence goes the way of the corpus's: the encoder's own alignment, pooling and hidden states, the
views and layer choices of :mod:`wsd.artifacts.feature_set`, the estimator of the evaluation. Lines
are taken in as they come, some hundreds at a time, so that memory does not grow with the text.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.corpora.focal_form_check import is_form
from wsd.errors import ModelError
from wsd.fitted.word_classifier import FittedWord, VectorAnswers
from wsd.inference.feature_vectors import feature_vectors
from wsd.inference.focal_word_input import Focus, as_corpus
from wsd.inference.input_output import OK, UNREADABLE, Answer, Line, Neighbour
from wsd.inference.requests import Asked, Asking, Words

if TYPE_CHECKING:
    from wsd.encoder.encoder import Encoder

_T = TypeVar("_T")


CHUNK = 512  # lines that are encoded together
CHARACTERS = 2**20  # at most, with the line that goes beyond
TOKENS = 2**18  # of sentences that are encoded together, counted anew for every occurrence


class Predictor:
    """Words that were fitted, and the encoder that makes their vectors.

    Parameters
    ----------
    words : Words
    encoder : Encoder
        Of :func:`wsd.inference.encoders.fitted_encoder`.
    threads : int
    """

    def __init__(self, words: Words, encoder: "Encoder", *, threads: int = 1) -> None:
        self.words, self.encoder, self.threads = words, encoder, threads
        self._asking = Asking(words)
        self._word, self._sentences = cache(words.word), cache(words.sentences)

    def predict(
        self, lines: Iterable[Line], *, neighbours: bool = True, together: int | None = None
    ) -> Iterator[Answer]:
        """Answer line by line, in their order; every line gets at least one answer.

        Parameters
        ----------
        lines : iterable of Line
        neighbours : bool
            Whether the answers hold the nearest training instances.
        together : int, optional
            How many lines are taken in before they are answered; by default ``CHUNK``.
        """
        for chunk in _parts(lines, lambda line: len(line.text), CHARACTERS, together or CHUNK):
            found = [one for line in chunk for one in self._asking.find(line)]
            asked = [one for one in found if isinstance(one, Asked)]
            # Each of many occurrences in a long line has all of its tokens.
            parts = _parts(asked, lambda one: len(one.at.tokens), TOKENS, len(asked))
            answers = iter([answer for part in parts for answer in self._answer(part, neighbours)])
            for one in found:
                yield next(answers) if isinstance(one, Asked) else one

    def _answer(self, asked: Sequence[Asked], neighbours: bool) -> list[Answer]:
        """Answers for occurrences, in their order."""
        found = self._align(asked)
        kept = [one for one in found if isinstance(one, Asked)]
        answered = iter(self._classify(kept, neighbours) if kept else [])
        return [next(answered) if isinstance(one, Asked) else one for one in found]

    def _align(self, asked: Sequence[Asked]) -> list[Asked | Answer]:
        """Occurrences with their word pieces; of one that has none, an answer that says why."""
        try:
            aligned = self.encoder.align(_table(asked))
            return [replace(one, aligned=of) for one, of in zip(asked, aligned, strict=True)]
        except ModelError as error:
            if len(asked) == 1:
                return [asked[0].answer(UNREADABLE, message=error.what)]
            return [found for one in asked for found in self._align([one])]

    def _classify(self, asked: Sequence[Asked], neighbours: bool) -> list[Answer]:
        """Aligned occurrences are encoded together, then answered word by word."""
        aligned = [one.aligned for one in asked if one.aligned]
        vectors = feature_vectors(
            self.encoder, _table(asked), aligned, self.words.features, threads=self.threads
        )
        answers: dict[int, Answer] = {}
        for word in dict.fromkeys(one.word for one in asked):
            places = [i for i, one in enumerate(asked) if one.word == word]
            of_word = [asked[i] for i in places]
            said = self._of_word(self._word(word), of_word, vectors[places], neighbours)
            answers.update(zip(places, said, strict=True))
        return [answers[i] for i in range(len(asked))]

    def _of_word(
        self, word: FittedWord, asked: Sequence[Asked], vectors: np.ndarray, neighbours: bool
    ) -> Iterator[Answer]:
        if vectors.shape[1] != word.train.shape[1]:
            raise ModelError("the features are not those that the classifier was fitted on")
        said = word.answer(vectors)
        called = dict(zip(word.senses, word.called, strict=True))
        for i, one in enumerate(asked):
            predicted = said.predicted[i]
            ood = None if word.threshold is None else bool(word.is_ood(said.distance[i]))
            # A form that was not looked for, but pointed at, may be any.
            pointed = not one.at.words and one.at.form.casefold() not in self.words.forms(one.word)
            notes = {
                f"{one.at.form!r} is not a form of {one.word}": pointed
                and not is_form(one.word, one.at.form),
                "uncertain: far from every training sentence": ood,
                "a long line: its ends were not read": one.aligned and one.aligned.windowed,
            }
            yield one.answer(
                OK,
                sense=word.senses[predicted],
                sense_name=word.called[predicted].name,
                called=called,
                probability=_number(said.probabilities[i, predicted]),
                scores=_by_sense(word, said.scores[i]),
                probabilities=_by_sense(word, said.probabilities[i]),
                distance=_number(said.distance[i]),
                ood=ood,
                message="; ".join(note for note, applies in notes.items() if applies),
                neighbours=tuple(self._near(word, said, i)) if neighbours else (),
            )

    def _near(self, word: FittedWord, said: VectorAnswers, i: int) -> Iterator[Neighbour]:
        sentences = self._sentences(word.word)
        for k, similarity in zip(said.neighbours[i], said.similarity[i], strict=True):
            if k >= 0:
                sentence = sentences[k] if sentences else None
                line, sense = int(word.lines[k]), word.senses[word.gold[k]]
                yield Neighbour(line, sense, float(similarity), sentence)


def _parts(
    of: Iterable[_T], size: Callable[[_T], int], most: int, number: int
) -> Iterator[list[_T]]:
    """So many together, or fewer if they are large: the one that exceeds ``most`` ends a part."""
    part: list[_T] = []
    total = 0
    for one in of:
        part.append(one)
        total += size(one)
        if len(part) == number or total > most:
            yield part
            part, total = [], 0
    if part:
        yield part


def _by_sense(word: FittedWord, values: np.ndarray) -> dict[str, float | None]:
    return {sense: _number(value) for sense, value in zip(word.senses, values, strict=True)}


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _table(asked: Sequence[Asked]) -> Corpus:
    found = [Focus(one.at.tokens, one.at.position) for one in asked]
    return as_corpus(found, word="line", index=[one.line.number for one in asked])
