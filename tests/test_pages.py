"""The report in a browser: every control does what it says, and hostile text stays text."""

import base64
import csv
import io
import json
import time
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from browser import Browser, chromium
from made_report import (
    CHOICES,
    HOSTILE,
    MODEL,
    READERS,
    Run,
    decode,
    explained_at,
    make_run,
    neighbours_of,
    pictures_of,
    predictions_of,
    word_page,
)
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from wsd.corpus import Corpus
from wsd.names import file_name
from wsd.report import build_report

__all__ = ["chromium"]

# Of the plot: what Bokeh's document holds, by the models' names.
STATE = """
const [view] = [...Bokeh.index], doc = view.model.document;
const model = (name) => doc.get_model_by_name(name);
const { x, y, sense, tone } = model("points").data, errors = model("errors").data;
const centroids = model("centroids").data;
return {
  x: Array.from(x), y: Array.from(y), sense: Array.from(sense), tone: Array.from(tone),
  centroids: centroids.sense.map((sense, i) => [Number(sense), centroids.x[i], centroids.y[i]]),
  pinned: Array.from(model("pinned").data.x, (x, i) => [x, model("pinned").data.y[i]]),
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
    return make_run(tmp_path_factory.mktemp("run"), methods=("pca", "tsne"))


@pytest.fixture(scope="module")
def built(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built #1 & <co>")
    build_report(**run.arguments(out))
    return out


@pytest.fixture
def page(chromium: Browser, built: Path) -> Iterator[Browser]:
    """The page of ``bank``, checked at the end to have logged and asked for nothing."""
    chromium.open(built / "report" / "words" / "bank.html")
    yield chromium
    assert chromium.js("return window.pwned") is None
    chromium.assert_quiet()


def rows_of(run: Run, built: Path, word: str = "bank") -> list[int]:
    """Row of the corpus for each row of the page."""
    corpus = run.corpora[word]
    data = word_page(built, word).packed()["data"]
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
    current = browser.js("return document.querySelector('#choices [aria-current]').dataset.layers")
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


def test_every_page_opens_from_disk(run: Run, chromium: Browser, built: Path) -> None:
    for page in sorted((built / "report").rglob("*.html")):
        chromium.open(page)
        assert chromium.js("return document.documentElement.scrollWidth <= innerWidth"), page
        assert chromium.js("return window.pwned") is None
        chromium.assert_quiet()


def test_every_page_works_from_a_web_server(chromium: Browser, built: Path) -> None:
    folder = built / "report"
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        host = f"http://127.0.0.1:{server.server_port}/"
        for page in sorted(folder.rglob("*.html")):
            chromium.open(host + quote(str(page.relative_to(folder))))
            console, requests = chromium.drain()
            assert not console and requests
            assert all(address.startswith(host) for address in requests), requests
        server.shutdown()


def test_figures_are_drawn_when_they_are_chosen(chromium: Browser, built: Path) -> None:
    chromium.open(built / "report" / "layers.html")
    drawn = "return [...document.querySelectorAll('[data-drawn]')].map((e) => e.dataset.figure)"
    assert f"curves.{MODEL}.micro_accuracy" not in chromium.js(drawn)
    Select(by_id(chromium, "metric")).select_by_value("micro_accuracy")
    chromium.until(
        "[...document.querySelectorAll('[data-drawn]')]"
        f".some((e) => e.dataset.figure === 'curves.{MODEL}.micro_accuracy')"
    )
    shown = chromium.js(
        "return [...document.querySelectorAll('[data-metric]')].filter((e) => !e.hidden)"
        ".map((e) => e.dataset.metric)"
    )
    assert shown == ["micro_accuracy"]
    assert chromium.js("return location.hash") == "#metric=micro_accuracy"
    address = chromium.js("return location.href")
    chromium.open(address)
    assert by_id(chromium, "metric").get_attribute("value") == "micro_accuracy"
    chromium.assert_quiet()


def test_a_line_is_hidden_in_every_figure(chromium: Browser, built: Path) -> None:
    chromium.open(built / "report" / "layers.html")
    lines = """return [...Bokeh.index].filter((view) => view.model.renderers).map((view) => [
        view.model.document.get_model_by_name("save").filename,
        view.model.renderers.filter((r) => !r.visible).map((r) => r.name)])"""
    assert all(not hidden for _, hidden in chromium.js(lines))
    chromium.driver.find_element("css selector", "[data-of=curves][data-line='1']").click()
    for name, hidden in chromium.js(lines):
        assert set(hidden) == ({"line-1"} if name.startswith("curves.") else set())
    Select(by_id(chromium, "metric")).select_by_value("mean_word_accuracy")
    chromium.until(
        "[...Bokeh.documents].some((doc) => "
        "doc.get_model_by_name('save').filename.endsWith('mean_word_accuracy'))"
    )
    assert dict(chromium.js(lines))[f"curves.{MODEL}.mean_word_accuracy"]
    chromium.assert_quiet()


def test_words_can_be_sorted_and_found(run: Run, chromium: Browser, built: Path) -> None:
    chromium.open(built / "report" / "index.html")
    names = (
        "return [...document.querySelectorAll('#words-0 tbody tr')]"
        ".filter((row) => !row.hidden).map((row) => row.cells[0].textContent)"
    )
    senses = {word: len(corpus.senses) for word, corpus in run.corpora.items()}
    buttons = chromium.driver.find_elements("css selector", "#words-0 th button")
    by_name = {button.text.replace("\u200b", ""): button for button in buttons}
    by_name["Senses"].click()
    assert chromium.js(names) == sorted(senses, key=lambda word: -senses[word])
    by_name["Senses"].send_keys(Keys.ENTER)
    assert chromium.js(names) == sorted(senses, key=lambda word: senses[word])
    order = chromium.js(
        "return [...document.querySelectorAll('#words-0 th[aria-sort]')]"
        ".map((th) => [th.textContent, th.getAttribute('aria-sort')])"
    )
    assert order == [["Senses", "ascending"]]
    by_name["Word"].click()
    assert chromium.js(names) == sorted(senses)
    by_id(chromium, "filter").send_keys("BAN")
    assert chromium.js(names) == ["bank"]
    assert by_id(chromium, "filter-count").text == "1 of 2"
    Select(by_id(chromium, "classifier")).select_by_value("nearest_centroid")
    shown = chromium.js(
        "return [...document.querySelectorAll('#words-0 th[data-reader]')]"
        ".filter((e) => !e.hidden).map((e) => e.dataset.reader)"
    )
    assert set(shown) == {"nearest_centroid"} and len(shown) == 4
    chromium.assert_quiet()


def test_cell_of_the_heat_map_opens_the_word_at_that_layer(
    run: Run, chromium: Browser, built: Path
) -> None:
    chromium.open(built / "report" / "layers.html")
    Select(by_id(chromium, "words")).select_by_value("nearest_centroid")
    link = chromium.driver.find_element(
        "css selector", "a[href*='bank'][href$='layers=1&classifier=nearest_centroid']"
    )
    link.click()
    chromium.until("document.documentElement.dataset.ready && document.getElementById('plot')")
    state = assert_shows(run, built, chromium, "1")
    assert_marks(run, built, state, wrong_rows(run, "1", ("nearest_centroid",)))
    chromium.assert_quiet()


def test_page_of_a_word_with_a_hostile_name(run: Run, chromium: Browser, built: Path) -> None:
    word = "a&b #1 <i>%"
    chromium.open(built / "report" / "index.html")
    name = f"words/{file_name(word)}.html"
    chromium.driver.find_element("css selector", f"th a[href='{name}']").click()
    chromium.until("document.documentElement.dataset.ready && document.getElementById('plot')")
    assert word in chromium.js("return document.querySelector('h1').textContent")
    assert len(chromium.js(STATE)["x"]) == len(run.corpora[word])
    chromium.driver.find_element("css selector", "a[rel=prev]").click()
    chromium.until("document.querySelector('h1').textContent.startsWith('bank')")
    chromium.assert_quiet()


def test_every_layer_control(run: Run, built: Path, page: Browser) -> None:
    assert_shows(run, built, page, "2")  # what the word's folds chose
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
    assert_marks(run, built, state, wrong_rows(run, "2", READERS[:1]))
    # A link to another choice in the address bar, on a page that is already open.
    page.js("location.hash = '#layers=1&off=rings'")
    page.until("document.getElementById('layers').value === '1'")
    assert assert_shows(run, built, page, "1")["errors"]["row"] == []


def test_arrow_keys_step_unless_they_have_a_meaning_of_their_own(
    run: Run, built: Path, page: Browser
) -> None:
    body = page.driver.find_element("tag name", "body")
    body.send_keys(Keys.ARROW_LEFT)
    assert_shows(run, built, page, "1")
    body.send_keys(Keys.ARROW_RIGHT)
    assert_shows(run, built, page, "2")
    by_id(page, "search").send_keys(Keys.ARROW_LEFT)
    page.driver.find_element("css selector", "[role=region]").send_keys(Keys.ARROW_LEFT)
    body.send_keys(Keys.CONTROL, Keys.ARROW_LEFT)
    assert_shows(run, built, page, "2")


def test_play_steps_through_and_starts_again(page: Browser) -> None:
    page.js("window.real = setInterval; window.setInterval = (f) => real(f, 60)")
    Select(by_id(page, "layers")).select_by_value("mean-last-2")
    by_id(page, "play").click()
    assert by_id(page, "play").get_attribute("aria-pressed") == "true"
    page.until("document.getElementById('layers').value === '1'")
    by_id(page, "play").click()
    assert by_id(page, "play").text == "Play"
    value = by_id(page, "layers").get_attribute("value")
    time.sleep(0.3)
    assert by_id(page, "layers").get_attribute("value") == value

    # Slow, and from the last choice but one: "previous" is disabled while the first is shown.
    page.js("window.setInterval = (f) => real(f, 60_000)")
    Select(by_id(page, "layers")).select_by_value(CHOICES[-2])
    by_id(page, "play").click()
    by_id(page, "previous").click()
    assert by_id(page, "layers").get_attribute("value") == CHOICES[-3]
    assert by_id(page, "play").get_attribute("aria-pressed") == "false"


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
        share = sum(explained_at(choice)) * 100
        honest = by_id(page, "honest").text
        assert f"hold {share:.1f}% of their variance" in honest
        assert "75.0 in the full space (8 dimensions a layer) and 25.0 in this picture" in honest


def test_projection_can_be_changed(run: Run, page: Browser) -> None:
    before = page.js(STATE)
    Select(by_id(page, "method")).select_by_value("tsne")
    after = page.js(STATE)
    assert after["x"] != before["x"] and after["labels"] == ["t-SNE 1", "t-SNE 2"]
    assert after["hash"] == "#layers=2&method=tsne"
    assert "say little" in by_id(page, "honest").text


def test_confusion_matrix_is_of_the_layer_and_classifier_shown(run: Run, page: Browser) -> None:
    for choice, reader in (("1", READERS[1]), ("mean-last-2", READERS[0])):
        Select(by_id(page, "layers")).select_by_value(choice)
        Select(by_id(page, "reader")).select_by_value(reader)
        words = predictions_of(run, "bank", choice, reader)
        expected = np.zeros((3, 3), dtype=int)
        np.add.at(expected, (words.gold, words.predicted), 1)
        shown = page.js(
            "return [...document.querySelectorAll('#confusion tbody tr')]"
            ".map((row) => [...row.cells].slice(1).map((cell) => Number(cell.textContent)))"
        )
        assert shown == expected.tolist()
        heading = page.js("return document.querySelector('#confusion td').textContent")
        assert heading.startswith(reader)


def test_colours_say_what_is_asked(run: Run, built: Path, page: Browser) -> None:
    corpus, rows = run.corpora["bank"], rows_of(run, built)
    words = predictions_of(run, "bank", "2", READERS[0])
    at = {int(line): i for i, line in enumerate(words.index)}

    def expected(of_test: Any) -> list[str]:
        return [
            of_test(row, at[int(corpus.index[row])]) if corpus.split[row] == "test" else "train"
            for row in rows
        ]

    sure = words.scores.max(axis=1)
    shade = np.clip(np.floor((sure - 1 / 3) / (1 - 1 / 3) * 8), 0, 7)
    tones = {
        "predicted": expected(lambda _, i: str(words.predicted[i])),
        "error": expected(
            lambda r, i: "right" if words.predicted[i] == corpus.gold[r] else "wrong"
        ),
        "split": expected(lambda *_: "test"),
        "gold": [str(corpus.gold[row]) for row in rows],
    }
    for value, wanted in tones.items():
        Select(by_id(page, "colour")).select_by_value(value)
        state = page.js(STATE)
        assert state["tone"] == wanted
        assert state["sense"] == tones["gold"]  # the marker stays the gold sense's
        assert state["hash"] == "#layers=2" + (f"&colour={value}" if value != "gold" else "")
        assert by_id(page, "tones").is_displayed() == (value != "gold")
    Select(by_id(page, "colour")).select_by_value("confidence")
    shown = page.js(STATE)["tone"]
    for tone, row in zip(shown, rows, strict=True):
        if corpus.split[row] == "train":
            assert tone == "train"
        else:
            of = shade[at[int(corpus.index[row])]]
            assert abs(int(tone.removeprefix("ramp-")) - of) <= 1
    assert "0.33 to 1.00, probability" in by_id(page, "tones").text


def listed(page: Browser) -> list[list[str]]:
    return page.js(
        "return [...document.querySelectorAll('#instances tbody tr')]"
        ".map((row) => [...row.cells].map((cell) => cell.textContent))"
    )


def test_classifier_and_errors_only(run: Run, built: Path, page: Browser) -> None:
    rows, corpus = rows_of(run, built), run.corpora["bank"]
    for choice in ("0", "mean-last-2"):
        Select(by_id(page, "layers")).select_by_value(choice)
        for reader in READERS:
            Select(by_id(page, "reader")).select_by_value(reader)
            Select(by_id(page, "show")).select_by_value("all")
            wrong = wrong_rows(run, choice, (reader,))
            assert wrong
            assert_marks(run, built, page.js(STATE), wrong)
            assert by_id(page, "n-errors").text == str(len(wrong))
            Select(by_id(page, "show")).select_by_value("errors")
            state = page.js(STATE)
            assert {row for row, on in zip(rows, state["shown"], strict=True) if on} == wrong
            own = "" if reader == READERS[0] else f"&classifier={reader}"
            assert state["hash"] == f"#layers={choice}{own}&show=errors"
            table = listed(page)
            assert by_id(page, "listed").text == f"{len(wrong)} of {len(corpus)} instances"
            assert [line[0] for line in table] == sorted(
                (f"test {corpus.index[row]}" for row in wrong), key=lambda t: int(t.split()[1])
            )
            for line in table:
                row = 30 + int(line[0].split()[1])
                assert line[1] == " ".join(corpus.tokens[row])
                assert line[3].startswith("✗ ")


def test_what_every_single_layer_gets_wrong(run: Run, built: Path, page: Browser) -> None:
    rows = rows_of(run, built)
    always = set.intersection(
        *(wrong_rows(run, choice, (READERS[1],)) for choice in ("0", "1", "2"))
    )
    Select(by_id(page, "reader")).select_by_value(READERS[1])
    Select(by_id(page, "show")).select_by_value("always")
    for choice in CHOICES:  # the same on every layer choice
        Select(by_id(page, "layers")).select_by_value(choice)
        shown = page.js(STATE)["shown"]
        assert {row for row, on in zip(rows, shown, strict=True) if on} == always
    assert all(line[5] == "0 of 3" for line in listed(page))


def test_search_finds_text_as_it_is(run: Run, built: Path, page: Browser) -> None:
    rows, corpus = rows_of(run, built), run.corpora["bank"]
    for query in ("N7", "<SCRIPT>", "שלום", "$$x^2$$", "👩‍🔬", "nothing of that kind"):
        # Chromium's driver cannot type characters beyond the basic plane.
        page.js(
            """const field = document.getElementById("search");
            field.value = arguments[0];
            field.dispatchEvent(new Event("input", { bubbles: true }));""",
            query,
        )
        expected = {row for row in rows if query.lower() in " ".join(corpus.tokens[row]).lower()}
        page.until("location.hash.includes(encodeURIComponent(arguments[0]))", query)
        assert by_id(page, "listed").text == f"{len(expected)} of {len(corpus)} instances"
        shown = page.js(STATE)["shown"]
        assert {row for row, on in zip(rows, shown, strict=True) if on} == expected
        page.open(page.js("return location.href"))
        assert by_id(page, "search").get_attribute("value") == query
        assert page.js(STATE)["shown"] == shown


def test_fragment_reopens_the_state(run: Run, built: Path, chromium: Browser) -> None:
    address = (built / "report" / "words" / "bank.html").as_uri()
    chromium.open(
        f"{address}#layers=1&classifier=nearest_centroid&colour=error&show=errors&method=tsne"
        "&without=1&hide=train&off=centroids&pin=test-5&box=-1,2,-3,4"
    )
    state = chromium.js(STATE)
    assert state["labels"] == ["t-SNE 1", "t-SNE 2"]
    assert by_id(chromium, "layers").get_attribute("value") == "1"
    assert by_id(chromium, "reader").get_attribute("value") == "nearest_centroid"
    assert set(state["tone"]) == {"train", "right", "wrong"}
    rows, gold = rows_of(run, built), run.corpora["bank"].gold
    wrong = {r for r in wrong_rows(run, "1", ("nearest_centroid",)) if gold[r] != 1}
    assert {row for row, on in zip(rows, state["shown"], strict=True) if on} == wrong
    assert_marks(run, built, state, wrong)
    assert state["centroids"] == []
    at = rows.index(35)
    assert state["pinned"] == [[state["x"][at], state["y"][at]]]
    assert by_id(chromium, "card").is_displayed()
    assert state["ranges"] == [-1, 2, -3, 4]
    checked = chromium.js(
        "return [...document.querySelectorAll('.senses input')]"
        ".filter((e) => !e.checked).map((e) => Object.values(e.dataset)[0] ?? e.id)"
    )
    assert checked == ["1", "train", "centroids"]
    # The very same address comes back when something else is changed and changed back.
    before = chromium.js("return location.hash")
    by_id(chromium, "rings").click()
    assert chromium.js("return location.hash") != before
    by_id(chromium, "rings").click()
    assert sorted(chromium.js("return location.hash.slice(1).split('&')")) == sorted(
        before[1:].replace(",", "%2C").split("&")
    )
    chromium.assert_quiet()


def test_nonsense_in_the_fragment_is_passed_over(run: Run, built: Path, chromium: Browser) -> None:
    address = (built / "report" / "words" / "bank.html").as_uri()
    chromium.open(
        f"{address}#layers=%3Cscript%3E&classifier=%22&colour=no&show=x&method=umap&without=9,a"
        "&hide=all&off=x&pin=test-999&box=1,NaN,2,x&unknown=1"
    )
    state = assert_shows(run, built, chromium, "2")
    assert all(state["shown"]) and state["pinned"] == []
    chromium.assert_quiet()


def test_a_zoom_stands_in_the_address_until_the_layer_changes(page: Browser) -> None:
    zoom(page, 3)
    page.until("location.hash.includes('box=')")
    ranges = page.js(STATE)["ranges"]
    page.open(page.js("return location.href"))
    assert page.js(STATE)["ranges"] == pytest.approx(ranges, abs=1e-3)
    by_id(page, "previous").click()
    time.sleep(0.4)
    assert "box=" not in page.js("return location.hash")


def test_legend_hides_and_shows(run: Run, built: Path, page: Browser) -> None:
    corpus, rows = run.corpora["bank"], rows_of(run, built)
    assert all(page.js(STATE)["shown"])
    page.driver.find_element("css selector", "[data-sense='1']").click()
    page.driver.find_element("css selector", "[data-split=train]").click()
    state = page.js(STATE)
    expected = [corpus.gold[row] != 1 and corpus.split[row] == "test" for row in rows]
    assert state["shown"] == expected
    assert [sense for sense, _, _ in state["centroids"]] == [0, 2]
    wrong = {row for row in wrong_rows(run, "2", READERS[:1]) if corpus.gold[row] != 1}
    assert_marks(run, built, state, wrong)
    by_id(page, "previous").click()
    assert page.js(STATE)["shown"] == expected
    page.driver.find_element("css selector", "[data-sense='1']").click()
    page.driver.find_element("css selector", "[data-split=train]").click()
    assert all(page.js(STATE)["shown"])
    by_id(page, "rings").click()
    assert page.js(STATE)["errors"]["row"] == []


def test_centroids_are_means_of_training_instances(run: Run, built: Path, page: Browser) -> None:
    corpus, rows = run.corpora["bank"], rows_of(run, built)
    for choice in ("0", "2"):
        Select(by_id(page, "layers")).select_by_value(choice)
        points = pictures_of(run, "bank")[CHOICES.index(choice)]
        for sense, x, y in page.js(STATE)["centroids"]:
            of = (corpus.gold == sense) & (corpus.split == "train")
            assert [x, y] == pytest.approx(points[of].mean(axis=0).tolist(), abs=2e-4)
    assert len(rows) == 48


def test_card_shows_neighbours_and_every_layer(run: Run, built: Path, page: Browser) -> None:
    corpus, rows = run.corpora["bank"], rows_of(run, built)
    button = page.driver.find_elements("css selector", "#instances th button")[0]
    assert button.text == "test 0"
    button.send_keys(Keys.ENTER)
    assert page.js("return document.activeElement.id") == "card"
    row = 30
    card = by_id(page, "card").get_attribute("textContent")
    assert " ".join(corpus.tokens[row]) in card
    words = predictions_of(run, "bank", "2", READERS[0])
    i = words.index.tolist().index(0)
    assert f"logistic, confidence {words.scores[i].max():.2f}" in card
    fates = page.js(
        "return [...document.querySelectorAll('.fates tbody tr')]"
        ".map((line) => [...line.cells].map((cell) => cell.textContent))"
    )
    for line, reader in zip(fates, READERS, strict=True):
        marks = ["✗" if row in wrong_rows(run, c, (reader,)) else "✓" for c in CHOICES]
        assert line == [reader, *marks]
    assert "not a path" in card
    near = neighbours_of(run, "bank", "2")
    entries = page.js(
        "return [...document.querySelectorAll('#card .sentences li')].map((e) => e.textContent)"
    )
    assert len(entries) == 5
    for entry, other, similarity in zip(entries, near.rows[row], near.similarity[row], strict=True):
        assert entry.startswith(" ".join(corpus.tokens[other]))
        assert f"{corpus.split[other]} {corpus.index[other]} " in entry
        assert corpus.senses[corpus.gold[other]] in entry
        same = "✓ same sense" if corpus.gold[other] == corpus.gold[row] else "✗ another sense"
        assert same in entry
        assert abs(float(entry.rsplit(" ", 1)[1]) - similarity) < 0.01
    # Neighbours are the layer's own; a neighbour can be pinned in turn.
    by_id(page, "previous").click()
    fresh = neighbours_of(run, "bank", "1").rows[row]
    first = page.driver.find_element("css selector", "#card .sentences button")
    assert first.text == f"{corpus.split[fresh[0]]} {corpus.index[fresh[0]]}"
    first.click()
    state = page.js(STATE)
    at = rows.index(int(fresh[0]))
    assert state["pinned"] == [[state["x"][at], state["y"][at]]]
    assert state["hash"].endswith(f"pin={corpus.split[fresh[0]]}-{corpus.index[fresh[0]]}")
    page.driver.find_element("css selector", ".fates thead button, #choices a").click()
    page.driver.find_element("tag name", "body").send_keys(Keys.ESCAPE)
    assert not by_id(page, "card").is_displayed()
    assert page.js(STATE)["pinned"] == []


def test_card_of_a_training_instance_and_of_one_without_neighbours(
    run: Run, built: Path, chromium: Browser
) -> None:
    address = (built / "report" / "words" / "bank.html").as_uri()
    chromium.open(f"{address}#pin=train-0")
    entries = "return [...document.querySelectorAll('#card .sentences li')].length"
    assert "fitted on it" in by_id(chromium, "card").text
    assert chromium.js(entries) == 4
    chromium.open(f"{address}#pin=test-17")
    assert chromium.js(entries) == 0
    chromium.assert_quiet()


def test_click_on_a_point_pins_it(run: Run, built: Path, page: Browser) -> None:
    corpus, rows = run.corpora["bank"], rows_of(run, built)
    hover(page, 5)
    left, top = middle(page)
    actions = ActionChains(page.driver, duration=0)
    actions.w3c_actions.pointer_action.move_to_location(left, top)
    actions.w3c_actions.pointer_action.click()
    actions.perform()
    page.until("!document.getElementById('card').hidden")
    assert " ".join(corpus.tokens[rows[5]]) in by_id(page, "card").get_attribute("textContent")
    by_id(page, "unpin").click()
    assert not by_id(page, "card").is_displayed()


def test_selection_and_its_csv(run: Run, built: Path, page: Browser) -> None:
    corpus, rows = run.corpora["bank"], rows_of(run, built)
    page.js(
        """window.saved = [];
        HTMLAnchorElement.prototype.click = function () { saved.push([this.download, this.href]); };
        const [view] = [...Bokeh.index];
        view.model.document.get_model_by_name("points").selected.indices = arguments[0];""",
        [4, 20, 40, 41],
    )
    page.until("document.getElementById('listed').textContent.startsWith('4 of 48')")
    by_id(page, "csv").click()
    [(name, address)] = page.js("return saved")
    assert name == "bank-2-logistic.csv"
    # A blob's text can be read by the page that made it, and by no connection.
    text = page.driver.execute_async_script(
        """const done = arguments[1], made = URL.createObjectURL;
        URL.createObjectURL = (blob) => { blob.text().then(done); return made(blob); };
        document.getElementById("csv").click();""",
        address,
    )
    lines = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
    wanted = {(corpus.split[rows[i]], str(corpus.index[rows[i]])) for i in (4, 20, 40, 41)}
    assert {(line["split"], line["index"]) for line in lines} == wanted
    for line in lines:
        row = int(line["index"]) + (30 if line["split"] == "test" else 0)
        assert line["gold"].removeprefix("'") == corpus.senses[corpus.gold[row]]
        parts = [line[part].removeprefix("'") for part in ("left", "focal", "right")]
        assert " ".join(part for part in parts if part) == " ".join(corpus.tokens[row])
        assert not any(value.startswith(("=", "+", "-", "@")) for value in line.values())
    by_id(page, "unselect").click()
    assert by_id(page, "listed").text == "48 of 48 instances"


def test_csv_begins_no_cell_like_a_formula(chromium: Browser, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", formula=True)
    build_report(**run.arguments(tmp_path))
    chromium.open(tmp_path / "report" / "words" / "bank.html")
    text = chromium.driver.execute_async_script(
        """const done = arguments[0], made = URL.createObjectURL;
        URL.createObjectURL = (blob) => { blob.text().then(done); return made(blob); };
        HTMLAnchorElement.prototype.click = () => {};
        document.getElementById("csv").click();"""
    )
    lines = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
    assert {line["left"] for line in lines} == {"'=HYPERLINK(1)"}
    chromium.assert_quiet()


def test_table_has_pages(page: Browser) -> None:
    first = [line[0] for line in listed(page)]
    assert len(first) == 25 and by_id(page, "place").text == "1\N{EN DASH}25"
    assert not by_id(page, "earlier").is_enabled()
    by_id(page, "later").click()
    second = [line[0] for line in listed(page)]
    assert len(second) == 23 and not set(first) & set(second)
    assert not by_id(page, "later").is_enabled()
    by_id(page, "earlier").click()
    assert [line[0] for line in listed(page)] == first


def test_figures_are_saved_as_svg_and_png(page: Browser, built: Path) -> None:
    def saved(kind: str, of: str) -> tuple[str, str, str]:
        return tuple(
            page.driver.execute_async_script(
                """const [kind, of, done] = arguments, made = URL.createObjectURL;
                let blob;
                URL.createObjectURL = (given) => { blob = given; return made(given); };
                HTMLAnchorElement.prototype.click = function () {
                  blob.text().then((text) => done([this.download, blob.type, text]));
                };
                document.querySelector(`[data-save=${kind}][data-of="${of}"]`).click();""",
                kind,
                of,
            )
        )

    name, _, text = saved("svg", "plot")
    assert name == "bank-2.svg" and text.lstrip().startswith("<svg") and "PC 1" in text
    name, kind, text = saved("png", "plot")
    assert name == "bank-2.png" and kind == "image/png" and "PNG" in text[:8]
    page.open(built / "report" / "layers.html")
    name, _, text = saved("svg", f"curves.{MODEL}.mean_macro_f1")
    assert name.endswith("mean_macro_f1.svg") and "combinations" in text


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


def middle(browser: Browser) -> tuple[int, int]:
    left, top = browser.js(
        """const [view] = [...Bokeh.index], box = view.canvas_view.el.getBoundingClientRect();
        const { left, top, width, height } = view.frame.bbox;
        return [box.left + left + width / 2, box.top + top + height / 2];"""
    )
    return int(left), int(top)


def hover(browser: Browser, row: int) -> dict[str, Any]:
    """Zoom in on one instance, put the pointer on it, and return its tooltip."""
    zoom(browser, row)
    browser.js("document.getElementById('plot').scrollIntoView({ block: 'center' })")
    time.sleep(0.15)  # Bokeh draws in a later frame, and hits what it has drawn
    actions = ActionChains(browser.driver, duration=0)
    actions.w3c_actions.pointer_action.move_to_location(5, 5)
    actions.w3c_actions.pointer_action.move_to_location(*middle(browser))
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
        tags = ["B", "BDI", "DIV", *(["SPAN"] if split == "test" else []), "STYLE"]
        assert tip["tags"] == tags
        assert tip["width"] <= 400
        if split == "train":
            assert "logistic" not in tip["text"]
            continue
        words = predictions_of(run, "bank", "2", "logistic")
        of = words.index == line
        code = int(words.predicted[of][0])
        word = "✓ ok" if code == corpus.gold[row] else "✗ wrong"
        gold = corpus.senses[corpus.gold[row]]
        assert f"{gold} → {corpus.senses[code]} {word}" in tip["text"]
        told = float(tip["text"].split("logistic, confidence ")[1][:4])
        assert told == pytest.approx(words.scores[of].max(), abs=0.01)


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


def test_dark_pages_have_dark_plots(chromium: Browser, built: Path) -> None:
    def scheme(value: str) -> None:
        chromium.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": value}]},
        )

    try:
        scheme("light")
        chromium.open(built / "report" / "words" / "bank.html")
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


TABLES = ("index.html", "layers.html", "errors.html")
PAGES = (*TABLES, "words/bank.html#pin=test-5")


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of three models, one of them with weights that were drawn and one deeper."""
    folder = tmp_path_factory.mktemp("several")
    run = make_run(
        folder / "run",
        models=("first", "untrained", "deep"),
        random={"untrained": 7},
        blocks={"deep": 6},
        architecture={"causal": True},
    )
    build_report(**run.arguments(folder))
    return folder


@pytest.fixture(params=[*(("built", name) for name in PAGES),
                        *(("several", name) for name in (*TABLES, "words/deep/bank.html"))],
                ids="-".join)  # fmt: skip
def address(request: pytest.FixtureRequest) -> str:
    """Of a page, of one model's report or of three models'."""
    kind, name = request.param
    return f"{(request.getfixturevalue(kind) / 'report').as_uri()}/{name}"


def test_models_side_by_side_by_figure_classifier_and_model(
    chromium: Browser, several: Path
) -> None:
    chromium.open(several / "report" / "layers.html")
    shown = """return [...document.querySelectorAll("[data-figure^='models.']")]
        .filter((e) => e.offsetParent).map((e) => e.dataset.figure)"""
    (opened,) = chromium.js(shown)
    assert opened.endswith(".mean_macro_f1")
    Select(by_id(chromium, "metric")).select_by_value("micro_accuracy")
    other = next(reader for reader in READERS if reader not in opened)
    Select(by_id(chromium, "side")).select_by_value(other)
    name = f"models.{other}.micro_accuracy"
    assert chromium.js(shown) == [name]
    chromium.until(
        "[...Bokeh.documents].some((doc) => "
        "doc.get_model_by_name('save').filename === arguments[0])",
        name,
    )
    hidden = """return [...Bokeh.index].filter((view) => view.model.renderers).map((view) => [
        view.model.document.get_model_by_name("save").filename,
        view.model.renderers.filter((r) => !r.visible).map((r) => r.name)])"""
    chromium.driver.find_element("css selector", "[data-of=models][data-line='2']").click()
    for figure, lines in chromium.js(hidden):
        assert set(lines) == ({"line-2"} if figure.startswith("models.") else set()), figure
    chromium.open(chromium.js("return location.href"))
    assert chromium.js(shown) == [name]
    chromium.assert_quiet()


def test_a_word_is_found_in_every_models_table(chromium: Browser, several: Path) -> None:
    chromium.open(several / "report" / "index.html")
    by_id(chromium, "filter").send_keys("ank")
    shown = chromium.js(
        "return [...document.querySelectorAll('table.words tbody tr')]"
        ".filter((row) => !row.hidden).map((row) => row.cells[0].textContent)"
    )
    assert shown == ["bank"] * 3
    assert by_id(chromium, "filter-count").text == "1 of 2"
    chromium.assert_quiet()


def test_phone_width_scrolls_only_inside_tables(chromium: Browser, address: str) -> None:
    size = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    chromium.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        chromium.open(address)
        assert chromium.js("return [document.documentElement.scrollWidth, innerWidth]") == [
            390,
            390,
        ]
    finally:
        chromium.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    chromium.assert_quiet()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_has_no_serious_finding(chromium: Browser, address: str, scheme: str) -> None:
    axe = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    version = axe[:80].split("axe v")[1].split()[0]
    assert tuple(map(int, version.split("."))) >= (4, 10)
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    chromium.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    try:
        chromium.open(address)
        assert ("pin=" in address) == chromium.js(
            "return !!document.getElementById('card') && !document.getElementById('card').hidden"
        )
        chromium.js("for (const e of document.querySelectorAll('details')) e.open = true;")
        # The driver runs this beside the page's policy, which would not let it in.
        chromium.js(axe)
        found = chromium.driver.execute_async_script(
            """const done = arguments[0];
            axe.run(document, { resultTypes: ["violations"] }).then(({ violations, passes }) =>
              done({ passes: passes.length, violations: violations.map((v) => [v.impact, v.id,
                v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + n.failureSummary)]) }));"""
        )
    finally:
        light = {"features": [{"name": "prefers-color-scheme", "value": "light"}]}
        chromium.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", light)
    assert found["passes"] > 20
    serious = [v for v in found["violations"] if v[0] in ("serious", "critical")]
    assert not serious, json.dumps(serious, indent=1)


def test_controls_have_names_and_can_be_reached(page: Browser) -> None:
    unnamed = page.js(
        """const all = document.querySelectorAll("button, select, input, [role=region]");
        return [...all].filter((e) => !e.labels?.length && !e.getAttribute("aria-label")
          && !e.textContent.trim()
          && !document.getElementById(e.getAttribute("aria-labelledby"))).map((e) => e.outerHTML)"""
    )
    assert unnamed == []
    reached = []
    for _ in range(24):
        page.driver.switch_to.active_element.send_keys(Keys.TAB)
        reached.append(page.js("return document.activeElement.id"))
    assert {
        "previous", "layers", "next", "play", "slider", "reader", "colour", "show", "method",
        "search", "link",
    } <= set(reached)  # fmt: skip


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
        assert_marks(run, built, after, wrong_rows(run, "mean-last-2", READERS[:1]))
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
