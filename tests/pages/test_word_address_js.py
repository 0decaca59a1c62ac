"""word-address.js: what is chosen stands in the address, and comes back from it."""

from pathlib import Path

from browser import Browser
from made_report import Run
from selenium.webdriver.support.ui import Select
from word_pages import STATE, assert_marks, assert_shows, by_id, rows_of, wrong_rows


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
