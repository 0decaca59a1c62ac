"""Predict senses in new text with a fitted configuration and its encoder.

New text is processed like the corpus: by the encoder's alignment, pooling and hidden states, the
views and layer choices of :mod:`wsd.artifacts.feature_set`, and the estimator of the evaluation.
Some hundred occurrences are read at a time, so that memory does not grow with the text.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from wsd.arguments import processors
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.encoder_input import PLAIN
from wsd.artifacts.feature_set import parse_features
from wsd.artifacts.senses import GLOSS, SenseText, sense_texts
from wsd.corpora.find_word import FIX_MARK, FIX_SPAN, Finder, Occurrence, check_span, find_mark
from wsd.corpora.focal_form_check import is_form
from wsd.corpora.glosses import gloss_table, read_glosses
from wsd.corpora.word_forms import matching_words
from wsd.errors import ConfigError, CorpusError, ModelError, unknown_choice
from wsd.fitted.selected_results import Configuration, Results
from wsd.fitted.word_classifier import FittedWord, Fitting, VectorAnswers, nearest_gloss
from wsd.fitted.wsd_file import WsdFile
from wsd.inference.answers import AMBIGUOUS, NOT_FOUND, OK, UNREADABLE, Answer, Neighbour
from wsd.inference.encoders import (
    ModelName,
    feature_vectors,
    find_model,
    fitted_encoder,
    source_named,
)
from wsd.inference.sentences import Line, as_corpus, is_whole
from wsd.logs import log
from wsd.storage.text_files import at_place

if TYPE_CHECKING:
    from wsd.encoder.encoder import Encoder
    from wsd.encoder.match_word_pieces import Aligned

# The fitted words of one configuration: from a model file, the results, or a dictionary.
Words = Union[Fitting, WsdFile, "Dictionary"]
KEPT = "selected.wsd"  # the model file that `snakemake fit` writes for a run
CHUNK = 512  # occurrences that are encoded together
CHARACTERS = 2**20  # a chunk ends once the lines of its occurrences exceed this


def fitted_words(results: Results, chosen: Configuration) -> Fitting | WsdFile:
    """Return the words of a configuration.

    Results have a model file of their selected configuration, if the user ran `snakemake fit`.
    Another configuration is fitted again.
    """
    if results.map.has(KEPT):
        file = WsdFile(results.map.file(KEPT), results)
        if file.manifest["predictions"] == Fitting(results, chosen).source:
            return file
    log.info("fitting: %s (`wsd fit` saves it)", chosen)
    return Fitting(results, chosen)


def load_predictor(
    results: Results, chosen: Configuration, folder: Path | None = None, device: str = "auto"
) -> "Predictor":
    """Return the words of a configuration with their encoder.

    Parameters and errors are as in :func:`wsd.inference.encoders.fitted_encoder`.
    """
    words = fitted_words(results, chosen)
    encoder = fitted_encoder(words.encoder, folder, device=device)
    return Predictor(words, encoder, threads=processors())


def resolve_word(name: str, words: Sequence[str]) -> str:
    """Return the word that a name stands for, such as ``serve`` for ``serve.v``.

    Raises
    ------
    ConfigError
        If it stands for none of the words, or for several.
    """
    candidates = matching_words(name, words)
    if len(candidates) > 1:
        problem = f"{name!r} may be {' or '.join(candidates)}"
        raise ConfigError(problem, where="word", fix="name one of them")
    if not candidates:
        raise unknown_choice(f"no word {name!r} is known here", words, "word")
    return candidates[0]


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
        self._word, self._sentences = cache(words.word), cache(words.sentences)
        self._finder = cache(
            lambda word: Finder([word] if word else words.words, words.forms, words.language)
        )

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
            How many occurrences are read before they are answered; by default ``CHUNK``.
        """
        items_of_lines = chain.from_iterable(map(self._find, lines))
        for items in _parts(items_of_lines, together or CHUNK):
            requests = [item for item in items if isinstance(item, Request)]
            answers = iter(self._classify(requests, neighbours) if requests else ())
            yield from (next(answers) if isinstance(item, Request) else item for item in items)

    def find(self, lines: Iterable[Line]) -> list[Request]:
        """Return the occurrences in lines that can be answered, with their word pieces."""
        items = (item for line in lines for item in self._find(line))
        return [item for item in items if isinstance(item, Request)]

    def _find(self, line: Line) -> list[Request | Answer]:
        """Return the occurrences that a line asks about, or an answer with the reason for none.

        An occurrence has its word pieces.
        """
        if line.wrong is not None or not is_whole(line.text):
            problem = line.wrong or "half a character in the text"
            return [Answer(replace(line, text=""), UNREADABLE, message=problem)]
        try:
            word = None if line.word is None else resolve_word(line.word, self.words.words)
            with at_place("", FIX_MARK if line.span is None else FIX_SPAN):
                if request := self._in_place(line, word):
                    return [request]
        except (ConfigError, CorpusError) as error:
            return [Answer(line, UNREADABLE, message=f"{error.problem}: {error.fix}")]
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
        words = (word,) if word is not None else self.words.words
        if len(words) > 1:
            words = finder.words_of(focal.strip())
        return self._request(line, words, Occurrence((), text, start, end), at)

    def _request(
        self, line: Line, words: tuple[str, ...], at: Occurrence, start: int
    ) -> Request | Answer:
        if len(words) == 1:
            request = Request(line, words[0], at, start)
            try:
                (pieces,) = self.encoder.align(table_of([request]))
            except ModelError as error:
                return request.answer(UNREADABLE, message=error.problem)
            return replace(request, aligned=pieces)
        status = AMBIGUOUS if words else NOT_FOUND
        candidates = " and of ".join(words) or "none of the words"
        message = f"{at.form!r} is a form of {candidates}: say which word is meant"
        return Answer(line, status, form=at.form, start=start, message=message)

    def _classify(self, requests: Sequence[Request], neighbours: bool) -> list[Answer]:
        """Encode aligned requests together, then answer them word by word."""
        aligned = [request.aligned for request in requests if request.aligned]
        features, table = [self.words.features], table_of(requests)
        how: dict[str, Any] = {"threads": self.threads}
        (vectors,) = feature_vectors(self.encoder, table, aligned, features, **how)
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
        scores, probabilities, distance = (
            np.where(np.isnan(values), np.array(None), values).tolist()
            for values in (results.scores, results.probabilities, results.distance)
        )
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
                probability=probabilities[i][predicted],
                scores=dict(zip(word.senses, scores[i], strict=True)),
                probabilities=dict(zip(word.senses, probabilities[i], strict=True)),
                distance=distance[i],
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


def _parts(items: Iterable[Request | Answer], number: int) -> Iterator[list[Request | Answer]]:
    """Cut items into parts of a number of items, or of lines with a number of characters."""
    part: list[Request | Answer] = []
    characters = 0
    for item in items:
        part.append(item)
        characters += len(item.line.text)
        if len(part) == number or characters > CHARACTERS:
            yield part
            part, characters = [], 0
    if part:
        yield part


def table_of(requests: Sequence[Request]) -> Corpus:
    """Return the sentences of requests as a table, for the encoder."""
    sentences = [request.at.sentence for request in requests]
    return as_corpus(sentences, word="line", index=[request.line.number for request in requests])


VIEW, TOP = "focal", "-1"


class Dictionary:
    """The words of a dictionary, as :class:`wsd.inference.predictor.Predictor` takes them.

    Parameters
    ----------
    path : Path
        A table with the columns word, sense and gloss; a sense may have several lines.
    model
        As in :func:`wsd.inference.encoders.source_named`.
    layers : str
        A layer choice; by default the last layer, because any other choice would need labels.
    folder : Path, optional
        The folder of the encoder's files.
    device : str
    forms : mapping of word to its further forms
    language : str
    threads : int

    Attributes
    ----------
    words : tuple of str
    features : Features
    encoder : Encoder
    configuration : dict
        Model, view, layers, and the classifier ``gloss``.

    Raises
    ------
    CorpusError
        Naming file and line.
    ConfigError
        For an unknown model or an invalid layer choice.
    """

    def __init__(
        self,
        path: Path,
        model: ModelName = None,
        layers: str = TOP,
        folder: Path | None = None,
        *,
        forms: Mapping[str, tuple[str, ...]],
        language: str,
        device: str = "auto",
        threads: int = 1,
    ) -> None:
        self._lines, self._threads, self._forms = read_glosses(path), threads, forms
        self.language, self.words = language, tuple(self._lines)
        record = find_model(source_named(model))
        blocks, usual = record["blocks"], {"pooling": "mean", "precision": "float32"}
        self.features = parse_features(VIEW, layers, blocks, where="--layers", learned=False)
        encoder = {"model": record, "input": PLAIN, **usual}
        self.encoder = fitted_encoder(encoder, folder, device=device)
        self.configuration = {
            "model": record["name"], "view": VIEW, "layers": self.features.layers,
            "classifier": GLOSS,
        }  # fmt: skip

    def word(self, word: str) -> FittedWord:
        """Return a word that is fitted on its glosses."""
        lines = self._lines[word]
        glosses = {sense: SenseText("", gloss) for _, sense, gloss in reversed(lines)}
        senses = tuple(dict.fromkeys(sense for _, sense, _ in lines))
        table = gloss_table(word, senses, lines, self.forms(word), self.language)
        aligned, how = self.encoder.align(table), {"threads": self._threads}
        (vectors,) = feature_vectors(self.encoder, table, aligned, [self.features], **how)
        return nearest_gloss(table, vectors, sense_texts(word, senses, glosses))

    def forms(self, word: str) -> tuple[str, ...]:
        """Return the forms that the user gave."""
        return self._forms.get(word, ())

    def sentences(self, word: str) -> list[str]:
        """Return the glosses of a word, in the order of its vectors."""
        senses = [*dict.fromkeys(sense for _, sense, _ in self._lines[word])]
        lines = sorted(self._lines[word], key=lambda line: senses.index(line[1]))
        return [gloss for _, _, gloss in lines]
