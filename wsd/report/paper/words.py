"""Figure ``words``: macro-F1 of every word and layer choice.

There is a panel per classifier, view and model. Darker is better; shades are finer at high scores,
where layers differ little. The layer choice selected by cross-validation for the word is framed.
"""

from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.colors import ListedColormap, PowerNorm
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from wsd.report.paper.style import SMALL, canvas, choice_ticks, panels, shown

ROW, AROUND = 3.5, 29.0  # mm: a word, and the space above and below all words
# All shades are light enough for black numbers.
SHADES = ListedColormap(matplotlib.colormaps["Blues"](np.linspace(0.0, 0.62, 256)))
NUMBER: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": SMALL, "in_layout": False}
FRAME: dict[str, Any] = {
    **{"fill": False, "edgecolor": "black", "linewidth": 0.9},
    **{"zorder": 2, "clip_on": False},  # above the cells, not cut at the edge
}


def draw_words(words: pd.DataFrame) -> Figure | None:
    """Draw word-layers.csv."""
    shown_panels = panels(words, ("model", "view", "classifier"))
    if not shown_panels:
        return None
    most = max(rows["word"].nunique() for _, rows in shown_panels)
    figure, drawn = canvas(shown_panels, ROW * most + AROUND)
    norm = PowerNorm(3, words["macro_f1"].min(), words["macro_f1"].max())
    for ax, rows in drawn:
        names, choices = rows["word"].unique().tolist(), rows["layers"].unique().tolist()
        values = np.full((len(names), len(choices)), np.nan)
        for row in rows.to_dict("records"):
            y, x = names.index(row["word"]), choices.index(row["layers"])
            values[y, x] = row["macro_f1"]
            ax.text(x + 0.5, y + 0.5, f"{100 * values[y, x]:.0f}", **NUMBER)
            if row["selected_by_cv"]:
                ax.add_patch(Rectangle((x, y), 1, 1, **FRAME))
        ax.pcolormesh(values, cmap=SHADES, norm=norm, edgecolors="white", linewidth=0.4)
        choice_ticks(ax, {choice: x + 0.5 for x, choice in enumerate(choices)})
        ax.set_yticks(np.arange(len(names)) + 0.5, [shown(word) for word in names])
        ax.invert_yaxis()
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
    handles = [
        Rectangle((0, 0), 1, 1, facecolor=SHADES(0.5), label="macro-F1 (%)"),
        Rectangle((0, 0), 1, 1, label="selected by CV", **FRAME),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
    return figure
