"""Horizontal lines for baselines and other systems, with their names at the right."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from wsd.artifacts.column_names import BASELINE, PUBLISHED, SYSTEM
from wsd.report.label_places import spread
from wsd.report.paper import style

NO_ENCODER = "no encoder"
LINE: dict[str, Any] = {"color": style.GREY, "linewidth": 0.5, "linestyle": (0, (6, 4))}
LEADER: dict[str, Any] = {
    **{"arrowstyle": "-", "color": style.GREY, "linewidth": 0.5},
    **{"relpos": (0, 0.5), "shrinkA": 0, "shrinkB": 0},
}


def draw_horizontals(
    axes: Sequence[Axes],
    comparison: pd.DataFrame,
    metric: str,
    height: float,
    note: str = "",
) -> None:
    """Draw lines across all panels, named at the right of each row of panels.

    Parameters
    ----------
    axes : sequence of Axes
        They share their vertical axis, in percent.
    comparison : DataFrame
        Rows of comparison.csv.
    metric : str
        One of its columns.
    height : float
        The height of a panel without its labels, in mm, about.
    note : str
        Added to each name.
    """
    rows = comparison.drop_duplicates(["kind", "model", "layers", "classifier"])
    rows = rows[rows["kind"].isin([PUBLISHED, SYSTEM, BASELINE])]
    values = (100 * rows[metric]).tolist()
    names = list(map(name_of, rows.to_dict("records")))
    for ax in axes:
        for value in values:
            ax.axhline(value, **LINE, zorder=0.5)
    low, high = axes[0].get_ylim()
    labels = spread(values, (high - low) * 1.2 * style.SMALL * style.POINT / height)
    for ax in axes:
        place = ax.get_subplotspec()
        if ax is axes[-1] or (place is not None and place.is_last_col()):
            for name, value, label in zip(names, values, labels, strict=True):
                ends = ((1, value), (1.03, label))
                ax.annotate(style.shown(name) + note, *ends, arrowprops=LEADER, **style.NOTE)


def name_of(row: Mapping[Any, Any]) -> str:
    """Return the name of a baseline or of another system.

    >>> name_of({"kind": "baseline", "model": "no encoder", "classifier": "bag_of_words"})
    'bag of words'
    """
    if row["kind"] != BASELINE:
        return str(row["model"])
    name = str(row["classifier"]).replace("_", " ")
    return name if row["model"] == NO_ENCODER else f"{name}, {row['model']}"
