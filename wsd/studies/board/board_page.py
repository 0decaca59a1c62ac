"""The page of a board: encoders by their selected configuration and by relative depth.

The page is a single file without scripts. The plots are positions in an SVG.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from wsd.report.pages import curves
from wsd.report.pages.index_curve import rules
from wsd.report.pages.layer_plots import DEPTHS
from wsd.report.pages.model_notes import detectable
from wsd.report.pages.render import render_alone
from wsd.report.pages.report_data import having, records
from wsd.report.plot_colours import mark_of
from wsd.report.tables import METRICS
from wsd.studies.board.merge import DIFFERENCES, ENCODERS, FACTS, LAYERS, TABLES, Merged

WIDTH, HEIGHT = 760, 300
LEFT, RIGHT, TOP, BOTTOM = 44, 14, 12, 34
ROOM = 8  # left and right of the points
FIELD = (LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM)
DASHES = ("", "dashed", "dotted")
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
    single = single.rename(columns={end: f"value_{end}" for end in ("low", "high")})
    parts = {
        names: [
            _line(rows, model, number)
            for model, number in numbers.items()
            if len(rows := having(own, model=model))
        ]
        for names, own in single.groupby(["view", "classifier"])
    }
    y_range = curves.common_range([line for lines in parts.values() for line in lines])
    return [
        {
            "label": f"{view}, {classifier}",
            **_plot(lines, y_range),
            "rings": [
                _place(row["relative_depth"], 100 * row["value"], y_range)
                for row in records(having(single, view=view, classifier=classifier))
                if row["selected_by_cv"]
            ],
        }
        for (view, classifier), lines in parts.items()
    ]


def _line(rows: pd.DataFrame, model: str, number: int) -> curves.Curve:
    labels = [f"layer {text}" for text in rows["layers"]]
    x = rows["relative_depth"]
    return curves.of_table(rows, x, "value", labels=labels, name=model, style=number)


def _place(x: float, y: float, y_range: tuple[float, float]) -> tuple[float, float]:
    """Return the position of a relative depth and a percentage."""
    low, high = y_range
    across = LEFT + ROOM + x * (WIDTH - RIGHT - LEFT - 2 * ROOM)
    down = HEIGHT - BOTTOM - (y - low) / (high - low) * (HEIGHT - BOTTOM - TOP)
    return round(across, 1), round(down, 1)


def _plot(lines: Sequence[curves.Curve], y_range: tuple[float, float]) -> dict[str, Any]:
    def corners(line: curves.Curve, values: Sequence[float]) -> list[str]:
        places = (_place(x, y, y_range) for x, y in zip(line.x, values, strict=True))
        return [f"{across},{down}" for across, down in places]

    drawn = []
    for line in lines:
        colour, outline = mark_of(line.style)
        points = zip(line.x, line.y, line.tooltips, strict=True)
        band = [*corners(line, line.low or []), *corners(line, line.high or [])[::-1]]
        drawn.append(
            {
                "name": line.name,
                "style": colour,
                "mark": outline,
                "dash": DASHES[line.style % len(DASHES)],
                "points": " ".join(corners(line, line.y)),
                "band": " ".join(band),
                "dots": [(*_place(x, y, y_range), tip.replace("\n", ", ")) for x, y, tip in points],
            }
        )
    return {
        "size": (WIDTH, HEIGHT),
        "field": FIELD,
        "lines": drawn,
        "x": [(_place(x, 0, y_range)[0], text) for x, text in DEPTHS.items()],
        "y": [(_place(0, y, y_range)[1], str(y)) for y in rules(*y_range)],
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
