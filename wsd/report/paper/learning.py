"""Mean macro-F1 against the size of the training set: a panel per classifier, a line per layer.

Full lines are shares of the training set. Dotted ones have so many instances of each sense; their
bars are the range over several draws. ``balanced`` is neither, and left out.
"""

from typing import Any

import matplotlib
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from wsd.logs import log
from wsd.report.paper.style import BESIDE, GREY, Look, bars, canvas, key, looks, panels, single

SHARES, SHOTS = r"full|\d+pct", r"nshot-\d+"
KEYS = ["model", "view", "classifier"]
HEIGHT = 80.0  # mm
LONGEST_LIST = 14  # layers under each other in the legend
DOTTED: dict[str, Any] = {"linestyle": ":", "markerfacecolor": "white"}


def draw_learning(learning: pd.DataFrame) -> Figure | None:
    """Draw learning.csv."""
    found = panels(of_curves(learning), KEYS)
    if not found:
        return None
    figure, drawn = canvas(found, HEIGHT, sharey=True)
    of_layers = looks_of_layers([layer for _, rows in found for layer in rows["layers"]])
    for ax, rows in drawn:
        ax.set_xscale("log")
        for layer, of_layer in rows.groupby("layers", sort=False):
            curve(ax, of_layer.sort_values("n_train", kind="stable"), of_layers[str(layer)])
        ticks(ax, rows["n_train"])
        ax.set_xlabel("Training instances")
    for ax in figure.axes[::BESIDE]:
        ax.set_ylabel("Mean macro-F1 (%)")
    handles = [key(layer, **look) for layer, look in of_layers.items()]
    columns = -(-len(of_layers) // LONGEST_LIST)
    figure.legend(handles=handles, title="Layer", loc="outside right upper", ncols=columns)
    handles = [
        key("share of the training set", color=GREY),
        key("n per sense, range of draws", color=GREY, **DOTTED),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
    return figure


def of_curves(learning: pd.DataFrame) -> pd.DataFrame:
    """The rows to draw: single layers, of what was fitted on more than one training set.

    A training set that lacks words is left out, since a mean over other words is another figure.
    """
    rows = single(learning[learning["train"].str.fullmatch(f"{SHARES}|{SHOTS}").astype(bool)])
    if rows.empty:
        return rows
    most = rows.groupby(KEYS)["n_words"].transform("max")
    for train, lacking in rows[rows["n_words"] < most].groupby("train", sort=False):
        log.info("learning: %s lacks words, has %d: left out", train, lacking["n_words"].max())
    rows = rows[rows["n_words"] == most]
    return rows[rows.groupby(KEYS)["train"].transform("nunique") > 1]


def looks_of_layers(layers: list[str]) -> dict[str, Look]:
    """Later layers are lighter, but none is so light that it is lost on paper."""
    names = sorted(set(layers), key=int)
    lightest = max(len(names) - 1, 1)
    shades = matplotlib.colormaps["viridis"]
    return {
        name: {**of, "color": shades(0.9 * i / lightest)}
        for i, (name, of) in enumerate(looks(names).items())
    }


def curve(ax: Axes, rows: pd.DataFrame, look: Look) -> None:
    """The two lines of a layer."""
    drawn = rows["train"].str.fullmatch(SHOTS)
    share, shots = rows[~drawn], rows[drawn]
    ax.plot(share["n_train"], 100 * share["mean_macro_f1"], **look)
    value = 100 * shots["mean_macro_f1"]
    # One draw has no range.
    low = (100 * shots["lowest_draw"]).fillna(value)
    high = (100 * shots["highest_draw"]).fillna(value)
    bars(ax, shots["n_train"], value, low, high, **look, **DOTTED)


def ticks(ax: Axes, values: pd.Series) -> None:
    """Powers of ten written out: the usual labels of such an axis are formulas."""
    low, high = ax.get_xlim()
    powers = [10**n for n in range(10) if low <= 10**n <= high] or [int(values.max())]
    ax.set_xticks(powers, [f"{power:,}" for power in powers])
    ax.tick_params(which="minor", labelbottom=False)
