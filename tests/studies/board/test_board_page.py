"""The page of a board: its content, foreign text, and the page in a browser."""

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pandas as pd
import pytest
from browser import Browser, chromium
from log_state import logs_as_before
from made_exports import ERRORS, made_run
from report_builder import Page
from selenium.webdriver.common.by import By
from two_words import MANY
from word_pages import dark

from wsd.cli import main
from wsd.storage.json import read_json, write_json

__all__ = ["chromium"]
HOSTILE = "<img src=x onerror=window.pwned=1>&amp; \u05d0"
NAMES = ("large", "small", HOSTILE)


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the board of three encoders in two exports; one has a hostile name."""
    folder = tmp_path_factory.mktemp("board #1 & <co>")
    errors = {**ERRORS, HOSTILE: dict.fromkeys(ERRORS["large"], MANY)}
    exports = []
    with logs_as_before():
        for name, models in {"a": NAMES[:1], "b": NAMES[1:]}.items():
            results = made_run(folder / name, models, errors=errors)
            content = read_json(results / "run.json")
            write_json(results / "run.json", {**content, "config": {"seed": len(models)}})
            exports.append(str(folder / f"<b>{name}.zip"))
            assert main(["export", "--results", str(results), "--out", exports[-1]]) == 0
        assert main(["board", *exports, "--out", str(folder / "out")]) == 0
    return folder / "out"


def test_foreign_text_is_text(board: Path) -> None:
    page = Page(board / "index.html")
    tags = {tag for tag, _ in page.elements}
    assert "img" not in tags and "b" not in tags
    assert page.text.count(HOSTILE) > 5 and "<b>a.zip" in page.text


def test_every_encoder_is_in_every_plot(board: Path) -> None:
    elements = Page(board / "index.html").elements
    assert sum("data-figure" in attributes for _, attributes in elements) == 2  # per classifier
    assert sum(tag == "li" for tag, _ in elements) == len(NAMES)


def test_its_numbers_are_those_of_the_tables(board: Path) -> None:
    page = Page(board / "index.html").text
    encoders = pd.read_csv(board / "encoders.csv", index_col="model")
    for _, row in encoders.iterrows():
        assert f"{100 * row['mean_macro_f1']:.2f}" in page
    differences = pd.read_csv(board / "differences.csv")
    pairs = differences[differences["metric"] == "mean_macro_f1"]
    assert len(pairs) == 6
    shown = pairs[pairs["difference"] > 0]["difference"]
    assert len(shown) == 2 and all(f"{100 * value:+.2f}" in page for value in shown)
    # Two encoders have the same predictions.
    assert "the same predictions" in page
    leader = encoders["mean_macro_f1"].idxmax()
    assert f"{leader} has the highest macro-F1 of 3 encoders" in " ".join(page.split())


def test_it_says_what_differs_between_the_exports(board: Path) -> None:
    assert "The exports differ in: seed." in Page(board / "index.html").text


@pytest.fixture
def page(chromium: Browser, board: Path) -> Iterator[Browser]:
    chromium.open(board / "index.html", wait="document.readyState === 'complete'")
    yield chromium
    assert chromium.js("return window.pwned") is None
    chromium.assert_quiet()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_has_no_serious_finding(page: Browser, scheme: str) -> None:
    axe = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    with dark(page, on=scheme == "dark"):
        page.js("for (const e of document.querySelectorAll('details')) e.open = true")
        page.js(axe)
        found = page.driver.execute_async_script(
            """const done = arguments[0];
            axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => done(
              violations.map((v) => [v.impact, v.id, v.nodes.slice(0, 3).map((n) => n.html)])));"""
        )
    serious = [v for v in found if v[0] in ("serious", "critical")]
    assert not serious, json.dumps(serious, indent=1)


@pytest.mark.slow
def test_a_phone_scrolls_only_inside_tables(page: Browser, board: Path) -> None:
    size = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page.open(board / "index.html", wait="document.readyState === 'complete'")
        assert page.js("return document.documentElement.scrollWidth") == 390
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.slow
def test_its_tables_are_next_to_it(page: Browser, board: Path) -> None:
    links = page.driver.find_elements(By.CSS_SELECTOR, "#sources-title ~ p a")
    assert [(board / link.text).is_file() for link in links] == [True] * 3
