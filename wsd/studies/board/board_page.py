"""The page of a board: encoders by their selected configuration and by relative depth."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from wsd.report.pages import curves
from wsd.report.pages.layer_plots import DEPTHS
from wsd.report.pages.render import BOKEH, SHARED, render_alone
from wsd.report.pages.report_data import having, records
from wsd.report.plot_colours import mark_of
from wsd.report.tables import METRICS
from wsd.studies.board.export_file import DOCUMENT, Export

SCRIPTS = (BOKEH, *SHARED, "curves.js", "tables.js")
# What should be the same in all exports, by its name on the page.
SETTINGS = {
    "folds": "folds",
    "search spaces": "spaces",
    "seed": "seed",
    "version of wsd": "written_by",
}
# What decides the vectors of an encoder.
VECTORS = ("input", "pooling", "precision", "device")


def page(exports: Sequence[Export], tables: Mapping[str, pd.DataFrame]) -> str:
    """Return the page as HTML."""
    first = exports[0]
    metric = first.about["objective"]
    encoders = tables["encoders"].sort_values(metric, ascending=False, kind="stable")
    ranked = {model: number for number, model in enumerate(encoders["model"])}
    layers = tables["layers"]
    chosen = sorted(records(layers[layers["selected_by_cv"]]), key=lambda row: ranked[row["model"]])
    pairs = [
        row
        for row in records(having(tables["differences"], metric=metric))
        if ranked[row["reference_model"]] < ranked[row["model"]]
    ]
    models = {name: facts for export in exports for name, facts in export.about["models"].items()}
    return render_alone(
        "board/board.html",
        SCRIPTS,
        report={
            "dataset": first.about["dataset"],
            "sampled": "documents" if DOCUMENT in first.instances else "sentences",
        },
        metric=metric,
        others=[name for name in METRICS if name != metric],
        encoders=records(encoders),
        words=len(first.about["corpus"]["words"]),
        instances=len(first.instances),
        differences=sorted(pairs, key=lambda r: (ranked[r["reference_model"]], ranked[r["model"]])),
        plots=depth_plots(layers, ranked),
        legend=[(model, *mark_of(number)) for model, number in ranked.items()],
        best=chosen,
        layers=records(layers),
        sources=[_source(model, models[model]["encoder"]) for model in ranked],
        differing=[
            name
            for name, key in SETTINGS.items()
            if len({json.dumps(export.about[key], sort_keys=True) for export in exports}) > 1
        ],
        exports=[(export.path.name, export.checksum) for export in exports],
        tables=[f"{name}.csv" for name in tables],
    )


def depth_plots(layers: pd.DataFrame, ranked: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return a plot of all encoders by relative depth for each view and classifier.

    Parameters
    ----------
    layers : DataFrame
        The table of layer choices; combinations of layers have no depth.
    ranked : mapping of model to int
        The number of its colour and marker.
    """
    single = layers[layers["relative_depth"].notna()]
    single = single.rename(columns={"low": "value_low", "high": "value_high"})
    plots = {}
    for (view, classifier), rows in single.groupby(["view", "classifier"]):
        plots[f"{view}, {classifier}"] = [
            curves.of_table(
                own.sort_values("relative_depth"),
                own["relative_depth"].sort_values(),
                "value",
                labels=[f"layer {name}" for name in own.sort_values("relative_depth")["layers"]],
                name=model,
                style=number,
            )
            for model, number in ranked.items()
            if len(own := having(rows, model=model))
        ]
    y_range = curves.common_range([line for lines in plots.values() for line in lines])
    axes: dict[str, Any] = {"x": "relative depth: layer / number of blocks", "ticks": DEPTHS}
    axes |= {"y": f"{METRICS[layers['metric'].iloc[0]]}, percent", "y_range": y_range}
    return [
        {"label": label, "id": f"depth.{label}", "figure": curves.plot_of(lines, **axes)}
        for label, lines in plots.items()
    ]


def _source(model: str, encoder: Mapping[str, Any]) -> dict[str, Any]:
    """Return where an encoder comes from, and how its vectors were computed."""
    record = encoder["model"]
    weights = {file: digest[:12] for file, digest in sorted(record["files"].items())
               if file.endswith(".safetensors")}  # fmt: skip
    return {
        "model": model,
        "source": " ".join(record["source"].values()),
        "random": record.get("random_weights"),
        "type": record["model_type"],
        "weights": ", ".join(f"{file} {digest}" for file, digest in weights.items()),
        "settings": [f"{key} {_text(encoder[key])}" for key in VECTORS if key in encoder],
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
