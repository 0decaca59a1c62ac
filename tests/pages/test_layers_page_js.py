"""The page of layers in a browser."""

from pathlib import Path

from browser import Browser
from report_builder import MODEL
from selenium.webdriver.support.ui import Select
from word_pages import by_id


def test_the_heat_map_shows_the_selected_metric(chromium: Browser, built: Path) -> None:
    chromium.open(built / "report" / "layers.html")
    cells = """return [...document.querySelectorAll("table.heat")].map((table) =>
        [...table.querySelectorAll("td")].map((cell) => [cell.firstChild.title,
          cell.firstChild.firstChild.nodeValue, cell.style.getPropertyValue("--heat").trim()]))"""
    values = """return [...document.querySelectorAll("table.heat")].map((table) =>
        JSON.parse(document.getElementById(table.dataset.values).textContent)[arguments[0]].flat())"""
    for metric in ("mean_macro_f1", "micro_accuracy", "mean_word_accuracy"):
        Select(by_id(chromium, "metric")).select_by_value(metric)
        assert chromium.js(cells) == [
            [
                [f"score: {score:.1f}", f"{points:.1f}".replace("-", "\N{MINUS SIGN}"), f"{step}"]
                for points, score, step in table
            ]
            for table in chromium.js(values, metric)
        ]
    chromium.assert_quiet()


def test_figures_are_drawn_when_they_are_chosen(chromium: Browser, built: Path) -> None:
    chromium.open(built / "report" / "layers.html")
    drawn = "return [...document.querySelectorAll('[data-drawn]')].map((e) => e.dataset.figure)"
    name = f"curves.{MODEL}.micro_accuracy"
    assert name not in chromium.js(drawn)
    Select(by_id(chromium, "metric")).select_by_value("micro_accuracy")
    chromium.until(f"document.querySelector('[data-drawn][data-figure=\"{name}\"]')")
    # This metric has no test.
    text = "return document.querySelector('[aria-labelledby=differences-title]').innerText"
    assert "is not tested" in chromium.js(text)
    assert chromium.js("return location.hash") == "#metric=micro_accuracy"
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
    chromium.assert_quiet()
