"""Figure ``layers``: scores over all words of every layer and combination, a panel per model.

Each classifier has a line over the single layers, and points at the combinations, with 95% CIs.
Dashed lines use the context alone; dash-dotted lines are after fine-tuning. Horizontal lines are
baselines and other systems. If models differ in depth, layers are placed at their relative depth,
so that panels can be compared; the tick labels stay layer numbers.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from wsd.artifacts.column_names import CONTROL_VIEW
from wsd.report.paper import style
from wsd.report.paper.horizontals import draw_horizontals
from wsd.report.tables import after_fine_tuning

CONTEXT = "context"
VALUES = ("value", "low", "high")
HEIGHT = 100.0  # mm
PLOT = 62.0  # mm, about the height without the labels below
CHOICE, BESIDE = 3.6, 20.0  # mm, the least distance of ticks, and the width of labels
SHIFT = 0.12  # between classifiers at a combination, as a share of the distance to the next
CONTEXT_LINE: dict[str, Any] = {"linestyle": "--", "linewidth": 0.8, "zorder": 1.5}
TUNED_LINE: dict[str, Any] = {**CONTEXT_LINE, "linestyle": "-."}


def draw_layers(
    layers: pd.DataFrame, controls: pd.DataFrame, comparison: pd.DataFrame
) -> Figure | None:
    """Draw layers.csv with controls.csv and comparison.csv."""
    panels = style.panels(layers, ("model", "view"))
    if not panels:
        return None
    metric = str(layers["metric"].iloc[0])
    widest = max(max(places(rows["layers"].unique().tolist()).values()) for _, rows in panels)
    sizes = (HEIGHT, style.TWO_COLUMNS, CHOICE * widest + BESIDE)
    figure, drawn = style.canvas(panels, *sizes, sharey=True)
    looks = style.looks_of_classifiers(layers["classifier"].unique())
    depth = style.by_depth(layers)
    context = (controls["kind"] == CONTROL_VIEW) & (controls["view"] == CONTEXT)
    extra_lines = {
        "context only": (controls[context], CONTEXT_LINE),
        "fine-tuned": (after_fine_tuning(controls, comparison), TUNED_LINE),
    }
    drawn_lines = set()
    for ax, table in drawn:
        # The number of blocks is unknown for a static view.
        count = style.blocks_of(table) if depth else 0
        positions = places(table["layers"].unique().tolist(), count or 1)
        groups = list(table.groupby("classifier", sort=False))
        for i, (classifier, rows) in enumerate(groups):
            # At combinations, classifiers are next to each other.
            shift = SHIFT / (count or 1) * (i - (len(groups) - 1) / 2)
            shifted = {name: x + (not name.isdecimal()) * shift for name, x in positions.items()}
            look = looks[str(classifier)]
            for name, (others, line) in extra_lines.items():
                model = others["model"] == str(table["model"].iloc[0])
                other = style.single(others[model & (others["classifier"] == classifier)])
                # Other layers than the panel's are left out, as on the pages.
                other = other[other["layers"].isin(list(positions))]
                if len(other) >= 2:
                    x = other["layers"].map(shifted)
                    ax.plot(x, 100 * other[metric], color=look["color"], **line)
                    drawn_lines.add(name)
            curve(ax, style.single(rows), shifted, look)
            combined = rows[~rows["layers"].str.isdecimal()]
            x, ends = combined["layers"].map(shifted), [100 * combined[n] for n in VALUES]
            style.bars(ax, x, *ends, linestyle="none", **look)
            ring_selected(ax, rows, shifted)
        style.choice_ticks(ax, positions)
        if count:
            ax.set_xlabel(f"Layer of {count}, at its relative depth")
    style.label_y(figure.axes, style.percent_of(metric))
    draw_horizontals(figure.axes, comparison, metric, PLOT)
    handles = [style.key(style.shown(name), **look) for name, look in looks.items()]
    for name, (_, line) in extra_lines.items():
        if name in drawn_lines:
            handles.append(style.key(name, color=style.GREY, **line))
    handles.append(style.key("selected by CV", **style.RINGED))
    figure.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), 6))
    return figure


def places(names: Sequence[str], blocks: int = 1) -> dict[str, float]:
    """Return the position of each layer choice: layers at their numbers, then combinations.

    With a number of blocks, positions are divided by it: layers are at their relative depth.
    """
    numbers = sorted(int(name) for name in names if name.isdecimal())
    combined = [name for name in names if not name.isdecimal()]
    first = numbers[-1] + 1.5 if numbers else 0
    positions = {str(layer): float(layer) for layer in numbers}
    positions |= {name: first + i for i, name in enumerate(combined)}
    return {name: place / blocks for name, place in positions.items()}


def curve(ax: Axes, rows: pd.DataFrame, positions: Mapping[str, float], look: style.Look) -> None:
    """Draw a line over single layers with its interval."""
    x = rows["layers"].map(positions).astype(float)
    value, low, high = (100 * rows[name] for name in VALUES)
    ax.fill_between(x, low, high, color=look["color"], alpha=0.18, linewidth=0)
    ax.plot(x, value, **look)


def ring_selected(ax: Axes, rows: pd.DataFrame, positions: Mapping[str, float]) -> None:
    """Draw a ring around the layer choice selected by cross-validation."""
    selected = rows[rows["selected_by_cv"]]
    ax.plot(selected["layers"].map(positions), 100 * selected["value"], **style.RINGED)
