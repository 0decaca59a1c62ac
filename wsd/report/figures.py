"""Write the figures of a paper from the tables of a finished run, as PDF and PNG."""

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from wsd.arguments import add_files, add_listings, add_out_folder
from wsd.artifacts.column_names import BASELINE, CONTROL_VIEW, PUBLISHED, SYSTEM
from wsd.artifacts.run_json import bare, list_folders
from wsd.errors import ConfigError
from wsd.logs import log
from wsd.report.pages import curves
from wsd.report.pages.report_data import having
from wsd.report.tables import METRICS, after_fine_tuning
from wsd.storage.atomic import replacing
from wsd.storage.csv import read_csv

Tables = dict[str, pd.DataFrame]
STYLE: Any = {
    **{"font.size": 8, "legend.fontsize": 7, "legend.frameon": False, "lines.linewidth": 1.0},
    **{"axes.spines.top": False, "axes.spines.right": False, "pdf.fonttype": 42},
    **{"text.parse_math": False, "figure.constrained_layout.use": True, "lines.markersize": 3.5},
    **{"axes.titlesize": 8, "axes.titlelocation": "left", "savefig.dpi": 300},
}
SHADES = LinearSegmentedColormap.from_list("heat", curves.HEAT)
LEVEL: dict[str, Any] = {"color": "0.5", "linewidth": 0.5}
RING: dict[str, Any] = {"markersize": 8, "fillstyle": "none", "color": "black", "linestyle": "none"}
# Metadata that would differ between runs.
VARYING = {"pdf": ("CreationDate", "Producer"), "png": ("Software",)}


def _panels(figure: Figure, table: pd.DataFrame, *keys: str) -> Iterator[tuple[Axes, pd.DataFrame]]:
    """Yield the axes and the rows of each panel, at most two side by side."""
    groups = list(table.groupby([*keys], sort=False))
    rows, columns = -(-len(groups) // 2), min(2, len(groups))
    figure.set_size_inches(7 if columns == 2 else 5, rows * figure.get_figheight())
    for i, (names, group) in enumerate(groups, 1):
        ax = figure.add_subplot(rows, columns, i, title=", ".join(map(str, names)))
        yield ax, group


def draw_layers(figure: Figure, tables: Tables) -> None:
    """Draw the score of each layer choice with its 95% CI; baselines are dashed lines."""
    layers, comparison, controls = (tables[n] for n in ("layers", "comparison", "controls"))
    metric = str(layers["metric"].iloc[0])
    numbers = curves.classifier_numbers(layers["classifier"].unique())
    dashed = {}
    if len(controls):
        context = having(controls, kind=CONTROL_VIEW, view="context")
        dashed = {"--": context, "-.": after_fine_tuning(controls, comparison)}
    for ax, table in _panels(figure, layers, "model", "view"):
        places = curves.Places.of(table["layers"])
        names = {**places.singles, **places.combined}
        for classifier, own in table.groupby("classifier", sort=False):
            colour, marker = curves.style_of(numbers[str(classifier)])
            look: Any = {"color": curves.COLOURS[colour], "marker": curves.MARKERS[marker][1]}
            x, low, y, high = _points(own, places.singles, "low", "value", "high")
            ax.plot(x, y, label=classifier, **look)
            ax.fill_between(x, low, high, alpha=0.18, color=look["color"], linewidth=0)
            x, low, y, high = _points(own, places.combined, "low", "value", "high")
            ax.errorbar(x, y, [y - low, high - y], linestyle="none", **look)
            ax.plot(*_points(own[own["selected_by_cv"]], names, "value"), "o", **RING)
            for line, rows in dashed.items():
                same = having(rows, model=own["model"].iloc[0], classifier=classifier)
                points = _points(same, places.singles, metric)
                ax.plot(*points, line, color=look["color"], linewidth=0.8)
        ax.set_xticks(list(names.values()), list(names), rotation=45, ha="right")
        ax.set(xlabel="Layer, or combination of layers", ylabel=f"{METRICS[metric]} (%)")
        _draw_levels(ax, comparison, metric)
        ax.plot([], [], "o", label="selected by CV", **RING)
        ax.legend(loc="lower right")


def _points(rows: pd.DataFrame, places: Mapping[str, float], *columns: str) -> list[Any]:
    """Return the places of the rows that have one, and the columns in percent."""
    rows = rows[rows["layers"].isin([*places])]
    # Without rows, the column would stay text.
    return [rows["layers"].map(places).astype(float), *(100 * rows[name] for name in columns)]


def _draw_levels(ax: Axes, comparison: pd.DataFrame, metric: str) -> None:
    """Draw baselines and other systems as lines, with their names apart at the right."""
    rows = comparison[comparison["kind"].isin([PUBLISHED, SYSTEM, BASELINE])].sort_values(metric)
    low, high = ax.get_ylim()
    free = -np.inf
    arrow = {"arrowstyle": "-", "shrinkA": 0, "shrinkB": 0, **LEVEL}
    look: Any = {"xycoords": ("axes fraction", "data"), "va": "center", "arrowprops": arrow}
    for row in rows.drop_duplicates(["model", "classifier"]).to_dict("records"):
        name, value = row["classifier" if row["kind"] == BASELINE else "model"], 100 * row[metric]
        ax.axhline(value, linestyle="--", **LEVEL)
        free = max(value, free + (high - low) / 22)
        ax.annotate(str(name).replace("_", " "), (1, value), (1.03, free), fontsize=6, **look)


def draw_words(figure: Figure, tables: Tables) -> None:
    """Draw macro-F1 of each word and layer choice as a heat map; the selected one has a frame."""
    words = tables["word-layers"]
    figure.set_figheight(1.2 + 0.16 * words["word"].nunique())
    for ax, rows in _panels(figure, words, "model", "view", "classifier"):
        cells = 100 * rows.pivot(index="word", columns="layers", values="macro_f1")
        cells = cells.loc[rows["word"].unique(), rows["layers"].unique()]
        below = cells.max(axis=1).to_numpy()[:, None] - cells.to_numpy()
        ax.imshow(curves.heat(below), cmap=SHADES, vmin=0, vmax=1, aspect="auto")
        for (y, x), value in np.ndenumerate(cells.to_numpy()):
            ax.text(x, y, f"{value:.0f}", ha="center", va="center", fontsize=5)
        columns, names = list(cells.columns), list(cells.index)
        for layers, word in having(rows, selected_by_cv=True)[["layers", "word"]].to_numpy():
            x, y = columns.index(layers) - 0.5, names.index(word) - 0.5
            ax.add_patch(Rectangle((x, y), 1, 1, fill=False, clip_on=False))
        ax.set_xticks(range(len(columns)), columns, rotation=45, ha="right")
        ax.set_yticks(range(len(names)), names)


def draw_learning(figure: Figure, tables: Tables) -> None:
    """Draw macro-F1 against the size of the training set, a line per layer."""
    for ax, table in _panels(figure, tables["learning"], "model", "view", "classifier"):
        layers = sorted(table["layers"].unique(), key=int)
        for i, layer in enumerate(layers):
            own = table[table["layers"] == layer].sort_values("n_train")
            colour = curves.RAMP[round(i * (len(curves.RAMP) - 1) / max(1, len(layers) - 1))]
            y = 100 * own["mean_macro_f1_in_common"]
            ax.plot(own["n_train"], y, color=colour, label=layer, marker="o")
        ax.set(xscale="log", xlabel="Training instances", ylabel="Macro-F1 (%)")
        ax.legend(title="Layer")


# By name: the table that must have rows, and the function.
FIGURES = {
    "layers": ("layers", draw_layers),
    "words": ("word-layers", draw_words),
    "learning": ("learning", draw_learning),
}
TABLES = ("comparison", "controls", "layers", "learning", "word-layers")
NAMES = ", ".join(TABLES)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_files(parser, "--tables", f"tables of a run, .csv: {NAMES}")
    add_listings(parser)
    add_out_folder(parser, "folder for the figures")


def run(args: argparse.Namespace) -> None:
    """Write the figures ``layers``, ``words`` and ``learning``; one without data is left out."""
    tables = {bare(path.stem): read_csv(path) for path in args.tables}
    if missing := set(TABLES) - set(tables):
        raise ConfigError(f"no table {min(missing)}", where="--tables", fix=f"give {NAMES}")
    if len(learning := tables["learning"]):
        # Nested training sets: each is part of the next.
        is_nested = learning["train"].str.fullmatch(r"full|\d+pct")
        learning = learning[is_nested & learning["layers"].str.isdecimal()]
        tables["learning"] = learning if learning["train"].nunique() > 1 else learning.head(0)
    args.out.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        for name, (table, draw) in FIGURES.items():
            if tables[table].empty:
                log.info("figures: no data for %s, left out", name)
                continue
            figure = Figure(figsize=(5, 3.2))
            draw(figure, tables)
            for form, metadata in VARYING.items():
                with replacing(args.out / f"{name}.{form}") as path:
                    figure.savefig(path, format=form, metadata=dict.fromkeys(metadata))
    list_folders(args.listings)
