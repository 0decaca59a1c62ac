"""Whole pages in a browser: they open, make no requests, and are accessible."""

import json
import time
from importlib.resources import files
from pathlib import Path

import pytest
from browser import Browser
from report_builder import Run
from word_pages import STATE, dark

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
ADDRESSES = [
    *(("built", f"report/{name}") for name in (*TABLES, "words/bank.html#pin=test-5")),
    *(("three_models", name) for name in (*TABLES, "words/deep/bank.html")),
]


def test_every_report_is_reached_from_one_page(chromium: Browser, listed: Path) -> None:
    # The list of reports has no script.
    wait = "document.readyState === 'complete'"
    assert_readable(chromium, listed, wait=wait)
    chromium.open(listed, wait=wait)
    links = chromium.driver.find_elements("css selector", "#reports a")
    assert len({link.accessible_name for link in links}) == len(links) == 3
    links[1].click()
    chromium.until("document.documentElement.dataset.ready")
    assert chromium.js("return window.pwned") is None
    chromium.assert_quiet()


@pytest.mark.parametrize(("report", "name"), ADDRESSES)
def test_a_page_is_readable_on_a_phone_and_by_all(
    chromium: Browser, request: pytest.FixtureRequest, report: str, name: str
) -> None:
    assert_readable(chromium, f"{request.getfixturevalue(report).as_uri()}/{name}")
    if "pin=" in name:
        assert chromium.js("return !document.getElementById('card').hidden")


def assert_readable(chromium: Browser, address: Path | str, **wait: str) -> None:
    """Check that only tables scroll on a phone, and that axe finds nothing serious."""
    size = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    chromium.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    chromium.open(address, **wait)
    widths = chromium.js("return [document.documentElement.scrollWidth, innerWidth]")
    chromium.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert widths == [390, 390]
    chromium.js("for (const e of document.querySelectorAll('details')) e.open = true;")
    # The driver runs this outside of the page's policy, which would refuse it.
    chromium.js((files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    for on in (False, True):
        with dark(chromium, on=on):
            passes, violations = chromium.driver.execute_async_script(
                """const done = arguments[0];
                axe.run(document, { resultTypes: ["violations"] }).then(
                  ({ violations, passes }) => done([passes.length, violations.map((v) =>
                    [v.impact, v.id, v.nodes.slice(0, 3).map((n) => n.failureSummary)])]));"""
            )
        assert passes > 20
        serious = [v for v in violations if v[0] in ("serious", "critical")]
        assert not serious, json.dumps(serious, indent=1)
