"""extra-columns.js on word pages: colours, a filter, and the text of the extra columns."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser
from report_builder import HOSTILE, HOSTILE_COLUMN, Run, build_report, make_run
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select
from word_pages import STATE, by_id, dark, rows_of

from wsd.report.pages.plots import TONES

PERIODS = ["990", "1850", "1900"]


@pytest.fixture(scope="module")
def extra_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("extra"), extra=True)


@pytest.fixture(scope="module")
def extra_built(extra_run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("extra built")
    build_report(**extra_run.arguments(out))
    return out


@pytest.fixture
def extra_page(chromium: Browser, extra_built: Path) -> Iterator[Browser]:
    chromium.open(extra_built / "report" / "words" / "bank.html")
    yield chromium
    assert chromium.js("return window.pwned") is None
    chromium.assert_quiet()


def tones(run: Run, built: Path, column: str, values: list[str]) -> list[str]:
    cells = run.corpora["bank"].extra[column]
    return [f"value-{values.index(cells[row])}" for row in rows_of(run, built)]


def test_points_have_the_colour_of_their_value(
    extra_run: Run, extra_built: Path, extra_page: Browser
) -> None:
    senses = extra_page.js(STATE)["sense"]
    Select(by_id(extra_page, "colour")).select_by_visible_text("period")
    state = extra_page.js(STATE)
    # Training instances too, and numbers are in their own order.
    assert state["tone"] == tones(extra_run, extra_built, "period", PERIODS)
    assert state["sense"] == senses
    assert state["hash"] == "#layers=2&colour=column-period"
    assert by_id(extra_page, "tones").text == "period:\n990 (12)\n1850 (12)\n1900 (24)"
    swatches = "return [...document.querySelectorAll('#tones i')]"
    fills = f"{swatches}.map((e) => getComputedStyle(e).backgroundColor)"
    light = extra_page.js(fills)
    assert len(set(light)) == 3
    assert len(state["palette"]) == 3 + len(TONES) + len(PERIODS)
    assert all(colour.startswith("#") for colour in state["palette"])
    with dark(extra_page):
        assert not set(extra_page.js(fills)) & set(light)


def test_a_filter_leaves_the_instances_of_a_value(
    extra_run: Run, extra_built: Path, extra_page: Browser
) -> None:
    by_id(extra_page, "only").send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    cells, rows = extra_run.corpora["bank"].extra["period"], rows_of(extra_run, extra_built)
    assert extra_page.js(STATE)["shown"] == [cells[row] == "1850" for row in rows]
    assert by_id(extra_page, "listed").text == "12 of 48 instances"
    assert extra_page.js("return location.hash") == "#layers=2&only=period%3D1850"
    Select(by_id(extra_page, "only")).select_by_visible_text("all values")
    assert extra_page.js("return location.hash") == "#layers=2"
    assert all(extra_page.js(STATE)["shown"])


def test_the_address_has_colour_and_filter_of_any_text(
    extra_run: Run, extra_built: Path, extra_page: Browser
) -> None:
    values = [HOSTILE[0], "שלום=&%", ""]
    texts = [*values[:2], "(no value)"]
    Select(by_id(extra_page, "colour")).select_by_visible_text(HOSTILE_COLUMN)
    cells, rows = extra_run.corpora["bank"].extra[HOSTILE_COLUMN], rows_of(extra_run, extra_built)
    all_tones = tones(extra_run, extra_built, HOSTILE_COLUMN, values)
    for value, text in zip(values, texts, strict=True):
        Select(by_id(extra_page, "only")).select_by_visible_text(text)
        extra_page.open(extra_page.js("return location.href"))
        state = extra_page.js(STATE)
        assert state["shown"] == [cells[row] == value for row in rows]
        assert state["tone"] == [
            tone if passes else "off"
            for tone, passes in zip(all_tones, state["shown"], strict=True)
        ]
    key = [f"{HOSTILE_COLUMN}:", *(f"{text} (16)" for text in texts)]
    assert by_id(extra_page, "tones").text.split("\n") == key


def test_the_card_and_the_tooltip_have_the_text(
    extra_run: Run, extra_built: Path, extra_page: Browser
) -> None:
    cells = (
        "return [...document.querySelectorAll('.extra tr')].map((e) => e.innerText.split('\\t'))"
    )
    address = (extra_built / "report" / "words" / "bank.html").as_uri()
    extra_page.open(f"{address}#pin=test-1&colour=column-period")
    extra = {name: cells[31] for name, cells in extra_run.corpora["bank"].extra.items()}
    assert extra_page.js(cells) == [[name, cell] for name, cell in extra.items()]
    assert f"· period: {extra['period']}" in by_id(extra_page, "card").text
    # An empty cell is left out.
    extra_page.open(f"{address}#pin=test-0")
    assert HOSTILE_COLUMN not in dict(extra_page.js(cells))
