"""The runs and reports that the tests of reports share."""

from pathlib import Path

import pytest
from report_builder import Page, Run, build_report, make_run


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="session")
def built(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built")
    for left in ("report/words/gone/old.html", "report/index.html"):
        (out / left).parent.mkdir(parents=True, exist_ok=True)
        (out / left).write_text("left over")
    build_report(**run.arguments(out))
    return out


@pytest.fixture(scope="session")
def all_pages(built: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in sorted((built / "report").rglob("*.html"))}


@pytest.fixture(scope="session")
def three_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The names are not in alphabetical order; one model has random weights, and one is deeper."""
    folder = tmp_path_factory.mktemp("three")
    run = make_run(
        folder / "run",
        models={"wide": {}, "tiny": {"random_weights": 7}, "deep": {"blocks": 6}},
    )
    build_report(**run.arguments(folder))
    return folder / "report"
