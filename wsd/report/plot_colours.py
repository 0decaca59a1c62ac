"""The colours and markers of plotted series, the same on the pages and in the figures of a paper.

The number of a series determines its colour and marker. A classifier has the same number in every
plot.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

# The colours ``--sense-0``, ``--sense-1``, … of the style sheet on light pages.
COLOURS = (
    *("#0b6fb8", "#d1510a", "#0f8f7f", "#8a1c5c", "#4e3906"),
    *("#2c1e9d", "#058dfa", "#af3c3c", "#778cb7", "#1c548d"),
)
# The colours ``--ramp-0``, … of the style sheet on light pages, for the order of layers.
RAMP = (
    *("#8a8f3a", "#748a2f", "#4d8244", "#2a7a55"),
    *("#1a6d63", "#205f6b", "#2c4a6b", "#2f3163"),
)
# The ends of the heat map's colours on light pages, and the points below the best at the first.
HEAT, HEAT_POINTS = ("#ffffff", "#86bde6"), 20
# By Bokeh's name: the outline of each marker in a box of 20 by 20, and matplotlib's name.
MARKERS = {
    "circle": ("M10 2a8 8 0 1 0 0 16a8 8 0 1 0 0-16z", "o"),
    "triangle": ("M10 2L19 17H1z", "^"),
    "square": ("M3 3H17V17H3z", "s"),
    "diamond": ("M10 1L17 10L10 19L3 10z", "D"),
    "inverted_triangle": ("M10 18L1 3H19z", "v"),
    "star": ("M10 1L12.2 7.3H19L13.6 11.2L15.6 17.6L10 13.7L4.4 17.6L6.4 11.2L1 7.3H7.8z", "*"),
    "plus": ("M7.2 1.5H12.8V7.2H18.5V12.8H12.8V18.5H7.2V12.8H1.5V7.2H7.2z", "P"),
    "hex": ("M19 10L14.5 2.2H5.5L1 10L5.5 17.8H14.5z", "H"),
    "square_pin": ("M1 1Q10 6 19 1Q14 10 19 19Q10 14 1 19Q6 10 1 1z", "X"),
    "triangle_pin": ("M10 1Q11.5 9.5 19 17Q10 14 1 17Q8.5 9.5 10 1z", "<"),
}
# The classifiers of the configs, in the order of their numbers.
CLASSIFIERS = ("logistic", "nearest_centroid", "lda", "knn", "mixed_logistic")


def heat(below: Any) -> Any:
    """Return the share of the heat map's strongest colour, from points below the row's best.

    The share follows the square root of the points, so that small losses differ most.

    >>> [round(float(heat(points)), 2) for points in (0, 1, 11, 50)]
    [1.0, 0.78, 0.26, 0.0]
    """
    return 1 - np.sqrt(np.clip(np.asarray(below) / HEAT_POINTS, 0, 1))


def style_of(number: int) -> tuple[int, str]:
    """Return the number of the colour and Bokeh's name of the marker: unique for 100 series."""
    names = list(MARKERS)
    return number % len(COLOURS), names[(number + number // len(COLOURS)) % len(names)]


def mark_of(number: int) -> tuple[int, str]:
    """Return the number of the colour and the outline of the marker, for a drawing in SVG."""
    colour, marker = style_of(number)
    return colour, MARKERS[marker][0]


def classifier_numbers(names: Iterable[str]) -> dict[str, int]:
    """Return the number of each classifier of a run; user-defined names follow, sorted by name.

    >>> classifier_numbers(["nearest_centroid", "mine"])
    {'nearest_centroid': 1, 'mine': 5}
    """
    names = list(names)
    order = [*CLASSIFIERS, *sorted(set(names) - set(CLASSIFIERS))]
    return {name: order.index(name) for name in names}
