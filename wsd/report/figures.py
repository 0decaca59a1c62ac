"""Write the figures of a paper from the tables of a finished run, as PDF and PNG."""

import argparse
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from wsd.arguments import add_files, add_listings, add_out_folder
from wsd.artifacts.column_names import BASELINE, PUBLISHED, SYSTEM
from wsd.artifacts.run_json import bare, list_folders
from wsd.report.plot_colours import COLOURS, MARKERS, RAMP, classifier_numbers, style_of
from wsd.report.tables import METRICS
from wsd.storage.atomic import replacing
from wsd.storage.csv import read_csv

STYLE: Any = {
    **{"font.size": 8, "legend.fontsize": 7, "legend.frameon": False, "lines.linewidth": 1.0},
    **{"axes.spines.top": False, "axes.spines.right": False, "pdf.fonttype": 42},
    **{"text.parse_math": False, "figure.constrained_layout.use": True, "lines.markersize": 3.5},
}
# Inches; a panel of half the width of a page.
WIDTH, HEIGHT = 3.5, 3.0
# Metadata that would differ between runs.
VARYING = {"pdf": ("CreationDate", "Producer"), "png": ("Software",)}


def _panels(table: pd.DataFrame, keys: list[str], height: float = HEIGHT) -> Any:
    """Return a figure, and the name, the axes and the rows of each panel."""
    groups = list(table.groupby(keys, sort=False))
    figure = Figure(figsize=(WIDTH * min(2, len(groups)), height * -(-len(groups) // 2)))
    axes = figure.subplots(-(-len(groups) // 2), min(2, len(groups)), squeeze=False).ravel()
    for unused in axes[len(groups) :]:
        unused.remove()
    for ax, (names, _) in zip(axes, groups, strict=False):
        ax.set_title(", ".join(names), loc="left")
    return figure, [(ax, rows) for ax, (_, rows) in zip(axes, groups, strict=False)]


def _look(number: int) -> dict[str, Any]:
    colour, marker = style_of(number)
    return {"color": COLOURS[colour], "marker": MARKERS[marker][1]}


def draw_layers(layers: pd.DataFrame, comparison: pd.DataFrame) -> Figure:
    """Draw the score of each layer choice with its 95% CI; baselines are dashed lines."""
    metric = str(layers["metric"].iloc[0])
    figure, panels = _panels(layers, ["model", "view"])
    rows = comparison[comparison["kind"].isin([PUBLISHED, SYSTEM, BASELINE])]
    for ax, table in panels:
        order = {name: i for i, name in enumerate(table["layers"].unique())}
        numbers = classifier_numbers(table["classifier"].unique())
        for classifier, own in table.groupby("classifier", sort=False):
            x, y = own["layers"].map(order), 100 * own["value"]
            ends = [y - 100 * own["low"], 100 * own["high"] - y]
            single, look = own["layers"].str.isdecimal(), _look(numbers[str(classifier)])
            ax.errorbar(x, y, ends, linestyle="none", elinewidth=0.8, **look)
            ax.plot(x[single], y[single], label=classifier, **look)
            chosen = own["selected_by_cv"]
            ax.plot(x[chosen], y[chosen], "o", markersize=8, fillstyle="none", color="black")
        for name, value in rows.drop_duplicates(["model", "classifier"])[
            ["classifier", metric]
        ].values:
            ax.axhline(100 * value, color="0.5", linestyle="--", linewidth=0.6)
            ax.annotate(name, (1, 100 * value), xycoords=("axes fraction", "data"), fontsize=6)
        ax.set_xticks(list(order.values()), list(order), rotation=45, ha="right")
        ax.set_xlabel("Layer, or combination of layers")
        ax.set_ylabel(f"{METRICS[metric]} (%)")
        ax.legend()
    return figure


def draw_words(words: pd.DataFrame, _: pd.DataFrame) -> Figure:
    """Draw macro-F1 of each word and layer choice as a heat map."""
    height = 1 + 0.14 * words["word"].nunique()
    figure, panels = _panels(words, ["model", "view", "classifier"], height)
    for ax, rows in panels:
        cells = 100 * rows.pivot(index="word", columns="layers", values="macro_f1")
        cells = cells[rows["layers"].unique()]
        below = cells.max(axis=1).to_numpy()[:, None] - cells.to_numpy()
        ax.imshow(np.sqrt(below), cmap="Blues_r", aspect="auto")
        for (y, x), value in np.ndenumerate(cells.to_numpy()):
            ax.text(x, y, f"{value:.0f}", ha="center", va="center", fontsize=5)
        ax.set_xticks(range(cells.shape[1]), cells.columns, rotation=45, ha="right")
        ax.set_yticks(range(len(cells)), cells.index)
    return figure


def draw_learning(learning: pd.DataFrame, _: pd.DataFrame) -> Figure:
    """Draw mean macro-F1 against the size of the training set, a line per layer."""
    rows = learning[learning["layers"].str.isdecimal()]
    figure, panels = _panels(rows, ["model", "view", "classifier"])
    for ax, table in panels:
        layers = sorted(table["layers"].unique(), key=int)
        for i, layer in enumerate(layers):
            own = table[table["layers"] == layer].sort_values("n_train")
            colour = RAMP[round(i * (len(RAMP) - 1) / max(1, len(layers) - 1))]
            y = 100 * own["mean_macro_f1_in_common"]
            ax.plot(own["n_train"], y, color=colour, label=layer, marker="o")
        ax.set_xscale("log")
        ax.set_xlabel("Training instances")
        ax.set_ylabel("Macro-F1 (%)")
        ax.legend(title="Layer")
    return figure


FIGURES = {"layers": draw_layers, "word-layers": draw_words, "learning": draw_learning}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_files(
        parser, "--tables", "tables of a run, .csv: comparison, layers, word-layers, learning"
    )
    add_listings(parser)
    add_out_folder(parser, "folder for the figures")


def run(args: argparse.Namespace) -> None:
    """Write the figures; a figure without data is left out."""
    tables = {bare(path.stem): read_csv(path) for path in args.tables}
    args.out.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context({**mpl.rcParamsDefault, **STYLE}):
        for name, draw in FIGURES.items():
            if len(tables[name]) and (figure := draw(tables[name], tables["comparison"])):
                for form, metadata in VARYING.items():
                    with replacing(args.out / f"{name}.{form}") as temporary:
                        about = dict.fromkeys(metadata)
                        figure.savefig(temporary, format=form, metadata=about, dpi=300)
    list_folders(args.listings)
