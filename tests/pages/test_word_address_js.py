"""word-state.js keeps the state of the page in its address."""

from pathlib import Path
from typing import Any

import pytest
from browser import Browser
from report_builder import Run
from selenium.webdriver.support.ui import Select
from word_pages import (
    STATE,
    assert_marks,
    assert_shows,
    by_id,
    evaluate,
    made_data,
    rows_of,
    wrong_rows,
)


def test_fragment_reopens_the_state(run: Run, built: Path, chromium: Browser) -> None:
    address = (built / "report" / "words" / "bank.html").as_uri()
    chromium.open(
        f"{address}#layers=1&classifier=nearest_centroid&colour=error&show=errors&method=tsne"
        "&without=1&hide=train&off=centroids&pin=test-5&box=-1,2,-3,4"
    )
    state = chromium.js(STATE)
    assert state["labels"] == ["t-SNE 1", "t-SNE 2"]
    assert by_id(chromium, "layers").get_attribute("value") == "1"
    assert by_id(chromium, "classifier").get_attribute("value") == "nearest_centroid"
    assert set(state["tone"]) == {"off", "wrong"}
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
    # Changing something and changing it back gives the same address.
    before = chromium.js("return location.hash")
    by_id(chromium, "rings").click()
    assert chromium.js("return location.hash") != before
    by_id(chromium, "rings").click()
    assert sorted(chromium.js("return location.hash.slice(1).split('&')")) == sorted(
        before[1:].replace(",", "%2C").split("&")
    )
    chromium.assert_quiet()


def test_nonsense_in_the_fragment_is_ignored(run: Run, built: Path, chromium: Browser) -> None:
    address = (built / "report" / "words" / "bank.html").as_uri()
    chromium.open(
        f"{address}#layers=%3Cscript%3E&classifier=%22&colour=no&show=x&method=umap&without=9,a"
        "&hide=all&off=x&pin=test-999&box=1,NaN,2,x&unknown=1"
    )
    state = assert_shows(run, built, chromium, "2")
    assert all(state["shown"]) and state["pinned"] == []
    chromium.assert_quiet()


def test_cell_of_the_heat_map_opens_the_word_at_that_layer(
    run: Run, chromium: Browser, built: Path
) -> None:
    chromium.open(built / "report" / "layers.html")
    Select(by_id(chromium, "classifier")).select_by_value("nearest_centroid")
    link = chromium.driver.find_element(
        "css selector", "a[href*='bank'][href$='layers=1&classifier=nearest_centroid']"
    )
    link.click()
    chromium.until("document.documentElement.dataset.ready && document.getElementById('plot')")
    state = assert_shows(run, built, chromium, "1")
    assert_marks(run, built, state, wrong_rows(run, "1", ("nearest_centroid",)))
    chromium.assert_quiet()


DEFAULTS = """const data = wsd.wordData(arguments[0]);
const defaults = {
  choice: 1, classifier: 0, colour: "gold", show: "all", only: "", method: "pca",
  query: "", cell: null,
  sort: "instance",
  pin: -1, box: null, rings: true, centroids: true, keys: true,
};
const address = wsd.wordAddress(data, defaults, {
  colour: ["gold", "error"], show: ["all", "errors"], method: ["pca", "tsne"], search: true,
  sort: ["instance", "-confidence"], ...arguments[1].offered,
});
const plain = (state) => ({
  ...state, hiddenSenses: [...state.hiddenSenses], hiddenSplits: [...state.hiddenSplits],
});
const open = { ...defaults, hiddenSenses: new Set(), hiddenSplits: new Set() };
"""
AT_FIRST = {
    "choice": 1, "classifier": 0, "colour": "gold", "show": "all", "only": "",
    "method": "pca", "query": "",
    "cell": None, "sort": "instance",
    "pin": -1, "box": None, "rings": True, "centroids": True, "keys": True, "hiddenSenses": [],
    "hiddenSplits": [],
}  # fmt: skip
SCRIPTS = ("page.js", "extra-columns.js", "word-data.js", "word-state.js")


def decoded(browser: Browser, text: str, **offered: Any) -> dict[str, Any]:
    body = f"{DEFAULTS} return plain(address.decode(arguments[1].text));"
    given = {"text": text, "offered": offered}
    return dict(evaluate(browser, SCRIPTS, body, made_data(), given))


@pytest.mark.parametrize(
    ("chosen", "text"),
    [
        ({}, "layers=1"),
        ({"choice": 2, "classifier": 1}, "layers=mean-last-2&classifier=nearest%2Bcentroid"),
        ({"colour": "error", "show": "errors", "method": "tsne"},
         "layers=1&colour=error&show=errors&method=tsne"),
        ({"query": "a+b & <c>"}, "layers=1&search=a%2Bb%20%26%20%3Cc%3E"),
        ({"cell": [0, 1], "sort": "-confidence"}, "layers=1&cell=0%2C1&sort=-confidence"),
        ({"hiddenSenses": [0, 1]}, "layers=1&without=0%2C1"),
        ({"hiddenSplits": ["test", "train"]}, "layers=1&hide=test%2Ctrain"),
        ({"rings": False, "centroids": False}, "layers=1&off=rings%2Ccentroids"),
        ({"pin": 3, "box": [-1.5, 2, 0.25, 4]}, "layers=1&pin=test-2&box=-1.5%2C2%2C0.25%2C4"),
    ],
)  # fmt: skip
def test_the_state_survives_a_round_trip(
    chromium: Browser, chosen: dict[str, Any], text: str
) -> None:
    body = f"""{DEFAULTS} const sets = Object.fromEntries(Object.entries(arguments[1].chosen)
        .map(([key, value]) => [key, key.startsWith("hidden") ? new Set(value) : value]));
        return address.encode({{ ...open, ...sets }});"""
    assert evaluate(chromium, SCRIPTS, body, made_data(), {"chosen": chosen}) == text
    assert decoded(chromium, f"#{text}") == {**AT_FIRST, **chosen}


@pytest.mark.parametrize(
    "text",
    ["", "layers=9", "classifier=", "colour=no", "without=7,x", "hide=all", "off=x", "pin=test-9",
     "cell=1", "cell=0,2", "cell=0,x", "sort=length",
     "box=1,2,3", "box=1,2,3,x", "box=2,1,3,4", "box=1,2,4,3", "box=1,Infinity,3,4", "=&=&%"],
)  # fmt: skip
def test_invalid_values_are_ignored(chromium: Browser, text: str) -> None:
    assert decoded(chromium, text) == AT_FIRST


def test_values_that_the_page_lacks_are_ignored(chromium: Browser) -> None:
    asked = "method=tsne&search=x"
    assert decoded(chromium, asked) == {**AT_FIRST, "method": "tsne", "query": "x"}
    assert decoded(chromium, asked, method=None, search=False) == AT_FIRST
