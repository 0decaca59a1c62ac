"""The documentation site builds without warnings, is complete, and loads nothing remote."""

import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from checkout import REPOSITORY
from require import missing

from wsd.commands import COMMANDS

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


def build(repository: Path, out: Path) -> None:
    """Build the site; a warning is an error."""
    if find_spec("mkdocs") is None:
        missing("mkdocs", "MkDocs is not installed (requirements-docs.lock)")
    process = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(out)],
        cwd=repository,
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stderr


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    build(REPOSITORY, out)
    return out


@pytest.mark.slow
def test_every_link_resolves_and_nothing_is_remote(site: Path) -> None:
    pages = {path: Links(path) for path in site.rglob("*.html") if path.name != "404.html"}
    assert len(pages) > 40
    wrong = []
    for path, page in pages.items():
        wrong += [f"{path.name} fetches {url}" for url in page.fetches if "//" in url]
        for link in {*page.points, *page.fetches}:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue  # other hosts are not reached from here
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            places = pages[target].places if target in pages else set()
            if not target.is_file() or (parts.fragment and unquote(parts.fragment) not in places):
                wrong.append(f"{path.relative_to(site)}: {link}")
    assert not wrong, "\n".join(sorted(set(wrong))[:30])
    styles = "".join(path.read_text() for path in site.rglob("*.css"))
    assert not re.findall(r"url\(\s*[\"']?(?:https?:)?//[^)]*\)|@import[^;]*//[^;]*;", styles)


@pytest.mark.slow
def test_the_reference_has_every_command_key_and_public_name(site: Path) -> None:
    commands = (site / "reference/commands.html").read_text()
    for command in COMMANDS:
        assert f"wsd {command}" in commands
    assert "--occurrence" in commands
    assert "tuning.folds" in (site / "reference/config.html").read_text()
    assert (
        "get_feature_names_out"
        in (site / "reference/api/inference.focal_embedder.html").read_text()
    )
    assert "round(model.score(" in re.sub("<[^>]+>", "", (site / "library.html").read_text())


@pytest.mark.slow
def test_no_page_needs_the_page_of_a_study(site: Path, tmp_path: Path) -> None:
    """Without the studies' pages the site builds without a warning and lists none of them."""
    files = subprocess.check_output(["git", "ls-files"], cwd=REPOSITORY, text=True).splitlines()
    for name in files:
        if not name.startswith(("wsd/", "tests/", "docs/studies/")):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPOSITORY / name, tmp_path / name)
    (tmp_path / "wsd").symlink_to(REPOSITORY / "wsd")
    (tmp_path / "docs/studies").mkdir()
    build(tmp_path, tmp_path / "site")
    with_pages, without = (path / "studies/index.html" for path in (site, tmp_path / "site"))
    assert 'href="geometry.html"' in with_pages.read_text()
    assert 'href="geometry.html"' not in without.read_text()
