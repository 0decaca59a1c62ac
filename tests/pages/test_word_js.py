"""word.js: connects the parts of a word page."""

import re
from importlib.resources import files
from pathlib import Path

import pytest
from browser import Browser
from word_pages import by_id


def test_link_to_this_view_is_copied(page: Browser) -> None:
    page.js(
        """window.copied = [];
        Object.defineProperty(navigator, "clipboard", { value: {
          writeText: async (text) => { copied.push(text); } } });"""
    )
    by_id(page, "previous").click()
    by_id(page, "link").click()
    page.until("copied.length")
    assert page.js("return copied[0]").endswith("bank.html#layers=1")
    page.until("document.getElementById('link').textContent === 'Copied'")


def scripts() -> list[Path]:
    return sorted(Path(str(files("wsd.report") / "assets")).glob("*.js"))


def test_every_script_is_loaded_by_a_page_and_by_the_portable_one(
    built: Path, portable: Path, chromium: Browser
) -> None:
    pages = [page.read_text() for page in (built / "report").rglob("*.html")]
    loaded = {name for page in pages for name in re.findall(r'src="[./]*assets/([^"]*)"', page)}
    assert loaded == {"bokeh.min.js", *(path.name for path in scripts())}
    single = portable.read_text()
    for path in scripts():
        whole = path.read_text() in single
        others = {"gallery.js", "tables.js"}
        assert whole == (path.name not in others), path.name


@pytest.mark.parametrize("path", scripts(), ids=lambda path: path.name)
def test_script_is_short_and_strict_and_has_a_heading(path: Path) -> None:
    text = path.read_text()
    assert text.count("\n") < 250
    header, _, rest = text.partition('"use strict";\n')
    assert rest and header.startswith("// ")
    assert all(line.startswith("//") for line in header.splitlines())
    # A script exports only what it puts into `wsd`.
    names = re.findall(r"^(?:const|let|var|function|class) (\w+)", rest, flags=re.MULTILINE)
    assert names == (["wsd"] if path.name == "page.js" else [])
    assert "innerHTML" not in text and "eval(" not in text
