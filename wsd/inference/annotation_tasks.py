"""Write predictions as tasks for annotation tools: Prodigy, doccano and Label Studio.

Each task has a sentence with one span, whose label is the predicted sense. ``wsd import`` reads the
tasks, and what the tools export after people have corrected them.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from wsd.inference.result_tables import NAMES

if TYPE_CHECKING:
    import pyarrow as pa

# Columns of predictions that become other fields of a task.
_USED = ("split", "index", "sentence", "start", "end", "predicted", "scores", "correct", *NAMES)


def _prodigy(row: Mapping[str, Any], about: dict[str, Any]) -> dict[str, Any]:
    span = {"start": row["start"], "end": row["end"], "label": row["predicted"]}
    return {"text": row["sentence"], "spans": [span], "meta": about}


def _doccano(row: Mapping[str, Any], about: dict[str, Any]) -> dict[str, Any]:
    return {
        **about,
        "text": row["sentence"],
        "label": [[row["start"], row["end"], row["predicted"]]],
    }


def _label_studio(row: Mapping[str, Any], about: dict[str, Any]) -> dict[str, Any]:
    start, end = row["start"], row["end"]
    value = {"start": start, "end": end, "text": row["sentence"][start:end]}
    value["labels"] = [row["predicted"]]
    region = {"type": "labels", "from_name": "label", "to_name": "text", "value": value}
    return {"data": {**about, "text": row["sentence"]}, "annotations": [{"result": [region]}]}


# The suffix of the file that each tool imports, and the function that makes a task.
Task = Callable[[Mapping[str, Any], dict[str, Any]], dict[str, Any]]
TOOLS: dict[str, tuple[str, Task]] = {
    "prodigy": (".jsonl", _prodigy),
    "doccano": (".jsonl", _doccano),
    "label-studio": (".json", _label_studio),
}


def lines(tables: Iterable["pa.Table"], tool: str) -> Iterator[str]:
    """Yield the lines of a file of tasks: an object per line, or an array for Label Studio.

    Parameters
    ----------
    tables : iterable of Table
        Of :func:`wsd.inference.result_tables.predictions`.
    tool : str
        Among ``TOOLS``.
    """
    suffix, task = TOOLS[tool]
    tasks = (json.dumps(task(row, _about(row))) for t in tables for row in t.to_pylist())
    if suffix == ".jsonl":
        yield from (f"{line}\n" for line in tasks)
        return
    start = "[\n"
    for line in tasks:
        yield f"{start}{line}"
        start = ",\n"
    yield "[]\n" if start == "[\n" else "\n]\n"


def _about(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a task that identify its instance, with the extra columns."""
    kept = {k: v for k, v in row.items() if k not in _USED and v not in (None, "")}
    return {"instance": f"{row['word']}/{row['split']}/{row['index']}", **kept}
