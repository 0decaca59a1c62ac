"""The pages of uses: their content matches the files, foreign text is escaped; in a browser."""

import base64
import json
import re
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import Browser, chromium
from importing import import_corpus
from log_odds_cases import CASES
from made_uses import GROUP, HOSTILE, WORD, corpus, made_uses, write_pages
from report_builder import HOSTILE_COLUMN, made_extra
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from wsd.artifacts.corpus_table import write
from wsd.corpora.text_format import read_text
from wsd.report.pages.render import encode
from wsd.storage.csv import read_csv
from wsd.storage.file_names import file_name
from wsd.studies.unlabelled.uses import agreement

__all__ = ["chromium"]
TOWER = {"word": "tower crane", "forms": ("tower crane", "Tower cranes")}
WAYS: dict[str, dict[str, Any]] = {
    "labelled": {"labelled": True},
    "plain": {"labelled": False},
    "forms": {"labelled": False, "running": True, **TOWER},
    "extra": {"labelled": False, "extra": True},
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the pages of a way, which are written once and not changed."""
    made: dict[str, Path] = {}

    def get(way: str) -> Path:
        if way not in made:
            made[way] = made_uses(tmp_path_factory.mktemp(way), **WAYS[way])
        return made[way]

    return get


def page_of(folder: Path, word: str = WORD) -> Path:
    return folder / "toy" / f"{file_name(word)}.html"


def unpacked(path: Path) -> Any:
    packed = re.search(r'id="packed">([^<]*)<', path.read_text(encoding="utf-8"))
    assert packed
    return json.loads(zlib.decompress(base64.b64decode(packed[1])))


def numbers(text: str, dtype: str) -> list[int]:
    return np.frombuffer(base64.b64decode(text), dtype).tolist()


def index_of(folder: Path) -> str:
    return (folder / "index.html").read_text(encoding="utf-8")


def test_the_content_of_a_page_and_foreign_text(pages: Callable[[str], Path]) -> None:
    path = page_of(pages("labelled"))
    data, text = unpacked(path), path.read_text(encoding="utf-8")
    assert [layer["name"] for layer in data["layers"]] == ["0", "1", "mean-all"]
    assert numbers(data["gold"], "<u2") == GROUP.tolist()
    for layer in data["layers"]:
        chosen = [entry for entry in layer["partitions"] if entry["chosen"]]
        expected = [("k-means", 3), ("agglomerative", 3)]
        assert [(entry["method"], entry["k"]) for entry in chosen] == expected
        assert numbers(chosen[0]["labels"], "<u2") == GROUP.tolist()
    assert HOSTILE not in text and "default-src 'none'" in unescape(text)


def test_the_table_of_a_labelled_corpus(pages: Callable[[str], Path]) -> None:
    table = read_csv(pages("labelled") / "uses.csv")
    # Three layer choices, two methods, three ways.
    assert len(table) == 18 and set(table["instances"]) == {len(GROUP)}
    for how, k in (("silhouette", 3), ("as many as senses", 3), ("one cluster", 1)):
        rows = table[table["number"] == how]
        assert set(rows["clusters"]) == {k}
        for name, value in agreement(GROUP, GROUP if k == 3 else np.zeros_like(GROUP)).items():
            assert rows[name].tolist() == pytest.approx([value] * 6, abs=1e-6)
    index = index_of(pages("labelled"))
    assert index.count("100.0") >= 6 * 8 and "script-src 'none'" in unescape(index)


def test_uses_of_another_corpus_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, own = made_uses(tmp_path, labelled=True, more=["--no-text"]), corpus(labelled=True)
    # Without text there are no word pages.
    assert [path.name for path in folder.rglob("*.html")] == ["index.html"]
    assert "steel" not in index_of(folder) and '<a href="toy' not in index_of(folder)
    first = str(tmp_path / "0.parquet")
    write(tmp_path / "corpus" / f"{WORD}.parquet", replace(own, gold=own.gold[::-1]))
    assert write_pages(tmp_path, tmp_path / "again", first) == 6
    assert "belong to other words or sentences" in capsys.readouterr().err
    assert not (tmp_path / "again").exists()


# --- in a browser -------------------------------------------------------------------------------


@pytest.fixture
def opened(chromium: Browser, pages: Callable[[str], Path]) -> Iterator[Callable[..., Browser]]:
    def get(way: str = "plain", word: str = WORD) -> Browser:
        path = page_of(pages(way), word)
        chromium.open(path)
        chromium.js("localStorage.clear()")
        chromium.open(path)
        return chromium

    yield get
    assert chromium.js("return window.pwned") is None
    chromium.assert_quiet()


@pytest.fixture
def page(opened: Callable[..., Browser]) -> Browser:
    return opened()


def reopen(page: Browser) -> None:
    page.open(page.js("return location.href"))


def by_id(page: Browser, name: str) -> Any:
    return page.driver.find_element(By.ID, name)


def name(page: Browser, cluster: int, text: str) -> None:
    box = page.driver.find_element(By.CSS_SELECTOR, f"input[data-cluster='{cluster}']")
    box.clear()
    box.send_keys(text + "\t")


def names(page: Browser) -> list[str]:
    script = "return [...document.querySelectorAll('input[data-cluster]')].map((e) => e.value)"
    return page.js(script)


def texts_of(page: Browser, selector: str) -> list[str]:
    script = "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)"
    return page.js(script, selector)


def sizes(page: Browser) -> list[int]:
    return [int(text) for text in texts_of(page, ".cluster .counts")]


def choose(page: Browser, key: str, value: str) -> None:
    Select(by_id(page, key)).select_by_value(value)


def move(page: Browser, row: int, cluster: int) -> None:
    """Use the list of all sentences, which is created when it opens."""
    page.js("for (const all of document.querySelectorAll('.cluster details')) all.open = true")
    there = f"#clusters select[data-row='{row}']"
    page.until("document.querySelector(given[0])", there)
    Select(page.driver.find_element(By.CSS_SELECTOR, there)).select_by_value(str(cluster))


def download(page: Browser, path: Path) -> list[dict[str, Any]]:
    """Save the table that the page offers as ``path``; return its lines."""
    page.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(path.parent)}
    )
    by_id(page, "download").click()
    end = time.monotonic() + 15
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.05)
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_words_that_distinguish_clusters_are_the_same_as_in_python(page: Browser) -> None:
    for words, labels, expected in CASES:
        # A sentence that is left out has no effect.
        arguments = [[*words, ["d"]], [*labels, -1], len(expected)]
        groups = page.js("return wsd.distinguishingWords(...arguments)", *arguments)
        assert [dict(group) for group in groups] == [pytest.approx(group) for group in expected]
    # Focal word and punctuation are no words.
    actual = page.js("return wsd.wordsOf(['The', 'crane', ',', 'crane', '7', 'É'], 1, 2)")
    assert actual == ["the", "crane", "7", "é"]
    several = page.js("return wsd.wordsOf(['The', 'hot', 'dog', 'is', 'hot'], 1, 3)")
    assert several == ["the", "is", "hot"]


def test_clusters_of_the_layer_and_the_number_chosen(page: Browser) -> None:
    assert sizes(page) == np.bincount(GROUP).tolist()
    apart = texts_of(page, ".apart")
    assert "hook" in apart[0] and "bird" in apart[1] and "hook" not in apart[1]
    choose(page, "number", "2")
    assert len(sizes(page)) == 2 and texts_of(page, ".forms") == []
    page.js("const s = document.getElementById('slider'); s.value = 0; "
            "s.dispatchEvent(new Event('input'))")  # fmt: skip
    assert page.js("return location.hash") == "#layers=0&method=k-means&clusters=2"
    assert "Mean silhouette of 2 clusters" in texts_of(page, "#scores")[0]


def test_from_the_page_to_a_corpus(page: Browser, tmp_path: Path) -> None:
    assert not by_id(page, "download").is_enabled()
    name(page, 0, f" lifting   {HOSTILE} ")
    name(page, 1, 'a "bird", wading')
    # One moved, one left out, one in a cluster of its own without a name; the third has none.
    move(page, 0, 1)
    move(page, 1, -1)
    move(page, 2, 3)
    reopen(page)
    assert sizes(page) == [9, 9, 5, 1, 1]
    output = by_id(page, "result").text
    assert "2 senses" in output and "7 of 25 sentences are in no named cluster" in output
    path = tmp_path / f"{WORD}-senses.jsonl"
    download(page, path)
    import_corpus([path], out=tmp_path / "named", name="named")
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
    by_id(page, "forget").click()
    assert sizes(page) == [12, 8, 5] and names(page) == ["", "", ""]


def test_a_word_of_several_tokens_in_running_text_stays_whole(
    opened: Callable[..., Browser], tmp_path: Path
) -> None:
    page = opened("forms", "tower crane")
    assert set(texts_of(page, "#clusters strong")) == {"tower crane", "Tower cranes"}
    assert 'the "tower crane" steel hook ' in page.js("return document.body.textContent")
    apart = "".join(texts_of(page, ".apart"))
    assert "tower" not in apart and "crane" not in apart
    name(page, 0, "one")
    name(page, 1, "other")
    download(page, tmp_path / "tower_crane-senses.jsonl")
    import_corpus([tmp_path / "tower_crane-senses.jsonl"], out=tmp_path / "named", name="named")
    back = read_text(tmp_path / "named" / "tower=20crane", "tower crane")
    given = corpus(labelled=False, running=True, **TOWER)
    texts = {given.text(row) for row in range(len(given))}
    assert {back.text(row) for row in range(len(back))} == texts
    assert {*back.focal_tokens} == {*given.focal_tokens}
    assert "normalised mutual information with the forms is 1.00" in by_id(page, "by-form").text
    move(page, 0, 1)
    expected = ["Forms: tower crane (12)", "Forms: tower cranes (12) · tower crane (1)"]
    assert texts_of(page, ".forms") == expected


# The clusters of the largest and the second largest group changed places, and one sentence its
# cluster; what was made is kept under the digest of those labels.
OTHER_LABELS = np.where(GROUP < 2, 1 - GROUP, GROUP)
OTHER_LABELS[5] = 0


def test_names_of_other_clusters_are_offered_and_not_applied(page: Browser) -> None:
    made = {"names": {"0": "bird", "1": "machine", "4": "lift"}}
    made["moved"] = {"3": 2, "7": 4, "9": -1, "14": 1}
    kept = {"1 k-means 3 0123456789ab": {**made, "labels": encode(OTHER_LABELS, "<u2")}}
    page.js("wsd.unpack().then((packed) => { window.packedKey = packed.key; })")
    page.until("window.packedKey")
    page.js("localStorage.setItem(`wsd uses ${packedKey}`, JSON.stringify(arguments[0]))", kept)
    reopen(page)
    assert names(page) == ["", "", ""] and sizes(page) == [12, 8, 5]
    assert "bird, machine, lift" in by_id(page, "earlier").text
    by_id(page, "adopt").click()
    # By the sentences: what was cluster 1 is cluster 0. Sentences 3 and 9 had been moved out, or to
    # a cluster without a name, 7 to a cluster that people made, 14 to the other sense.
    assert sizes(page) == [10, 7, 5, 1, 2] and not by_id(page, "earlier").is_displayed()
    reopen(page)
    assert names(page) == ["machine", "bird", "", "lift"]


def test_a_filter_by_a_column_and_its_cells_in_the_download(
    opened: Callable[..., Browser], tmp_path: Path
) -> None:
    page, extra = opened("extra"), made_extra(len(GROUP))
    for key, text in (("colour", HOSTILE_COLUMN), ("only", "(no value)")):
        Select(by_id(page, key)).select_by_visible_text(text)
    for _ in range(2):  # it is in the address
        assert sizes(page) == [4, 3, 2]
        reopen(page)
    Select(by_id(page, "only")).select_by_index(0)
    assert sizes(page) == [12, 8, 5]
    name(page, 0, "one")
    name(page, 1, "other")
    lines = download(page, tmp_path / f"{WORD}-senses.jsonl")
    assert list(lines[0]) == ["word", "sense", "position", "sentence", *extra]
    for line in lines:
        row = int(line["identifier"].removeprefix("use "))
        assert {key: line[key] for key in extra} == {key: extra[key][row] for key in extra}
