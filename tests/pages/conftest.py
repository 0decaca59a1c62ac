"""The reports and the browser that the tests of pages share."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, chromium
from report_builder import MODEL, Run, build_report, make_run

from wsd.report.overview import write_overview
from wsd.report.pages.load_report import load_report
from wsd.report.pages.word import portable_page

__all__ = ["chromium"]


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("run"), methods=("pca", "tsne"))


@pytest.fixture(scope="session")
def built(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built #1 & <co>")
    build_report(**run.arguments(out))
    return out


@pytest.fixture(scope="session")
def portable(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page of ``bank`` as a single file."""
    given = run.arguments(tmp_path_factory.mktemp("unused"))
    del given["out"]
    report = load_report(**given)
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


@pytest.fixture(scope="session")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a report of three models, one with random weights and one deeper."""
    folder = tmp_path_factory.mktemp("several")
    run = make_run(
        folder / "run",
        models={"first": {}, "untrained": {"random_weights": 7}, "deep": {"blocks": 6}},
    )
    build_report(**run.arguments(folder))
    return folder


@pytest.fixture(scope="session")
def listed(run: Run, built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page that lists reports: an unnamed run and two named runs."""
    results = tmp_path_factory.mktemp("results #1 & <co>")
    for tables in ("quickstart", "quickstart/runs/all-layers", "mine/runs/a"):
        shutil.copytree(built / "report", results / tables / "report")
        shutil.copy(run.folder / "provenance.json", results / tables)
        shutil.copy(run.tables["comparison"][0], results / tables / "comparison.csv")
    return write_overview(results)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests of this folder as slow, because a browser has to start and to draw."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.slow)
