"""tables.js: sorts and filters tables, and shows the parts that selects choose."""

from pathlib import Path

from browser import Browser
from report_builder import READERS, Run
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
    first = chromium.js(cells)
    chromium.open(chromium.js("return location.href"))
    assert chromium.js(cells) == first
    selected = chromium.js("return document.querySelectorAll('.heat .chosen .unseen').length")
    assert selected == 2 * len(READERS)
    chromium.assert_quiet()


def test_one_selector_governs_every_section(chromium: Browser, built: Path) -> None:
    chromium.open(built / "report" / "layers.html")
    shown = """return [...document.querySelectorAll("[data-classifier], [data-metric]")]
        .filter((e) => e.offsetParent).flatMap((e) => Object.values(e.dataset))"""
    Select(by_id(chromium, "metric")).select_by_value("mean_balanced_accuracy")
    Select(by_id(chromium, "classifier")).select_by_value("nearest_centroid")
    assert set(chromium.js(shown)) == {"mean_balanced_accuracy", "nearest_centroid"}
    titles = chromium.js("return [...document.querySelectorAll('h2')].map((e) => e.innerText)")
    assert titles[0] == "Balanced accuracy layer by layer"
    chromium.js("scrollTo(0, document.body.scrollHeight / 2)")
    assert chromium.js("return document.querySelector('.governs').getBoundingClientRect().top") == 0
    chromium.assert_quiet()
