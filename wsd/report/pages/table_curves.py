"""Columns of tables as curves: percents, places on the axis, the range that plots share."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from wsd.artifacts.layer_choice import LayerChoice
from wsd.report.pages.curve_plots import Curve


def single_layers(choices: Sequence[LayerChoice]) -> dict[str, float]:
    """Names and numbers of the single layers."""
    return {choice.name: float(choice.layers[0]) for choice in choices if choice.is_single}


def rows_placed(rows: pd.DataFrame, places: Mapping[str, float]) -> tuple[pd.DataFrame, pd.Series]:
    """The rows of the layer choices that have a place, by place."""
    kept = rows[rows["layers"].isin(list(places))]
    kept = kept.assign(place=kept["layers"].map(places)).sort_values("place")
    return kept, kept["place"]


def metric_curve(
    rows: pd.DataFrame, metric: str, places: Mapping[str, float], of: str = "", **look: Any
) -> Curve:
    """A metric over layer choices, with its interval."""
    kept, x = rows_placed(rows, places)
    labels = [f"layer {text}{of}" if text.isdigit() else text for text in kept["layers"]]
    return table_curve(kept, x, metric, labels=labels, bounds=True, **look)


def table_curve(
    rows: pd.DataFrame,
    x: Iterable[float],
    y: str,
    *,
    labels: Iterable[str] | None = None,
    bounds: bool = False,
    scale: float = 100,
    **look: Any,
) -> Curve:
    """A column of some rows as a curve, with the columns of its interval if it has ``bounds``."""
    return Curve(
        x=[float(place) for place in x],
        y=rounded(rows[y], scale),
        low=rounded(rows[f"{y}_low"], scale) if bounds else None,
        high=rounded(rows[f"{y}_high"], scale) if bounds else None,
        labels=None if labels is None else list(labels),
        **look,
    )


def rounded(values: Iterable[float], scale: float = 100) -> list[float]:
    """Fractions in percent, or values as they are at a scale of 1."""
    return [round(float(value) * scale, 4) for value in values]


def common_range(curves: Sequence[Curve]) -> tuple[float, float]:
    """The percents that hold all of some curves and their intervals."""
    return percent_range([v for of in curves for v in (*(of.low or of.y), *(of.high or of.y))])


def percent_range(values: Sequence[float]) -> tuple[float, float]:
    """Of an axis in percent: whole fives around what is shown."""
    if not values:
        return 0.0, 100.0
    low, high = np.floor(min(values) / 5) * 5, np.ceil(max(values) / 5) * 5
    return max(0.0, float(low)), min(100.0, float(high if high > low else low + 5))
