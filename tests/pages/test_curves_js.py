"""tables.js draws curves when they become visible, and hides single lines."""

from itertools import pairwise
from pathlib import Path

import pytest
from browser import Browser
from report_builder import MODEL, READERS
from selenium.webdriver.support.ui import Select
from word_pages import by_id


def test_figures_are_drawn_when_they_are_chosen(chromium: Browser, built: Path) -> None:
    chromium.open(built / "report" / "layers.html")
    drawn = "return [...document.querySelectorAll('[data-drawn]')].map((e) => e.dataset.figure)"
    assert f"curves.{MODEL}.micro_accuracy" not in chromium.js(drawn)
    Select(by_id(chromium, "metric")).select_by_value("micro_accuracy")
    chromium.until(
        "[...document.querySelectorAll('[data-drawn]')]"
        f".some((e) => e.dataset.figure === 'curves.{MODEL}.micro_accuracy')"
    )
    shown = chromium.js(
        "return [...document.querySelectorAll('[data-metric]')].filter((e) => !e.hidden)"
        ".map((e) => e.dataset.metric)"
    )
    assert set(shown) == {"micro_accuracy"}
    # The tables of differences follow, and report that this metric has no test.
    tables = chromium.js(
        """return [...document.querySelectorAll("table.forest")].filter((of) => of.offsetParent)
        .map((of) => [...of.tHead.rows[0].cells].map((cell) => cell.textContent));"""
    )
    assert tables
    for head in tables:
        assert head[1] == "Micro accuracy" and "p, Holm" not in head
    assert "is not tested" in chromium.js(
        "return document.querySelector('[aria-labelledby=differences-title]').innerText"
    )
    assert chromium.js("return location.hash") == "#metric=micro_accuracy"
    address = chromium.js("return location.href")
    chromium.open(address)
    assert by_id(chromium, "metric").get_attribute("value") == "micro_accuracy"
    chromium.assert_quiet()


def test_a_line_is_hidden_in_every_figure(chromium: Browser, built: Path) -> None:
    chromium.open(built / "report" / "layers.html")
    lines = """return [...Bokeh.index].filter((view) => view.model.renderers).map((view) => [
        view.el.closest("[data-figure]").dataset.figure,
        view.model.renderers.filter((r) => !r.visible).map((r) => r.name)])"""
    assert all(not hidden for _, hidden in chromium.js(lines))
    chromium.driver.find_element(
        "css selector", "[data-section=curves][data-line='logistic, context only']"
    ).click()
    for name, hidden in chromium.js(lines):
        assert set(hidden) == (
            {"line-logistic, context only"} if name.startswith("curves.") else set()
        )
    Select(by_id(chromium, "metric")).select_by_value("mean_word_accuracy")
    chromium.until(
        "[...Bokeh.index].some((view) => "
        "view.el.closest('[data-figure]')?.dataset.figure.endsWith('mean_word_accuracy'))"
    )
    assert dict(chromium.js(lines))[f"curves.{MODEL}.mean_word_accuracy"]
    chromium.assert_quiet()


SHOWN_AT_RIGHT = """const [view] = [...Bokeh.index].filter((view) => view.model.renderers);
    const { y_scale: scale, bbox } = view.frame, inside = view.bbox.width - bbox.right;
    return view.model.renderers.filter(({ name }) => name === "end").map((end) => {
      const { text: [text], y: [y] } = end.data_source.data, lines = text.split("\\n").length;
      return { text, lines, y: scale.compute(y) + end.glyph.y_offset.value, inside };
    });"""


@pytest.mark.parametrize("width", [1280, 390])
def test_names_at_the_right_of_the_first_page_are_apart(
    chromium: Browser, built: Path, width: int
) -> None:
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    chromium.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        chromium.open(built / "report" / "index.html")
        labels = sorted(chromium.js(SHOWN_AT_RIGHT), key=lambda label: label["y"])
    finally:
        chromium.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    names = {label["text"].replace("\n", " ").replace("_ ", "_") for label in labels}
    assert names > {*READERS} and len(names) == len(labels) >= 3
    for above, below in pairwise(labels):
        assert below["y"] - above["y"] >= 15 * (above["lines"] + below["lines"]) / 2 - 0.01
    assert all(label["inside"] >= (190 if width > 1000 else 100) for label in labels)
    chromium.assert_quiet()


def test_models_side_by_side_by_figure_classifier_and_model(
    chromium: Browser, several: Path
) -> None:
    chromium.open(several / "report" / "layers.html")
    shown = """return [...document.querySelectorAll("[data-figure^='models.']")]
        .filter((e) => e.offsetParent).map((e) => e.dataset.figure)"""
    (opened,) = chromium.js(shown)
    assert opened.endswith(".mean_macro_f1")
    Select(by_id(chromium, "metric")).select_by_value("micro_accuracy")
    other = next(reader for reader in READERS if reader not in opened)
    Select(by_id(chromium, "classifier")).select_by_value(other)
    name = f"models.{other}.micro_accuracy"
    assert chromium.js(shown) == [name]
    chromium.until(
        "[...Bokeh.index].some((view) => "
        "view.el.closest('[data-figure]')?.dataset.figure === arguments[0])",
        name,
    )
    hidden = """return [...Bokeh.index].filter((view) => view.model.renderers).map((view) => [
        view.el.closest("[data-figure]").dataset.figure,
        view.model.renderers.filter((r) => !r.visible).map((r) => r.name)])"""
    chromium.driver.find_element("css selector", "[data-section=models][data-line='deep']").click()
    for figure, lines in chromium.js(hidden):
        assert set(lines) == ({"line-deep"} if figure.startswith("models.") else set()), figure
    chromium.open(chromium.js("return location.href"))
    assert chromium.js(shown) == [name]
    chromium.assert_quiet()


def test_names_of_combinations_are_horizontal_where_there_is_room(
    chromium: Browser, built: Path
) -> None:
    axis = """const axis = [...Bokeh.index].map((view) => view.model.document
        .get_model_by_name("names")).find((axis) => axis);
        return [axis.major_label_orientation, [...axis.major_label_overrides.values()]];"""
    size = {"height": 800, "deviceScaleFactor": 1, "mobile": False}
    try:
        for width, expected in (
            (1280, ["horizontal", ["mean\nlast-2"]]),
            (260, ["vertical", ["mean-last-2"]]),
        ):
            override = {**size, "width": width}
            chromium.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", override)
            chromium.open(built / "report" / "layers.html")
            assert chromium.js(axis) == expected
    finally:
        chromium.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    chromium.assert_quiet()
