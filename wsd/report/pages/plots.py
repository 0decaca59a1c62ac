"""The Bokeh plots of the pages, as JSON for the page's script, which fills in data and colours.

A plot names its colours by the style sheet's variables (in ``tags``), so that one rule sets
them for light and for dark pages. Nothing here uses ``CustomJS``: the pages forbid ``eval``.
"""

import re
from typing import Any

from bokeh import models
from bokeh.embed import json_item
from bokeh.model import Model
from bokeh.plotting import figure
from bokeh.themes import Theme

# Marker of sense i, and with it its outline in a box of 20 by 20 for the legend.
MARKERS = {
    "circle": "M10 2a8 8 0 1 0 0 16a8 8 0 1 0 0-16z",
    "triangle": "M10 2L19 17H1z",
    "square": "M3 3H17V17H3z",
    "diamond": "M10 1L17 10L10 19L3 10z",
    "inverted_triangle": "M10 18L1 3H19z",
    "star": "M10 1L12.2 7.3H19L13.6 11.2L15.6 17.6L10 13.7L4.4 17.6L6.4 11.2L1 7.3H7.8z",
    "plus": "M7.2 1.5H12.8V7.2H18.5V12.8H12.8V18.5H7.2V12.8H1.5V7.2H7.2z",
    "hex": "M19 10L14.5 2.2H5.5L1 10L5.5 17.8H14.5z",
    "square_pin": "M1 1Q10 6 19 1Q14 10 19 19Q10 14 1 19Q6 10 1 1z",
    "triangle_pin": "M10 1Q11.5 9.5 19 17Q10 14 1 17Q8.5 9.5 10 1z",
}
COLOURS = 10
# Steps of the shades that stand for confidence, and for layers.
RAMP = 8
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif"


def sense_style(sense: int) -> tuple[int, str]:
    """Number of the colour and name of the marker of one sense; no two of a hundred are alike."""
    names = list(MARKERS)
    return sense % COLOURS, names[(sense + sense // COLOURS) % len(names)]


def new_plot(**options: Any) -> Any:
    """A plot without data, in the style of the pages."""
    plot = figure(toolbar_location="above", background_fill_alpha=0, border_fill_alpha=0, **options)
    plot.toolbar.logo = None
    # Without a name for the file Bokeh stops the page with a question.
    plot.add_tools(models.SaveTool(name="save", filename="plot"))
    plot.outline_line_color = None
    plot.min_border = 0
    for axis in plot.axis:
        axis.update(
            axis_label_text_font=FONT,
            axis_label_text_font_style="normal",
            axis_label_text_font_size="13px",
            major_label_text_font=FONT,
            major_label_text_font_size="12px",
            minor_tick_line_color=None,
            tags=[
                {
                    "axis_label_text_color": "--ink",
                    "major_label_text_color": "--ink-2",
                    "axis_line_color": "--rule-2",
                    "major_tick_line_color": "--rule-2",
                }
            ],
        )
    for grid in plot.grid:
        grid.tags = [{"grid_line_color": "--rule"}]
    return plot


def plot_json(plot: Model) -> dict[str, Any]:
    """A figure as JSON whose ids do not depend on what was built before it in this process."""
    numbers: dict[str, str] = {}

    def renumber(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: numbers.setdefault(entry, f"m{len(numbers)}")
                if key in ("id", "root_id") and isinstance(entry, str) and _ID.fullmatch(entry)
                else renumber(entry)
                for key, entry in value.items()
            }
        if isinstance(value, list):
            return [renumber(entry) for entry in value]
        return value

    # An explicit theme: the current document's is another program's business.
    return dict(renumber(json_item(plot, theme=Theme(json={}))))


_ID = re.compile(r"p[0-9]+")
