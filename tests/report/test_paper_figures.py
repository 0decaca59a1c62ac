"""Paper figures: they show the numbers of the tables and are ready for print."""

import hashlib
import logging
import os
import subprocess
import sys
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import pytest
from call_step import call_step
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from numpy.testing import assert_allclose
from wsd.report.label_places import spread
from wsd.report.paper.differences import draw_differences
from wsd.report.paper.layers import draw_layers
from wsd.report.paper.learning import draw_learning
from wsd.report.paper.models import draw_models
from wsd.report.paper.style import (
    LONGEST,
    MM,
    ONE_COLUMN,
    TWO_COLUMNS,
    look,
    looks_of_classifiers,
    shown,
    styled,
)
from wsd.report.paper.words import draw_words

from wsd.cli import main
from wsd.errors import ResultError
from wsd.metrics.scores import MEAN_SCORES
from wsd.report import figures
from wsd.report.figures import FORMATS
from wsd.report.plot_colours import MARKERS, RAMP
from wsd.report.tables import DRAWN_TABLES

LOOKS = looks_of_classifiers(["lda", "knn"])

CHOICES = ("0", "1", "2", "mean-last-2", "concat-all")
HOSTILE = (r"$\frac", "<b>&", "a" * 30 + "_" * 30, "مفتاح", r"_^{$x$}", "nan", "a\x01b")


@pytest.fixture(autouse=True)
def in_style() -> Iterator[None]:
    with styled():
        yield


# Tables


def layer_rows(
    classifier: str = "lda",
    choices: Sequence[str] = CHOICES,
    *,
    model: str = "tiny",
    chosen: str = "2",
    level: float = 0.8,
    blocks: int = 2,
) -> list[dict[str, Any]]:
    """Return rows of layers.csv; scores fall with the distance from the chosen layer."""
    rows = []
    for i, layers in enumerate(choices):
        away = 0.03 * abs(i - choices.index(chosen)) + 0.001 * i
        is_chosen = layers == chosen
        rows.append(
            {
                **{"model": model, "view": "focal", "classifier": classifier, "layers": layers},
                "relative_depth": int(layers) / blocks if layers.isdecimal() else None,
                **{"selected_by_cv": is_chosen, "metric": "mean_macro_f1", "value": level - away},
                **{"low": level - away - 0.02, "high": level - away + 0.01},
                "difference": None if is_chosen else -away,
                "difference_low": None if is_chosen else -away - 0.02,
                "difference_high": None if is_chosen else -away + 0.03,
                "in_confidence_set": i > 0,
            }
        )
    return rows


def figures_of(value: float) -> dict[str, float]:
    return dict.fromkeys(("mean_macro_f1", "mean_balanced_accuracy", "mean_word_accuracy"), value)


def control_rows(
    classifier: str = "lda", view: str = "context", **changes: Any
) -> list[dict[str, Any]]:
    names = {
        "kind": "control view",
        "model": "tiny",
        "view": view,
        "classifier": classifier,
        **changes,
    }
    return [{**names, "layers": str(i), **figures_of(0.5 + 0.1 * i)} for i in (2, 0, 1)]


def comparison_rows(*published: tuple[str, float]) -> list[dict[str, Any]]:
    names = {"kind": "published", "layers": "0", "classifier": "published"}
    rows = [{**names, "model": model, **figures_of(value)} for model, value in published]
    others = {
        ("baseline", "no encoder", "most_frequent_sense"): 0.3,
        ("baseline", "no encoder", "bag_of_words"): 0.6,
        ("candidate", "tiny", "lda"): 0.7,
    }
    for (kind, model, classifier), value in others.items():
        names = {"kind": kind, "model": model, "layers": "-", "classifier": classifier}
        rows.append({**names, **figures_of(value)})
    return rows


def word_rows(
    words: Sequence[str] = ("apple", "crane"), classifier: str = "lda", model: str = "tiny"
) -> list[dict[str, Any]]:
    return [
        {
            **{"model": model, "view": "focal", "classifier": classifier, "word": word},
            **{"layers": layers, "macro_f1": 0.31 + 0.11 * i + 0.05 * j},
            "selected_by_cv": i == j + 1,
        }
        for j, word in enumerate(words)
        for i, layers in enumerate(CHOICES)
    ]


def score_rows(words: Sequence[str] = ("apple", "crane")) -> list[dict[str, Any]]:
    """Return rows of words.csv: two baselines and the selected configuration."""
    systems = {"most_frequent_sense": ("baseline", 0.2), "bag_of_words": ("baseline", 0.6)}
    systems["lda"] = ("selected", 0.9)
    return [
        {"kind": kind, "model": "no encoder", "classifier": name, "word": word, "macro_f1": score}
        for word in words
        for name, (kind, score) in systems.items()
    ]


SETS = {"full": 1000, "1pct": 10, "10pct": 100, "nshot-3": 30, "nshot-1": 12, "balanced": 400}


def learning_rows(classifier: str = "lda", sets: Mapping[str, int] = SETS) -> list[dict[str, Any]]:
    return [
        {
            **{"model": "tiny", "view": "focal", "layers": layers, "classifier": classifier},
            **{"train": train, "n_words": 2, "n_train": float(n)},
            "mean_macro_f1": 0.4 + n / 2000 + 0.01 * i,
            "lowest_draw": 0.35 + n / 2000 if train == "nshot-3" else None,
            "highest_draw": 0.5 + n / 2000 if train == "nshot-3" else None,
        }
        for i, layers in enumerate(CHOICES)
        for train, n in sets.items()
    ]


def frame(rows: Sequence[Mapping[str, Any]], table: str) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=DRAWN_TABLES[table].names)


def layers_figure(
    layers: Sequence[Mapping[str, Any]],
    controls: Sequence[Mapping[str, Any]] = (),
    comparison: Sequence[Mapping[str, Any]] = (),
) -> Figure:
    figure = draw_layers(
        frame(layers, "layers"), frame(controls, "controls"), frame(comparison, "comparison")
    )
    assert figure is not None
    return figure


def models_figure(
    rows: Sequence[Mapping[str, Any]], comparison: Sequence[Mapping[str, Any]] = ()
) -> Figure:
    figure = draw_models(frame(rows, "layers"), frame(comparison, "comparison"))
    assert figure is not None
    return figure


def learning_figure(
    rows: Sequence[Mapping[str, Any]], comparison: Sequence[Mapping[str, Any]] = ()
) -> Figure | None:
    return draw_learning(frame(rows, "learning"), frame(comparison, "comparison"))


def words_figure(
    rows: Sequence[Mapping[str, Any]], scores: Sequence[Mapping[str, Any]] = ()
) -> Figure | None:
    return draw_words(frame(rows, "word-layers"), frame(scores, "word-scores"))


def write_tables(folder: Path, **tables: Sequence[Mapping[str, Any]]) -> dict[str, Path]:
    """Write every table as the steps do; a table without rows has no header."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = {
        "layers": [*layer_rows(), *layer_rows("knn", level=0.7)],
        "word_layers": word_rows(),
        "word_scores": score_rows(),
        "controls": control_rows(),
        "comparison": comparison_rows(("one", 0.75), ("two", 0.9)),
        "learning": learning_rows(),
        "best_set": [*layer_rows(), *layer_rows("knn")],
        **tables,
    }
    paths = {name: folder / f"{name}.csv" for name in rows}
    for name, path in paths.items():
        table = frame(rows[name], name.replace("_", "-")) if rows[name] else pd.DataFrame()
        table.to_csv(path, index=False)
    return paths


# Content


def lines_of(ax: Axes, **look: Any) -> list[Line2D]:
    """Return the lines of a style that have points; legends do not count."""
    return [
        line
        for line in ax.get_lines()
        if len(line.get_xdata()) and all(getattr(line, f"get_{k}")() == v for k, v in look.items())
    ]


def curve(ax: Axes, **look: Any) -> tuple[np.ndarray, np.ndarray]:
    (line,) = lines_of(ax, **look)
    return np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def legend(figure: Figure) -> list[str]:
    return [text.get_text() for legend_ in figure.legends for text in legend_.get_texts()]


def percent(rows: Sequence[Mapping[str, Any]], name: str) -> list[float]:
    return [100 * row[name] for row in rows]


def test_single_layers_are_a_line_with_its_interval() -> None:
    rows = layer_rows()
    (ax,) = layers_figure([rows[i] for i in (2, 0, 1, 3, 4)]).axes
    x, y = curve(ax, linestyle="-", **LOOKS["lda"])
    assert_allclose(x, [0, 1, 2])
    assert_allclose(y, percent(rows[:3], "value"))
    band = {tuple(point) for point in ax.collections[0].get_paths()[0].vertices.round(6)}
    for end in ("low", "high"):
        assert {(i, round(100 * rows[i][end], 6)) for i in range(3)} <= band


def test_combinations_are_points_with_bars_at_the_right() -> None:
    rows = layer_rows()
    (ax,) = layers_figure(rows).axes
    (container,) = ax.containers
    points, _, (bars,) = container.lines
    assert_allclose(np.float64(points.get_ydata()), percent(rows[3:], "value"))
    assert_allclose(np.float64(points.get_xdata()), [3.5, 4.5])
    ends = np.array([bar[:, 1] for bar in bars.get_segments()])
    assert_allclose(ends[:, 0], percent(rows[3:], "low"))
    assert_allclose(ends[:, 1], percent(rows[3:], "high"))
    assert [t.get_text() for t in ax.get_xticklabels()] == list(CHOICES)
    assert_allclose(ax.get_xticks(), [0, 1, 2, 3.5, 4.5])


def test_the_context_is_dashed_in_the_colour_of_its_classifier() -> None:
    controls = [
        *control_rows("knn"),
        *control_rows("lda", view="cls"),
        *control_rows("lda", model="other"),
        *control_rows("knn", kind="random weights"),
    ]
    figure = layers_figure([*layer_rows(), *layer_rows("knn")], controls)
    x, y = curve(figure.axes[0], linestyle="--")
    assert_allclose(y, [50, 60, 70])
    assert_allclose(x, [0, 1, 2])
    (line,) = lines_of(figure.axes[0], linestyle="--")
    assert line.get_color() == LOOKS["knn"]["color"]
    assert "context only" in legend(figure)
    assert "context only" not in legend(layers_figure(layer_rows()))


def test_the_context_of_layers_that_are_not_drawn_is_left_out() -> None:
    # The control has every layer, the sweep layers 0 and 2.
    rows = layer_rows(choices=("0", "2"))
    figure = layers_figure(rows, control_rows())
    x, y = curve(figure.axes[0], linestyle="--")
    assert_allclose((x, y), ([0, 2], [50, 70]))
    assert "context only" in legend(figure)
    # A single point gives no line and no entry in the legend.
    one_layer = layers_figure(layer_rows(choices=("2",)), control_rows())
    assert not lines_of(one_layer.axes[0], linestyle="--") and "context only" not in legend(
        one_layer
    )


def test_after_fine_tuning_is_dots_and_dashes_in_the_colour_of_its_classifier() -> None:
    kind = {"kind": "fine-tuned, frozen again", "view": "focal"}
    controls = [
        *control_rows("knn", model="after", **kind),
        *control_rows("lda", model="after another", **kind),
        *control_rows("lda"),
    ]
    made_of = {"after": "tiny", "after another": "other"}
    comparison = [
        {**kind, "model": model, "layers": "2", "classifier": "knn", "reference_model": base}
        for model, base in made_of.items()
    ]
    rows = [*layer_rows(), *layer_rows("knn")]
    figure = layers_figure(rows, controls, comparison)
    _, y = curve(figure.axes[0], linestyle="-.")
    assert_allclose(y, [50, 60, 70])
    (line,) = lines_of(figure.axes[0], linestyle="-.")
    assert line.get_color() == LOOKS["knn"]["color"] and "fine-tuned" in texts(figure)
    assert "fine-tuned" not in texts(layers_figure(rows, control_rows("lda")))


@pytest.mark.parametrize("chosen", ["1", "concat-all"])
def test_the_selected_layer_is_ringed(chosen: str) -> None:
    rows = [*layer_rows(chosen=chosen), *layer_rows("knn", chosen="2", level=0.6)]
    (ax,) = layers_figure(rows).axes
    rings = [line for line in lines_of(ax, linestyle="None") if line.get_markersize() > 7]
    actual = [(float(line.get_xdata()[0]), float(line.get_ydata()[0])) for line in rings]
    place = {"1": 1, "concat-all": 4.5}[chosen]
    assert_allclose(actual, [(place, 80 - 0.1 * CHOICES.index(chosen)), (2, 59.8)], atol=0.06)


def test_published_systems_and_the_floor_are_named_lines() -> None:
    comparison = [*comparison_rows(("a_1", 0.75), ("b", 0.76)), *comparison_rows(("a_1", 0.75))]
    (ax,) = layers_figure(layer_rows(), (), comparison).axes
    levels = [line.get_ydata()[0] for line in lines_of(ax, linewidth=0.5)]
    assert_allclose(sorted(levels), [30, 60, 75, 76])
    assert {"a_1", "b", "most frequent sense", "bag of words"} <= set(texts(ax.figure))
    (without,) = layers_figure(layer_rows()).axes
    assert lines_of(without, linewidth=0.5) == []


def test_baselines_are_named_lines_across_every_panel_of_models_and_learning() -> None:
    comparison = comparison_rows(("one", 0.75))
    rows = [*two_models(), *({**row, "classifier": "knn"} for row in two_models())]
    models = models_figure(rows, comparison)
    learning = learning_figure([*learning_rows(), *learning_rows("knn")], comparison)
    assert learning is not None
    for figure, levels, note in ((models, [30, 60, 75], ""), (learning, [30, 60], ", full set")):
        assert len(figure.axes) == 2
        for ax in figure.axes:
            drawn = [line.get_ydata()[0] for line in lines_of(ax, linewidth=0.5, linestyle="--")]
            assert_allclose(sorted(drawn), levels)
        names = [f"most frequent sense{note}", f"bag of words{note}"]
        assert [texts(figure).count(name) for name in names] == [1, 1]
    assert "one" in texts(models) and "one" not in texts(learning)


@pytest.mark.parametrize("values", [[1.0, 1.0, 1.1, 9.0], [5.0, 1.0, 5.0, 4.9, 5.1], [2.0], []])
def test_labels_are_moved_apart_and_keep_their_order(values: list[float]) -> None:
    moved = spread(values, 0.5)
    assert (np.diff(sorted(moved)) >= 0.5 - 1e-4).all()
    order = np.argsort(values, kind="stable")
    assert (np.diff(np.array(moved)[order]) > 0).all()


def test_the_selection_metric_is_drawn() -> None:
    rows = [{**row, "metric": "mean_word_accuracy"} for row in layer_rows()]
    controls = [{**row, "mean_word_accuracy": 0.42} for row in control_rows()]
    (ax,) = layers_figure(rows, controls).axes
    assert ax.get_ylabel() == "Mean word accuracy (%)"
    assert_allclose(curve(ax, linestyle="--")[1], 42)


def test_two_models_are_two_panels_of_one_scale() -> None:
    taller = [str(i) for i in range(13)]
    rows = [*layer_rows(), *layer_rows(model="taller", choices=taller, level=0.5)]
    figure = layers_figure(rows, (), comparison_rows(("one", 0.9), ("two", 0.91)))
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["tiny", "taller"]
    assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim()
    assert_allclose(figure.axes[1].get_xticks(), range(13))
    assert texts(figure).count("one") == 1
    assert [ax.get_title(loc="left") for ax in layers_figure(layer_rows()).axes] == [""]


def two_models(**second: Any) -> list[dict[str, Any]]:
    return [*layer_rows(), *layer_rows(model="other", level=0.7, **second)]


def test_models_of_different_depth_line_up_by_relative_depth() -> None:
    deep = ("0", "1", "2", "3", "4", "mean-all")
    rows = two_models(choices=deep, blocks=4)
    first, second = layers_figure(rows).axes
    assert_allclose(curve(first, linestyle="-", **LOOKS["lda"])[0], [0, 0.5, 1])
    assert_allclose(curve(second, linestyle="-", **LOOKS["lda"])[0], [0, 0.25, 0.5, 0.75, 1])
    assert [tick.get_text() for tick in second.get_xticklabels()] == list(deep)
    assert second.get_xlabel() == "Layer of 4, at its relative depth"
    (ax,) = models_figure(rows).axes
    assert_allclose(curve(ax, marker=look(0)["marker"], linestyle="-")[0], [0, 0.5, 1])
    x, y = curve(ax, marker=look(1)["marker"], linestyle="-")
    assert_allclose(x, [0, 0.25, 0.5, 0.75, 1])
    assert_allclose(y, percent(rows[len(CHOICES) :][:5], "value"))
    assert "depth" in ax.get_xlabel()


def test_models_of_one_depth_share_layer_numbers() -> None:
    figure = models_figure(two_models())
    (ax,) = figure.axes
    for i in range(2):
        assert_allclose(curve(ax, marker=look(i)["marker"], linestyle="-")[0], [0, 1, 2])
    assert ax.get_xlabel() == "Layer"
    assert legend(figure) == ["tiny", "other", "selected by CV"]
    for panel in layers_figure(two_models()).axes:
        assert_allclose(curve(panel, linestyle="-", **LOOKS["lda"])[0], [0, 1, 2])


def test_the_names_of_many_models_fit_below_one_panel() -> None:
    names = [f"a-long-name-of-an-encoder-{i}" for i in range(5)]
    figure = models_figure([row for name in names for row in layer_rows(model=name)])
    figure.draw_without_rendering()
    (below,) = figure.legends
    box = below.get_tightbbox()
    assert 0 < box.x0 < box.x1 < figure.bbox.x1 and box.y0 > 0


def test_one_model_is_no_figure_of_models() -> None:
    rows = [*layer_rows(), *layer_rows("knn")]
    assert draw_models(frame(rows, "layers"), frame([], "comparison")) is None


def test_a_heat_map_has_every_score_in_its_cell() -> None:
    rows = word_rows(("apple", "crane", "bank"))
    missing = rows.pop(7)
    figure = words_figure(rows)
    assert figure is not None
    (ax,) = figure.axes
    cells = {text.get_position(): text.get_text() for text in ax.texts}
    words = ("apple", "crane", "bank")
    assert cells == {
        (CHOICES.index(row["layers"]) + 0.5, words.index(row["word"]) + 0.5): (
            f"{100 * row['macro_f1']:.0f}"
        )
        for row in rows
    }
    shades = ax.collections[0].get_array()
    for row in rows:
        cell = shades[words.index(row["word"]), CHOICES.index(row["layers"])]
        best = max(other["macro_f1"] for other in rows if other["word"] == row["word"])
        below = 100 * (best - row["macro_f1"])
        assert_allclose(cell, 1 - min(1, below / 20) ** 0.5, atol=1e-7)
    assert np.ma.getmaskarray(shades).sum() == 1
    assert missing["layers"] == "2"
    framed = [patch.get_xy() for patch in ax.patches if isinstance(patch, Rectangle)]
    assert framed == [(1, 0), (3, 2)]
    order = sorted(ax.get_children(), key=lambda artist: artist.get_zorder())
    cells_at = order.index(ax.collections[0])
    assert all(order.index(frame) > cells_at for frame in ax.patches if frame is not ax.patch)
    assert [t.get_text() for t in ax.get_yticklabels()] == list(words)
    assert ax.get_ylim() == (3, 0)


def test_baselines_are_columns_behind_a_gap() -> None:
    words = ("apple", "crane", "bank")
    figure = words_figure(word_rows(words), score_rows([*words, "a word of another view"])[3:])
    assert figure is not None
    (ax,) = figure.axes
    names = [tick.get_text() for tick in ax.get_xticklabels()]
    assert names == [*CHOICES, "most frequent sense", "bag of words"]
    assert_allclose(ax.get_xticks(), [0.5, 1.5, 2.5, 3.5, 4.5, 5.9, 6.9])
    places = {text.get_position(): text.get_text() for text in ax.texts}
    cells = {(round(x, 1), y): text for (x, y), text in places.items()}
    actual = [[cells.get((x, y + 0.5)) for x in (5.9, 6.9)] for y in range(3)]
    assert actual == [[None, None], ["20", "60"], ["20", "60"]]
    _, shades = (mesh.get_array() for mesh in ax.collections)
    # The layer choices of crane reach 80, so that 60 is 20 points below. Of bank, 85.
    assert_allclose(shades.filled(9), [[9, 9], [0, 0], [0, 0]], atol=1e-7)
    better = words_figure(word_rows(words), [{**score_rows(words)[1], "macro_f1": 0.99}])
    assert better is not None
    assert better.axes[0].collections[1].get_array()[0] == 1, "a baseline above all layers"


@pytest.mark.parametrize(("layers", "panels"), [(7, 1), (13, 1), (13, 2), (25, 2)])
def test_neighbouring_cells_and_ticks_do_not_collide(layers: int, panels: int) -> None:
    choices = [*map(str, range(layers)), "mean-last-2", "mean-last-3", "concat-last-4", "mean-all"]
    words = ("apple", "crane")
    every = [
        {**row, "layers": name, "macro_f1": 1, "classifier": f"c{i}"}
        for i in range(panels)
        for row in word_rows(words)[:: len(CHOICES)]
        for name in choices
    ]
    heat = words_figure(every, score_rows(words))
    models = [f"m{i}" for i in range(panels)]
    lines = [row for m in models for row in layer_rows(choices=choices, model=m, blocks=layers - 1)]
    for figure in (heat, layers_figure(lines)):
        assert figure is not None
        figure.draw_without_rendering()
        for ax in figure.axes:
            ticks = [tick for tick in ax.get_xticklabels() if tick.get_text().isdecimal()]
            row = [text for text in ax.texts if text.get_position()[1] == 0.5]
            for parts in (ticks, row):
                boxes = [part.get_window_extent() for part in parts]
                assert all(a.x1 < b.x0 for a, b in pairwise(boxes))
            assert all(text.get_fontsize() >= 4.8 for text in row)


def test_panels_are_named_by_what_differs() -> None:
    rows = [
        *word_rows(),
        *word_rows(classifier="knn"),
        *word_rows(classifier="knn", model="a" * 60),
        *word_rows(classifier="knn", model="a" * 59 + "ba"),
    ]
    figure = words_figure(rows)
    assert figure is not None
    long = shown("a" * 60)
    assert len(long) == LONGEST
    captions = [ax.get_title(loc="left") for ax in figure.axes]
    assert captions[:3] == ["tiny, lda", "tiny, knn", f"{long}, knn"]
    assert len(captions) == 4, "two names that are shortened alike are two panels"


def test_learning_curves() -> None:
    figure = learning_figure([*learning_rows(), *learning_rows("knn")])
    assert figure is not None
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["lda", "knn"]
    ax = figure.axes[0]
    assert ax.get_xscale() == "log"
    assert len(lines_of(ax, linestyle="-")) == len(lines_of(ax, linestyle=":")) == 3
    for i in range(3):
        x, y = curve(ax, linestyle="-", marker=look(i)["marker"])
        assert_allclose(x, [10, 100, 1000])
        assert_allclose(y, [40.5 + i, 45 + i, 90 + i])
        x, y = curve(ax, linestyle=":", marker=look(i)["marker"])
        assert_allclose(x, [12, 30])
        assert_allclose(y, [40.6 + i, 41.5 + i])
        _, _, (bars,) = ax.containers[i].lines
        assert_allclose(bars.get_segments()[1], [(30, 36.5), (30, 51.5)])
        assert_allclose(bars.get_segments()[0], [(12, 40.6 + i)] * 2)
    assert legend(figure)[:3] == ["0", "1", "2"]
    # Not 10^2, which would need math text.
    assert [t.get_text() for t in ax.get_xticklabels() if t.get_text()] == ["10", "100", "1,000"]


@pytest.mark.parametrize("count", [1, 4, 25])
def test_layers_have_the_colours_of_the_pages_and_later_ones_are_darker(count: int) -> None:
    choices = [str(i) for i in range(count)]
    rows = [{**learning_rows()[i % 6], "layers": name} for name in choices for i in range(6)]
    figure = learning_figure(rows)
    assert figure is not None
    lines = lines_of(figure.axes[0], linestyle="-")
    colours = [RAMP.index(str(line.get_color())) for line in lines]
    assert colours == [round(i * 7 / max(count - 1, 1)) for i in range(count)]
    assert len({line.get_marker() for line in lines}) == min(count, len(MARKERS))
    assert legend(figure)[:count] == choices


def test_a_training_set_that_lacks_words_is_no_point(caplog: pytest.LogCaptureFixture) -> None:
    rows = [{**row, "n_words": 1 + (row["train"] != "nshot-3")} for row in learning_rows()]
    with caplog.at_level(logging.INFO, "wsd"):
        figure = learning_figure(rows)
    assert figure is not None
    assert_allclose(curve(figure.axes[0], linestyle=":", marker="o")[0], [12])
    assert [r.getMessage() for r in caplog.records] == [
        "learning: nshot-3 lacks words, has 1: left out"
    ]


@pytest.mark.parametrize("sets", [{}, {"full": 1000}, {"full": 1000, "balanced": 400}])
def test_one_training_set_is_no_curve(sets: dict[str, int]) -> None:
    assert learning_figure(learning_rows(sets=sets)) is None


def test_without_further_training_sets_there_is_no_panel() -> None:
    rows = [*learning_rows(), *learning_rows("knn", {"full": 1000})]
    figure = learning_figure(rows)
    assert figure is not None
    assert len(figure.axes) == 1


def differences_figure(rows: Sequence[Mapping[str, Any]]) -> Figure | None:
    return draw_differences(frame(rows, "layers"), frame(rows, "best-set"))


def test_differences_and_the_confidence_set() -> None:
    rows = layer_rows()
    figure = differences_figure(rows)
    assert figure is not None
    (ax,) = figure.axes
    assert ax.get_xlabel().splitlines() == [
        "Difference in mean macro-F1 (points;",
        "linear to ±1, logarithmic beyond)",
    ]
    assert ax.get_xscale() == "symlog" and ax.xaxis.get_transform().linthresh == 1
    marks = {line.get_ydata()[0]: line for line in lines_of(ax, marker="o", markersize=3.5)}
    bars = {line.get_ydata()[0]: line.get_xdata() for line in lines_of(ax, marker="none")}
    numbers = {text.xy[1]: text.get_text() for text in ax.texts}
    others = [i for i in range(5) if CHOICES[i] != "2"]
    assert sorted(bars) == sorted(numbers) == others
    assert marks.pop(2).get_markerfacecolor() == "white" and sorted(marks) == others
    for i in others:
        row = rows[i]
        assert_allclose(marks[i].get_xdata(), [100 * row["difference"]])
        assert_allclose(bars[i], percent([row, row], "difference_low")[:1]
                        + percent([row], "difference_high"))  # fmt: skip
        hollow = marks[i].get_markerfacecolor() == "white"
        assert hollow == row["in_confidence_set"]
    assert {marks[i].get_markerfacecolor() for i in others} == {"white", "0.3"}
    assert numbers[1] == "−3.10 [−5.10, −0.10]"  # noqa: RUF001 - a minus sign
    (ring,) = lines_of(ax, markersize=7.5)
    assert (ring.get_xdata()[0], ring.get_ydata()[0]) == (0, 2)
    assert [t.get_text() for t in ax.get_yticklabels()] == list(CHOICES)
    top, bottom = ax.get_ylim()[1], ax.get_ylim()[0]
    assert top < 0 and bottom > 4, "the first is at the top, and none is cut off"


def test_the_same_predictions_have_no_interval_in_the_figure() -> None:
    rows = layer_rows()
    none = dict.fromkeys(("difference_low", "difference_high"))
    rows[1] = {**rows[1], "difference": 0.0, **none}
    figure = differences_figure(rows)
    assert figure is not None
    (ax,) = figure.axes
    marks = {line.get_ydata()[0]: line for line in lines_of(ax, marker="o")}
    bars = {line.get_ydata()[0] for line in lines_of(ax, marker="none")}
    numbers = {text.xy[1]: text.get_text() for text in ax.texts}
    assert marks[1].get_markerfacecolor() == "white" and 1 not in bars
    assert numbers[1] == "0, the same predictions"


def test_small_differences_have_a_scale() -> None:
    rows = [
        {**row, **{k: row[k] and row[k] / 1000 for k in row if k.startswith("difference")}}
        for row in layer_rows()
    ]
    figure = differences_figure(rows)
    assert figure is not None
    ticks = [t.get_text() for t in figure.axes[0].get_xticklabels()]
    assert ticks == ["−1", "0", "+1"]  # noqa: RUF001


def test_the_numbers_of_a_long_axis_do_not_run_into_one_another() -> None:
    rows = [
        {**row, **{k: row[k] and row[k] * 10 for k in row if k.startswith("difference")}}
        for row in layer_rows()
    ]
    figure = differences_figure(rows)
    assert figure is not None
    figure.draw_without_rendering()
    boxes = [t.get_window_extent() for t in figure.axes[0].get_xticklabels() if t.get_text()]
    assert len(boxes) > 2
    assert all(a.x1 < b.x0 for a, b in pairwise(boxes))


def test_one_layer_only(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rows = layer_rows(choices=("2",))
    assert differences_figure(rows) is None
    (ax,) = layers_figure(rows, control_rows()).axes
    assert_allclose(curve(ax, linestyle="-", **LOOKS["lda"])[0], [2])
    (combined,) = layers_figure(layer_rows(choices=("mean-all",), chosen="mean-all")).axes
    assert_allclose(combined.get_xticks(), [0])
    paths = write_tables(tmp_path / "tables", layers=rows, word_layers=word_rows()[:1])
    with caplog.at_level(logging.INFO, "wsd"):
        call_step(figures, **paths, out=tmp_path / "out", format=["svg"])
    assert sorted(p.stem for p in (tmp_path / "out").iterdir()) == ["layers", "learning", "words"]
    assert "figures: no data for differences, left out" in caplog.text


def test_tables_without_rows(tmp_path: Path) -> None:
    """As in the quickstart: no controls, no published systems, one training set."""
    full = learning_rows(sets={"full": 1000})
    paths = write_tables(tmp_path / "tables", controls=[], comparison=[], learning=full)
    assert paths["controls"].read_text() == "\n"
    call_step(figures, **paths, out=tmp_path / "out", format=["svg"])
    names = ["differences", "layers", "words"]
    assert sorted(p.stem for p in (tmp_path / "out").iterdir()) == names
    paths = write_tables(tmp_path / "tables", **{name: [] for name in paths})
    call_step(figures, **paths, out=tmp_path / "none")
    assert list((tmp_path / "none").iterdir()) == []


ASKED = [
    (table, column)
    for table, columns in DRAWN_TABLES.items()
    for column in columns.names
    # The mean is drawn for the metric of the selection.
    if table not in ("comparison", "controls") or column not in MEAN_SCORES
]


@pytest.mark.parametrize(("table", "column"), ASKED)
def test_every_required_column_is_drawn(table: str, column: str) -> None:
    """Every figure needs exactly the columns in `frame`."""
    several = [*layer_rows(), *({**row, "model": "two"} for row in layer_rows())]
    rows = {
        "layers": several, "controls": control_rows(), "comparison": comparison_rows(("one", 0.7)),
        "word-layers": word_rows(), "word-scores": score_rows(), "learning": learning_rows(),
        "best-set": several,
    }  # fmt: skip
    tables = {name: frame(rows[name], name) for name in DRAWN_TABLES}
    draw_all(tables)
    with pytest.raises(KeyError, match=column):
        draw_all({**tables, table: tables[table].drop(columns=column)})


def draw_all(tables: Mapping[str, pd.DataFrame]) -> None:
    draw_layers(tables["layers"], tables["controls"], tables["comparison"])
    draw_models(tables["layers"], tables["comparison"])
    draw_words(tables["word-layers"], tables["word-scores"])
    draw_learning(tables["learning"], tables["comparison"])
    draw_differences(tables["layers"], tables["best-set"])


# Legibility


def every_figure(names: Sequence[str]) -> dict[str, Figure]:
    """Return all figures for four classifiers and some words with these names."""
    four = [*names, "lda", "knn", "logistic"][:4]
    layers = [row for i, name in enumerate(four) for row in layer_rows(name, level=0.9 - i / 20)]
    words = [row for name in four for row in word_rows(names, name)]
    learned = [row for name in four[:2] for row in learning_rows(name)]
    published = comparison_rows(*((name, 0.8 + i / 500) for i, name in enumerate(names)))
    controls = [row for name in four for row in control_rows(name)]
    several = [{**row, "model": name} for name in names for row in layers]
    made = {
        "layers": layers_figure(layers, controls, published),
        "models": draw_models(frame(several, "layers"), frame(published, "comparison")),
        "words": words_figure(words, score_rows(names)),
        "learning": learning_figure(learned, published),
        "differences": differences_figure(layers),
    }
    return {name: figure for name, figure in made.items() if figure is not None}


@pytest.mark.parametrize("figure", ["words", "differences"])
def test_nothing_is_cut_off_in_one_column(figure: str) -> None:
    made = {"words": words_figure(word_rows(), score_rows())}
    figure_ = {**made, "differences": differences_figure(layer_rows(choices=("1", "2")))}[figure]
    assert figure_ is not None and figure_.get_figwidth() == pytest.approx(ONE_COLUMN * MM)
    figure_.draw_without_rendering()
    (ax,) = figure_.axes
    row = ax.get_window_extent().height / figure_.dpi / MM / abs(np.diff(ax.get_ylim())[0])
    assert row >= 3, "a row in mm: two lines of text do not overlap"
    for part in [*figure_.axes, *figure_.legends]:
        box = part.get_tightbbox()
        assert 0 < box.x0 < box.x1 < figure_.bbox.x1, part
        assert 0 < box.y0 < box.y1 < figure_.bbox.y1, part


@pytest.mark.slow
@pytest.mark.parametrize("figure", ["layers", "models", "words", "learning", "differences"])
def test_nothing_is_cut_off_and_no_legend_lies_over_data(figure: str) -> None:
    figure_ = every_figure(HOSTILE)[figure]
    figure_.draw_without_rendering()
    texts_in_axes = [text for ax in figure_.axes for text in ax.texts]
    for part in [*figure_.axes, *figure_.legends, *texts_in_axes]:
        box = part.get_tightbbox()
        assert 0 < box.x0 < box.x1 < figure_.bbox.x1, part
        assert 0 < box.y0 < box.y1 < figure_.bbox.y1, part
    for actual in figure_.legends:
        for ax in figure_.axes:
            assert not actual.get_tightbbox().overlaps(ax.get_tightbbox()), actual
    assert figure_.get_figwidth() == pytest.approx(TWO_COLUMNS * MM)


def test_foreign_names_are_drawn_unchanged() -> None:
    for name, figure in every_figure(HOSTILE).items():
        actual = texts(figure)
        assert not any(text.get_parse_math() for text in figure.findobj(Text)), name
        if name == "layers":
            assert {r"$\frac", "<b>&", "مفتاح", r"_^{$x$}", "nan", "a\ufffdb"} <= set(actual)
            assert "a" * 13 + "…" + "_" * 12 in actual


def write_font(path: Path, name: str, characters: str) -> None:
    """Write a font with a box for each character."""
    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    for corner in ((0, 700), (500, 700), (500, 0)):
        pen.lineTo(corner)
    pen.closePath()
    box = pen.glyph()
    names = [".notdef", *(f"g{i}" for i in range(len(characters)))]
    font = FontBuilder(1000, isTTF=True)
    font.setupGlyphOrder(names)
    font.setupCharacterMap(dict(zip(map(ord, characters), names[1:], strict=True)))
    font.setupGlyf(dict.fromkeys(names, box))
    font.setupHorizontalMetrics(dict.fromkeys(names, (600, 0)))
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupNameTable(
        {"familyName": name, "styleName": "Regular", "psName": name.replace(" ", "")}
    )
    font.setupOS2()
    font.setupPost()
    font.save(path)


@pytest.fixture
def fonts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return a folder that takes the place of the system's fonts."""
    folder = tmp_path / "fonts"
    folder.mkdir()
    manager = font_manager.fontManager
    monkeypatch.setattr(manager, "ttflist", [*manager.ttflist])
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda: map(str, folder.iterdir()))
    return folder


WORDS = ("crane", "銀行", "मूल", "مفتاح", "בנק", "a\u3000b\u061cc")


def test_installed_fonts_draw_the_characters_that_the_font_lacks(
    fonts: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_font(fonts / "A.ttf", "Any", "銀行")
    write_font(fonts / "NotoSansCJK.ttf", "Noto Sans CJK", "銀行")
    write_font(fonts / "NotoCJKSerif.ttf", "Noto Serif CJK", "銀行")
    write_font(fonts / "devanagari.ttf", "Devanagari", "मूल")
    (fonts / "damaged.ttf").write_bytes(b"no font")
    with styled(WORDS):
        family = matplotlib.rcParams["font.family"]
    assert family == ["DejaVu Sans", "Noto Sans CJK", "Devanagari"]
    assert not caplog.records
    with styled(["crane", "مفتاح", "בנק"]):
        assert matplotlib.rcParams["font.family"] == ["DejaVu Sans"]


def test_a_warning_names_characters_that_no_font_has(
    fonts: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_font(fonts / "cjk.ttf", "CJK", "行")
    paths = write_tables(tmp_path / "tables", word_layers=word_rows(WORDS))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call_step(figures, **paths, out=tmp_path / "out", format=["png", "pdf"])
    assert b"CJK" in (tmp_path / "out/words.pdf").read_bytes()
    (record,) = [r for r in caplog.records if r.levelno == logging.WARNING]
    text = record.getMessage()
    assert "no font has म ल ू 銀: boxes replace them in 銀行 मूल; install" in text
    assert "fonts-noto-cjk" in text


def test_without_colours_the_series_still_differ() -> None:
    figure = every_figure(("apple",))["layers"]
    handles = figure.legends[0].legend_handles
    assert len({handle.get_marker() for handle in handles[:4]}) == 4
    assert len({to_hex(handle.get_color()) for handle in handles[:4]}) == 4
    assert legend(figure) == [
        "apple",
        "lda",
        "knn",
        "logistic",
        "context only",
        "selected by CV",
    ]
    assert handles[4].get_linestyle() == "--"


def test_black_is_read_on_every_shade() -> None:
    from wsd.report.paper.words import SHADES

    linear = np.asarray(SHADES(np.linspace(0, 1, 20)))[:, :3]
    linear = np.where(linear <= 0.04045, linear / 12.92, ((linear + 0.055) / 1.055) ** 2.4)
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    assert ((luminance + 0.05) / 0.05 > 4.5).all()
    assert (np.diff(luminance) < 0).all()


# Files


def digests(folder: Path) -> dict[str, str]:
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.iterdir())}


@pytest.mark.slow
def test_the_same_bytes_on_every_run(tmp_path: Path) -> None:
    """The bytes do not depend on process, hash seed, date, folder or matplotlibrc."""
    names = ("مفتاح", "crane")
    tables = {"layers": layer_rows(names[0]), "word_layers": word_rows(names)}
    paths = write_tables(tmp_path / "tables", **tables)
    call_step(figures, **paths, out=tmp_path / "out")
    expected = digests(tmp_path / "out")
    drawn = ("differences", "layers", "learning", "words")
    assert sorted(expected) == sorted(f"{name}.{form}" for name in drawn for form in FORMATS)
    (tmp_path / "matplotlibrc").write_text("font.size: 20\nsvg.fonttype: path\nlines.marker: x\n")
    flags = [f"--{name.replace('_', '-')}={path}" for name, path in paths.items()]
    subprocess.run(
        [sys.executable, "-m", "wsd.cli", "figures", *flags, "--out", "elsewhere"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONHASHSEED": "7", "SOURCE_DATE_EPOCH": "1", "TZ": "Asia/Tokyo"},
        check=True,
    )
    assert digests(tmp_path / "elsewhere") == expected


@pytest.mark.slow
def test_text_stays_text_and_fonts_are_embedded(tmp_path: Path) -> None:
    words = (r"$\frac", "<b>&", "مفتاح", "nan")
    paths = write_tables(tmp_path / "tables", word_layers=word_rows(words))
    call_step(figures, **paths, out=tmp_path / "out", format=["pdf", "svg"])
    svg = ET.parse(tmp_path / "out/words.svg")
    actual = {"".join(e.itertext()) for e in svg.iter("{http://www.w3.org/2000/svg}text")}
    assert {*words, "mean-last-2", "31"} <= actual
    assert not list(svg.iter("{http://www.w3.org/2000/svg}image")), "cells are shapes, not pixels"
    pdf = (tmp_path / "out/words.pdf").read_bytes()
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf
    assert b"/CreationDate" not in pdf


def test_the_style_of_others_is_left_alone() -> None:
    with matplotlib.rc_context({"font.size": 31.0}):
        with styled():
            assert matplotlib.rcParams["font.size"] == 8
        assert matplotlib.rcParams["font.size"] == 31
    assert "matplotlib.pyplot" not in sys.modules


def test_a_missing_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = write_tables(tmp_path)
    paths["learning"].unlink()
    flags = [f"--{name.replace('_', '-')}={path}" for name, path in paths.items()]
    assert main(["figures", *flags, "--out", str(tmp_path / "out")]) == ResultError.exit_code
    text = capsys.readouterr().err
    assert "a file of an earlier step is missing" in text
    assert str(paths["learning"]) in text
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("content", ["a,b\n1,2\n", "\x00\xff", '"', "a,b\n1,2,3,4\n"])
def test_another_table(tmp_path: Path, content: str) -> None:
    paths = write_tables(tmp_path)
    paths["layers"].write_text(content, encoding="latin-1")
    with pytest.raises(ResultError, match="does not have the expected content"):
        call_step(figures, **paths, out=tmp_path / "out")
