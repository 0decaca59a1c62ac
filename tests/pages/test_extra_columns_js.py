"""extra-columns.js on word pages: colours, a filter, and the text of the extra columns."""

from pathlib import Path

from browser import Browser
from report_builder import HOSTILE, HOSTILE_COLUMN, Run
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select
from word_pages import STATE, by_id, rows_of

from wsd.report.pages.plots import TONES

PERIODS = ["990", "1850", "1900"]


def tones(run: Run, built: Path, column: str, values: list[str]) -> list[str]:
    cells = run.corpora["bank"].extra[column]
    return [f"value-{values.index(cells[row])}" for row in rows_of(run, built)]


def test_points_have_the_colour_of_their_value(run: Run, built: Path, page: Browser) -> None:
    senses = page.js(STATE)["sense"]
    Select(by_id(page, "colour")).select_by_visible_text("period")
    state = page.js(STATE)
    # Training instances too, and numbers are in their own order.
    assert state["tone"] == tones(run, built, "period", PERIODS)
    assert state["sense"] == senses
    assert state["hash"] == "#layers=2&colour=column-period"
    assert by_id(page, "tones").text == "period:\n990 (12)\n1850 (12)\n1900 (24)"
    assert len(state["palette"]) == 3 + len(TONES) + len(PERIODS)


def test_a_filter_leaves_the_instances_of_a_value(run: Run, built: Path, page: Browser) -> None:
    by_id(page, "only").send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    cells, rows = run.corpora["bank"].extra["period"], rows_of(run, built)
    assert page.js(STATE)["shown"] == [cells[row] == "1850" for row in rows]
    assert by_id(page, "listed").text == "12 of 48 instances"
    assert page.js("return location.hash") == "#layers=2&only=period%3D1850"
    Select(by_id(page, "only")).select_by_visible_text("all values")
    assert page.js("return location.hash") == "#layers=2"
    assert all(page.js(STATE)["shown"])


def test_the_address_has_a_colour_and_a_filter(run: Run, built: Path, page: Browser) -> None:
    values = [HOSTILE[0], "שלום=&%", ""]
    Select(by_id(page, "colour")).select_by_visible_text(HOSTILE_COLUMN)
    Select(by_id(page, "only")).select_by_visible_text(values[1])
    page.open(page.js("return location.href"))
    tone, all_tones = page.js(STATE)["tone"], tones(run, built, HOSTILE_COLUMN, values)
    assert tone == [value if value == "value-1" else "off" for value in all_tones]
    key = [f"{HOSTILE_COLUMN}:", *(f"{text} (16)" for text in (*values[:2], "(no value)"))]
    assert by_id(page, "tones").text.split("\n") == key
