"""word-controls.js: the controls step through layer choices and filter instances."""

import time
from pathlib import Path

from browser import Browser
from report_builder import CHOICES, READERS, Run
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select
from word_pages import (
    STATE,
    assert_marks,
    assert_shows,
    by_id,
    listed,
    rows_of,
    wrong_rows,
    zoom,
)


def test_every_layer_control(run: Run, built: Path, page: Browser) -> None:
    assert_shows(run, built, page, "2")  # what the word's folds chose
    by_id(page, "next").click()
    state = assert_shows(run, built, page, "mean-last-2")
    assert state["hash"] == "#layers=mean-last-2"
    assert not by_id(page, "next").is_enabled()
    for _ in range(3):
        by_id(page, "previous").click()
    state = assert_shows(run, built, page, "0")
    assert state["hash"] == "#layers=0"
    assert not by_id(page, "previous").is_enabled()
    zoom(page, 0)
    page.driver.find_element("css selector", "#strip a[data-layers='1']").click()
    assert_shows(run, built, page, "1")
    Select(by_id(page, "layers")).select_by_value("mean-last-2")
    assert_shows(run, built, page, "mean-last-2")
    page.driver.find_element("css selector", "a[data-layers='2']").click()
    state = assert_shows(run, built, page, "2")
    assert_marks(run, built, state, wrong_rows(run, "2", READERS[:1]))
    # The user edits the address to another choice while the page is open.
    page.js("location.hash = '#layers=1&off=rings'")
    page.until("document.getElementById('layers').value === '1'")
    assert assert_shows(run, built, page, "1")["errors"]["row"] == []


def test_arrow_keys_step_unless_they_have_a_meaning_of_their_own(
    run: Run, built: Path, page: Browser
) -> None:
    body = page.driver.find_element("tag name", "body")
    body.send_keys(Keys.ARROW_LEFT)
    assert_shows(run, built, page, "1")
    body.send_keys(Keys.ARROW_RIGHT)
    assert_shows(run, built, page, "2")
    by_id(page, "search").send_keys(Keys.ARROW_LEFT)
    page.driver.find_element("css selector", "[role=region]:not(.strip)").send_keys(Keys.ARROW_LEFT)
    body.send_keys(Keys.CONTROL, Keys.ARROW_LEFT)
    assert_shows(run, built, page, "2")


def test_play_steps_through_the_single_layers_and_starts_again(page: Browser) -> None:
    page.js("window.real = setInterval; window.setInterval = (f) => real(f, 60)")
    Select(by_id(page, "layers")).select_by_value("mean-last-2")
    by_id(page, "play").click()
    assert by_id(page, "play").get_attribute("aria-pressed") == "true"
    seen = page.driver.execute_async_script(
        """const done = arguments[0], seen = [];
        const look = () => {
          const { value } = document.getElementById("layers");
          if (value !== seen.at(-1)) seen.push(value);
          if (seen.length > 5) done(seen); else setTimeout(look, 5);
        };
        look();"""
    )
    # Combinations are no further layers.
    assert seen[-5:] in (["0", "1", "2", "0", "1"], ["1", "2", "0", "1", "2"])
    by_id(page, "play").click()
    assert by_id(page, "play").text == "Play"
    value = by_id(page, "layers").get_attribute("value")
    time.sleep(0.3)
    assert by_id(page, "layers").get_attribute("value") == value

    # Play slowly: a step by hand ends it.
    page.js("window.setInterval = (f) => real(f, 60_000)")
    Select(by_id(page, "layers")).select_by_value(CHOICES[-2])
    by_id(page, "play").click()
    by_id(page, "previous").click()
    assert by_id(page, "layers").get_attribute("value") == CHOICES[-3]
    assert by_id(page, "play").get_attribute("aria-pressed") == "false"


def test_classifier_and_errors_only(run: Run, built: Path, page: Browser) -> None:
    rows, corpus = rows_of(run, built), run.corpora["bank"]
    for choice in ("0", "mean-last-2"):
        Select(by_id(page, "layers")).select_by_value(choice)
        for reader in READERS:
            Select(by_id(page, "classifier")).select_by_value(reader)
            Select(by_id(page, "show")).select_by_value("all")
            wrong = wrong_rows(run, choice, (reader,))
            assert wrong
            assert_marks(run, built, page.js(STATE), wrong)
            assert by_id(page, "n-errors").text == str(len(wrong))
            Select(by_id(page, "show")).select_by_value("errors")
            state = page.js(STATE)
            assert {row for row, on in zip(rows, state["shown"], strict=True) if on} == wrong
            own = "" if reader == READERS[0] else f"&classifier={reader}"
            assert state["hash"] == f"#layers={choice}{own}&show=errors"
            table = listed(page)
            assert by_id(page, "listed").text == f"{len(wrong)} of {len(corpus)} instances"
            assert [line[0] for line in table] == sorted(
                (f"test {corpus.index[row]}" for row in wrong), key=lambda t: int(t.split()[1])
            )
            for line in table:
                row = 30 + int(line[0].split()[1])
                assert line[1] == " ".join(corpus.tokens[row])
                assert line[3].startswith("✗ ")


def test_legend_hides_and_shows(run: Run, built: Path, page: Browser) -> None:
    corpus, rows = run.corpora["bank"], rows_of(run, built)
    assert all(page.js(STATE)["shown"])
    page.driver.find_element("css selector", "[data-sense='1']").click()
    page.driver.find_element("css selector", "[data-split=train]").click()
    state = page.js(STATE)
    expected = [corpus.gold[row] != 1 and corpus.split[row] == "test" for row in rows]
    assert state["shown"] == expected
    assert [sense for sense, _, _ in state["centroids"]] == [0, 2]
    wrong = {row for row in wrong_rows(run, "2", READERS[:1]) if corpus.gold[row] != 1}
    assert_marks(run, built, state, wrong)
    by_id(page, "previous").click()
    assert page.js(STATE)["shown"] == expected
    page.driver.find_element("css selector", "[data-sense='1']").click()
    page.driver.find_element("css selector", "[data-split=train]").click()
    assert all(page.js(STATE)["shown"])
    by_id(page, "rings").click()
    assert page.js(STATE)["errors"]["row"] == []


def test_a_key_goes_to_the_next_projection_unless_something_is_typed(planes: Browser) -> None:
    body = planes.driver.find_element("css selector", "body")
    for method, typed in (("pca", "p"), ("discriminant", "P"), ("pca", "p")):
        planes.js(
            "document.body.dispatchEvent(new KeyboardEvent('keydown',"
            " { key: arguments[0], bubbles: true }))",
            typed,
        )
        assert by_id(planes, "method").get_attribute("value") == method
        assert ("method=pca" in planes.js("return location.hash")) == (method == "pca")
    assert "PCA. " in by_id(planes, "status").get_attribute("textContent")
    body.send_keys("p")
    assert by_id(planes, "method").get_attribute("value") == "discriminant"
    for control in ("search", "layers"):
        by_id(planes, control).send_keys("p")
        assert by_id(planes, "method").get_attribute("value") == "discriminant"
    by_id(planes, "keys").click()
    assert "off=keys" in planes.js("return location.hash")
    body.send_keys("p")
    assert by_id(planes, "method").get_attribute("value") == "discriminant"
    by_id(planes, "keys").click()
    body.send_keys("p")
    assert by_id(planes, "method").get_attribute("value") == "pca"
