"""The figure over all words of every layer and combination: a panel per model.

A line per classifier with its band, combinations beside it with bars: 95% intervals. Dashed: the
context alone, under the same classifier; dots and dashes: after fine-tuning. Horizontal: baselines
and other systems. Where models have different numbers of blocks, layers stand at
their relative depth, so that the panels can be held against each other; what is printed below them
stays the number of the layer.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from wsd.artifacts.column_names import BASELINE, CONTROL_VIEW, PUBLISHED, SYSTEM
from wsd.report.paper import style
from wsd.report.tables import after_fine_tuning

CONTEXT = "context"
NO_ENCODER = "no encoder"
VALUES = ("value", "low", "high")
HEIGHT = 100.0  # mm
PLOT = 62.0  # mm of it, roughly, between the lowest and the highest value
ASIDE = 0.12  # of the way to the next combination
CONTEXT_LINE: dict[str, Any] = {"linestyle": "--", "linewidth": 0.8, "zorder": 1.5}
TUNED_LINE: dict[str, Any] = {**CONTEXT_LINE, "linestyle": "-."}
LEADER: dict[str, Any] = {
    **{"arrowstyle": "-", "color": style.GREY, "linewidth": 0.5},
    **{"relpos": (0, 0.5), "shrinkA": 0, "shrinkB": 0},
}


def draw_layers(
    layers: pd.DataFrame, controls: pd.DataFrame, comparison: pd.DataFrame
) -> Figure | None:
    """Draw layers.csv with controls.csv and comparison.csv."""
    found = style.panels(layers, ("model", "view"))
    if not found:
        return None
    measure = str(layers["metric"].iloc[0])
    figure, drawn = style.canvas(found, HEIGHT, style.TWO_COLUMNS, sharey=True)
    of_classifiers = style.looks_of_classifiers(layers["classifier"].unique())
    depth = style.by_depth(layers)
    tuned = after_fine_tuning(controls, comparison)
    others_drawn: list[dict[str, Any]] = []
    for ax, table in drawn:
        # A static view tells of no blocks.
        count = style.blocks_of(table) if depth else 0
        blocks = count or 1
        at = places(table["layers"].unique().tolist(), blocks)
        groups = list(table.groupby("classifier", sort=False))
        for i, (classifier, rows) in enumerate(groups):
            # Combinations are no numbers: there, classifiers stand next to each other.
            aside = ASIDE / blocks * (i - (len(groups) - 1) / 2)
            beside = {name: x + (not name.isdecimal()) * aside for name, x in at.items()}
            look = of_classifiers[str(classifier)]
            for others, line in ((of_context(controls), CONTEXT_LINE), (tuned, TUNED_LINE)):
                model = others["model"] == str(table["model"].iloc[0])
                other = style.single(others[model & (others["classifier"] == classifier)])
                # Those of other layers than the panel's are left out, as on the pages.
                other = other[other["layers"].isin(list(at))]
                if len(other) < 2:
                    continue
                x = other["layers"].map(beside)
                ax.plot(x, 100 * other[measure], color=look["color"], **line)
                others_drawn.append(line)
            curve(ax, style.single(rows), beside, look)
            combined = rows[~rows["layers"].str.isdecimal()]
            x, ends = combined["layers"].map(beside), [100 * combined[n] for n in VALUES]
            style.bars(ax, x, *ends, linestyle="none", **look)
            ring_chosen(ax, rows, beside)
        style.choice_ticks(ax, at)
        if count:
            ax.set_xlabel(f"Layer of {count}, at its relative depth")
    for ax in figure.axes[:: style.BESIDE]:
        ax.set_ylabel(style.percent_of(measure))
    horizontals(figure.axes, comparison, measure)
    handles = [
        *(style.key(style.shown(name), **look) for name, look in of_classifiers.items()),
        *(
            style.key(name, color=style.GREY, **line)
            for name, line in (("context only", CONTEXT_LINE), ("fine-tuned", TUNED_LINE))
            if line in others_drawn
        ),
        style.key("chosen on folds", **style.RINGED),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), 6))
    return figure


def places(names: Sequence[str], blocks: int = 1) -> dict[str, float]:
    """Where each layer choice stands: a layer at its number, combinations behind the last.

    All over the number of blocks, if one is given: layers then stand at their relative depth.
    """
    numbers = sorted(int(name) for name in names if name.isdecimal())
    combined = [name for name in names if not name.isdecimal()]
    first = numbers[-1] + 1.5 if numbers else 0
    at = {str(layer): float(layer) for layer in numbers}
    at |= {name: first + i for i, name in enumerate(combined)}
    return {name: place / blocks for name, place in at.items()}


def of_context(controls: pd.DataFrame) -> pd.DataFrame:
    """The layers of the view of the context alone."""
    return controls[(controls["kind"] == CONTROL_VIEW) & (controls["view"] == CONTEXT)]


def curve(ax: Axes, rows: pd.DataFrame, at: Mapping[str, float], look: style.Look) -> None:
    """A line over single layers, in its band."""
    x = rows["layers"].map(at).astype(float)
    value, low, high = (100 * rows[name] for name in VALUES)
    ax.fill_between(x, low, high, color=look["color"], alpha=0.18, linewidth=0)
    ax.plot(x, value, **look)


def ring_chosen(ax: Axes, rows: pd.DataFrame, at: Mapping[str, float]) -> None:
    """A ring around what the folds choose."""
    chosen = rows[rows["selected_by_cv"]]
    ax.plot(chosen["layers"].map(at), 100 * chosen["value"], **style.RINGED)


def horizontals(axes: Sequence[Axes], comparison: pd.DataFrame, measure: str) -> None:
    """Lines for baselines and other systems, named at the right of each row of panels."""
    rows = comparison.drop_duplicates(["kind", "model", "layers", "classifier"])
    found = rows[rows["kind"].isin([PUBLISHED, SYSTEM, BASELINE])]
    values = (100 * found[measure]).tolist()
    names = list(map(name_of, found.to_dict("records")))
    for ax in axes:
        for value in values:
            ax.axhline(value, color=style.GREY, linewidth=0.5, zorder=0.5)
    low, high = axes[0].get_ylim()
    labels = apart(values, (high - low) * 1.2 * style.SMALL * style.POINT / PLOT)
    for i, ax in enumerate(axes, 1):
        if i % style.BESIDE == 0 or i == len(axes):
            for name, value, label in zip(names, values, labels, strict=True):
                place = ((1, value), (1.03, label))
                ax.annotate(style.shown(name), *place, arrowprops=LEADER, **style.NOTE)


def name_of(row: Mapping[Any, Any]) -> str:
    """The name of a baseline or of another system.

    >>> name_of({"kind": "baseline", "model": "no encoder", "classifier": "bag_of_words"})
    'bag of words'
    """
    if row["kind"] != BASELINE:
        return str(row["model"])
    name = str(row["classifier"]).replace("_", " ")
    return name if row["model"] == NO_ENCODER else f"{name}, {row['model']}"


def apart(values: Sequence[float], least: float) -> list[float]:
    """The values, moved as far as labels need that may not be nearer than ``least``.

    >>> apart([3.0, 1.0, 3.0], 1)
    [2.5, 1.0, 3.5]
    """
    order = np.argsort(values, kind="stable")
    moved = np.array(values, dtype=float)[order]
    for _ in range(100 * len(moved)):
        overlaps = np.clip(least - np.diff(moved), 0, None)
        if not (overlaps > 1e-6).any():
            break
        moved[:-1] -= overlaps / 2
        moved[1:] += overlaps / 2
    return moved[np.argsort(order)].tolist()
