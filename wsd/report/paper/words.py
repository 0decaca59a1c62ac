"""Figure ``words``: macro-F1 of every word and layer choice.

There is a panel per classifier, view and model. As on the pages, a shade shows the points below the
word's best layer choice: darker is better, and small losses differ most. The layer choice selected
by cross-validation for the word is framed. Baselines follow after a gap.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from wsd.artifacts.column_names import BASELINE
from wsd.report.paper.horizontals import name_of
from wsd.report.paper.style import MM, POINT, SMALL, canvas, choice_ticks, panels, shown
from wsd.report.plot_colours import HEAT, HEAT_POINTS, heat

ROW, AROUND = 3.5, 33.0  # mm: a word, and the space above and below all words
BASELINE_NAMES = 8.0  # mm, more space below the words
LETTER, BESIDE = 1.5, 5.0  # mm: a letter of a word, and the rest of the space beside the cells
CELL, GAP = 3.4, 0.4  # mm, the least width of a cell; and the gap before baselines, in cells
DIGIT = 0.64  # the width of a digit, as a share of the size of the font
SHADES = LinearSegmentedColormap.from_list("heat", HEAT)
EDGE: dict[str, Any] = {"edgecolor": "0.7", "linewidth": 0.5}
KEYS = (0, 2, 5, 10, HEAT_POINTS)  # points below the best in the legend
NUMBER: dict[str, Any] = {"ha": "center", "va": "center", "in_layout": False}
FRAME: dict[str, Any] = {
    **{"fill": False, "edgecolor": "black", "linewidth": 0.9},
    **{"zorder": 2, "clip_on": False},  # above the cells, not cut at the edge
}


def draw_words(words: pd.DataFrame, systems: pd.DataFrame) -> Figure | None:
    """Draw word-layers.csv with the baselines of words.csv."""
    shown_panels = panels(words, ("model", "view", "classifier"))
    if not shown_panels:
        return None
    baselines: list[dict[Any, Any]] = [
        {**row, "layers": name_of(row), "selected_by_cv": False}
        for row in systems[systems["kind"] == BASELINE].to_dict("records")
    ]
    others = list(dict.fromkeys(row["layers"] for row in baselines))
    most, widest = (max(rows[n].nunique() for _, rows in shown_panels) for n in ("word", "layers"))
    height = ROW * most + AROUND + (BASELINE_NAMES if others else 0)
    longest = max(len(shown(word)) for word in words["word"])
    columns, labels = widest + GAP + len(others), BESIDE + LETTER * longest
    figure, drawn = canvas(shown_panels, height, least=CELL * columns + labels)
    grid = drawn[0][0].get_gridspec()
    assert grid is not None
    cell = (figure.get_figwidth() / MM / grid.ncols - labels) / columns
    size = min(SMALL, cell / POINT / (3 * DIGIT))  # 100 fits into its cell
    for ax, rows in drawn:
        names, choices = rows["word"].unique().tolist(), rows["layers"].unique().tolist()
        places = {choice: float(x) for x, choice in enumerate(choices)}
        places |= {name: len(choices) + GAP + x for x, name in enumerate(others)}
        cells = [*rows.to_dict("records"), *(row for row in baselines if row["word"] in names)]
        values = np.full((len(names), len(places)), np.nan)
        for row in cells:
            x, y = places[row["layers"]], names.index(row["word"])
            values[y, list(places).index(row["layers"])] = 100 * row["macro_f1"]
            ax.text(x + 0.5, y + 0.5, f"{100 * row['macro_f1']:.0f}", fontsize=size, **NUMBER)
            if row["selected_by_cv"]:
                ax.add_patch(Rectangle((x, y), 1, 1, **FRAME))
        shades = heat(np.nanmax(values[:, : len(choices)], axis=1, keepdims=True) - values)
        look: dict[str, Any] = {"cmap": SHADES, "vmin": 0, "vmax": 1, "edgecolors": "white"}
        for part in (slice(len(choices)), slice(len(choices), None)):
            edges = list(places.values())[part]
            if edges:
                shape = (np.append(edges, edges[-1] + 1), range(len(names) + 1))
                ax.pcolormesh(*shape, shades[:, part], linewidth=0.4, **look)
        choice_ticks(ax, {name: x + 0.5 for name, x in places.items()})
        if others:
            ax.set_xlabel("Layer, combination or baseline")
        ax.set_yticks(np.arange(len(names)) + 0.5, [shown(word) for word in names])
        ax.invert_yaxis()
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
    handles = [
        Rectangle((0, 0), 1, 1, facecolor=SHADES(heat(points)), label=f"{points}", **EDGE)
        for points in KEYS
    ]
    handles[-1].set_label(f"≥ {HEAT_POINTS}")
    handles.append(Rectangle((0, 0), 1, 1, label="selected by CV", **FRAME))
    title = "Macro-F1 (%); shade: points below the word's best"
    close: dict[str, Any] = {"ncols": len(handles), "handlelength": 1.2, "columnspacing": 1}
    figure.legend(handles=handles, title=title, loc="outside lower center", **close)
    return figure
