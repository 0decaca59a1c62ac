"""Figure ``learning``: mean macro-F1 against the size of the training set, a line per layer.

There is a panel per classifier. Solid lines are shares of the training set. Dotted lines have the
same number of instances per sense; their bars are the range over several draws. The training set
``balanced`` is neither, and is left out.
"""

from typing import Any

import matplotlib
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from wsd.logs import log
from wsd.report.paper import style

SHARES, SHOTS = r"full|\d+pct", r"nshot-\d+"
KEYS = ["model", "view", "classifier"]
HEIGHT = 80.0  # mm
LONGEST_LIST = 14  # layers per column of the legend
DOTTED: dict[str, Any] = {"linestyle": ":", "markerfacecolor": "white"}


def draw_learning(learning: pd.DataFrame) -> Figure | None:
    """Draw learning.csv."""
    shown = style.panels(rows_of_curves(learning), KEYS)
    if not shown:
        return None
    figure, drawn = style.canvas(shown, HEIGHT, sharey=True)
    layer_looks = looks_of_layers([layer for _, rows in shown for layer in rows["layers"]])
    for ax, rows in drawn:
        ax.set_xscale("log")
        for layer, layer_rows in rows.groupby("layers", sort=False):
            curve(ax, layer_rows.sort_values("n_train", kind="stable"), layer_looks[str(layer)])
        ticks(ax, rows["n_train"])
        ax.set_xlabel("Training instances")
    for ax in figure.axes[:: style.PANELS_PER_ROW]:
        ax.set_ylabel("Mean macro-F1 (%)")
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
    """Return a look per layer; later layers are lighter, but still visible on paper."""
    names = sorted(set(layers), key=int)
    lightest = max(len(names) - 1, 1)
    shades = matplotlib.colormaps["viridis"]
    return {
        name: {**look, "color": shades(0.9 * i / lightest)}
        for i, (name, look) in enumerate(style.looks(names).items())
    }


def curve(ax: Axes, rows: pd.DataFrame, look: style.Look) -> None:
    """Draw the two lines of a layer."""
    is_drawn = rows["train"].str.fullmatch(SHOTS)
    share, shots = rows[~is_drawn], rows[is_drawn]
    ax.plot(share["n_train"], 100 * share["mean_macro_f1"], **look)
    value = 100 * shots["mean_macro_f1"]
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
