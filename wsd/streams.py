"""Lines in, answers out: text and JSON lines to read; a table, CSV or JSON lines to write.

Nothing is held but the line at hand, so that any number of them passes through.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from wsd.errors import CorpusError, visible
from wsd.predict import OK, Line, Row
from wsd.sheets import guarded

LONGEST = 2**20  # bytes of a line
FORMATS = ("table", "csv", "jsonl")
COLUMNS = (
    "line",
    "status",
    "word",
    "form",
    "start",
    "sense",
    "probability",
    "scores",
    "probabilities",
    "distance",
    "far",
    "message",
    "model",
    "view",
    "layers",
    "classifier",
    "text",
)
WIDTHS = {"line": 6, "form": 14, "sense": 34, "probability": 8}


# In


def read(stream: BinaryIO, *, word: str | None, as_json: bool) -> Iterator[Line]:
    """The lines of a stream, whatever they hold.

    Parameters
    ----------
    stream : binary file
    word : str or None
        Whose occurrences are asked for, where a line does not say it itself.
    as_json : bool
        Whether each line is a JSON object with ``text`` and perhaps ``word``.
    """
    for number, raw in enumerate(_raw_lines(stream), start=1):
        if raw is None:
            yield Line(number, "", wrong=f"a line of more than {LONGEST} bytes")
            continue
        try:
            # A byte order mark stands at the start of a file, if anywhere.
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            yield Line(number, "", wrong=f"byte {raw[error.start]:#04x} is not UTF-8")
            continue
        yield _object(number, text, word) if as_json else Line(number, text, word)


def _raw_lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """Lines with their ends; None for one that is too long, the whole of which is passed over."""
    while raw := _line(stream):
        too_long = len(raw) > LONGEST
        while len(raw) > LONGEST and not raw.endswith(b"\n"):
            raw = _line(stream)
        yield None if too_long else raw


def _line(stream: BinaryIO) -> bytes:
    try:
        return stream.readline(LONGEST + 1)
    except OSError as error:
        name = str(getattr(stream, "name", "the input"))
        raise CorpusError("the input could not be read: " + str(error), where=name) from None


def _object(number: int, text: str, word: str | None) -> Line:
    if not text.strip():
        return Line(number, "", word)
    try:
        value = json.loads(text)
    except (RecursionError, ValueError) as error:
        return Line(number, text, wrong=f"not valid JSON: {error}")
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        return Line(number, text, wrong='not an object with a string "text"')
    own = value.get("word")
    own = word if own is None else own
    if own is not None and not isinstance(own, str):
        return Line(number, text, wrong='"word" is not a string')
    return Line(number, value["text"], own)


# Out


def write(
    rows: Iterable[Row], form: str, used: Mapping[str, str], *, details: bool
) -> Iterator[str]:
    """Rows as lines of output, each with its end.

    Parameters
    ----------
    rows : iterable of Row
    form : str
        Among ``FORMATS``.
    used : mapping
        ``model``, ``view``, ``layers`` and ``classifier``.
    details : bool
        Whether a table says all that is known of each answer, rather than one line.
    """
    if form == "jsonl":
        # In ASCII: a line separator of Unicode's in the text must not end a line.
        return (json.dumps(_said(row, used)) + "\n" for row in rows)
    if form == "csv":
        return _csv(rows, used)
    # Senses are foreign too; in the text itself a line end is escaped as well.
    lines = _details(rows, used) if details else _table(rows)
    return (visible(line, "\n") for line in lines)


def _said(row: Row, used: Mapping[str, str]) -> dict[str, Any]:
    return {
        "line": row.line.number,
        "status": row.status,
        "word": row.word,
        "form": row.form,
        "start": row.start,
        "sense": row.sense,
        "probability": row.probability,
        "scores": dict(row.scores),
        "probabilities": dict(row.probabilities),
        "distance": row.distance,
        "far": row.far,
        "message": row.message,
        **used,
        "neighbours": [vars(neighbour) for neighbour in row.neighbours],
        "text": row.line.text,
    }


def _csv(rows: Iterable[Row], used: Mapping[str, str]) -> Iterator[str]:
    def line(cells: Iterable[Any]) -> str:
        text = io.StringIO()
        # With both characters in its line ends it quotes cells that have either.
        csv.writer(text, lineterminator="\r\n").writerow(cells)
        return text.getvalue().removesuffix("\r\n") + "\n"

    yield line(COLUMNS)
    for row in rows:
        said = _said(row, used)
        said |= {name: _pairs(said[name]) for name in ("scores", "probabilities")}
        yield line(_cell(said[name]) for name in COLUMNS)


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.6f}"
    return guarded(value) if isinstance(value, str) else value


def _pairs(values: Mapping[str, float | None]) -> str:
    return "; ".join(
        f"{sense}={'' if value is None else f'{value:.6f}'}" for sense, value in values.items()
    )


def _table(rows: Iterable[Row]) -> Iterator[str]:
    widths = list(WIDTHS.values())

    def line(*cells: str) -> str:
        fixed = [
            cell.rjust(width) if i in (0, 3) else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(cells, widths, strict=False))
        ]
        return "  ".join([*fixed, *cells[len(widths) :]]).rstrip() + "\n"

    yield line(*WIDTHS, "note")
    for row in rows:
        note = row.message if row.status == OK else f"{row.status}: {row.message}"
        yield line(
            str(row.line.number),
            visible(row.form or "-"),
            row.sense or "-",
            _percent(row.probability),
            visible(note),
        )


def _details(rows: Iterable[Row], used: Mapping[str, str]) -> Iterator[str]:
    for row in rows:
        yield f"{visible(row.line.text)}\n"
        if row.status != OK:
            yield f"  {row.status}: {visible(row.message)}\n\n"
            continue
        percent = "" if row.probability is None else f", {_percent(row.probability)}"
        yield f"  {visible(row.form or '')} (character {row.start}): {row.sense}{percent}\n"
        if row.message:
            yield f"  {row.message}\n"
        width = max(map(len, row.scores))
        yield f"\n  {'sense'.ljust(width)}  {'score':>9}  {'probability':>11}\n"
        for sense, score in row.scores.items():
            number = "-" if score is None else f"{score:.6f}"
            of = _percent(row.probabilities[sense])
            yield f"  {sense.ljust(width)}  {number:>9}  {of:>11}\n"
        yield "\n  nearest training sentences, by cosine\n"
        for one in row.neighbours:
            text = one.sentence or "(the corpus is not at hand)"
            place = f"line {one.line + 1}".ljust(10)
            yield f"  {one.similarity:.3f}  {one.sense.ljust(width)}  {place}  {visible(text)}\n"
        yield "\n"
    yield (
        f"model {used['model']}, view {used['view']}, layers {used['layers']}, "
        f"classifier {used['classifier']}\n"
    )


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}%"
