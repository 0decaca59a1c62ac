"""The documentation site builds without warnings, is complete, and loads nothing remote."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit

import pytest
from browser import Browser, opened
from checkout import REPOSITORY
from report_builder import build_report, make_run
from require import missing

import wsd
from wsd.commands import COMMANDS
from wsd.studies.registry import STUDIES

# Files that a browser loads itself, not links for readers.
FETCHED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


class Links(HTMLParser):
    """Where a page points, what it fetches, and which places it has."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.points: list[str] = []
        self.fetches: list[str] = []
        self.places: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        self.places |= {values[key] for key in ("id", "name") if key in values}
        if tag == "a" and "href" in values:
            self.points.append(values["href"])
        if tag in FETCHED and FETCHED[tag] in values and values.get("rel") != "canonical":
            self.fetches.append(values[FETCHED[tag]])


def build(repository: Path, out: Path, demo: Path, board: Path) -> None:
    """Build the site with a report as the demo and with a board; a warning is an error."""
    if find_spec("mkdocs") is None:
        missing("mkdocs", "MkDocs is not installed (requirements-docs.lock)")
    process = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(out)],
        cwd=repository,
        env={**os.environ, "WSD_DEMO": str(demo), "WSD_BOARD": str(board)},
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stderr


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    build_report(**make_run(folder / "run").arguments(folder / "out"))
    board = folder / "board/index.html"
    board.parent.mkdir()
    board.write_text("<title>A board</title>")
    build(REPOSITORY, folder / "under/a path", folder / "out/report", board.parent)
    return folder / "under/a path"


@pytest.fixture
def chromium(tmp_path: Path) -> Iterator[Browser]:
    with opened(tmp_path / "profile") as browser:
        yield browser


@pytest.mark.slow
def test_the_demo_works_below_the_path_of_the_site(site: Path, chromium: Browser) -> None:
    handler = partial(SimpleHTTPRequestHandler, directory=str(site.parents[1]))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        host = f"http://127.0.0.1:{server.server_port}/under/a%20path/"
        chromium.open(f"{host}demo.html", wait="document.readyState === 'complete'")
        chromium.drain()
        chromium.driver.find_element("css selector", "article a[href='demo/index.html']").click()
        chromium.until("document.documentElement.dataset.ready")
        chromium.driver.get(chromium.js("return document.querySelector('a[href*=bank]').href"))
        chromium.until("document.documentElement.dataset.ready && document.getElementById('plot')")
        console, requests = chromium.drain()
        assert not console and all(url.startswith(f"{host}demo/") for url in requests), requests
        server.shutdown()


@pytest.mark.slow
def test_every_link_resolves_and_nothing_is_remote(site: Path) -> None:
    pages = {path: Links(path) for path in site.rglob("*.html") if path.name != "404.html"}
    assert len(pages) > 40
    wrong = []
    for path, page in pages.items():
        wrong += [f"{path.name} fetches {url}" for url in page.fetches if urlsplit(url).netloc]
        is_demo = site / "demo" in path.parents
        for link in {*page.points, *page.fetches}:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue  # other hosts are not reached from here
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            places = pages[target].places if target in pages else set()
            # A fragment of the report may hold the state of a page.
            lacks_place = not is_demo and parts.fragment and unquote(parts.fragment) not in places
            if not target.is_file() or lacks_place:
                wrong.append(f"{path.relative_to(site)}: {link}")
    assert not wrong, "\n".join(sorted(set(wrong))[:30])
    styles = "".join(path.read_text() for path in site.rglob("*.css"))
    assert not re.findall(r"url\(\s*[\"']?(?:https?:)?//[^)]*\)|@import[^;]*//[^;]*;", styles)


@pytest.mark.slow
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


@pytest.mark.slow
def test_examples_of_docstrings_are_code(site: Path) -> None:
    pages = "".join(path.read_text() for path in (site / "reference/api").glob("*.html"))
    assert '<span class="gp">&gt;&gt;&gt; </span>' in pages
    assert "<blockquote>" not in pages


@pytest.mark.slow
def test_no_page_needs_the_page_of_a_study_or_the_demo(site: Path, tmp_path: Path) -> None:
    """Without these the site builds without a warning and lists none of them."""
    files = subprocess.check_output(["git", "ls-files"], cwd=REPOSITORY, text=True).splitlines()
    # The page of the board stays: it links to the board.
    deleted = {f"docs/how-to/{study}.md" for study in STUDIES if study != "board"}
    for name in files:
        if not name.startswith(("wsd/", "tests/")) and name not in deleted:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPOSITORY / name, tmp_path / name)
    (tmp_path / "wsd").symlink_to(REPOSITORY / "wsd")
    build(tmp_path, tmp_path / "site", tmp_path / "results/quickstart/report", tmp_path / "none")
    assert 'href="geometry.html"' in (site / "how-to/running.html").read_text()
    assert 'href="geometry.html"' not in (tmp_path / "site/how-to/running.html").read_text()
    with_demo, without = ((path / "demo.html").read_text() for path in (site, tmp_path / "site"))
    assert 'href="demo/index.html"' in with_demo and 'href="demo/' not in without
    with_board, without = (
        (path / "how-to/board.html").read_text() for path in (site, tmp_path / "site")
    )
    assert 'href="../board/index.html"' in with_board and 'href="../board/' not in without
