"""Merge exports of several machines to one page and tables."""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from wsd.arguments import add_out_folder, add_seed
from wsd.logs import log
from wsd.report.pages import curves
from wsd.report.pages.layer_plots import DEPTHS
from wsd.report.pages.plots import Curve, plot_of
from wsd.report.pages.render import CURVES, render_alone
from wsd.report.pages.report_data import having, records
from wsd.report.plot_colours import mark_of
from wsd.report.tables import METRICS
from wsd.storage.atomic import write_text
from wsd.storage.csv import write_csv
from wsd.studies.board.export import DOCUMENT
from wsd.studies.board.merge import Export, check_together, compute_tables, read_export


def page(exports: Sequence[Export], tables: Mapping[str, pd.DataFrame]) -> str:
    """Return the page as HTML."""
    about, instances = exports[0].about, exports[0].instances
    # A column without any value holds None, which templates cannot format.
    tables = {
        name: table.astype(dict.fromkeys(table.columns[table.isna().all()], float))
        for name, table in tables.items()
    }
    encoders = tables["encoders"].sort_values(about["objective"], ascending=False, kind="stable")
    rank = {model: number for number, model in enumerate(encoders["model"])}
    pairs = records(having(tables["differences"], metric=about["objective"]))
    pairs = [row for row in pairs if rank[row["reference_model"]] < rank[row["model"]]]
    models = {name: facts for export in exports for name, facts in export.about["models"].items()}
    configs = [export.about["config"] for export in exports]
    return render_alone(
        "board/board.html",
        CURVES,
        report={
            "dataset": about["dataset"],
            "sampled": "documents" if DOCUMENT in instances else "sentences",
        },
        metric=about["objective"],
        others=[name for name in METRICS if name != about["objective"]],
        encoders=records(encoders),
        words=instances["word"].nunique(),
        instances=len(instances),
        differences=sorted(
            pairs, key=lambda row: (rank[row["reference_model"]], rank[row["model"]])
        ),
        plots=depth_plots(tables["layers"], rank),
        legend=[(model, *mark_of(number)) for model, number in rank.items()],
        layers=sorted(records(tables["layers"]), key=lambda row: rank[row["model"]]),
        sources={model: models[model]["encoder"]["model"] for model in rank},
        differing=[
            key
            for key in ("tuning", "classifiers", "seed")
            if len({json.dumps(config.get(key), sort_keys=True) for config in configs}) > 1
        ],
        exports=exports,
        tables=[f"{name}.csv" for name in tables],
    )


def depth_plots(layers: pd.DataFrame, rank: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return a plot of all encoders by relative depth for each view and classifier.

    Parameters
    ----------
    layers : DataFrame
        The table of layer choices; combinations of layers have no depth.
    rank : mapping of model to int
        The number of its colour and marker.
    """
    single = layers[layers["relative_depth"].notna()].sort_values("relative_depth")
    single = single.rename(columns={"low": "value_low", "high": "value_high"})
    plots: dict[str, list[Curve]] = {}
    for names, rows in single.groupby(["view", "classifier", "model"]):
        view, classifier, model = map(str, names)
        labels = [f"layer {name}" for name in rows["layers"]]
        look: dict[str, Any] = {"name": model, "style": rank[model], "labels": labels}
        line = curves.of_table(rows, rows["relative_depth"], "value", **look)
        plots.setdefault(f"{view}, {classifier}", []).append(line)
    y_range = curves.common_range([line for lines in plots.values() for line in lines])
    axes: dict[str, Any] = {"x": "relative depth: layer / number of blocks", "ticks": DEPTHS}
    axes |= {"y": f"{METRICS[layers['metric'].iloc[0]]}, percent", "y_range": y_range}
    return [
        {"label": label, "id": f"depth.{label}", "figure": plot_of(lines, **axes)}
        for label, lines in plots.items()
    ]


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    text = "files of `wsd export`"
    parser.add_argument("exports", type=Path, nargs="+", metavar="EXPORT", help=text)
    add_seed(parser, "of intervals and tests")
    add_out_folder(parser, "folder for index.html and the tables")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    exports = [read_export(path) for path in args.exports]
    check_together(exports)
    tables = compute_tables(exports, args.seed)
    text = page(exports, tables)
    for name, table in tables.items():
        write_csv(args.out / f"{name}.csv", table)
    write_text(args.out / "index.html", text)
    log.info("board: %d encoders, %s", len(tables["encoders"]), args.out / "index.html")
