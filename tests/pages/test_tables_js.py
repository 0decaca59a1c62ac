"""tables.js: sorts and filters tables, and shows the parts that selects choose."""

from pathlib import Path

from browser import Browser
from report_builder import Run
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select
from word_pages import by_id


def test_words_can_be_sorted_and_found(run: Run, chromium: Browser, built: Path) -> None:
    chromium.open(built / "report" / "index.html")
    Select(by_id(chromium, "words-as")).select_by_value("table")
    names = (
        "return [...document.querySelectorAll('#words-0 tbody tr')]"
        ".filter((row) => !row.hidden).map((row) => row.cells[0].textContent)"
    )
    senses = {word: len(corpus.senses) for word, corpus in run.corpora.items()}
    buttons = chromium.driver.find_elements("css selector", "#words-0 th button")
    by_name = {button.text.replace("\u200b", ""): button for button in buttons}
    by_name["Senses"].click()
    assert chromium.js(names) == sorted(senses, key=lambda word: -senses[word])
    by_name["Senses"].send_keys(Keys.ENTER)
    assert chromium.js(names) == sorted(senses, key=lambda word: senses[word])
    order = chromium.js(
        "return [...document.querySelectorAll('#words-0 th[aria-sort]')]"
        ".map((th) => [th.textContent, th.getAttribute('aria-sort')])"
    )
    assert order == [["Senses", "ascending"]]
    by_name["Word"].click()
    assert chromium.js(names) == sorted(senses)
    by_id(chromium, "filter").send_keys("BAN")
    assert chromium.js(names) == ["bank"]
    assert by_id(chromium, "filter-count").text == "1 of 2"
    Select(by_id(chromium, "classifier")).select_by_value("nearest_centroid")
    shown = chromium.js(
        "return [...document.querySelectorAll('#words-0 th[data-classifier]')]"
        ".filter((e) => !e.hidden).map((e) => e.dataset.classifier)"
    )
    assert set(shown) == {"nearest_centroid"} and len(shown) == 4
    chromium.assert_quiet()


def test_a_word_is_found_in_every_models_table(chromium: Browser, several: Path) -> None:
    chromium.open(several / "report" / "index.html")
    by_id(chromium, "filter").send_keys("ank")
    shown = chromium.js(
        "return [...document.querySelectorAll('table.words tbody tr')]"
        ".filter((row) => !row.hidden).map((row) => row.cells[0].textContent)"
    )
    assert shown == ["bank"] * 3
    pictures = chromium.js(
        "return [...document.querySelectorAll('.gallery > li')]"
        ".filter((item) => !item.hidden).map((item) => item.dataset.word)"
    )
    assert pictures == ["bank"] * 3
    assert by_id(chromium, "filter-count").text == "1 of 2"
    chromium.assert_quiet()
