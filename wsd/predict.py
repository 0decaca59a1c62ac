"""Senses of words in new text, by a fitted configuration and the encoder it belongs to.

A sentence goes the way of the corpus's: the encoder's own alignment, pooling and hidden states,
the views and layer choices of :mod:`wsd.features`, the estimator of the evaluation. Lines are
taken in as they come, some hundreds at a time, so that memory does not grow with the text.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from wsd import models
from wsd.corpus import Corpus
from wsd.embeddings import MASKED
from wsd.errors import ConfigError, ModelError
from wsd.fitting import FittedWord, Fitting, VectorAnswers
from wsd.forms import Finder, Occurrence
from wsd.modelfile import ModelFile
from wsd.vectors import vectors as vectors_of

if TYPE_CHECKING:
    from wsd.alignment import Aligned
    from wsd.encoder import Encoder

CHUNK = 512  # lines that are encoded together
CHARACTERS = 2**20  # at most, with the line that goes beyond
TOKENS = 2**18  # of sentences that are encoded together, counted anew for every occurrence
NEW = "new"  # the split of what is predicted
# What a row can be: answered, or why not.
OK, NOT_FOUND, AMBIGUOUS, UNREADABLE = STATUSES = ("ok", "not found", "ambiguous", "unreadable")

# Fitted words of one configuration: of a model file, or of the results themselves.
Words = Fitting | ModelFile
_T = TypeVar("_T")


@dataclass(frozen=True)
class Line:
    """A line of input.

    Attributes
    ----------
    number : int
        From 1.
    text : str
    word : str or None
        Whose occurrences are asked for; None for every word that the model knows.
    wrong : str or None
        Why the line cannot be read.
    """

    number: int
    text: str
    word: str | None = None
    wrong: str | None = None


@dataclass(frozen=True)
class Neighbour:
    """A training instance near to what is predicted.

    Attributes
    ----------
    line : int
        In the training file, from 0.
    sense : str
        Its gold sense.
    similarity : float
        Cosine.
    sentence : str or None
        Where the corpus is at hand.
    """

    line: int
    sense: str
    similarity: float
    sentence: str | None


@dataclass(frozen=True)
class Answer:
    """What is said of one occurrence, or why a line has no answer.

    Attributes
    ----------
    line : Line
    status : str
        Among ``STATUSES``.
    word, form : str or None
        The word, and its form in the text.
    start : int or None
        Where the form starts in the text.
    sense : str or None
    probability : float or None
        Of the predicted sense.
    scores, probabilities : mappings of sense to float or None
        Scores are the evaluation's; probabilities are calibrated where they could be.
    distance : float or None
        Cosine distance to the nearest training instance.
    far : bool
        Whether that is farther than training instances lie from each other.
    message : str
        What to know of it; empty if there is nothing.
    neighbours : tuple of Neighbour
    """

    line: Line
    status: str
    word: str | None = None
    form: str | None = None
    start: int | None = None
    sense: str | None = None
    probability: float | None = None
    scores: Mapping[str, float | None] = field(default_factory=dict)
    probabilities: Mapping[str, float | None] = field(default_factory=dict)
    distance: float | None = None
    far: bool = False
    message: str = ""
    neighbours: tuple[Neighbour, ...] = ()


@dataclass(frozen=True)
class _Asked:
    """An occurrence that is to be answered."""

    line: Line
    word: str
    at: Occurrence
    aligned: "Aligned | None" = None

    def answer(self, status: str, **said: Any) -> Answer:
        return Answer(self.line, status, self.word, self.at.form, self.at.start, **said)


class Predictor:
    """Words that were fitted, and the encoder that makes their vectors.

    Parameters
    ----------
    words : Words
    encoder : Encoder
        Of :func:`open_encoder`.
    threads : int
    """

    def __init__(self, words: Words, encoder: "Encoder", *, threads: int = 1) -> None:
        self.words, self.encoder, self.threads = words, encoder, threads
        self._finder = cache(lambda word: Finder(words.words if word is None else [word]))
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
            found = [one for line in chunk for one in self._find(line)]
            asked = [one for one in found if isinstance(one, _Asked)]
            # Each of many occurrences in a long line has all of its tokens.
            parts = _parts(asked, lambda one: len(one.at.tokens), TOKENS, len(asked))
            answers = iter([answer for part in parts for answer in self._answer(part, neighbours)])
            for one in found:
                yield next(answers) if isinstance(one, _Asked) else one

    def _find(self, line: Line) -> list["_Asked | Answer"]:
        """The occurrences that a line asks for, or an answer that says why there are none."""
        if line.wrong is not None:
            return [Answer(line, UNREADABLE, message=line.wrong)]
        if line.text.encode(errors="replace").decode() != line.text:
            # From JSON, or an argument that is not UTF-8: nothing after this can take it.
            empty = replace(line, text="")
            return [Answer(empty, UNREADABLE, message="half a character in the text")]
        if line.word is not None and line.word not in self.words.words:
            message = f"no word {line.word!r} here: there are {', '.join(self.words.words)}"
            return [Answer(line, UNREADABLE, message=message)]
        found: list[_Asked | Answer] = []
        for at in self._finder(line.word).find(line.text):
            if len(at.words) == 1:
                found.append(_Asked(line, at.words[0], at))
                continue
            of = " and of ".join(at.words)
            message = f"{at.form!r} is a form of {of}: say which word is meant"
            found.append(Answer(line, AMBIGUOUS, form=at.form, start=at.start, message=message))
        nothing = f"no form of {line.word or 'any of the words'} here"
        return found or [Answer(line, NOT_FOUND, line.word, message=nothing)]

    def _answer(self, asked: Sequence[_Asked], neighbours: bool) -> list[Answer]:
        """Answers for occurrences, in their order."""
        found = self._align(asked)
        kept = [one for one in found if isinstance(one, _Asked)]
        answered = iter(self._classify(kept, neighbours) if kept else [])
        return [next(answered) if isinstance(one, _Asked) else one for one in found]

    def _align(self, asked: Sequence[_Asked]) -> list["_Asked | Answer"]:
        """Occurrences with their word pieces; of one that has none, an answer that says why."""
        try:
            aligned = self.encoder.align(_table(asked))
            return [replace(one, aligned=of) for one, of in zip(asked, aligned, strict=True)]
        except ModelError as error:
            if len(asked) == 1:
                return [asked[0].answer(UNREADABLE, message=error.what)]
            return [found for one in asked for found in self._align([one])]

    def _classify(self, asked: Sequence[_Asked], neighbours: bool) -> list[Answer]:
        """Aligned occurrences are encoded together, then answered word by word."""
        vectors = vectors_of(
            self.encoder,
            _table(asked),
            [one.aligned for one in asked if one.aligned],
            self.words.features,
            threads=self.threads,
        )
        answers: dict[int, Answer] = {}
        for word in dict.fromkeys(one.word for one in asked):
            places = [i for i, one in enumerate(asked) if one.word == word]
            of_word = [asked[i] for i in places]
            said = self._of_word(self._word(word), of_word, vectors[places], neighbours)
            answers.update(zip(places, said, strict=True))
        return [answers[i] for i in range(len(asked))]

    def _of_word(
        self, word: FittedWord, asked: Sequence[_Asked], vectors: np.ndarray, neighbours: bool
    ) -> list[Answer]:
        if vectors.shape[1] != word.train.shape[1]:
            raise ModelError("the features are not those that the classifier was fitted on")
        said, answers = word.answer(vectors), []
        for i, one in enumerate(asked):
            predicted, far = said.predicted[i], bool(word.is_far(said.distance[i]))
            notes = {
                "uncertain: far from every training sentence": far,
                "a long line: its ends were not read": one.aligned and one.aligned.windowed,
            }
            answers.append(
                one.answer(
                    OK,
                    sense=word.senses[predicted],
                    probability=_number(said.probabilities[i, predicted]),
                    scores=_by_sense(word, said.scores[i]),
                    probabilities=_by_sense(word, said.probabilities[i]),
                    distance=_number(said.distance[i]),
                    far=far,
                    message="; ".join(note for note, applies in notes.items() if applies),
                    neighbours=tuple(self._near(word, said, i)) if neighbours else (),
                )
            )
        return answers

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


def _table(asked: Sequence[_Asked]) -> Corpus:
    """Occurrences as the encoder takes instances; words may differ, there is no gold."""
    return Corpus(
        word="line",
        senses=("unknown",),
        split=np.array([NEW] * len(asked)),
        index=np.array([one.line.number for one in asked], dtype=np.int64),
        tokens=tuple(one.at.tokens for one in asked),
        position=np.array([one.at.position for one in asked], dtype=np.int32),
        gold=np.zeros(len(asked), dtype=np.int32),
    )


def open_encoder(
    encoder: Mapping[str, Any], folder: Path | None = None, *, device: str = "auto"
) -> "Encoder":
    """The very encoder that words were fitted with.

    Parameters
    ----------
    encoder : mapping
        What a model file or predictions say of it.
    folder : Path, optional
        Where its files are; by default where they came from: an installed package, the hub
        client's cache, or a folder.
    device : str

    Raises
    ------
    ModelError
        If it is not there, or a file of it has another checksum.
    ConfigError
        If its weights are random, or the device cannot compute in its precision.
    """
    record = dict(encoder["model"])
    if record.get("random_weights") is not None:
        raise ConfigError("an encoder with random weights is a control, not for use on new text")
    if folder is not None:
        record["source"] = {"path": str(folder)}
    try:
        found = models.verify(record, mend=False)
    except ModelError as error:
        raise ModelError(
            f"the encoder that the words were fitted with is needed: {error.what}",
            where=error.where,
            fix=_way_to(record),
        ) from None
    from wsd.encoder import Encoder

    return Encoder.load(
        str(found),
        pooling=encoder["pooling"],
        masked=encoder["input"] == MASKED,
        device=device,
        precision=encoder["precision"],
    )


def _way_to(record: Mapping[str, Any]) -> str:
    source = record["source"]
    own = "name a folder that has its files, with --encoder"
    if "hub" in source:
        return (
            f"fetch it: wsd model --name {record['name']} --hub {source['hub']} --revision "
            f"{source['revision']} --blocks {record['blocks']} --width {record['width']} "
            f"--out {record['name']}.json; or {own}"
        )
    if "package" in source:
        name = source["package"].replace("_", "-")
        return f"pip install {name}=={source['version']}; or {own}"
    return own
