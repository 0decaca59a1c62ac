"""Check word pages in a browser: displayed data, expected data, and single scripts."""

import base64
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import Browser
from report_builder import CHOICES, Run, decode, pictures_of, predictions_of, word_page
from selenium.webdriver.common.action_chains import ActionChains

from wsd.report.pages import render

# The content of Bokeh's document for one plot (default: the first), by the names of the models.
STATE = """
const view = [...Bokeh.index].filter((view) => view.model.x_range)
  .find((view) => document.querySelector(".plot").contains(view.el));
const doc = view.model.document;
const model = (name) => doc.get_model_by_name(name);
const { x, y, sense, tone, fill, edge } = model("points").data, errors = model("errors").data;
const centroids = model("centroids").data;
return {
  x: Array.from(x), y: Array.from(y), sense: Array.from(sense), tone: Array.from(tone),
  centroids: centroids.sense.map((sense, i) => [Number(sense), centroids.x[i], centroids.y[i]]),
  pinned: Array.from(model("pinned").data.x, (x, i) => [x, model("pinned").data.y[i]]),
  errors: { x: Array.from(errors.x), y: Array.from(errors.y), row: Array.from(errors.row),
            tone: Array.from(errors.tone) },
  // A grey instance is filtered out; an invisible one is hidden by the legend.
  shown: tone.map((value, i) => value !== "off" && fill[i] + edge[i] > 0),
  labels: [model("x-axis").axis_label, model("y-axis").axis_label],
  ranges: [view.model.x_range.start, view.model.x_range.end,
           view.model.y_range.start, view.model.y_range.end],
  palette: model("colours").palette, hash: location.hash,
  drawn: [view.frame.bbox.width, view.frame.bbox.height],
};
"""
TIP = """
const [view] = [...Bokeh.index];
const hover = view.model.document.get_model_by_name("hover");
const tool = [...view.tool_views.values()].find((v) => v.model === hover);
const [tip] = tool.ttmodels.values();
const content = tip.content;
return {
  text: content.textContent, bold: [...content.querySelectorAll("b")].map((b) => b.textContent),
  tags: [...new Set([...content.querySelectorAll("*")].map((e) => e.tagName))].sort(),
  width: content.offsetWidth,
};
"""


# The colour of the first sense on a light and on a dark page, as a saved plot has it.
LIGHT, DARK = "rgb(11,111,184)", "rgb(88,166,232)"


@contextmanager
def dark(browser: Browser, *, on: bool = True) -> Iterator[None]:
    """Prefer dark pages, or light ones."""

    def prefer(scheme: str) -> None:
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)

    prefer("dark" if on else "light")
    try:
        yield
    finally:
        prefer("light")


def rows_of(run: Run, built: Path, word: str = "bank") -> list[int]:
    """Return the corpus row of each row of the page."""
    corpus = run.corpora[word]
    data = word_page(built, word).packed()["data"]
    split = np.where(decode(data["train"], "u1") == 1, "train", "test")
    at = {key: i for i, key in enumerate(zip(corpus.split, corpus.index.tolist(), strict=True))}
    return [at[key] for key in zip(split, decode(data["index"], "<i4").tolist(), strict=True)]


def wrong_rows(run: Run, choice: str, readers: tuple[str, ...], word: str = "bank") -> set[int]:
    """Return the corpus rows that classifiers predict wrongly, from the prediction files."""
    corpus = run.corpora[word]
    offset = int((corpus.split == "train").sum())
    wrong = set()
    for reader in readers:
        words = predictions_of(run, word, choice, reader)
        wrong |= {offset + int(i) for i in words.index[words.predicted != words.gold]}
    return wrong


def assert_shows(run: Run, built: Path, browser: Browser, choice: str) -> dict[str, Any]:
    """Check that the document has the points, axes and classification errors of a layer choice."""
    state: dict[str, Any] = browser.js(STATE)
    rows = rows_of(run, built)
    points = pictures_of(run, "bank")[CHOICES.index(choice)][rows]
    np.testing.assert_allclose(np.column_stack([state["x"], state["y"]]), points, atol=2e-4)
    share = "50.0" if choice == "0" else "30.0"
    assert state["labels"][0] == f"PC 1 ({share}% of variance)"
    low_x, high_x, low_y, high_y = state["ranges"]
    assert low_x < min(state["x"]) and max(state["x"]) < high_x
    assert low_y < min(state["y"]) and max(state["y"]) < high_y
    width, height = state["drawn"]
    assert (high_x - low_x) / width == pytest.approx((high_y - low_y) / height, rel=0.02)
    assert browser.js("return document.getElementById('layers').value") == choice
    shown = "document.querySelector(`#${id} [aria-current]`).dataset.layers"
    assert browser.js(f"return ['strip', 'choices'].map((id) => {shown})") == [choice] * 2
    return state


def assert_marks(run: Run, built: Path, state: dict[str, Any], wrong: set[int]) -> None:
    rows = rows_of(run, built)
    marked = state["errors"]
    assert {rows[row] for row in marked["row"]} == wrong
    assert [state["x"][row] for row in marked["row"]] == marked["x"]
    assert [state["y"][row] for row in marked["row"]] == marked["y"]


def by_id(browser: Browser, identifier: str) -> Any:
    return browser.driver.find_element("id", identifier)


def listed(page: Browser) -> list[list[str]]:
    return page.js(
        "return [...document.querySelectorAll('#instances tbody tr')]"
        ".map((row) => [...row.cells].map((cell) => cell.textContent))"
    )


def hover(browser: Browser, row: int) -> dict[str, Any]:
    """Zoom in until one instance fills the plot, point at it, and return its tooltip."""
    browser.js(
        """const [view] = [...Bokeh.index], { x, y } = view.model.document
             .get_model_by_name("points").data, i = arguments[0], r = 1e-4;
        for (const [range, at] of [[view.model.x_range, x[i]], [view.model.y_range, y[i]]]) {
          range.have_updated_interactively = true;
          range.setv({ start: at - r, end: at + r });
        }
        document.getElementById("plot").scrollIntoView({ block: "center" });""",
        row,
    )
    time.sleep(0.15)  # Bokeh draws in a later frame, and hits what it has drawn
    middle = browser.js(
        """const [view] = [...Bokeh.index], box = view.canvas_view.el.getBoundingClientRect();
        const { left, top, width, height } = view.frame.bbox;
        return [box.left + left + width / 2, box.top + top + height / 2].map(Math.floor);"""
    )
    actions = ActionChains(browser.driver, duration=0)
    actions.w3c_actions.pointer_action.move_to_location(5, 5)
    actions.w3c_actions.pointer_action.move_to_location(*middle)
    actions.perform()
    for _ in range(50):
        tip: dict[str, Any] = browser.js(TIP)
        if tip["text"]:
            return tip
        time.sleep(0.02)
    raise AssertionError("no tooltip")


SAVING = """const make = URL.createObjectURL;
let blob;
URL.createObjectURL = (given) => { blob = given; return make(given); };
window.saving = new Promise((done) => {
  HTMLAnchorElement.prototype.click = function () {
    const reader = new FileReader();
    reader.onload = () => done([this.download, blob.type, reader.result.split(",")[1]]);
    reader.readAsDataURL(blob);
  };
});"""


def saved(browser: Browser, press: Callable[[], None]) -> tuple[str, str, bytes]:
    """Return the name, the type and the content of the file that the page saves."""
    browser.js(SAVING)
    press()
    name, kind, content = browser.driver.execute_async_script("saving.then(arguments[0])")
    return name, kind, base64.b64decode(content)


def evaluate(browser: Browser, scripts: Sequence[str], body: str, *arguments: Any) -> Any:
    """Return the value of a function that begins with these scripts, on an empty page.

    What a script needs beyond ``scripts`` is not there.
    """
    browser.driver.get("about:blank")
    text = "\n".join(render.asset(name) for name in scripts)
    return browser.js(f"{text}\n{body}", *arguments)


def made_data(**changes: Any) -> dict[str, Any]:
    """Return the data that the page of a made-up word unpacks.

    Rows: train 1, test 0, train 0, test 2, test 1. Layer choices: "0", "1" and their mean. The
    first classifier gets the first test row wrong in layer 0, and the last one in every choice; the
    second calls everything sense 0.
    """
    points = encoded([-4, 2, 0, 6, 1, *range(5)], "<i2")
    picture = {"explained": [0.5, 0.25], "step": 0.5, "points": points, "score": 0.5}
    made: dict[str, Any] = {
        "word": "bank",
        "senses": ["bank_money", "shore"],
        "names": ["money", "shore"],
        "glosses": ["where <money> is kept", ""],
        "classifiers": [
            {"name": "logistic", "confidence": "probability"},
            {"name": "nearest+centroid", "confidence": "lead"},
        ],
        **{"pixels": 10, "text": True, "wide": False, "new": 0, "neighbours": 2, "extensions": {}},
        "train": encoded([1, 0, 1, 0, 0], "u1"),
        "index": encoded([1, 0, 0, 2, 1], "<i4"),
        "gold": encoded([0, 1, 1, 0, 1], "<u2"),
        "left": ["the ", "A ", "", "a b ", "x "],
        "focal": ["bank", "Bank", "bank", "BANK", "bank"],
        "right": ["", " of Sand", " there", "", " y"],
        "choices": [
            {
                "name": name,
                "single": name != "mean-last-2",
                "predicted": [encoded(first, "<u2"), encoded([0, 0, 0], "<u2")],
                "confidence": [
                    {"step": 1 / 255, "values": encoded([255, 128, 51], "u1")},
                    {"step": 0.01, "values": encoded([0, 100, 200], "u1")},
                ],
                "projections": {"pca": picture},
                "near": encoded([1, 2, 0, 65535, 65535, 65535, 0, 1, 4, 3], "<u2"),
                "similar": encoded([254, 127, 0, 0, 0, 0, 254, 254, 190, 127], "u1"),
            }
            for name, first in (("0", [0, 0, 0]), ("1", [1, 0, 0]), ("mean-last-2", [1, 0, 0]))
        ],
    }
    return {**made, **changes}


def encoded(values: Sequence[int], dtype: str) -> str:
    return render.encode(np.array(values), dtype)
