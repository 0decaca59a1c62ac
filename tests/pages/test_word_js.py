"""word.js: the parts of a word's page together."""

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
