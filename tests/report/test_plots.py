"""The plots over layers: axes, baselines, rings."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from read_pages import parts_of, sources_of

from wsd.report.pages import curves
from wsd.report.pages.curves import Curve
from wsd.report.pages.plots import plot_of, plot_of_tables

LINE = Curve("logistic", [0.0, 1.0, 2.5], [40.0, 88.0, 90.0], 0)


def plot(**options: Any) -> dict[str, Any]:
    ticks, names = {0.0: "0", 1.0: "1"}, {2.5: "mean-last-2"}
    axes = {"x": "layer", "y": "Macro-F1, percent", "ticks": ticks, "names": names}
    return plot_of([LINE], **axes, **options)


def test_a_baseline_is_a_dashed_line_with_its_name_and_score() -> None:
    """At the top the name is below the line."""
    levels = {"bag of words": 59.51, "position": 26.7}
    drawn = plot(levels=levels, y_range=(25, 60))
    rules, notes = parts_of(drawn, "Span"), parts_of(drawn, "Label")
    assert [(rule["location"], rule["line_dash"]) for rule in rules] == [(59.51, [6]), (26.7, [6])]
    assert [(note["text"], note["y"], note.get("text_baseline", "bottom")) for note in notes] == [
        ("bag of words 59.5", 59.51, "top"),
        ("position 26.7", 26.7, "bottom"),
    ]


@pytest.mark.parametrize("values", [[np.nan, np.nan], [0.5, np.nan]])
def test_a_score_that_is_not_finite_is_left_out(values: list[float]) -> None:
    table = pd.DataFrame({"layers": ["0", "1"], "value": values})
    table["value_low"] = table["value_high"] = table["value"]
    sources = sources_of(plot_of_tables({"a": table}, y="y"))
    drawn = [value for source in sources if "low" in source for value in source["y"]]
    assert drawn == [value for value in values if value == value]
    assert curves.percent_range(values) == (0.0, 100.0 if values[0] != values[0] else 5.0)


def test_a_ring_is_at_the_chosen_point() -> None:
    table = pd.DataFrame({"layers": ["0", "mean-all"], "value": [0.25, 0.5]})
    table["value_low"] = table["value_high"] = table["value"]
    for chosen, rings in ((("a", "mean-all"), [[1.5]]), (("a", "9"), []), (("b", "0"), [])):
        drawn = plot_of_tables({"a": table}, y="y", chosen=chosen)
        own = [source["x"] for source in sources_of(drawn) if source["name"] == "ring"]
        assert own == rings


def test_layers_are_in_the_order_of_their_numbers() -> None:
    names = ["mean-all", "10", "9", "0", "concat-all"]
    table = pd.DataFrame({"layers": names, "value": [0.5, 0.1, 0.2, 0.3, 0.4]})
    table["value_low"] = table["value_high"] = table["value"]
    single, combined = curves.Places.of(names).lines(table, "value", name="a", style=0)
    assert (single.x, single.y) == ([0, 9, 10], [30, 20, 10])
    assert (combined.x, combined.y, combined.joined) == ([11.5, 12.5], [50, 40], False)
