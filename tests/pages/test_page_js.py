"""page.js: what all pages share."""

from pathlib import Path

from browser import Browser
from made_report import MODEL
from word_pages import by_id


def test_page_says_so_when_the_picture_cannot_be_drawn(
    chromium: Browser, built: Path, tmp_path: Path
) -> None:
    text = (built / "portable" / MODEL / "bank.html").read_text(encoding="utf-8")
    page = tmp_path / "damaged.html"
    page.write_text(text.replace('id="packed">', 'id="packed">AAAA'), encoding="utf-8")
    chromium.open(page, wait="!document.getElementById('problem').hidden")
    assert "could not be drawn" in by_id(chromium, "problem").text
    console, _ = chromium.drain()
    assert len(console) == 1
