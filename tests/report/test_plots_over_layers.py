"""The plots over layers: labels of axes, baselines, and the colours of the heat map."""

from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from read_pages import parts_of

from wsd.report.pages import curves, errors, layer_plots
from wsd.report.pages.curves import Curve
from wsd.report.pages.layers import heat_row

LINE = Curve("logistic", [0.0, 1.0, 2.5], [40.0, 88.0, 90.0], 0)


def plot(**options: Any) -> dict[str, Any]:
    ticks, names = {0.0: "0", 1.0: "1"}, {2.5: "mean-last-2"}
    axes = {"x": "layer", "y": "Macro-F1, percent", "ticks": ticks, "names": names}
    return curves.plot_of([LINE], **axes, **options)


def test_layers_are_horizontal_and_names_of_combinations_vertical() -> None:
    below = [axis for axis in parts_of(plot(), "LinearAxis") if "major_label_overrides" in axis]
    numbers, names = below
    assert "major_label_orientation" not in numbers
    assert names["name"] == "names" and names["major_label_orientation"] == "vertical"
    assert "mean-last-2" in str(names["major_label_overrides"])
    assert "mean-last-2" not in str(numbers["major_label_overrides"])


def test_both_axes_are_labelled_and_no_label_covers_another() -> None:
    axes = parts_of(plot(), "LinearAxis")
    assert {axis.get("axis_label") for axis in axes} == {"layer", "Macro-F1, percent", None}
    assert str(plot()).count("'NoOverlap'") == len(axes)


def test_a_baseline_is_a_dashed_line_with_its_name_and_score() -> None:
    drawn = plot(levels={"bag of words": 85.68})
    (rule,) = parts_of(drawn, "Span")
    assert rule["location"] == 85.68 and rule["line_dash"] == [6]
    (note,) = parts_of(drawn, "Label")
    assert note["text"] == "bag of words 85.7" and note["y"] == 85.68


def test_baselines_without_an_encoder_are_levels_of_every_metric() -> None:
    table = pd.DataFrame(
        {
            "kind": ["baseline", "baseline", "candidate"],
            "classifier": ["bag_of_words", "position_length", "most_frequent_sense"],
            "micro_accuracy": [0.9, 0.5, 0.7],
        }
    )
    report: Any = SimpleNamespace(rows=lambda _, kind: table[table["kind"] == kind])
    assert layer_plots.baselines(report, "micro_accuracy") == {"bag of words": 90.0}


@pytest.mark.parametrize("embeddings", [0.3, 0.87])
def test_the_embedding_layer_does_not_change_the_colours_of_others(embeddings: float) -> None:
    _, *cells = heat_row([embeddings, 0.88, 0.98, 0.99])
    assert cells == [(-11.0, 88.0, 5), (-1.0, 98.0, 16), (0.0, 99.0, 20)]


def test_words_take_turns_among_equally_hard_instances() -> None:
    lines = [("bank", 0, 1), ("bank", 1, 1), ("bank", 2, 2), ("club", 0, 1), ("club", 1, 1)]
    table = pd.DataFrame(
        {"reference_model": "m", "model": f"system {i}", "word": word, "index": index,
         "gold": "a", "selected": "a", "predicted": "b"}
        for word, index, wrong in lines
        for i in range(wrong)
    )  # fmt: skip
    report: Any = SimpleNamespace(tables={"errors": table})
    ordered = errors.errors_by_instance(report, [(word, index) for word, index, _ in lines])
    assert [(row["word"], row["index"]) for row in ordered] == [
        ("bank", 2), ("bank", 0), ("club", 0), ("bank", 1), ("club", 1),
    ]  # fmt: skip
