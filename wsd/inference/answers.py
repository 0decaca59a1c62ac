"""The answers of ``wsd predict``, and their form as a table, CSV or JSON lines.

A line has an answer for each occurrence of a word in it, or one answer with the reason for none.
"""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from itertools import chain, islice
from types import SimpleNamespace
from typing import Any

from wsd.artifacts.senses import GLOSS, SenseText
from wsd.errors import visible
from wsd.fitted.selected_results import Configuration
from wsd.inference.sentences import Line
from wsd.storage import text_table
from wsd.storage.csv import csv_names, guarded

# The status of an answer.
OK, NOT_FOUND, AMBIGUOUS, UNREADABLE = STATUSES = ("ok", "not found", "ambiguous", "unreadable")


@dataclass(frozen=True)
class Neighbour:
    """A training instance that is near a predicted instance.

    Attributes
    ----------
    line : int
        Its line in the training file, from 0.
    sense : str
        Its gold sense.
    similarity : float
        Cosine.
    sentence : str or None
        None if the corpus is not available.
    """

    line: int
    sense: str
    similarity: float
    sentence: str | None


@dataclass(frozen=True)
class Answer:
    """The prediction for one occurrence, or the reason why a line has none.

    Attributes
    ----------
    line : Line
    status : str
        Among ``STATUSES``.
    word, form : str or None
        The word, and its form in the text.
    start : int or None
        The position of the form in the text.
    sense, sense_name : str or None
        The label of the predicted sense, and its name for readers.
    probability : float or None
        The probability of the predicted sense.
    scores, probabilities : mappings of sense to float or None
        Scores as in the evaluation; probabilities after calibration, if the word has a temperature.
    distance : float or None
        Cosine distance to the nearest training instance.
    ood : bool or None
        The out-of-distribution flag: whether the distance exceeds the usual distances between
        training instances; None if unknown.
    message : str
        A note, or an empty text.
    neighbours : tuple of Neighbour
    called : mapping of sense to SenseText
        Names and glosses for readers.
    """

    line: Line
    status: str
    word: str | None = None
    form: str | None = None
    start: int | None = None
    sense: str | None = None
    sense_name: str | None = None
    probability: float | None = None
    scores: Mapping[str, float | None] = field(default_factory=dict)
    probabilities: Mapping[str, float | None] = field(default_factory=dict)
    distance: float | None = None
    ood: bool | None = None
    message: str = ""
    neighbours: tuple[Neighbour, ...] = ()
    called: Mapping[str, SenseText] = field(default_factory=dict)


FORMATS = ("table", "csv", "jsonl")
USED = tuple(field.name for field in fields(Configuration))
# All fields of an answer except neighbours and names of senses.
FIELDS = tuple(field.name for field in fields(Answer)[:-2])
COLUMNS = (*FIELDS, *USED, "text")  # of the CSV
WIDTHS = {"line": 6, "form": 14, "sense": 34, "probability": 8}


def write(
    answers: Iterable[Answer], form: str, used: Mapping[str, str], *, details: bool
) -> Iterator[str]:
    """Yield answers as lines of output, each with its end.

    Parameters
    ----------
    answers : iterable of Answer
    form : str
        Among ``FORMATS``.
    used : mapping
        ``model``, ``view``, ``layers`` and ``classifier``.
    details : bool
        Whether a table shows all details of an answer instead of one line.
    """
    if form == "jsonl":
        # In ASCII: a Unicode line separator in the text must not end a line.
        return (json.dumps(_as_json(answer, used)) + "\n" for answer in answers)
    if form == "csv":
        return _csv(answers, used)
    # Names of senses may hold control characters; line ends within the text are escaped too.
    lines = _details(answers, used) if details else _table(answers)
    return (visible(f"{line}\n", "\n") for line in lines)


def _as_json(answer: Answer, used: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of an answer, the configuration, and the long fields last."""
    record = vars(answer) | {"line": answer.line.number}
    del record["called"]
    neighbours = [vars(neighbour) for neighbour in record.pop("neighbours")]
    record |= {**used, "neighbours": neighbours, "text": answer.line.text}
    cells = zip(_further(answer.line), answer.line.extra.values(), strict=True)
    return record | dict(cells)


def _further(line: Line) -> tuple[str, ...]:
    """Return the names of a line's further columns in the output."""
    return tuple(csv_names(line.extra, (*COLUMNS, "neighbours")).values())


def _csv(answers: Iterable[Answer], used: Mapping[str, str]) -> Iterator[str]:
    answers = iter(answers)
    first = [*islice(answers, 1)]
    # All lines of a table have the same columns.
    columns = (*COLUMNS, *(name for answer in first for name in _further(answer.line)))
    # With this line end the writer quotes cells that contain either character.
    echo = SimpleNamespace(write=lambda line: line.removesuffix("\r\n") + "\n")
    writer: Any = csv.DictWriter(echo, columns, extrasaction="ignore", lineterminator="\r\n")
    yield writer.writeheader()
    for answer in chain(first, answers):
        cells = _as_json(answer, used).items()
        yield writer.writerow({name: _cell(value) for name, value in cells})


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.6f}"
    if isinstance(value, Mapping):
        # A sense without a value is left out.
        value = "; ".join(f"{k}={x:.6f}" for k, x in value.items() if x is not None)
    return guarded(value) if isinstance(value, str) else value


def _table(answers: Iterable[Answer]) -> Iterator[str]:
    def row(*cells: str) -> str:
        return text_table.line(cells, WIDTHS.values(), right=(0, 3))

    yield row(*WIDTHS, "note")
    for answer in answers:
        note = answer.message if answer.status == OK else f"{answer.status}: {answer.message}"
        form, sense = visible(answer.form or "-"), visible(answer.sense_name or "-")
        percent = _percent(answer.probability)
        yield row(str(answer.line.number), form, sense, percent, visible(note))


def _details(answers: Iterable[Answer], used: Mapping[str, str]) -> Iterator[str]:
    for answer in answers:
        yield visible(answer.line.text)
        if answer.status == OK:
            yield from _details_of(answer, used)
        else:
            yield f"  {answer.status}: {visible(answer.message)}"
        yield ""
    yield ", ".join(f"{name} {used[name]}" for name in USED)


def _details_of(answer: Answer, used: Mapping[str, str]) -> Iterator[str]:
    percent = "" if answer.probability is None else f", {_percent(answer.probability)}"
    yield f"  {visible(answer.form or '')} (character {answer.start}): {answer.sense_name}{percent}"
    if answer.message:
        yield f"  {answer.message}"
    width = max(len(text.name) for text in answer.called.values())
    yield f"\n  {'sense'.ljust(width)}  {'score':>9}  {'probability':>11}"
    for sense, score in answer.scores.items():
        number = "-" if score is None else f"{score:.6f}"
        percent = _percent(answer.probabilities[sense])
        name, gloss = answer.called[sense]
        yield f"  {name.ljust(width)}  {number:>9}  {percent:>11}  {gloss}".rstrip()
    of_glosses = used["classifier"] == GLOSS
    yield f"\n  nearest {'glosses' if of_glosses else 'training sentences'}, by cosine"
    for neighbour in answer.neighbours:
        text = visible(neighbour.sentence or "(the corpus is not at hand)")
        place = f"{'gloss' if of_glosses else 'line'} {neighbour.line + 1}".ljust(10)
        name = answer.called[neighbour.sense].name.ljust(width)
        yield f"  {neighbour.similarity:.3f}  {name}  {place}  {text}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}%"
