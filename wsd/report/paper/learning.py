"""Figure ``learning``: mean macro-F1 against the size of the training set, a line per layer.

There is a panel per classifier. Solid lines are shares of the training set. Dotted lines have the
same number of instances per sense; their bars are the range over several draws. The training set
``balanced`` is neither, and is left out. Horizontal lines are baselines of the full training set.
"""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from wsd.artifacts.column_names import BASELINE
from wsd.logs import log
from wsd.report import plot_colours
from wsd.report.paper import style
from wsd.report.paper.horizontals import draw_horizontals

SHARES, SHOTS = r"full|\d+pct", r"nshot-\d+"
KEYS = ["model", "view", "classifier"]
METRIC = "mean_macro_f1"
HEIGHT, PLOT = 80.0, 58.0  # mm, with the labels below and without them
FULL = ", full set"  # the training set of the horizontal lines
LONGEST_LIST = 14  # layers per column of the legend
DOTTED: dict[str, Any] = {"linestyle": ":", "markerfacecolor": "white"}


def draw_learning(learning: pd.DataFrame, comparison: pd.DataFrame) -> Figure | None:
    """Draw learning.csv with the baselines of comparison.csv."""
    shown = style.panels(rows_of_curves(learning), KEYS)
    if not shown:
        return None
    figure, drawn = style.canvas(shown, HEIGHT, style.TWO_COLUMNS, sharey=True)
    layer_looks = looks_of_layers([layer for _, rows in shown for layer in rows["layers"]])
    for ax, rows in drawn:
        ax.set_xscale("log")
        for layer, layer_rows in rows.groupby("layers", sort=False):
            curve(ax, layer_rows.sort_values("n_train", kind="stable"), layer_looks[str(layer)])
        ticks(ax, rows["n_train"])
        ax.set_xlabel("Training instances")
    style.label_y(figure.axes, style.percent_of(METRIC))
    baselines = comparison[comparison["kind"] == BASELINE]
    draw_horizontals(figure.axes, baselines, METRIC, PLOT, note=FULL)
    handles = [style.key(layer, **look) for layer, look in layer_looks.items()]
    columns = -(-len(layer_looks) // LONGEST_LIST)
    figure.legend(handles=handles, title="Layer", loc="outside right upper", ncols=columns)
    handles = [
        style.key("share of the training set", color=style.GREY),
        style.key("n per sense, range of draws", color=style.GREY, **DOTTED),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
    return figure


def rows_of_curves(learning: pd.DataFrame) -> pd.DataFrame:
    """Return the rows to draw: single layers of configurations with several training sets.

    A training set that lacks words is left out: means over different words cannot be compared.
    """
    rows = style.single(learning[learning["train"].str.fullmatch(f"{SHARES}|{SHOTS}").astype(bool)])
    if rows.empty:
        return rows
    most = rows.groupby(KEYS)["n_words"].transform("max")
    for train, lacking in rows[rows["n_words"] < most].groupby("train", sort=False):
        log.info("learning: %s lacks words, has %d: left out", train, lacking["n_words"].max())
    rows = rows[rows["n_words"] == most]
    return rows[rows.groupby(KEYS)["train"].transform("nunique") > 1]


def looks_of_layers(layers: list[str]) -> dict[str, style.Look]:
    """Return a look per layer, the same as on the pages: later layers are darker."""
    names = sorted(set(layers), key=int)
    step = (len(plot_colours.RAMP) - 1) / max(len(names) - 1, 1)
    return {
        name: {**look, "color": plot_colours.RAMP[round(i * step)]}
        for i, (name, look) in enumerate(style.looks(names).items())
    }


def curve(ax: Axes, rows: pd.DataFrame, look: style.Look) -> None:
    """Draw the two lines of a layer."""
    is_drawn = rows["train"].str.fullmatch(SHOTS)
    share, shots = rows[~is_drawn], rows[is_drawn]
    ax.plot(share["n_train"], 100 * share[METRIC], **look)
    value = 100 * shots[METRIC]
    # A single draw has no range.
    low = (100 * shots["lowest_draw"]).fillna(value)
    high = (100 * shots["highest_draw"]).fillna(value)
    style.bars(ax, shots["n_train"], value, low, high, **look, **DOTTED)


def ticks(ax: Axes, values: pd.Series) -> None:
    """Label powers of ten as numbers; matplotlib's labels would be formulas."""
    low, high = ax.get_xlim()
    powers = [10**n for n in range(10) if low <= 10**n <= high] or [int(values.max())]
    ax.set_xticks(powers, [f"{power:,}" for power in powers])
    ax.tick_params(which="minor", labelbottom=False)
