"""What the figures have in common: sizes, colours, marks, names, panels."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from wsd.report import series

ONE_COLUMN, TWO_COLUMNS = 85.0, 180.0  # mm, as journals set their columns
BESIDE = 2  # panels in a row
DPI = 300
MM, POINT = 1 / 25.4, 25.4 / 72  # inches to a millimetre, millimetres to a point
SMALL = 6.0  # points: numbers in cells and beside intervals, names beside lines
# The font comes with matplotlib, so that a figure is the same on every machine.
STYLE: Any = {
    "font.family": "DejaVu Sans",
    **dict.fromkeys(("font.size", "axes.labelsize", "axes.titlesize"), 8),
    **dict.fromkeys(("xtick.labelsize", "ytick.labelsize"), 7),
    **dict.fromkeys(("legend.fontsize", "legend.title_fontsize"), 7),
    **dict.fromkeys(("axes.linewidth", "xtick.major.width", "ytick.major.width"), 0.6),
    **dict.fromkeys(("xtick.major.size", "ytick.major.size"), 2.5),
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.0,
    "lines.markersize": 3.5,
    "legend.frameon": False,
    "text.parse_math": False,  # names are not ours: a "$" is a dollar
    "svg.fonttype": "none",
    "svg.hashsalt": "wsd",
    "pdf.fonttype": 42,
}
# What tells one series from the others, with colours and without, as matplotlib's arguments.
Look = dict[str, Any]
# Caption and rows of each.
Panels = list[tuple[str, pd.DataFrame]]
GREY = "0.5"
LONGEST = 26  # characters of a name
# Around what the folds choose.
RINGED: Any = {
    **{"marker": "o", "markersize": 7.5, "markerfacecolor": "none", "linestyle": "none"},
    **{"markeredgecolor": "black", "markeredgewidth": 0.8, "zorder": 5},
}
# Text beside the axes of a panel, at a height of its own.
NOTE: Any = {
    **{"xycoords": ("axes fraction", "data"), "annotation_clip": False},
    **{"fontsize": SMALL, "va": "center"},
}
# What the folds may choose by, and so what the table of layer choices may be about.
MEASURES = {
    "mean_macro_f1": "mean macro-F1",
    "mean_balanced_accuracy": "mean balanced accuracy",
    "mean_word_accuracy": "mean word accuracy",
}


@contextmanager
def styled() -> Iterator[None]:
    """The style of the figures, whatever a user's matplotlibrc says; that is put back after."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        yield


def look(number: int) -> Look:
    """The colour and marker of a series, as the pages have them."""
    colour, marker = series.style_of(number)
    return {"color": series.COLOURS[colour], "marker": series.MARKERS[marker][1]}


def looks(names: Iterable[str]) -> dict[str, Look]:
    """A look for each name, in their order."""
    return {name: look(i) for i, name in enumerate(names)}


def looks_of_classifiers(names: Iterable[str]) -> dict[str, Look]:
    """The look that each classifier has on the pages too."""
    return {name: look(number) for name, number in series.classifier_numbers(names).items()}


def percent_of(measure: str) -> str:
    """The label of an axis.

    >>> percent_of("mean_macro_f1")
    'Mean macro-F1 (%)'
    """
    label = MEASURES[measure]
    return f"{label[0].upper()}{label[1:]} (%)"


def bars(ax: Axes, x: Any, value: pd.Series, low: pd.Series, high: pd.Series, **line: Any) -> None:
    """Points with bars between ``low`` and ``high``."""
    ax.errorbar(x, value, yerr=(value - low, high - value), elinewidth=0.8, **line)


def key(label: str, **line: Any) -> Line2D:
    """An entry of a legend."""
    return Line2D([], [], label=label, **line)


def shown(name: str) -> str:
    """A name as it can be drawn: no control characters, and the middle of a long one left out.

    >>> shown("a" * 20 + "b" * 20)
    'aaaaaaaaaaaaa…bbbbbbbbbbbb'
    """
    name = re.sub(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]", "\ufffd", name)
    half = LONGEST // 2
    return name if len(name) <= LONGEST else f"{name[:half]}…{name[1 - half :]}"


def single(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of single layers, by number."""
    found = table[table["layers"].str.isdecimal()]
    return found.iloc[np.argsort(found["layers"].astype(int).to_numpy(), kind="stable")]


def blocks_of(table: pd.DataFrame) -> int:
    """Number of blocks of the one encoder of some rows of layers.csv; 0 where no row tells."""
    found = table[table["relative_depth"] > 0]
    counts = found["layers"].astype(int) / found["relative_depth"]
    return round(counts.max()) if len(found) else 0


def by_depth(layers: pd.DataFrame) -> bool:
    """Whether layers have to be drawn by relative depth: not all models have as many blocks."""
    counts = {blocks_of(rows) for _, rows in layers.groupby("model", sort=False)} - {0}
    return len(counts) > 1


def panels(table: pd.DataFrame, keys: Sequence[str]) -> Panels:
    """The rows of each panel, in the table's order, with the names in which panels differ."""
    groups = list(table.groupby(list(keys), sort=False))
    differing = [i for i in range(len(keys)) if len({names[i] for names, _ in groups}) > 1]
    return [(", ".join(shown(str(names[i])) for i in differing), rows) for names, rows in groups]


def canvas(
    found: Panels, height: float, width: float | None = None, **shared: Any
) -> tuple[Figure, list[tuple[Axes, pd.DataFrame]]]:
    """A figure with the panels that :func:`panels` found, ``BESIDE`` in a row.

    Parameters
    ----------
    found : list of caption and rows
    height, width : float
        In mm; the height is that of a row of panels. The width is that of one column of a journal
        for one panel, else of two.
    **shared
        Which axes the panels share, as ``sharex`` and ``sharey``.

    Returns
    -------
    The figure, and of each panel the axes, with its caption, and the rows.
    """
    columns = min(len(found), BESIDE)
    lines = -(-len(found) // columns)
    width = width or (ONE_COLUMN if columns == 1 else TWO_COLUMNS)
    size = (width * MM, lines * height * MM)
    figure = Figure(figsize=size, dpi=DPI, layout="constrained")
    axes = figure.subplots(lines, columns, squeeze=False, **shared).ravel()
    for unused in axes[len(found) :]:
        unused.remove()
    for ax, (caption, _) in zip(figure.axes, found, strict=True):
        ax.set_title(caption)
    return figure, list(zip(figure.axes, (rows for _, rows in found), strict=True))


def choice_ticks(ax: Axes, places: dict[str, float]) -> None:
    """Layer choices along the x axis: numbers upright, the longer names of combinations aslant."""
    ax.set_xticks(list(places.values()), [shown(name) for name in places])
    for name, label in zip(places, ax.get_xticklabels(), strict=True):
        if not name.isdecimal():
            label.set(rotation=45, ha="right", rotation_mode="anchor")
    ax.set_xlabel("Layer, or combination of layers")
