"""Paper figures: they show the numbers of the tables, and have the same bytes on every run."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from call_step import call_step
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.testing import assert_allclose
from read_pages import files_in

from wsd.report import figures
from wsd.report.figures import Tables, draw_layers, draw_learning, draw_words
from wsd.report.pages.curves import COLOURS, RAMP

CHOICES = ("0", "1", "2", "mean-last-2", "concat-all")
NAMES = {"model": "tiny", "view": "focal"}
SETS = {"full": 1000, "1pct": 10, "10pct": 100, "nshot-3": 30, "balanced": 400}


def tables(words: tuple[str, ...] = ("apple", "crane")) -> Tables:
    """Return the tables of a run; the scores of `lda` grow from choice to choice."""
    lda = {**NAMES, "classifier": "lda"}
    value = pd.DataFrame({"layers": CHOICES, "value": 0.5 + np.arange(5) / 10})
    value = value.assign(**lda, metric="mean_macro_f1")
    value["selected_by_cv"] = value["layers"] == "mean-last-2"
    layers = pd.concat([value, value.assign(classifier="knn", value=value["value"] - 0.2)])
    controls = pd.DataFrame({"layers": ("0", "1", "2"), "mean_macro_f1": 0.25, **lda})
    comparison = [
        ("baseline", "no encoder", "bag_of_words", 0.61), ("published", "one", "1nn", 0.6),
        ("candidate", "tiny", "lda", 0.7),
    ]  # fmt: skip
    columns = ["kind", "model", "classifier", "mean_macro_f1"]
    by_word = [
        {**lda, "word": word, "layers": layers, "macro_f1": 0.31 + i / 10,
         "selected_by_cv": i == j + 1}
        for j, word in enumerate(words) for i, layers in enumerate(CHOICES)
    ]  # fmt: skip
    learning = [
        {**lda, "layers": layers, "train": train, "n_train": n, "mean_macro_f1_in_common": n / 2000}
        for layers in CHOICES for train, n in SETS.items()
    ]  # fmt: skip
    return {
        "layers": layers.assign(low=layers["value"] - 0.02, high=layers["value"] + 0.01),
        "controls": controls.assign(kind="control view", view="context"),
        "comparison": pd.DataFrame(comparison, columns=columns).assign(
            layers="-", reference_model="tiny"
        ),
        "word-layers": pd.DataFrame(by_word),
        "learning": pd.DataFrame(learning),
    }


def drawn(draw: Callable[[Figure, Tables], None], given: Tables) -> Axes:
    figure = Figure(figsize=(5, 3))
    draw(figure, given)
    return figure.axes[0]


def texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_layers_are_lines_and_combinations_points_behind_a_gap() -> None:
    ax = drawn(draw_layers, tables())
    by_label = {str(line.get_label()): line for line in ax.get_lines()}
    assert_allclose(by_label["lda"].get_xydata(), [[0, 50], [1, 60], [2, 70]])
    assert by_label["lda"].get_color() == COLOURS[2] and by_label["knn"].get_color() == COLOURS[3]
    assert_allclose(ax.get_xticks(), [0, 1, 2, 3.5, 4.5])
    assert [label.get_text() for label in ax.get_xticklabels()] == list(CHOICES)
    points, *_ = [bar for bar in ax.containers if len(bar.lines[0].get_xdata())]
    assert_allclose(points.lines[0].get_xydata(), [[3.5, 80], [4.5, 90]])
    # The selected configuration has a ring; the context is dashed.
    rings = [line.get_xydata() for line in ax.get_lines() if line.get_markersize() == 8]
    assert_allclose(rings[0], [[3.5, 80]])
    dashed = next(line for line in ax.get_lines() if line.get_linestyle() == "--")
    assert_allclose(dashed.get_ydata(), [25, 25, 25])
    assert dashed.get_color() == COLOURS[2]


def test_baselines_and_other_systems_are_named_lines_that_keep_their_distance() -> None:
    ax = drawn(draw_layers, tables())
    assert texts(ax) == ["one", "bag of words"]
    first, second = (text.xyann[1] for text in ax.texts)
    apart = (second - first) / np.ptp(ax.get_ylim())
    assert first == pytest.approx(60) and apart == pytest.approx(1 / 22, rel=0.2)


def test_a_heat_map_has_every_score_in_its_cell_and_frames_the_selected() -> None:
    ax = drawn(draw_words, tables())
    assert texts(ax) == [str(31 + 10 * i) for i in range(5)] * 2
    assert [label.get_text() for label in ax.get_yticklabels()] == ["apple", "crane"]
    frames = [patch.get_xy() for patch in ax.patches if isinstance(patch, Rectangle)]
    assert frames == [(0.5, -0.5), (1.5, 0.5)]


def test_learning_curves_join_nested_training_sets() -> None:
    given = tables()
    nested = given["learning"][given["learning"]["train"].isin(["1pct", "10pct", "full"])]
    single = nested[nested["layers"].str.isdecimal()]
    ax = drawn(draw_learning, {**given, "learning": single})
    assert [line.get_color() for line in ax.get_lines()] == [RAMP[0], RAMP[4], RAMP[7]]
    for line in ax.get_lines():
        assert_allclose(line.get_xydata(), [[10, 0.5], [100, 5], [1000, 50]])


@pytest.mark.slow
def test_the_same_bytes_on_every_run(tmp_path: Path) -> None:
    """The bytes do not depend on process, hash seed, date, folder or matplotlibrc."""
    (tmp_path / "tables").mkdir()
    for name, table in tables((r"$\frac", "<b>&", "nan")).items():
        table.to_csv(tmp_path / f"tables/{name}@0123456789.csv", index=False)
    paths = sorted((tmp_path / "tables").iterdir())
    call_step(figures, tables=paths, out=tmp_path / "out")
    assert {path.stem for path in (tmp_path / "out").iterdir()} == {"layers", "learning", "words"}
    (tmp_path / "matplotlibrc").write_text("font.size: 20\nlines.marker: x\n")
    call = [sys.executable, "-m", "wsd.cli", "figures", "--tables", *paths, "--out", "elsewhere"]
    subprocess.run(
        call,
        cwd=tmp_path,
        env={**os.environ, "PYTHONHASHSEED": "7", "SOURCE_DATE_EPOCH": "1", "TZ": "Asia/Tokyo"},
        check=True,
    )
    same = files_in(tmp_path / "elsewhere") == files_in(tmp_path / "out")
    assert same  # the files are too long to show
    pdf = (tmp_path / "out/words.pdf").read_bytes()
    assert b"/FontFile2" in pdf and b"/Type3" not in pdf and b"/CreationDate" not in pdf
