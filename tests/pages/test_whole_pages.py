"""Whole pages in a browser: they open, make no requests, and are accessible."""

import json
import time
from importlib.resources import files
from pathlib import Path

import pytest
from browser import Browser
from report_builder import Run
from word_pages import STATE

from wsd.storage.file_names import file_name


def test_every_page_opens_from_disk(run: Run, chromium: Browser, built: Path) -> None:
    for page in sorted((built / "report").rglob("*.html")):
        chromium.open(page)
        assert chromium.js("return document.documentElement.scrollWidth <= innerWidth"), page
        assert chromium.js("return window.pwned") is None
        chromium.assert_quiet()


def test_page_of_a_word_with_a_hostile_name(run: Run, chromium: Browser, built: Path) -> None:
    word = "a&b #1 <i>%"
    chromium.open(built / "report" / "index.html")
    name = f"words/{file_name(word)}.html"
    chromium.driver.find_element("css selector", f".gallery a[href^='{name}']").click()
    chromium.until("document.documentElement.dataset.ready && document.getElementById('plot')")
    assert word in chromium.js("return document.querySelector('h1').textContent")
    assert len(chromium.js(STATE)["x"]) == len(run.corpora[word])
    chromium.driver.find_element("css selector", "a[rel=prev]").click()
    chromium.until("document.querySelector('h1').textContent.startsWith('bank')")
    chromium.assert_quiet()


def test_policy_is_enforced(page: Browser) -> None:
    page.js(
        """const script = document.createElement("script");
        script.textContent = "window.injected = 1";
        document.body.append(script);
        setTimeout("window.evaluated = 1", 0);
        const image = new Image();
        image.src = "none.png";"""
    )
    time.sleep(0.1)
    assert page.js("return [window.injected, window.evaluated]") == [None, None]
    console, _ = page.drain()
    assert sum("Content Security Policy" in entry for entry in console) == 3


TABLES = ("index.html", "layers.html")


PAGES = (*TABLES, "words/bank.html#pin=test-5")


@pytest.fixture(params=[*(("built", name) for name in PAGES),
                        *(("several", name) for name in (*TABLES, "words/deep/bank.html")),
                        ("listed", "index.html")],
                ids="-".join)  # fmt: skip
def address(request: pytest.FixtureRequest) -> str:
    """Return the address of a page of a report or of the list of reports."""
    kind, name = request.param
    if kind == "listed":
        return request.getfixturevalue(kind).as_uri()
    return f"{(request.getfixturevalue(kind) / 'report').as_uri()}/{name}"


def opened(chromium: Browser, address: str) -> None:
    """Open a page and wait for its script; the list of reports has none."""
    listed = "/report/" not in address
    ready = (
        "document.readyState === 'complete'" if listed else "document.documentElement.dataset.ready"
    )
    chromium.open(address, wait=ready)


def test_every_report_is_reached_from_one_page(chromium: Browser, listed: Path) -> None:
    chromium.open(listed, wait="document.readyState === 'complete'")
    links = chromium.driver.find_elements("css selector", "#reports a")
    assert len({link.accessible_name for link in links}) == len(links) == 3
    links[1].click()
    chromium.until("document.documentElement.dataset.ready")
    assert chromium.js("return window.pwned") is None
    chromium.assert_quiet()


def test_phone_width_scrolls_only_inside_tables(chromium: Browser, address: str) -> None:
    size = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    chromium.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        opened(chromium, address)
        assert chromium.js("return [document.documentElement.scrollWidth, innerWidth]") == [
            390,
            390,
        ]
    finally:
        chromium.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    chromium.assert_quiet()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_has_no_serious_finding(chromium: Browser, address: str, scheme: str) -> None:
    axe = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    version = axe[:80].split("axe v")[1].split()[0]
    assert tuple(map(int, version.split("."))) >= (4, 10)
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    chromium.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    try:
        opened(chromium, address)
        assert ("pin=" in address) == chromium.js(
            "return !!document.getElementById('card') && !document.getElementById('card').hidden"
        )
        chromium.js("for (const e of document.querySelectorAll('details')) e.open = true;")
        # The driver runs this outside of the page's policy, which would refuse it.
        chromium.js(axe)
        actual = chromium.driver.execute_async_script(
            """const done = arguments[0];
            axe.run(document, { resultTypes: ["violations"] }).then(({ violations, passes }) =>
              done({ passes: passes.length, violations: violations.map((v) => [v.impact, v.id,
                v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + n.failureSummary)]) }));"""
        )
    finally:
        light = {"features": [{"name": "prefers-color-scheme", "value": "light"}]}
        chromium.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", light)
    assert actual["passes"] > 20
    serious = [v for v in actual["violations"] if v[0] in ("serious", "critical")]
    assert not serious, json.dumps(serious, indent=1)
