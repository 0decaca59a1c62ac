"""word-steps.js: all controls that step through the layer choices."""

import time
from pathlib import Path

from browser import Browser
from report_builder import CHOICES, READERS, Run
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select
from word_pages import assert_marks, assert_shows, by_id, wrong_rows, zoom


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
