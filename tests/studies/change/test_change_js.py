"""A word's page of change in a browser: one layer choice at a time."""

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from browser import Browser, chromium
from made_change import HOSTILE, PER_GROUP, made_words, write_gold
from test_change_page import LAYERS, write_pages

__all__ = ["chromium"]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    write_gold(folder)
    return write_pages(folder, made_words())


@pytest.fixture
def page(chromium: Browser, pages: Path) -> Iterator[Browser]:
    chromium.open(pages / "words" / "seal.html")
    yield chromium
    assert chromium.js("return window.pwned") is None
    chromium.assert_quiet()


def shown(page: Browser) -> list[str]:
    """Return the layer choices that the page shows, by section, frame and select."""
    return page.js(
        """return [
          ...[...document.querySelectorAll("section.layer:not([hidden])")].map(({ id }) => id),
          ...[...document.querySelectorAll(".film a.shown span")].map((e) => e.textContent),
          document.getElementById("layers").value, location.hash]"""
    )


def test_steps_through_the_layers(page: Browser) -> None:
    (start, *_) = shown(page)
    number = LAYERS.index(start)
    other = LAYERS[number - 1] if number else LAYERS[1]
    page.js("document.getElementById(arguments[0]).click()", "previous" if number else "next")
    assert shown(page) == [other, other, other, f"#{other}"]
    page.js("document.querySelectorAll('.film a')[2].click()")
    assert shown(page) == ["mean-all"] * 3 + ["#mean-all"]
    assert page.js("return document.getElementById('next').disabled")
    page.js(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', "
        "{ key: 'ArrowLeft', bubbles: true }))"
    )
    assert shown(page) == ["1", "1", "1", "#1"]


def test_the_address_opens_a_layer(page: Browser, pages: Path) -> None:
    page.open((pages / "words" / "seal.html").as_uri() + "#mean-all")
    assert shown(page)[0] == "mean-all"
    page.js("location.hash = '#0'")
    page.until("!document.getElementById('0').hidden")
    page.js("location.hash = '#none'")
    assert shown(page)[0] == "0"


def test_points_show_their_sentences(page: Browser) -> None:
    points = "section.layer:not([hidden]) svg.scatter [data-row]"
    assert page.js(f"return document.querySelectorAll('{points}').length") == 2 * PER_GROUP
    rows = page.js(f"return [...document.querySelectorAll('{points}')].map((p) => p.dataset.row)")
    assert sorted(map(int, rows)) == [*range(2 * PER_GROUP)]
    tip = page.js(
        f"""const point = [...document.querySelectorAll('{points}')].at(-1);
        point.dispatchEvent(new PointerEvent("pointerover", {{ bubbles: true }}));
        return document.querySelector(".tip").textContent"""
    )
    assert tip.startswith("2")
    assert HOSTILE in tip


def test_the_page_is_complete_without_scripts(chromium: Browser, pages: Path) -> None:
    command = "Emulation.setScriptExecutionDisabled"
    chromium.driver.execute_cdp_cmd(command, {"value": True})
    try:
        chromium.driver.get((pages / "words" / "seal.html").as_uri())
        plots = chromium.driver.find_elements("css selector", "section.layer svg.scatter")
        lists = chromium.driver.find_elements("css selector", "section.layer ol")
        assert [plot.is_displayed() for plot in plots] == [True] * len(LAYERS)
        assert [uses.is_displayed() for uses in lists] == [True] * 2 * len(LAYERS)
        assert not chromium.driver.find_element("id", "steps").is_displayed()
    finally:
        chromium.driver.execute_cdp_cmd(command, {"value": False})


@pytest.mark.parametrize("name", ["index.html", "words/seal.html"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_has_no_serious_finding(chromium: Browser, pages: Path, name: str, scheme: str) -> None:
    axe = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    command = "Emulation.setEmulatedMedia"
    media = [{"name": "prefers-color-scheme", "value": scheme}]
    chromium.driver.execute_cdp_cmd(command, {"features": media})
    chromium.open(pages / name, wait="document.readyState === 'complete'")
    chromium.js(axe)
    serious = chromium.driver.execute_async_script(
        """const done = arguments[0];
        axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => done(
          violations.filter((v) => ["serious", "critical"].includes(v.impact))
            .map((v) => [v.id, v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200))])));"""
    )
    chromium.driver.execute_cdp_cmd(command, {"features": []})
    assert serious == []


@pytest.mark.parametrize("name", ["index.html", "words/seal.html"])
def test_a_phone_scrolls_only_inside_tables(chromium: Browser, pages: Path, name: str) -> None:
    size = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    chromium.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        chromium.open(pages / name, wait="document.readyState === 'complete'")
        assert chromium.js("return document.documentElement.scrollWidth") == 390
    finally:
        chromium.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
