"""The first page of a report in a browser."""

from pathlib import Path

import numpy as np
import pytest
from browser import Browser
from report_builder import CHOSEN, READERS, Run, build_report, predictions_of
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select
from word_pages import by_id

from wsd.report.pages import gallery

SHOWN = (
    "[...document.querySelectorAll('.gallery svg.picture')].filter((of) => of.checkVisibility())"
)


DRAWN = f"{SHOWN}.every((of) => of.querySelector('[data-point]'))"


def draw(chromium: Browser) -> None:
    """Bring the gallery into view, where its plots are drawn."""
    chromium.js("document.querySelector('.gallery').scrollIntoView()")
    chromium.until(DRAWN)


def points_of(chromium: Browser, word: str) -> tuple[list[int], list[bool], list[list[float]]]:
    """Return colour, ring and place of each point."""
    points = chromium.js(
        f"""const picture = {SHOWN}.find((of) => of.closest("li").dataset.word === arguments[0]);
        return [...picture.querySelectorAll("[data-point]")].map((point) => [
          Number(point.getAttribute("class").slice(1)), Boolean(point.querySelector("circle")),
          point.getAttribute("transform").match(/-?[0-9.]+/g).map(Number)]);""",
        word,
    )
    return tuple(map(list, zip(*points, strict=True)))


def test_a_plot_has_the_test_instances_and_rings_the_errors(
    run: Run, chromium: Browser, built: Path
) -> None:
    chromium.open(built / "report" / "index.html")
    for reader in READERS:
        Select(by_id(chromium, "classifier")).select_by_value(reader)
        draw(chromium)
        for word, corpus in run.corpora.items():
            colours, rings, places = points_of(chromium, word)
            assert sorted(colours) == sorted(corpus.gold[corpus.split == "test"])
            words = predictions_of(run, word, CHOSEN[word], reader)
            assert sum(rings) == (words.predicted != words.gold).sum()
            assert np.abs(places).max(axis=0).round(1).tolist() == [100, 74]
    chromium.assert_quiet()


def test_packed_words_are_listed_as_all_others(
    run: Run, chromium: Browser, built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = """return [document.querySelector("ul.gallery").textContent.replace(/\\s+/g, " "),
        document.querySelector("table.words tbody").textContent.replace(/\\s+/g, " "),
        [...document.querySelectorAll("section[aria-labelledby=words-title] a")]
          .map((link) => link.getAttribute("href")),
        document.getElementById("filter-count").textContent]"""
    chromium.open(built / "report" / "index.html")
    expected = chromium.js(look)
    monkeypatch.setattr(gallery, "STILL", 1)
    build_report(**run.arguments(tmp_path))
    page = tmp_path / "report" / "index.html"
    assert "data-rest" in page.read_text(encoding="utf-8")
    chromium.open(page)
    assert chromium.js(look) == expected
    draw(chromium)
    assert len(points_of(chromium, "a&b #1 <i>%")[0]) == 18
    chromium.assert_quiet()


def test_words_can_be_sorted_and_found(run: Run, chromium: Browser, built: Path) -> None:
    chromium.open(built / "report" / "index.html")
    Select(by_id(chromium, "words-as")).select_by_value("table")
    names = (
        "return [...document.querySelectorAll('#words-0 tbody tr')]"
        ".filter((row) => !row.hidden).map((row) => row.cells[0].textContent)"
    )
    by_senses = sorted(run.corpora, key=lambda word: -len(run.corpora[word].senses))
    buttons = chromium.driver.find_elements("css selector", "#words-0 th button")
    by_name = {button.text.replace("\u200b", ""): button for button in buttons}
    by_name["Senses"].click()
    assert chromium.js(names) == by_senses
    by_name["Senses"].send_keys(Keys.ENTER)
    assert chromium.js(names) == by_senses[::-1]
    by_id(chromium, "filter").send_keys("BAN")
    assert chromium.js(names) == ["bank"]
    assert by_id(chromium, "filter-count").text == "1 of 2"
    chromium.assert_quiet()
