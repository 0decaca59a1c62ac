"""The page of uses in a browser: words set apart by hand, names, moves, and the way back in."""

import json
import math
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from browser import Browser
from importing import import_corpus
from made_uses import GROUP, HOSTILE, WORD, corpus, made_uses
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from wsd.artifacts.dataset import MANIFEST
from wsd.artifacts.manifest import read_manifest
from wsd.corpora.text_format import read_text


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_uses(tmp_path_factory.mktemp("uses"), labelled=False)


@pytest.fixture
def page(chromium: Browser, pages: Path) -> Iterator[Browser]:
    chromium.open(pages / "toy" / f"{WORD}.html")
    chromium.js("localStorage.clear()")
    chromium.open(pages / "toy" / f"{WORD}.html")
    yield chromium
    assert chromium.js("return window.pwned") is None
    chromium.assert_quiet()


def name(page: Browser, cluster: int, text: str) -> None:
    box = page.driver.find_element(By.CSS_SELECTOR, f"input[data-cluster='{cluster}']")
    box.clear()
    box.send_keys(text + "\t")


def sizes(page: Browser) -> list[int]:
    return page.js(
        "return [...document.querySelectorAll('.cluster .counts')].map((e) => +e.textContent)"
    )


def move(page: Browser, row: int, cluster: int) -> None:
    """Through the list of all sentences, which is made when it is opened."""
    page.js("for (const all of document.querySelectorAll('.cluster details')) all.open = true")
    there = f"#clusters select[data-row='{row}']"
    page.until("document.querySelector(given[0])", there)
    select = page.driver.find_element(By.CSS_SELECTOR, there)
    Select(select).select_by_value(str(cluster))


def test_words_that_set_a_cluster_apart_by_hand(page: Browser) -> None:
    # Cluster 0: a a b; cluster 1: b c. In all 5 words: a 2, b 2, c 1.
    found = page.js("return wsd.setApart([['a', 'a'], ['b'], ['b', 'c'], ['d']], [0, 0, 1, -1], 2)")

    def z(here: int, inside: int, there: int, outside: int) -> float:
        ratio = math.log(here / (inside - here)) - math.log(there / (outside - there))
        return ratio / math.sqrt(1 / here + 1 / there)

    # a: 2 of 3 and 0 of 2, each with the prior's 2 of 5; all others are below 1.
    assert found == [[["a", pytest.approx(z(4, 8, 2, 7))]], []]
    many = page.js("return wsd.setApart([Array(20).fill('a'), Array(10).fill('b')], [0, 1], 2)")
    (first,), (second,) = many
    assert first[0] == "a" and first[1] == pytest.approx(z(40, 50, 20, 40))
    assert second[0] == "b" and second[1] == pytest.approx(z(20, 40, 10, 50))


def test_focal_word_and_punctuation_are_no_words(page: Browser) -> None:
    found = page.js("return wsd.wordsOf(['The', 'crane', ',', 'crane', '7', 'É'], 1)")
    assert found == ["the", "crane", "7", "é"]


def test_clusters_of_the_layer_and_the_number_chosen(page: Browser) -> None:
    assert sizes(page) == np.bincount(GROUP).tolist()
    apart = page.js("return [...document.querySelectorAll('.apart')].map((e) => e.textContent)")
    assert "hook" in apart[0] and "bird" in apart[1] and "hook" not in apart[1]
    Select(page.driver.find_element(By.ID, "number")).select_by_value("2")
    assert len(sizes(page)) == 2
    page.js("const s = document.getElementById('slider'); s.value = 0; "
            "s.dispatchEvent(new Event('input'))")  # fmt: skip
    assert page.js("return location.hash") == "#layers=0&method=k-means&clusters=2"
    assert "Mean silhouette of 2 clusters" in page.js(
        "return document.getElementById('figures').textContent"
    )


def test_names_and_moves_come_back_and_can_be_undone(page: Browser, pages: Path) -> None:
    name(page, 0, "machine")
    move(page, 0, 1)
    assert sizes(page) == [11, 9, 5]
    page.open(pages / "toy" / f"{WORD}.html")
    assert sizes(page) == [11, 9, 5]
    box = page.driver.find_element(By.CSS_SELECTOR, "input[data-cluster='0']")
    assert box.get_attribute("value") == "machine"
    Select(page.driver.find_element(By.ID, "number")).select_by_value("2")
    assert page.js("return document.querySelector('input[data-cluster]').value") == ""
    Select(page.driver.find_element(By.ID, "number")).select_by_value("3")
    page.driver.find_element(By.ID, "forget").click()
    assert sizes(page) == [12, 8, 5]
    assert not page.driver.find_element(By.ID, "forget").is_enabled()


def test_neighbours_of_what_is_clicked(page: Browser) -> None:
    page.js("document.querySelector('[data-row=\"3\"]').dispatchEvent("
            "new MouseEvent('click', {bubbles: true}))")  # fmt: skip
    texts = page.js("return [...document.querySelectorAll('#card li bdi')].map(e => e.textContent)")
    assert texts[0].startswith("the crane steel hook da db") and len(texts) == 6
    assert all("steel hook" in text for text in texts)


def test_from_the_page_to_a_corpus(page: Browser, tmp_path: Path) -> None:
    page.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    assert not page.driver.find_element(By.ID, "download").is_enabled()
    name(page, 0, f" lifting   {HOSTILE} ")
    name(page, 1, 'a "bird", wading')
    # One moved, one left out, one in a cluster of its own without a name; the third has none.
    move(page, 0, 1)
    move(page, 1, -1)
    move(page, 2, 3)
    assert sizes(page) == [9, 9, 5, 1, 1]
    said = page.driver.find_element(By.ID, "result").text
    assert "2 senses" in said and "7 of 25 sentences are of no named cluster" in said
    page.driver.find_element(By.ID, "download").click()
    path, end = tmp_path / f"{WORD}-senses.jsonl", time.monotonic() + 15
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.05)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line["sense"] for line in lines].count('a "bird", wading') == 9

    said = import_corpus([path], out=tmp_path / "named", name="named")
    assert "1 word;" in said
    assert read_manifest(tmp_path / "named" / MANIFEST).sizes == {WORD: 18}
    back = read_text(tmp_path / "named" / WORD, WORD)
    assert back.senses == ('a "bird", wading', f"lifting {HOSTILE}")
    given = corpus(labelled=False)
    expected = {
        given.tokens[row]: int(group == 0 and row != 0)
        for row, group in enumerate(GROUP.tolist())
        if group < 2 and row not in (1, 2)
    }
    assert dict(zip(back.tokens, back.gold.tolist(), strict=True)) == expected
    assert set(back.position.tolist()) == {1}
