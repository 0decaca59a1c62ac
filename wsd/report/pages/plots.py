"""Bokeh plots of the pages, as JSON; the page's script fills in data and colours.

A plot names its colours by the style sheet's variables (in ``tags``), so that they fit light and
dark pages. No plot uses ``CustomJS``, because the pages forbid ``eval``.
"""

import re
from collections.abc import Mapping
from typing import Any

from bokeh import models
from bokeh.embed import json_item
from bokeh.model import Model
from bokeh.plotting import figure
from bokeh.themes import Theme

# Number of shades for confidence, and for layers.
RAMP = 8
# Tones of points besides senses, with their variables of the style sheet.
TONES = {tone: f"--tone-{tone}" for tone in ("right", "wrong", "train", "test", "off")}
TONES |= {f"ramp-{step}": f"--ramp-{step}" for step in range(RAMP)}
METHODS = {"pca": "PCA", "discriminant": "LDA", "tsne": "t-SNE"}
_ID = re.compile(r"p[0-9]+")
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif"


def new_plot(**options: Any) -> Any:
    """Return a plot without data, in the style of the pages."""
    plot = figure(toolbar_location="above", background_fill_alpha=0, border_fill_alpha=0, **options)
    plot.toolbar.logo = None
    # Bokeh puts the last tool into a menu if the toolbar is as narrow as its tools.
    tools = options.get("tools", "").count(",") + 2
    plot.toolbar.stylesheets = [f":host {{ min-width: {33 * tools + 32}px; }}"]
    # Bokeh's own tool saves a plot without title and legend, and dark on a dark page.
    icon = ".bk-tool-icon-save"
    plot.add_tools(models.CustomAction(name="save", icon=icon, description="Save as PNG"))
    plot.outline_line_color = None
    plot.min_border = 0
    for axis in plot.axis:
        style_axis(axis, {"axis_line_color": "--rule-2", "major_tick_line_color": "--rule-2"})
    for grid in plot.grid:
        grid.tags = [{"grid_line_color": "--rule"}]
    return plot


def style_axis(axis: Any, lines: Mapping[str, str]) -> None:
    """Give the texts of an axis the style of the pages, and its lines these colours."""
    texts = {"axis_label_text_color": "--ink", "major_label_text_color": "--ink-2"}
    axis.update(
        axis_label_text_font=FONT,
        axis_label_text_font_style="normal",
        axis_label_text_font_size="13px",
        major_label_text_font=FONT,
        major_label_text_font_size="12px",
        # A label that would collide with another is left out.
        major_label_policy=models.NoOverlap(),
        minor_tick_line_color=None,
        tags=[{**texts, **lines}],
    )


def plot_json(plot: Model) -> dict[str, Any]:
    """Return a plot as JSON whose ids do not depend on earlier plots of this process."""
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

    # An explicit theme: the theme of the current document may be anything.
    return dict(renumber(json_item(plot, theme=Theme(json={}))))


def point_size(n: int) -> int:
    """Return the diameter of a test instance's marker in pixels, for a word with n instances."""
    return 10 if n < 400 else 8 if n < 1500 else 7 if n < 4000 else 6
