"""Predict senses in new text with a fitted configuration and its encoder.

New text is processed like the corpus: by the encoder's alignment, pooling and hidden states, the
views and layer choices of :mod:`wsd.artifacts.feature_set`, and the estimator of the evaluation.
Some hundred lines are read at a time, so that memory does not grow with the text.
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
from wsd.inference.find_focal_word import Focus, as_corpus
from wsd.inference.input_output import OK, UNREADABLE, Answer, Line, Neighbour
from wsd.inference.read_requests import Request, RequestFinder, Words

if TYPE_CHECKING:
    from wsd.encoder.encoder import Encoder

_T = TypeVar("_T")
CHUNK = 512  # lines that are encoded together
CHARACTERS = 2**20  # a chunk ends with the line that exceeds this
TOKENS = 2**18  # the same for the tokens of sentences; a sentence counts once per occurrence


class Predictor:
    """Fitted words and the encoder that makes their vectors.

    Parameters
    ----------
    words : Words
    encoder : Encoder
        As from :func:`wsd.inference.encoders.fitted_encoder`.
    threads : int
    """

    def __init__(self, words: Words, encoder: "Encoder", *, threads: int = 1) -> None:
        self.words, self.encoder, self.threads = words, encoder, threads
        self._finder = RequestFinder(words)
        self._word, self._sentences = cache(words.word), cache(words.sentences)

    def predict(
        self, lines: Iterable[Line], *, neighbours: bool = True, together: int | None = None
    ) -> Iterator[Answer]:
        """Yield the answers to lines, in order; every line has at least one answer.

        Parameters
        ----------
        lines : iterable of Line
        neighbours : bool
            Whether the answers hold the nearest training instances.
        together : int, optional
            How many lines are read before they are answered; by default ``CHUNK``.
        """
        for chunk in _parts(lines, lambda line: len(line.text), CHARACTERS, together or CHUNK):
            items = [item for line in chunk for item in self._finder.find(line)]
            yield from _fill(items, lambda requests: self._answer(requests, neighbours))

    def find(self, lines: Iterable[Line]) -> list[Request]:
        """Return the occurrences in lines that can be answered, with their word pieces.

        Parameters
        ----------
        lines : iterable of Line
        """
        items = [item for line in lines for item in self._finder.find(line)]
        aligned = self._align([item for item in items if isinstance(item, Request)])
        return [item for item in aligned if isinstance(item, Request)]

    def _answer(self, requests: Sequence[Request], neighbours: bool) -> Iterator[Answer]:
        """Yield the answers, in parts: each of many occurrences in a line has all of its tokens."""
        for part in _parts(requests, lambda r: len(r.at.tokens), TOKENS, len(requests)):
            yield from _fill(self._align(part), lambda items: self._classify(items, neighbours))

    def _align(self, requests: Sequence[Request]) -> list[Request | Answer]:
        """Return requests with their word pieces, or an answer that says why there are none."""
        try:
            pieces = self.encoder.align(table_of(requests))
        except ModelError as error:
            if len(requests) == 1:
                return [requests[0].answer(UNREADABLE, message=error.problem)]
            return [item for request in requests for item in self._align([request])]
        pairs = zip(requests, pieces, strict=True)
        return [replace(request, aligned=aligned) for request, aligned in pairs]

    def _classify(self, requests: Sequence[Request], neighbours: bool) -> list[Answer]:
        """Encode aligned requests together, then answer them word by word."""
        aligned = [request.aligned for request in requests if request.aligned]
        vectors = feature_vectors(
            self.encoder, table_of(requests), aligned, self.words.features, threads=self.threads
        )
        answers: dict[int, Answer] = {}
        for word in dict.fromkeys(request.word for request in requests):
            places = [i for i, request in enumerate(requests) if request.word == word]
            fitted, own = self._word(word), [requests[i] for i in places]
            answers_of_word = self._answers(fitted, own, vectors[places], neighbours)
            answers.update(zip(places, answers_of_word, strict=True))
        return [answers[i] for i in range(len(requests))]

    def _answers(
        self, word: FittedWord, requests: Sequence[Request], vectors: np.ndarray, neighbours: bool
    ) -> Iterator[Answer]:
        if vectors.shape[1] != word.train.shape[1]:
            raise ModelError("the features are not those that the classifier was fitted on")
        results = word.answer(vectors)
        called = dict(zip(word.senses, word.called, strict=True))
        for i, request in enumerate(requests):
            name, form, predicted = request.word, request.at.form, results.predicted[i]
            ood = None if word.threshold is None else bool(word.is_ood(results.distance[i]))
            # The user can point at any word of the text.
            pointed = not request.at.words and form.casefold() not in self.words.forms(name)
            notes = {
                f"{form!r} is not a form of {name}": pointed and not is_form(name, form),
                "uncertain: far from every training sentence": ood,
                "a long line: its ends were not read": request.aligned and request.aligned.windowed,
            }
            yield request.answer(
                OK,
                sense=word.senses[predicted],
                sense_name=word.called[predicted].name,
                called=called,
                probability=_number(results.probabilities[i, predicted]),
                scores=_by_sense(word, results.scores[i]),
                probabilities=_by_sense(word, results.probabilities[i]),
                distance=_number(results.distance[i]),
                ood=ood,
                message="; ".join(note for note, applies in notes.items() if applies),
                neighbours=tuple(self._neighbours(word, results, i)) if neighbours else (),
            )

    def _neighbours(self, word: FittedWord, results: VectorAnswers, i: int) -> Iterator[Neighbour]:
        sentences = self._sentences(word.word)
        for k, similarity in zip(results.neighbours[i], results.similarity[i], strict=True):
            if k >= 0:
                sentence = sentences[k] if sentences else None
                line, sense = int(word.lines[k]), word.senses[word.gold[k]]
                yield Neighbour(line, sense, float(similarity), sentence)


def _fill(
    items: Sequence[Request | Answer], answer: Callable[[list[Request]], Iterable[Answer]]
) -> list[Answer]:
    """Return the items with every request replaced by its answer."""
    requests = [item for item in items if isinstance(item, Request)]
    answers = iter(answer(requests) if requests else ())
    return [next(answers) if isinstance(item, Request) else item for item in items]


def _parts(
    items: Iterable[_T], size: Callable[[_T], int], most: int, number: int
) -> Iterator[list[_T]]:
    """Cut items into parts: a part ends at ``number`` items, or once its size exceeds ``most``."""
    part: list[_T] = []
    total = 0
    for item in items:
        part.append(item)
        total += size(item)
        if len(part) == number or total > most:
            yield part
            part, total = [], 0
    if part:
        yield part


def _by_sense(word: FittedWord, values: np.ndarray) -> dict[str, float | None]:
    return {sense: _number(value) for sense, value in zip(word.senses, values, strict=True)}


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def table_of(requests: Sequence[Request]) -> Corpus:
    """Return the sentences of requests as a table, for the encoder."""
    sentences = [Focus(request.at.tokens, request.at.position) for request in requests]
    return as_corpus(sentences, word="line", index=[request.line.number for request in requests])
