"""The runs and reports that the tests of reports share."""

from pathlib import Path

import pytest
from report_builder import Page, built, run, three_models

__all__ = ["built", "run", "three_models"]


@pytest.fixture(scope="session")
def all_pages(built: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in sorted((built / "report").rglob("*.html"))}
