"""Whole pages in a browser: they open, make no requests, and are accessible."""

import json
from importlib.resources import files
from pathlib import Path

import pytest
from browser import Browser
from report_builder import Run
from word_pages import dark


def test_every_page_opens_from_disk(run: Run, chromium: Browser, built: Path) -> None:
    for page in sorted((built / "report").rglob("*.html")):
        chromium.open(page)
        assert chromium.js("return document.documentElement.scrollWidth <= innerWidth"), page
        assert chromium.js("return window.pwned") is None
        chromium.assert_quiet()


TABLES = ("index.html", "layers.html")
ADDRESSES = [
    *(("built", f"report/{name}") for name in (*TABLES, "words/bank.html#pin=test-5")),
    *(("three_models", name) for name in (*TABLES, "words/deep/bank.html")),
]


@pytest.mark.parametrize(("report", "name"), ADDRESSES)
def test_a_page_is_readable_on_a_phone_and_by_all(
    chromium: Browser, request: pytest.FixtureRequest, report: str, name: str
) -> None:
    """Only tables scroll on a phone, and axe finds nothing serious."""
    size = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    chromium.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    chromium.open(f"{request.getfixturevalue(report).as_uri()}/{name}")
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
