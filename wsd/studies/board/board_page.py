"""The page of a board: encoders by their selected configuration and by relative depth.

The page is a single file without scripts. The plots are positions in an SVG.
"""

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

from wsd.report.pages import curves
from wsd.report.pages.layer_plots import DEPTHS
from wsd.report.pages.model_notes import detectable
from wsd.report.pages.render import render_alone
from wsd.report.pages.report_data import having, records
from wsd.report.pages.static_plots import (
    BOTTOM,
    DASHES,
    FIELD,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    path,
    place,
    round_values,
)
from wsd.report.plot_colours import mark_of
from wsd.report.tables import METRICS
from wsd.studies.board.merge import DIFFERENCES, ENCODERS, FACTS, LAYERS, TABLES, Merged

ROOM = 8  # left and right of the points
# What should be the same in all exports, by its name on the page.
SETTINGS = {
    "folds": "folds",
    "search spaces": "spaces",
    "seed": "seed",
    "version of wsd": "written_by",
}
# What decides the vectors of an encoder.
VECTORS = ("input", "pooling", "precision", "device")
# A checksum is shortened to this many digits.
DIGITS = 12


def page(merged: Merged, tables: Mapping[str, pd.DataFrame]) -> str:
    """Return the page as HTML.

    Parameters
    ----------
    merged : Merged
    tables : mapping of name to DataFrame
        From :func:`wsd.studies.board.merge.compute_tables`.
    """
    # A column without any value holds None, which templates cannot format.
    tables = {
        name: table.astype(dict.fromkeys(table.columns[table.isna().all()], float))
        for name, table in tables.items()
    }
    metric = merged.objective
    encoders = tables[ENCODERS].sort_values(metric, ascending=False, kind="stable")
    ranked = encoders["model"].tolist()
    numbers = {model: number for number, model in enumerate(ranked)}
    layers, first = tables[LAYERS], merged.exports[0]
    documents = bool(first.content.first.documents)
    return render_alone(
        "board/board.html",
        report={
            "dataset": first.about["dataset"],
            "sampled": "documents" if documents else "sentences",
        },
        metric=metric,
        others=[name for name in METRICS if name != metric],
        encoders=records(encoders.astype(dict.fromkeys(FACTS, float))),
        words=len(first.content.first.words),
        instances=sum(len(word.gold) for word in first.content.first.words),
        differences=_one_direction(tables[DIFFERENCES], metric, numbers),
        detected=detectable(having(tables[DIFFERENCES], metric=metric)),
        plots=depth_plots(layers, numbers),
        best=sorted(
            records(layers[layers["selected_by_cv"]]), key=lambda row: numbers[row["model"]]
        ),
        layers=records(layers),
        sources=[_source(merged, model) for model in ranked],
        differing=_differing(merged),
        exports=[
            {
                "file": export.path.name,
                "checksum": export.checksum,
                "models": [*export.about["models"]],
            }
            for export in merged.exports
        ],
        tables=[f"{name}.csv" for name in TABLES],
    )


def _one_direction(
    table: pd.DataFrame, metric: str, numbers: Mapping[str, int]
) -> list[dict[str, Any]]:
    """Return each pair of encoders once, the higher score first."""
    rows = records(having(table, metric=metric))
    kept = [r for r in rows if numbers[r["reference_model"]] < numbers[r["model"]]]
    return sorted(kept, key=lambda r: (numbers[r["reference_model"]], numbers[r["model"]]))


def depth_plots(layers: pd.DataFrame, numbers: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return a plot by relative depth for each view and classifier; all share the vertical axis.

    Parameters
    ----------
    layers : DataFrame
        The table of layer choices; combinations of layers have no depth.
    numbers : mapping of model to int
        The number of its colour and marker.
    """
    single = layers[layers["relative_depth"].notna()]
    ends = single[["low", "high"]].to_numpy(dtype=float) * 100
    low, high = curves.percent_range([*ends.ravel().tolist()])
    return [
        {
            "label": f"{view}, {classifier}",
            "size": (WIDTH, HEIGHT),
            "field": FIELD,
            "lines": [
                _line(rows, model, number, (low, high))
                for model, number in numbers.items()
                if len(rows := having(own, model=model))
            ],
            "x": [
                *((_across(depth), text, False) for depth, text in DEPTHS.items()),
                (_across(0.5), "relative depth", True),
            ],
            "y": [(_down(y, low, high), text) for y, text in round_values(low, high, 12).items()],
        }
        for (view, classifier), own in single.groupby(["view", "classifier"])
    ]


def _across(depth: float) -> float:
    return place(depth, 0, 1, LEFT + ROOM, WIDTH - RIGHT - ROOM)


def _down(percent: float, low: float, high: float) -> float:
    return place(percent, low, high, HEIGHT - BOTTOM, TOP)


def _line(
    rows: pd.DataFrame, model: str, number: int, y_range: tuple[float, float]
) -> dict[str, Any]:
    """Return the line of an encoder, as the template's curve over layers takes it."""
    colour, outline = mark_of(number)
    dots = []
    for row in records(rows):
        value, low, high = (100 * row[name] for name in ("value", "low", "high"))
        ends = {"low": _down(low, *y_range), "high": _down(high, *y_range)}
        text = f"{model}, layer {row['layers']}: {value:.2f} ({low:.2f} to {high:.2f})"
        x, y = _across(row["relative_depth"]), _down(value, *y_range)
        dots.append({"x": x, "y": y, **ends, "text": text, "selected": row["selected_by_cv"]})
    return {
        "name": model,
        "style": colour,
        "mark": outline,
        "dash": DASHES[number % len(DASHES)],
        "points": path((dot["x"], dot["y"]) for dot in dots),
        "dots": dots,
        "level": None,
        "ring": next(((dot["x"], dot["y"]) for dot in dots if dot["selected"]), None),
    }


def _source(merged: Merged, model: str) -> dict[str, Any]:
    """Return where an encoder comes from, and how its vectors were computed."""
    encoder = merged.facts(model)["encoder"]
    record = encoder["model"]
    weights = [f"{file} {digest[:DIGITS]}" for file, digest in sorted(record["files"].items())
               if file.endswith(".safetensors")]  # fmt: skip
    return {
        "model": model,
        "source": " ".join(record["source"].values()),
        "random": record.get("random_weights"),
        "type": record["model_type"],
        "weights": weights[0] + (f" and {len(weights) - 1} more" if weights[1:] else ""),
        "settings": [f"{key} {_text(encoder[key])}" for key in VECTORS if key in encoder],
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _differing(merged: Merged) -> list[str]:
    """Return the settings that are not the same in all exports."""
    values = {
        name: {json.dumps(export.about.get(key), sort_keys=True) for export in merged.exports}
        for name, key in SETTINGS.items()
    }
    return [name for name, found in values.items() if len(found) > 1]
