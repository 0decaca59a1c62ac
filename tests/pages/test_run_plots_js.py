"""The figures of a run in a browser: drawn without a network, and foreign text stays text."""

from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
from browser import Browser
from report_builder import HOSTILE
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

from wsd.inference.run_plots import word_figure

# The text of all tooltips, which lie in shadow trees.
TIPS = """
const texts = [];
const walk = (root) => root.querySelectorAll("*").forEach((element) => {
  if (element.shadowRoot) walk(element.shadowRoot);
  if (element.matches(".bk-tooltip-content, .bk-Tooltip")) texts.push(element.textContent);
});
walk(document);
return texts.join("");
"""
# The only point, in pixels from the corner of the figure.
MIDDLE = """
const {hcenter, vcenter} = Bokeh.index.roots[0].frame.bbox;
return [hcenter, vcenter];
"""


class Frame(HTMLParser):
    page = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.page = dict(attributes)["srcdoc"] or ""


def test_a_figure_shows_foreign_text_as_text(chromium: Browser, tmp_path: Path) -> None:
    text = " ".join(HOSTILE)
    row = {"x": 0.0, "y": 0.0, "split": "test", "index": 0, "predicted": text}
    points = pd.DataFrame([{**row, "sense": text, "sentence": f"{text} end"}])
    frame = Frame()
    frame.feed(word_figure(points, [text], text, "pca")._repr_html_())
    (tmp_path / "figure.html").write_text(frame.page, encoding="utf-8")
    chromium.open(tmp_path / "figure.html", wait="window.Bokeh?.index.roots?.length")
    x, y = chromium.js(MIDDLE)
    figure = chromium.driver.find_element(By.CSS_SELECTOR, ".bk-Figure")
    move = ActionChains(chromium.driver).move_to_element_with_offset
    size = figure.size
    move(figure, x - size["width"] / 2, y - size["height"] / 2).perform()
    chromium.until(f"(() => {{ {TIPS} }})()")
    shown = chromium.js(TIPS)
    assert f"{text}, predicted: {text}" in shown and f"{text} end" in shown
    assert chromium.js("return window.pwned") is None
    console, requests = chromium.drain()
    assert not requests and all(line.startswith("INFO") for line in console)
