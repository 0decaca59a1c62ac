"""The documentation site: built without a warning, whole, and asking nothing of another host."""

import re
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

# What a browser fetches by itself, not what a reader may click.
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
        found = {name: value or "" for name, value in attributes}
        self.places |= {found[key] for key in ("id", "name") if key in found}
        if tag == "a" and "href" in found:
            self.points.append(found["href"])
        if tag in FETCHED and FETCHED[tag] in found and found.get("rel") != "canonical":
            self.fetches.append(found[FETCHED[tag]])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if find_spec("mkdocs") is None:
        missing("mkdocs", "MkDocs is not installed (requirements-docs.lock)")
    out = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(out)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return out


@pytest.mark.slow
def test_every_link_leads_somewhere_and_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    pages = {path: Links(path) for path in site.rglob("*.html") if path.name != "404.html"}
    assert len(pages) > 40
    wrong = []
    for path, page in pages.items():
        wrong += [f"{path.name} fetches {one}" for one in page.fetches if "//" in one]
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
