"""Shared by all figures: sizes, colours, markers, names, panels."""

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from wsd.report import plot_colours
from wsd.report.paper.fonts import FONT, fallback_fonts

ONE_COLUMN, TWO_COLUMNS = 85.0, 180.0  # mm, the usual widths of journals
PANELS_PER_ROW = 2
DPI = 300
MM, POINT = 1 / 25.4, 25.4 / 72  # a millimetre in inches, a point in millimetres
SMALL = 6.0  # points: numbers in cells and next to intervals, names of horizontal lines
STYLE: Any = {
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
    "text.parse_math": False,  # names may contain "$"
    "svg.fonttype": "none",
    "svg.hashsalt": "wsd",
    "pdf.fonttype": 42,
}
# The colour and marker of a series, as matplotlib's arguments.
Look = dict[str, Any]
# The caption and rows of each panel.
Panels = list[tuple[str, pd.DataFrame]]
GREY = "0.5"
LONGEST = 26  # characters of a name
# A ring around the layer choice selected by cross-validation.
RINGED: Any = {
    **{"marker": "o", "markersize": 7.5, "markerfacecolor": "none", "linestyle": "none"},
    **{"markeredgecolor": "black", "markeredgewidth": 0.8, "zorder": 5},
}
# Text to the right of a panel.
NOTE: Any = {
    **{"xycoords": ("axes fraction", "data"), "annotation_clip": False},
    **{"fontsize": SMALL, "va": "center"},
}
# The metrics that may be the objective of the selection.
MEASURES = {
    "mean_macro_f1": "mean macro-F1",
    "mean_balanced_accuracy": "mean balanced accuracy",
    "mean_word_accuracy": "mean word accuracy",
}


@contextmanager
def styled(names: Iterable[str] = ()) -> Iterator[None]:
    """Set the style of the figures within the context, whatever the user's matplotlibrc.

    Parameters
    ----------
    names : iterable of str
        Names that the figures show; other fonts draw the characters that ``FONT`` lacks.
    """
    family = [FONT, *fallback_fonts(map(shown, names))]
    with matplotlib.rc_context(), warnings.catch_warnings():
        # The warning of fallback_fonts() also names the words, and says how to get the characters.
        warnings.filterwarnings("ignore", r"Glyph \d+")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({**STYLE, "font.family": family})
        yield


def look(number: int) -> Look:
    """Return the colour and marker of a series, the same as on the pages."""
    colour, marker = plot_colours.style_of(number)
    return {"color": plot_colours.COLOURS[colour], "marker": plot_colours.MARKERS[marker][1]}


def looks(names: Iterable[str]) -> dict[str, Look]:
    """Return a look for each name, in their order."""
    return {name: look(i) for i, name in enumerate(names)}


def looks_of_classifiers(names: Iterable[str]) -> dict[str, Look]:
    """Return the look of each classifier, the same as on the pages."""
    return {name: look(number) for name, number in plot_colours.classifier_numbers(names).items()}


def percent_of(measure: str) -> str:
    """Return the label of an axis for a metric.

    >>> percent_of("mean_macro_f1")
    'Mean macro-F1 (%)'
    """
    label = MEASURES[measure]
    return f"{label[0].upper()}{label[1:]} (%)"


def bars(ax: Axes, x: Any, value: pd.Series, low: pd.Series, high: pd.Series, **line: Any) -> None:
    """Draw points with error bars between ``low`` and ``high``."""
    ax.errorbar(x, value, yerr=(value - low, high - value), elinewidth=0.8, **line)


def key(label: str, **line: Any) -> Line2D:
    """Return an entry of a legend."""
    return Line2D([], [], label=label, **line)


def shown(name: str) -> str:
    """Replace control characters of a name, and shorten the middle of a long name.

    >>> shown("a" * 20 + "b" * 20)
    'aaaaaaaaaaaaa…bbbbbbbbbbbb'
    """
    name = re.sub(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]", "\ufffd", name)
    half = LONGEST // 2
    return name if len(name) <= LONGEST else f"{name[:half]}…{name[1 - half :]}"


def single(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of single layers, sorted by layer."""
    rows = table[table["layers"].str.isdecimal()]
    return rows.iloc[np.argsort(rows["layers"].astype(int).to_numpy(), kind="stable")]


def blocks_of(table: pd.DataFrame) -> int:
    """Return the number of blocks of an encoder, from its rows of layers.csv; 0 if unknown."""
    rows = table[table["relative_depth"] > 0]
    counts = rows["layers"].astype(int) / rows["relative_depth"]
    return round(counts.max()) if len(rows) else 0


def by_depth(layers: pd.DataFrame) -> bool:
    """Return whether models differ in depth, so that layers are drawn at their relative depth."""
    counts = {blocks_of(rows) for _, rows in layers.groupby("model", sort=False)} - {0}
    return len(counts) > 1


def panels(table: pd.DataFrame, keys: Sequence[str]) -> Panels:
    """Return the panels in the table's order; captions have the names in which panels differ."""
    groups = list(table.groupby(list(keys), sort=False))
    differing = [i for i in range(len(keys)) if len({names[i] for names, _ in groups}) > 1]
    return [(", ".join(shown(str(names[i])) for i in differing), rows) for names, rows in groups]


def canvas(
    panels: Panels, height: float, width: float | None = None, least: float = 0, **shared: Any
) -> tuple[Figure, list[tuple[Axes, pd.DataFrame]]]:
    """Create a figure with panels, ``PANELS_PER_ROW`` in a row if they are wide enough.

    Parameters
    ----------
    panels : list of caption and rows
    height, width : float
        In mm; the height of a row of panels. The default width is one column of a journal for a
        single panel that is wide enough, else two columns.
    least : float
        The least width of a panel with its labels, in mm.
    **shared
        The axes that the panels share: ``sharex``, ``sharey``.

    Returns
    -------
    The figure; and the axes, with a caption, and the rows of each panel.
    """
    fits = least <= TWO_COLUMNS / PANELS_PER_ROW
    columns = min(len(panels), PANELS_PER_ROW if fits else 1)
    lines = -(-len(panels) // columns)
    is_narrow = len(panels) == 1 and least <= ONE_COLUMN
    width = width or (ONE_COLUMN if is_narrow else TWO_COLUMNS)
    size = (width * MM, lines * height * MM)
    figure = Figure(figsize=size, dpi=DPI, layout="constrained")
    axes = figure.subplots(lines, columns, squeeze=False, **shared).ravel()
    for unused in axes[len(panels) :]:
        unused.remove()
    for ax, (caption, _) in zip(figure.axes, panels, strict=True):
        ax.set_title(caption)
    return figure, list(zip(figure.axes, (rows for _, rows in panels), strict=True))


def label_y(axes: Iterable[Axes], label: str) -> None:
    """Label the vertical axis of the first panel of each row."""
    for ax in axes:
        place = ax.get_subplotspec()
        if place is not None and place.is_first_col():
            ax.set_ylabel(label)


def choice_ticks(ax: Axes, places: dict[str, float]) -> None:
    """Label the x axis with layer choices: numbers upright, names of combinations slanted."""
    ax.set_xticks(list(places.values()), [shown(name) for name in places])
    for name, label in zip(places, ax.get_xticklabels(), strict=True):
        if not name.isdecimal():
            label.set(rotation=45, ha="right", rotation_mode="anchor")
    ax.set_xlabel("Layer, or combination of layers")
