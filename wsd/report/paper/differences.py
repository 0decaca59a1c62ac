"""Figure ``differences``: each layer choice minus the layer choice selected by cross-validation.

There is a panel per classifier, view and model. Bars are 95% CIs of each comparison, not corrected.
A marker is filled if the configuration is outside the model's confidence set. The axis is linear
up to one point and logarithmic beyond, since layer 0 is fifty points away. Choices with the same
predictions have no interval.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from wsd.report.paper import style
from wsd.report.tables import with_verdicts

SAME = "0, the same predictions"
MINUS = "\N{MINUS SIGN}"
ROW, AROUND = 3.6, 29.0  # mm: a layer choice, and the space above and below all
NUMBERS = 30.0  # mm, the column of numbers
STEPS = (-100, -30, -10, -3, -1, 0, 1, 3, 10, 30, 100)
POWERS = (-100, -10, -1, 0, 1, 10, 100)
MOST_STEPS = 6
# A neutral colour, since the panel names the classifier.
OUTSIDE: dict[str, Any] = {"color": "0.3", "marker": "o", "linewidth": 0.9}
WITHIN: dict[str, Any] = {**OUTSIDE, "markerfacecolor": "white"}


def draw_differences(layers: pd.DataFrame, best_set: pd.DataFrame) -> Figure | None:
    """Draw layers.csv with the verdicts of best-set.csv."""
    table = with_verdicts(layers, best_set)
    panels = [
        (caption, rows)
        for caption, rows in style.panels(table, ("model", "view", "classifier"))
        if rows["difference"].notna().any()
    ]
    if not panels:
        return None
    metric = style.MEASURES[layers["metric"].iloc[0]]
    most = max(len(rows) for _, rows in panels)
    figure, drawn = style.canvas(panels, ROW * most + AROUND, sharex=True)
    for ax, rows in drawn:
        ax.set_xscale("symlog", linthresh=1, linscale=0.7)
        ax.axvline(0, color=style.GREY, linewidth=0.6, zorder=0.5)
        for y, row in enumerate(rows.to_dict("records")):
            line(ax, y, row)
        ax.set_yticks(range(len(rows)), [style.shown(name) for name in rows["layers"]])
        ax.set_ylim(len(rows) - 0.4, -0.6)
        ax.tick_params(axis="y", length=0)
        ax.tick_params(axis="x", labelbottom=True, labelsize=style.SMALL)
        ax.spines["left"].set_visible(False)
        ax.set_xlabel(f"Difference in {metric} (points;\nlinear to ±1, logarithmic beyond)")
    low, high = figure.axes[0].get_xlim()
    # At least one point to either side: the axis grows to contain its ticks.
    steps = [step for step in STEPS if min(low, -1) <= step <= max(high, 1)]
    if len(steps) > MOST_STEPS:  # their numbers would overlap
        steps = [step for step in steps if step in POWERS]
    figure.axes[0].set_xticks(steps, [signed(step, 0) for step in steps])
    looks = {
        "outside the confidence set": OUTSIDE,
        "in the confidence set": WITHIN,
        "selected by CV": style.RINGED,
    }
    handles = [style.key(name, **look) for name, look in looks.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=3 if len(panels) > 1 else 2)
    return figure


def line(ax: Axes, y: int, row: Mapping[Any, Any]) -> None:
    """Draw a layer choice: a marker with its interval, and the numbers."""
    marker = OUTSIDE if row["is_within"] == "no" else WITHIN
    if row["selected_by_cv"]:
        ax.plot([0], [y], **marker)
        ax.plot([0], [y], **style.RINGED)
        return
    value, low, high = (100 * row[f"difference{end}"] for end in ("", "_low", "_high"))
    place = (NUMBERS / style.POINT, 0)
    look: dict[str, Any] = {"textcoords": "offset points", "ha": "right", **style.NOTE}
    if low != low:
        ax.plot([value], [y], **marker)
        ax.annotate(SAME, (1, y), place, **look)
        return
    ax.plot([low, high], [y, y], **{**OUTSIDE, "marker": "none"})
    ax.plot([value], [y], **marker)
    text = f"{signed(value)} [{signed(low)}, {signed(high)}]"
    ax.annotate(text, (1, y), place, **look)


def signed(points: float, digits: int = 2) -> str:
    """Format a number with its sign."""
    return f"{points:+.{digits}f}".replace("-", MINUS) if points else "0"
