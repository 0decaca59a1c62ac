"""The page of a board: its content, foreign text, and the page in a browser."""

import shutil
from importlib.resources import files
from pathlib import Path

import pandas as pd
import pytest
from browser import Browser, chromium
from log_state import logs_as_before
from made_exports import ERRORS, export, made_run
from report_builder import Page
from selenium.webdriver.common.by import By
from two_words import MANY

from wsd.cli import main
from wsd.storage.json import read_json, write_json

__all__ = ["chromium"]
HOSTILE = "<img src=x onerror=window.pwned=1>&amp; \u05d0"
NAMES = ("large", "small", HOSTILE)


@pytest.fixture(scope="module")
def board(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the board of three encoders in two exports; one has a hostile name."""
    place = tmp_path_factory.mktemp("board #1 & <co>")
    both = str(shutil.copy(folder / "both.zip", place / "<b>a.zip"))
    many = dict.fromkeys(ERRORS["large"], MANY)
    with logs_as_before():
        results = made_run(place / "run", [HOSTILE], errors={HOSTILE: many})
        content = read_json(results / "run.json")
        write_json(results / "run.json", {**content, "config": {"seed": 2}})
        exports = [both, str(export(results, place / "<b>b.zip"))]
        assert main(["board", *exports, "--out", str(place / "out")]) == 0
    return place / "out"


def test_foreign_text_is_text_and_every_encoder_is_in_every_plot(board: Path) -> None:
    page = Page(board / "index.html")
    assert "The exports differ in: seed." in page.text
    assert sum("data-figure" in attributes for _, attributes in page.elements) == 2  # classifiers
    assert sum(tag == "li" for tag, _ in page.elements) == len(NAMES)
    tags = {tag for tag, _ in page.elements}
    assert "img" not in tags and "b" not in tags
    assert page.text.count(HOSTILE) > 5 and "<b>a.zip" in page.text


def test_its_numbers_are_those_of_the_tables(board: Path) -> None:
    page = Page(board / "index.html").text
    encoders = pd.read_csv(board / "encoders.csv", index_col="model")["mean_macro_f1"]
    assert all(f"{100 * score:.2f}" in page for score in encoders)
    assert f"{encoders.idxmax()} has the highest macro-F1 of 3 encoders" in " ".join(page.split())
    differences = pd.read_csv(board / "differences.csv").query("metric == 'mean_macro_f1'")
    shown = differences["difference"][differences["difference"] > 0]
    assert len(shown) == 2 and all(f"{100 * value:+.2f}" in page for value in shown)
    # Two encoders have the same predictions.
    assert "the same predictions" in page


@pytest.mark.slow
def test_the_page_in_a_browser(chromium: Browser, board: Path) -> None:
    """No serious finding of axe; the tables are next to it."""
    chromium.open(board / "index.html", wait="document.readyState === 'complete'")
    chromium.js("for (const e of document.querySelectorAll('details')) e.open = true")
    chromium.js((files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    found = chromium.driver.execute_async_script(
        """axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
          arguments[0](violations.map((v) => [v.impact, v.id, v.nodes[0].html])));"""
    )
    assert [v for v in found if v[0] in ("serious", "critical")] == []
    links = chromium.driver.find_elements(By.CSS_SELECTOR, "#sources-title ~ p a")
    assert [(board / link.text).is_file() for link in links] == [True] * 3
    assert chromium.js("return window.pwned") is None
    chromium.assert_quiet()
