"""Read exports of the annotation tools Label Studio, Prodigy and doccano.

An annotation has a text, and spans of characters with labels: focal words with their senses. The
word is a field of the record (``word``, ``lemma`` or ``target``), or the focal word in lower case.
The other fields that are texts or numbers become extra columns.

Annotations of the same use are votes: the labels that most annotators give become its senses. A tie
is left out, and so are rejected answers.
"""

from collections import ChainMap, Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from wsd.corpora.importer.file_beginning import first_object
from wsd.corpora.importer.focal_word import Sentence, bare_span, from_span
from wsd.corpora.importer.labelled_sentence import Gathered, LabelledSentence, labelled, plain
from wsd.corpora.importer.table_cells import Options
from wsd.corpora.importer.table_columns import NAMES
from wsd.errors import ConfigError, CorpusError
from wsd.logs import log
from wsd.storage.text_files import at_place, json_objects

FIX = "export texts with spans that have a start, an end and a label"
# Fields of a record that are not extra columns.
USED = ("word", "split", "document")
ANSWERS = ("accept", "reject", "ignore")
KINDS = {dict: "an object", list: "a list", int: "a whole number", str: "a text"}


# The place of a span, its label, and its text, which some tools repeat.
Label = tuple[tuple[int, int], str, str | None]


class Annotation(NamedTuple):
    """A text, the labels that one annotator gives in it, and the other fields of the record."""

    text: str
    labels: Sequence[Label]
    fields: Mapping[str, Any]


def tool_of(path: Path) -> str:
    """Return the annotation tool that exported a file; empty if it is none of :data:`TOOLS`."""
    record = first_object(path)
    if isinstance(record.get("data"), dict) and "annotations" in record:
        return "Label Studio"
    if isinstance(record.get("spans"), list) or record.get("answer") in ANSWERS:
        return "Prodigy"
    return "doccano" if _doccano_key(record) else ""


def read(path: Path, options: Options) -> Gathered:
    """Read an export, in JSON or JSON lines.

    Parameters
    ----------
    path : Path
    options : Options
        Its columns may name the fields that have the ``word``, ``split`` and ``document``.

    Raises
    ------
    ConfigError
        For another key in the columns.
    CorpusError
        Naming the file, if it has no labelled span. Errors about single records are collected in
        ``options.bad_lines``.
    """
    if unused := sorted(options.columns.keys() - set(USED)):
        fix = f"name only {', '.join(USED)}; the tool gives the sentence, the place and the sense"
        raise ConfigError(f"no column is needed for {unused[0]}", where="--columns", fix=fix)
    gathered, parse = Gathered(files=[path]), TOOLS[tool_of(path)]
    votes: dict[tuple[Any, ...], list[LabelledSentence]] = {}
    guard = options.bad_lines.line
    for where, record in json_objects(path, FIX, options.encoding, guard):
        with guard(), at_place(where, FIX):
            annotations = list(parse(record, gathered.left_out))
            for row in [row for entry in annotations for row in _rows(where, entry, options)]:
                votes.setdefault((row.word, row.position, row.tokens), []).append(row)
    several = sum(len(rows) > 1 for rows in votes.values())
    if several:
        log.info(f"{path}: {several} uses have several annotations; the most frequent one counts")
    for rows in votes.values():
        (senses, most), *others = Counter(row.keys for row in rows).most_common(2)
        if others and others[0][1] == most:
            gathered.left_out["uses on which the annotators disagree"] += 1
            continue
        agreement = {"annotations": str(len(rows)), "agreeing": str(most)} if several else {}
        extra = {**rows[0].extra, **agreement}
        gathered.rows.append(replace(rows[0], sense=senses[0], also=senses[1:], extra=extra))
    if not gathered.rows and options.bad_lines.is_empty:
        reasons = "; ".join(f"{n} {reason}" for reason, n in gathered.left_out.items())
        problem = f"no labelled span is left ({reasons or 'no record has one'})"
        raise CorpusError(problem, where=str(path), fix=FIX)
    return gathered


def _rows(where: str, annotation: Annotation, options: Options) -> Iterator[LabelledSentence]:
    """Yield an instance for each place in a text; several labels of a place are all right."""
    text, labels, fields = annotation
    meta = [fields[name] for name in ("meta", "metadata") if isinstance(fields.get(name), dict)]
    extra = {
        name: str(value)
        for name, value in ChainMap(dict(fields), *meta).items()
        if type(value) in (str, int, float)
    }
    used = {key: _take_column(extra, key, options.columns.get(key)) for key in USED}
    name = options.word or used["word"]
    senses: dict[Sentence, set[str]] = {}
    for place, label, repeated in labels:
        senses.setdefault(_sentence(text, place, repeated, name), set()).add(plain(label))
    for (position, tokens), right in senses.items():
        sense, *also = sorted(right)
        own_word, split = name or tokens[position].lower(), used["split"].strip()
        row = labelled(where, own_word, sense, (position, tokens), split, used["document"])
        yield replace(row, also=tuple(also), extra=extra)


def _take_column(extra: dict[str, str], key: str, column: str | None) -> str:
    """Remove a column for a key, by default one with a usual name, and return its text."""
    names = [column] if column else [n for n in extra if n.strip().lower() in NAMES[key]]
    if len(names) > 1:
        raise ValueError(f"{' and '.join(names)} could both be the {key}")
    return extra.pop(names[0], "") if names else ""


def _sentence(text: str, place: tuple[int, int], repeated: str | None, word: str) -> Sentence:
    """Return the sentence of a label, without punctuation around its focal word.

    Tools that run in a browser may count UTF-16 code units, of which a character can have two. The
    repeated text shows how the tool counts. Without it, the reading with a whole word is right.
    """
    units = _code_units(text)
    problem: ValueError | None = None
    for start, end in (place, (units.get(place[0], -1), units.get(place[1], -1))):
        if repeated is None or text[start:end].strip() == repeated.strip():
            try:
                return from_span(text, *bare_span(text, start, end, word), word)
            except ValueError as error:
                problem = problem or error
    raise problem or ValueError(f"the characters {place[0]} to {place[1]} are not {repeated!r}")


@lru_cache(1)
def _code_units(text: str) -> dict[int, int]:
    """Return the character at each number of UTF-16 code units."""
    sizes = accumulate((1 + (character > "\uffff") for character in text), initial=0)
    return {units: character for character, units in enumerate(sizes)}


def _typed(value: Any, name: str, kind: type) -> Any:
    """Return a value; refuse a value of another type."""
    if type(value) is not kind:
        raise ValueError(f"{name!r} is missing, or it is not {KINDS[kind]}")
    return value


def _take(values: Any, key: str, kind: type) -> Any:
    """Return a value of an object; refuse a value of another type."""
    return _typed(_typed(values, "a record", dict).get(key), key, kind)


def _place(values: Any, start: str = "start", end: str = "end") -> tuple[int, int]:
    return _take(values, start, int), _take(values, end, int)


def _label_studio(task: dict[str, Any], left_out: Counter[str]) -> Iterator[Annotation]:
    """Yield the annotations of a task; relations, choices and predictions are ignored."""
    data = _take(task, "data", dict)
    annotations = _take(task, "annotations", list)
    texts = [key for key, value in data.items() if isinstance(value, str)]
    texts.sort(key=lambda key: len(data[key]), reverse=True)
    if not annotations:
        left_out["tasks without an annotation"] += 1
    for annotation in annotations:
        if _typed(annotation, "an annotation", dict).get("was_cancelled"):
            left_out["annotations that were skipped"] += 1
            continue
        labels: dict[str, list[Label]] = {}
        for region in _take(annotation, "result", list):
            kind = _typed(region, "a region", dict).get("type")
            if kind in ("labels", "hypertextlabels"):
                value = _take(region, "value", dict)
                place = _place(value.get("globalOffsets", value))
                text = _take(value, "text", str) if "text" in value else None
                # The text is in the named field, in ``text``, or it is the longest one.
                name = next(
                    (k for k in (region.get("to_name"), "text", *texts) if k in texts), "text"
                )
                own = labels.setdefault(name, [])
                own += [
                    (place, _typed(label, kind, str), text) for label in _take(value, kind, list)
                ]
        for name, own in labels.items():
            others = {key: value for key, value in data.items() if key != name}
            yield Annotation(_take(data, name, str), own, {"id": task.get("id"), **others})


def _prodigy(task: dict[str, Any], left_out: Counter[str]) -> Iterator[Annotation]:
    """Yield the annotation of a task, if its answer is accepted.

    The spans have the labels; or one span has the place, and the chosen options are the labels.
    """
    answer, spans = task.get("answer", "accept"), task.get("spans", [])
    if answer != "accept" or not spans:
        reasons = {"accept": "texts without a span", "reject": "rejected answers"}
        left_out[reasons.get(str(answer), "ignored answers")] += 1
        return
    if "options" in task and len(_typed(spans, "spans", list)) == 1:
        chosen, (span,) = _take(task, "accept", list), spans
        spans = [{**_typed(span, "a span", dict), "label": label} for label in chosen]
    labels = [(_place(s), _take(s, "label", str), None) for s in _typed(spans, "spans", list)]
    used = ("text", "answer", "html")
    fields = {k: v for k, v in task.items() if k not in used and not k.startswith("_")}
    yield Annotation(_take(task, "text", str), labels, fields)


def _doccano(record: dict[str, Any], left_out: Counter[str]) -> Iterator[Annotation]:
    """Yield the annotation of a record; relations are ignored."""
    key, names = _doccano_key(record), ("start_offset", "end_offset", "label")
    labels: list[Label] = []
    for label in _take(record, key, list):
        if isinstance(label, list):
            label = dict(zip(names, label, strict=False))
        labels.append((_place(label, *names[:2]), _take(label, "label", str), None))
    if not labels:
        left_out["texts without a span"] += 1
    text = "text" if "text" in record else "data"
    fields = {name: value for name, value in record.items() if name not in (key, text)}
    yield Annotation(_take(record, text, str), labels, fields)


def _doccano_key(record: Mapping[str, Any]) -> str:
    """Return the name of the field with a list of labels and places; empty if there is none."""
    for name in ("label", "labels", "entities") if "text" in record or "data" in record else ():
        values = record.get(name)
        if isinstance(values, list) and all(isinstance(value, list | dict) for value in values):
            return name
    return ""


TOOLS: dict[str, Callable[[dict[str, Any], Counter[str]], Iterator[Annotation]]] = {
    "Label Studio": _label_studio,
    "Prodigy": _prodigy,
    "doccano": _doccano,
}
