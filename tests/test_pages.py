"""The report in a browser: every control does what it says, and hostile text stays text."""

import base64
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pandas as pd
import pytest
from browser import Browser, chromium
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select
from test_report import (
    CHOICES,
    HOSTILE,
    MODEL,
    READERS,
    Run,
    decode,
    make_run,
    pictures_of,
    predictions_of,
    word_page,
)

from wsd.corpus import Corpus
from wsd.report import build_report
from wsd.report.pages import SUMMARY_METRICS

__all__ = ["chromium"]

# Of the plot: what Bokeh's document holds, by the models' names.
STATE = """
const [view] = [...Bokeh.index], doc = view.model.document;
const model = (name) => doc.get_model_by_name(name);
const { x, y, sense } = model("points").data, errors = model("errors").data;
return {
  x: Array.from(x), y: Array.from(y), sense: Array.from(sense),
  errors: { x: Array.from(errors.x), y: Array.from(errors.y), row: Array.from(errors.row) },
  shown: model("shown").booleans, labels: [model("x-axis").axis_label, model("y-axis").axis_label],
  ranges: [view.model.x_range.start, view.model.x_range.end,
           view.model.y_range.start, view.model.y_range.end],
  palette: model("colours").palette, hash: location.hash,
  drawn: [view.frame.bbox.width, view.frame.bbox.height],
};
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def built(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built #1 & <co>")
    build_report(**run.arguments(out))
    return out


@pytest.fixture
def page(chromium: Browser, built: Path) -> Iterator[Browser]:
    """The page of ``bank``, checked at the end to have logged and asked for nothing."""
    chromium.open(built / "report" / "words" / MODEL / "bank.html")
    yield chromium
    assert chromium.js("return window.pwned") is None
    chromium.assert_quiet()


def rows_of(run: Run, built: Path, word: str = "bank") -> list[int]:
    """Row of the corpus for each row of the page."""
    corpus = run.corpora[word]
    data = word_page(built, word).json("data")
    split = np.where(decode(data["train"], "u1") == 1, "train", "test")
    at = {key: i for i, key in enumerate(zip(corpus.split, corpus.index.tolist(), strict=True))}
    return [at[key] for key in zip(split, decode(data["index"], "<i4").tolist(), strict=True)]


def wrong_rows(run: Run, choice: str, readers: tuple[str, ...], word: str = "bank") -> set[int]:
    """Rows of the corpus that a classifier gets wrong, from the prediction files."""
    corpus = run.corpora[word]
    offset = int((corpus.split == "train").sum())
    wrong = set()
    for reader in readers:
        words = predictions_of(run, word, choice, reader)
        wrong |= {offset + int(i) for i in words.index[words.predicted != words.gold]}
    return wrong


def assert_shows(run: Run, built: Path, browser: Browser, choice: str) -> dict[str, Any]:
    """The document holds this layer choice's points, axes and any classifier's errors."""
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
    assert browser.js("return document.getElementById('slider').value") == str(
        CHOICES.index(choice)
    )
    current = browser.js("return document.querySelector('[aria-current]').dataset.layers")
    assert current == choice
    return state


def assert_marks(run: Run, built: Path, state: dict[str, Any], wrong: set[int]) -> None:
    rows = rows_of(run, built)
    marked = state["errors"]
    assert {rows[row] for row in marked["row"]} == wrong
    assert [state["x"][row] for row in marked["row"]] == marked["x"]
    assert [state["y"][row] for row in marked["row"]] == marked["y"]


def by_id(browser: Browser, identifier: str) -> Any:
    return browser.driver.find_element("id", identifier)


def test_index_opens_from_disk(run: Run, chromium: Browser, built: Path) -> None:
    chromium.open(built / "report" / "index.html")
    values = chromium.js(
        "return Bokeh.documents.map((doc) => [...doc.roots()[0].renderers]"
        ".map((r) => Array.from(r.data_source.get_column('y'))))"
    )
    assert len(values) == 4
    summary = pd.read_csv(run.folder / "summary.csv", dtype={"layers": str})
    for metric, renderers in zip(SUMMARY_METRICS, values, strict=True):
        expected = [
            [
                value * 100
                for choice in ("0", "1", "2")
                for value in summary[
                    (summary["classifier"] == reader) & (summary["layers"] == choice)
                ][metric]
            ]
            for reader in READERS
            for _ in ("line", "dots")
        ]
        np.testing.assert_allclose(renderers, expected, atol=1e-3)
    assert chromium.js("return document.documentElement.scrollWidth <= innerWidth")
    chromium.assert_quiet()


def test_cell_of_the_index_opens_the_word_at_that_layer(
    run: Run, chromium: Browser, built: Path
) -> None:
    chromium.open(built / "report" / "index.html")
    link = chromium.driver.find_element(
        "css selector", "a[href*='bank'][href$='layers=1&errors=nearest_centroid']"
    )
    link.click()
    chromium.until("document.documentElement.dataset.ready && document.getElementById('plot')")
    state = assert_shows(run, built, chromium, "1")
    assert_marks(run, built, state, wrong_rows(run, "1", ("nearest_centroid",)))
    chromium.assert_quiet()


def test_page_of_a_word_with_a_hostile_name(run: Run, chromium: Browser, built: Path) -> None:
    word = "a&b #1 <i>%"
    chromium.open(built / "report" / "index.html")
    name = f"words/{MODEL}/{quote(word, safe='')}.html"
    chromium.driver.find_element("css selector", f"a[href='{name}']").click()
    chromium.until("document.documentElement.dataset.ready && document.getElementById('plot')")
    assert word in chromium.js("return document.querySelector('h1').textContent")
    assert len(chromium.js(STATE)["x"]) == len(run.corpora[word])
    chromium.driver.find_element("css selector", "a[rel=prev]").click()
    chromium.until("document.querySelector('h1').textContent.startsWith('bank')")
    chromium.assert_quiet()


def test_every_layer_control(run: Run, built: Path, page: Browser) -> None:
    assert_shows(run, built, page, "2")  # the last single layer
    by_id(page, "next").click()
    state = assert_shows(run, built, page, "mean-last-2")
    assert state["hash"] == "#layers=mean-last-2"
    assert not by_id(page, "next").is_enabled()
    for _ in range(3):
        by_id(page, "previous").click()
    state = assert_shows(run, built, page, "0")
    assert state["hash"] == "#layers=0"
    assert not by_id(page, "previous").is_enabled()
    zoom(page, 0)
    by_id(page, "slider").send_keys(Keys.ARROW_RIGHT)
    assert_shows(run, built, page, "1")
    Select(by_id(page, "layers")).select_by_value("mean-last-2")
    assert_shows(run, built, page, "mean-last-2")
    page.driver.find_element("css selector", "a[data-layers='2']").click()
    state = assert_shows(run, built, page, "2")
    assert_marks(run, built, state, wrong_rows(run, "2", READERS))
    # A link to another choice in the address bar, on a page that is already open.
    page.js("location.hash = '#layers=1&errors=none'")
    page.until("document.getElementById('layers').value === '1'")
    assert assert_shows(run, built, page, "1")["errors"]["row"] == []


def test_figures_follow_the_layer_choice(run: Run, page: Browser) -> None:
    for choice in CHOICES:
        Select(by_id(page, "layers")).select_by_value(choice)
        for row, reader in enumerate(READERS):
            words = predictions_of(run, "bank", choice, reader)
            right = words.predicted == words.gold
            cells = page.js(
                "return [...document.querySelectorAll('#scores tbody tr')[arguments[0]].cells]"
                ".map((cell) => cell.textContent)",
                row,
            )
            assert cells[0] == reader
            assert cells[2:] == [f"{right.mean() * 100:.2f}", str(int((~right).sum()))]
            assert f"{cells[3]} errors of {len(right)}" in by_id(page, "status").get_attribute(
                "textContent"
            )


def test_errors_are_marked_where_predicted_differs_from_gold(
    run: Run, built: Path, page: Browser
) -> None:
    for choice in ("0", "mean-last-2"):
        Select(by_id(page, "layers")).select_by_value(choice)
        for value, readers in (
            ("logistic", ("logistic",)),
            ("nearest_centroid", ("nearest_centroid",)),
            ("none", ()),
            ("any", READERS),
        ):
            Select(by_id(page, "marked")).select_by_value(value)
            wrong = wrong_rows(run, choice, readers)
            assert bool(wrong) == bool(readers)
            state = page.js(STATE)
            assert_marks(run, built, state, wrong)
            shown = by_id(page, "n-marked").text
            assert shown == (str(len(wrong)) if readers else "")
            assert state["hash"] == f"#layers={choice}" + (
                "" if value == "any" else f"&errors={value}"
            )
    page.js("document.getElementById('errors').open = true")
    page.until("document.querySelectorAll('#error-list li').length")
    listed = page.js(
        "return [...document.querySelectorAll('#error-list li')].map((li) => li.textContent)"
    )
    corpus = run.corpora["bank"]
    wrong = wrong_rows(run, "mean-last-2", READERS)
    assert len(listed) == len(wrong)
    for row in wrong:
        assert any(text.startswith(" ".join(corpus.tokens[row])) for text in listed)


def test_fragment_reopens_the_state(run: Run, built: Path, chromium: Browser) -> None:
    address = (built / "report" / "words" / MODEL / "bank.html").as_uri()
    chromium.open(f"{address}#layers=mean-last-2&errors=logistic")
    state = assert_shows(run, built, chromium, "mean-last-2")
    assert_marks(run, built, state, wrong_rows(run, "mean-last-2", ("logistic",)))
    assert by_id(chromium, "marked").get_attribute("value") == "logistic"
    chromium.open(f"{address}#layers=%3Cscript%3E&errors=%22")
    assert_shows(run, built, chromium, "2")
    chromium.assert_quiet()


def test_legend_hides_and_shows(run: Run, built: Path, page: Browser) -> None:
    corpus, rows = run.corpora["bank"], rows_of(run, built)
    assert page.js(STATE)["shown"] is None or all(page.js(STATE)["shown"])
    page.driver.find_element("css selector", "[data-sense='1']").click()
    page.driver.find_element("css selector", "[data-split=train]").click()
    state = page.js(STATE)
    expected = [corpus.gold[row] != 1 and corpus.split[row] == "test" for row in rows]
    assert state["shown"] == expected
    wrong = {row for row in wrong_rows(run, "2", READERS) if corpus.gold[row] != 1}
    assert_marks(run, built, state, wrong)
    by_id(page, "previous").click()
    assert page.js(STATE)["shown"] == expected
    page.driver.find_element("css selector", "[data-sense='1']").click()
    page.driver.find_element("css selector", "[data-split=train]").click()
    assert all(page.js(STATE)["shown"])
    assert state["sense"] == [str(corpus.gold[row]) for row in rows]


TIP = """
const [view] = [...Bokeh.index];
const hover = view.model.document.get_model_by_name("hover");
const tool = [...view.tool_views.values()].find((v) => v.model === hover);
const [tip] = tool.ttmodels.values();
const content = tip.content;
const host = content.getRootNode().host;
return {
  text: content.textContent, bold: [...content.querySelectorAll("b")].map((b) => b.textContent),
  tags: [...new Set([...content.querySelectorAll("*")].map((e) => e.tagName))].sort(),
  background: host && getComputedStyle(host).backgroundColor, width: content.offsetWidth,
};
"""


def zoom(browser: Browser, row: int) -> None:
    """Make one instance fill the plot, as after a zoom by hand."""
    browser.js(
        """const [view] = [...Bokeh.index], { x, y } = view.model.document
             .get_model_by_name("points").data, i = arguments[0], r = 1e-4;
        for (const [range, at] of [[view.model.x_range, x[i]], [view.model.y_range, y[i]]]) {
          range.have_updated_interactively = true;
          range.setv({ start: at - r, end: at + r });
        }""",
        row,
    )


def hover(browser: Browser, row: int) -> dict[str, Any]:
    """Zoom in on one instance, put the pointer on it, and return its tooltip."""
    zoom(browser, row)
    browser.js("document.getElementById('plot').scrollIntoView({ block: 'center' })")
    time.sleep(0.15)  # Bokeh draws in a later frame, and hits what it has drawn
    left, top = browser.js(
        """const [view] = [...Bokeh.index], box = view.canvas_view.el.getBoundingClientRect();
        const { left, top, width, height } = view.frame.bbox;
        return [box.left + left + width / 2, box.top + top + height / 2];"""
    )
    actions = ActionChains(browser.driver, duration=0)
    actions.w3c_actions.pointer_action.move_to_location(5, 5)
    actions.w3c_actions.pointer_action.move_to_location(int(left), int(top))
    actions.perform()
    for _ in range(50):
        tip: dict[str, Any] = browser.js(TIP)
        if tip["text"]:
            return tip
        time.sleep(0.02)
    raise AssertionError("no tooltip")


def test_tooltips_show_hostile_text_as_text(run: Run, built: Path, page: Browser) -> None:
    corpus: Corpus = run.corpora["bank"]
    rows = rows_of(run, built)
    by_sentence = {rows.index(30 + i): 30 + i for i in range(len(HOSTILE))}
    by_sentence[rows.index(4)] = 4  # and one of the training instances
    for shown, row in by_sentence.items():
        tip = hover(page, shown)
        tokens, at = corpus.tokens[row], corpus.position[row]
        split, line = corpus.split[row], corpus.index[row]
        assert " ".join(tokens) in tip["text"]
        assert tip["bold"] == [tokens[at]]
        assert corpus.senses[corpus.gold[row]] in tip["text"]
        assert f"{split} {line}" in tip["text"]
        assert tip["tags"] == ["B", "BDI", "DIV", "STYLE"]
        assert tip["width"] <= 400
        for reader in READERS:
            if split == "train":
                assert reader not in tip["text"]
                continue
            words = predictions_of(run, "bank", "2", reader)
            code = int(words.predicted[words.index == line][0])
            word = "✓ ok" if code == corpus.gold[row] else "✗ wrong"
            assert f"{word} · {reader}: {corpus.senses[code]}" in tip["text"]


def test_policy_is_in_force(page: Browser) -> None:
    page.js(
        """const script = document.createElement("script");
        script.textContent = "window.injected = 1";
        document.body.append(script);
        setTimeout("window.evaluated = 1", 0);
        const image = new Image();
        image.src = "none.png";"""
    )
    time.sleep(0.1)
    assert page.js("return [window.injected, window.evaluated]") == [None, None]
    console, _ = page.drain()
    assert sum("Content Security Policy" in entry for entry in console) == 3


def test_save_gives_a_file_without_asking(page: Browser) -> None:
    left, top = page.js(
        """window.saved = [];
        HTMLAnchorElement.prototype.dispatchEvent = function () {
          saved.push([this.download, this.href.slice(0, 5)]); };
        HTMLAnchorElement.prototype.click = HTMLAnchorElement.prototype.dispatchEvent;
        const find = (root) => [...root.querySelectorAll("*")].reduce((found, element) => found
          || (element.title === "Save" ? element : element.shadowRoot && find(element.shadowRoot)),
          null);
        const { left, top, width, height } = find(document).getBoundingClientRect();
        return [left + width / 2, top + height / 2];"""
    )
    actions = ActionChains(page.driver, duration=0)
    actions.w3c_actions.pointer_action.move_to_location(int(left), int(top))
    actions.w3c_actions.pointer_action.click()
    actions.perform()
    page.until("saved.length")
    [(name, scheme)] = page.js("return saved")
    assert name.startswith("bank-2") and scheme in ("data:", "blob:")


def test_dark_pages_have_dark_plots(chromium: Browser, built: Path) -> None:
    def scheme(value: str) -> None:
        chromium.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": value}]},
        )

    try:
        scheme("light")
        chromium.open(built / "report" / "words" / MODEL / "bank.html")
        light = chromium.js(STATE)["palette"]
        scheme("dark")
        chromium.until(
            "[...Bokeh.index][0].model.document.get_model_by_name('colours').palette[0]"
            " !== arguments[0]",
            light[0],
        )
        dark = chromium.js(STATE)["palette"]
        assert all(a != b for a, b in zip(light, dark, strict=True))
        assert all(colour.startswith("#") for colour in (*light, *dark))
        tip = hover(chromium, 0)
        assert tip["background"] == "rgb(23, 27, 33)"
    finally:
        scheme("light")
    chromium.assert_quiet()


@pytest.mark.parametrize("name", ["index.html", f"words/{MODEL}/bank.html"])
def test_phone_width_scrolls_only_inside_tables(chromium: Browser, built: Path, name: str) -> None:
    size = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    chromium.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        chromium.open(built / "report" / name)
        assert chromium.js("return [document.documentElement.scrollWidth, innerWidth]") == [
            390,
            390,
        ]
    finally:
        chromium.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    chromium.assert_quiet()


def test_controls_have_names_and_can_be_reached(page: Browser) -> None:
    unnamed = page.js(
        """const all = document.querySelectorAll("button, select, input, [role=region]");
        return [...all].filter((e) => !e.labels?.length && !e.getAttribute("aria-label")
          && !document.getElementById(e.getAttribute("aria-labelledby"))).map((e) => e.outerHTML)"""
    )
    assert unnamed == []
    reached = []
    for _ in range(14):
        page.driver.switch_to.active_element.send_keys(Keys.TAB)
        reached.append(page.js("return document.activeElement.id"))
    assert {"previous", "layers", "next", "slider", "marked"} <= set(reached)


def test_portable_page_works_as_an_address_in_a_frame(
    run: Run, built: Path, chromium: Browser, tmp_path: Path
) -> None:
    page = (built / "portable" / MODEL / "bank.html").read_bytes()
    # As Snakemake's report writes it.
    address = (
        "data:text/html;charset=utf8;filename=bank.html;base64," + base64.b64encode(page).decode()
    )
    assert len(address) < 2 * 1024 * 1024
    outer = tmp_path / "outer.html"
    outer.write_text(
        '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">'
        f'<iframe src="{address}" width="1200" height="900"></iframe>'
    )
    chromium.open(outer, wait="document.readyState === 'complete'")
    chromium.driver.switch_to.frame(0)
    try:
        chromium.until("document.documentElement.dataset.ready")
        before = chromium.js(STATE)
        by_id(chromium, "next").click()
        after = chromium.js(STATE)
        assert after["labels"][0] == "PC 1 (30.0% of variance)" and before["x"] != after["x"]
        points = pictures_of(run, "bank")[CHOICES.index("mean-last-2")][rows_of(run, built)]
        np.testing.assert_allclose(np.column_stack([after["x"], after["y"]]), points, atol=2e-3)
        assert_marks(run, built, after, wrong_rows(run, "mean-last-2", READERS))
        link = chromium.driver.find_element("css selector", "a[data-layers='0']")
        chromium.js("arguments[0].click()", link)
        assert chromium.js(STATE)["labels"][0] == "PC 1 (50.0% of variance)"
        assert chromium.js("return window.pwned") is None
    finally:
        chromium.driver.switch_to.default_content()
    chromium.assert_quiet()


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
