"""The documentation site builds without warnings, is complete, and loads nothing remote."""

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from checkout import REPOSITORY
from report_builder import build_report, make_run
from require import missing

import wsd
from wsd.commands import COMMANDS

pytestmark = pytest.mark.slow

# A page that is deleted with its study.
LACKING = "docs/how-to/geometry.md"
# Files that a browser loads itself, not links for readers.
FETCHED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


class Links(HTMLParser):
    """What a page fetches, and which places it has."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.fetches: list[str] = []
        self.places: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        self.places |= {values[key] for key in ("id", "name") if key in values}
        if tag in FETCHED and FETCHED[tag] in values and values.get("rel") != "canonical":
            self.fetches.append(values[FETCHED[tag]])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site with a report as the demo, without a board and a study's page.

    A warning is an error, so that every link of the pages leads somewhere.
    """
    if find_spec("mkdocs") is None:
        missing("mkdocs", "MkDocs is not installed (requirements-docs.lock)")
    folder = tmp_path_factory.mktemp("site")
    build_report(**make_run(folder / "run").arguments(folder / "out"))
    repository, site = folder / "repository", folder / "under/a path"
    files = subprocess.check_output(["git", "ls-files"], cwd=REPOSITORY, text=True).splitlines()
    for name in files:
        if not name.startswith(("wsd/", "tests/")) and name != LACKING:
            (repository / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPOSITORY / name, repository / name)
    (repository / "wsd").symlink_to(REPOSITORY / "wsd")
    process = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)],
        cwd=repository,
        env={**os.environ, "WSD_DEMO": str(folder / "out/report"), "WSD_BOARD": "none"},
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stderr
    return site


def test_what_is_there_is_linked_and_the_rest_is_text(site: Path) -> None:
    assert 'href="demo/index.html"' in (site / "demo.html").read_text()
    assert 'href="../board/' not in (site / "how-to/board.html").read_text()
    running = (site / "how-to/running.html").read_text()
    assert 'href="controls.html"' in running and 'href="geometry.html"' not in running


def test_nothing_is_remote(site: Path) -> None:
    pages = [path for path in site.rglob("*.html") if path.name != "404.html"]
    assert len(pages) > 40
    fetched = {url for path in pages for url in Links(path).fetches}
    assert not [url for url in fetched if urlsplit(url).netloc]
    styles = "".join(path.read_text() for path in site.rglob("*.css"))
    assert not re.findall(r"url\(\s*[\"']?(?:https?:)?//[^)]*\)|@import[^;]*//[^;]*;", styles)


def test_the_reference_has_every_command_key_and_public_name(site: Path) -> None:
    commands = (site / "reference/commands.html").read_text()
    for command in COMMANDS:
        assert f"wsd {command}" in commands
    assert "--model-file" in commands
    assert "tuning.folds" in (site / "reference/config.html").read_text()
    library = site / "reference/api/index.html"
    assert "get_feature_names_out" in library.read_text()
    homes = {f"{getattr(wsd, name).__module__}.{name}" for name in wsd.__all__}
    assert homes <= Links(library).places
    assert "round(model.score(" in re.sub("<[^>]+>", "", (site / "library.html").read_text())
