"""The reports and the browser that the tests of pages share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, chromium
from report_builder import MODEL, Run, built, run, three_models

from wsd.report.pages.word import portable_page

__all__ = ["built", "chromium", "run", "three_models"]


@pytest.fixture(scope="session")
def portable(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page of ``bank`` as a single file."""
    report = run.load()
    path = tmp_path_factory.mktemp("portable #1 & <co>") / "bank.html"
    path.write_text(portable_page(report, MODEL, report.words[MODEL]["bank"]), encoding="utf-8")
    return path


@pytest.fixture
def page(chromium: Browser, built: Path) -> Iterator[Browser]:
    """Open the page of ``bank``; check at the end that it logged and requested nothing."""
    chromium.open(built / "report" / "words" / "bank.html")
    yield chromium
    assert chromium.js("return window.pwned") is None
    chromium.assert_quiet()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests of this folder as slow, because a browser has to start and to draw."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.slow)
