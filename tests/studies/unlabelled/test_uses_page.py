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
from made_uses import GROUP, HOSTILE, WORD, corpus, made_uses
from report_builder import HOSTILE_COLUMN, made_extra
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from wsd.artifacts.corpus_table import UNLABELLED, write
from wsd.artifacts.dataset import MANIFEST, read_manifest
from wsd.cli import main
from wsd.corpora.text_format import read_text
from wsd.errors import ResultError
from wsd.report.pages.render import encode
from wsd.storage.csv import read_csv
from wsd.storage.file_names import file_name
from wsd.studies.unlabelled.use_table import write_uses
from wsd.studies.unlabelled.uses import agreement, find_uses

__all__ = ["chromium"]
TOWER = {"word": "tower crane", "forms": ("tower crane", "Tower cranes")}
WAYS: dict[str, dict[str, Any]] = {
    "labelled": {"labelled": True},
    "plain": {"labelled": False},
    "forms": {"labelled": False, **TOWER},
    "extra": {"labelled": False, "extra": True},
    "running": {"labelled": False, "running": True, **TOWER},
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


def test_the_content_of_a_page(pages: Callable[[str], Path]) -> None:
    path = page_of(pages("labelled"))
    data = unpacked(path)
    assert [layer["name"] for layer in data["layers"]] == ["0", "1", "mean-all"]
    assert numbers(data["start"], "<i4") == [1] * len(GROUP)
    assert numbers(data["end"], "<i4") == [2] * len(GROUP)
    assert numbers(data["gold"], "<u2") == GROUP.tolist()
    for layer in data["layers"]:
        chosen = [entry for entry in layer["partitions"] if entry["chosen"]]
        expected = [("k-means", 3), ("agglomerative", 3)]
        assert [(entry["method"], entry["k"]) for entry in chosen] == expected
        assert numbers(chosen[0]["labels"], "<u2") == GROUP.tolist()
    # The page opens with the last single layer.
    assert '<option value="1" selected>' in path.read_text(encoding="utf-8")


def test_foreign_text_is_text_and_nothing_is_loaded(pages: Callable[[str], Path]) -> None:
    folder = pages("labelled")
    for path in folder.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert HOSTILE not in text and "default-src 'none'" in unescape(text)
        assert not re.search(r'(src|href)="(https?:)?//', text)
    index = index_of(folder)
    assert "&lt;script&gt;" in index and "script-src 'none'" in unescape(index)


def test_the_table_of_a_labelled_corpus(pages: Callable[[str], Path]) -> None:
    folder = pages("labelled")
    table = read_csv(folder / "uses.csv")
    # Three layer choices, two methods, three ways.
    assert len(table) == 18 and set(table["instances"]) == {len(GROUP)}
    for how, k in (("silhouette", 3), ("as many as senses", 3), ("one cluster", 1)):
        rows = table[table["number"] == how]
        assert set(rows["clusters"]) == {k}
        expected = agreement(GROUP, GROUP if k == 3 else np.zeros_like(GROUP))
        for name, value in expected.items():
            assert rows[name].tolist() == pytest.approx([value] * 6, abs=1e-6)
    index = index_of(folder)
    assert index.count("100.0") >= 6 * 8


def test_without_senses_there_is_nothing_to_agree_with(pages: Callable[[str], Path]) -> None:
    folder = pages("plain")
    table = read_csv(folder / "uses.csv")
    assert set(table["number"]) == {"silhouette"}
    assert table[["ari", "form_nmi"]].isna().all(axis=None)
    data = unpacked(page_of(folder))
    assert data["gold"] is None and data["senses"] == []
    assert all(entry["agreement"] is None for entry in data["layers"][0]["partitions"])
    index = index_of(folder)
    assert 'id="means"' not in index
    assert UNLABELLED[0] not in json.dumps(data)


def again(folder: Path, *files: Path, out: Path) -> int:
    """Write the pages of the crane's uses in some files."""
    uses = ["--uses", *map(str, files), "--dataset", "quickstart"]
    corpus = ["--corpus", str(folder / "corpus"), "--words", WORD]
    return main(["uses-page", *corpus, *uses, "--out", str(out)])


def test_uses_of_another_corpus_or_another_centring_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = made_uses(tmp_path, labelled=True, more=["--no-text"])
    # Without text there are no word pages.
    assert [path.name for path in folder.rglob("*.html")] == ["index.html"]
    assert "steel" not in index_of(folder) and '<a href="toy' not in index_of(folder)
    own = corpus(labelled=True)
    uses = {WORD: find_uses(own, np.eye(8)[GROUP], 4, seed=1, centre="form")}
    content = {"view": "focal", "layers": "1", "encoder": {"model": {"name": "toy", "blocks": 2}}}
    centred = tmp_path / "centred.parquet"
    write_uses(centred, {WORD: own}, uses, {**content, "seed": 1, "centre": "form"})
    assert again(tmp_path, tmp_path / "0.parquet", centred, out=tmp_path / "again") == 6
    assert "--centre of the uses differs" in capsys.readouterr().err
    other = replace(own, gold=own.gold[::-1])
    write(tmp_path / "corpus" / f"{file_name(WORD)}.parquet", other)
    assert again(tmp_path, tmp_path / "1.parquet", out=tmp_path / "again") == 6
    assert "belong to other words or sentences" in capsys.readouterr().err
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize(
    ("dtype", "values", "wrong"),
    [("u1", [0, 255], 256), ("u1", [True, 254.0], -1), ("<u2", [300, 65535], 65536),
     ("<u4", [65536, 2**32 - 1], 0.5), ("i1", [-128, 127], 128), ("<i2", [-32768.0], float("nan"))],
)  # fmt: skip
def test_numbers_come_back_or_are_refused(dtype: str, values: list[float], wrong: float) -> None:
    assert numbers(encode(np.array(values), dtype), dtype) == values
    with pytest.raises(ResultError, match="whole numbers"):
        encode(np.array([0, wrong]), dtype)


def test_clusters_by_form_are_told_in_table_and_index(pages: Callable[[str], Path]) -> None:
    folder = pages("forms")
    assert read_csv(folder / "uses.csv")["form_nmi"].tolist() == pytest.approx([1] * 6)
    index = index_of(folder)
    assert index.count("form 1.00") == 2 and "clusters: {centre: form}" in index
    path = page_of(folder, "tower crane")
    data = unpacked(path)
    assert numbers(data["start"], "<i4") == [1] * len(GROUP)
    assert numbers(data["end"], "<i4") == [3] * len(GROUP)
    assert "centred for each form" not in path.read_text(encoding="utf-8")


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


def name(page: Browser, cluster: int, text: str) -> None:
    box = page.driver.find_element(By.CSS_SELECTOR, f"input[data-cluster='{cluster}']")
    box.clear()
    box.send_keys(text + "\t")


def sizes(page: Browser) -> list[int]:
    return page.js(
        "return [...document.querySelectorAll('.cluster .counts')].map((e) => +e.textContent)"
    )


def move(page: Browser, row: int, cluster: int) -> None:
    """Use the list of all sentences, which is created when it opens."""
    page.js("for (const all of document.querySelectorAll('.cluster details')) all.open = true")
    there = f"#clusters select[data-row='{row}']"
    page.until("document.querySelector(given[0])", there)
    select = page.driver.find_element(By.CSS_SELECTOR, there)
    Select(select).select_by_value(str(cluster))


def download(page: Browser, path: Path) -> Path:
    """The table that the page offers, saved as ``path``."""
    page.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(path.parent)}
    )
    page.driver.find_element(By.ID, "download").click()
    end = time.monotonic() + 15
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.05)
    return path


def texts_of(page: Browser, selector: str) -> list[str]:
    return page.js(
        "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)", selector
    )


def choose(page: Browser, key: str, value: str) -> None:
    Select(page.driver.find_element(By.ID, key)).select_by_value(value)


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
    assert "Mean silhouette of 2 clusters" in page.js(
        "return document.getElementById('scores').textContent"
    )


def test_names_and_moves_come_back_and_can_be_undone(page: Browser) -> None:
    name(page, 0, "machine")
    move(page, 0, 1)
    assert sizes(page) == [11, 9, 5]
    reopen(page)
    assert sizes(page) == [11, 9, 5]
    box = page.driver.find_element(By.CSS_SELECTOR, "input[data-cluster='0']")
    assert box.get_attribute("value") == "machine"
    choose(page, "number", "2")
    assert page.js("return document.querySelector('input[data-cluster]').value") == ""
    choose(page, "number", "3")
    page.driver.find_element(By.ID, "forget").click()
    assert sizes(page) == [12, 8, 5]
    assert not page.driver.find_element(By.ID, "forget").is_enabled()


def test_from_the_page_to_a_corpus(page: Browser, tmp_path: Path) -> None:
    assert not page.driver.find_element(By.ID, "download").is_enabled()
    name(page, 0, f" lifting   {HOSTILE} ")
    name(page, 1, 'a "bird", wading')
    # One moved, one left out, one in a cluster of its own without a name; the third has none.
    move(page, 0, 1)
    move(page, 1, -1)
    move(page, 2, 3)
    assert sizes(page) == [9, 9, 5, 1, 1]
    output = page.driver.find_element(By.ID, "result").text
    assert "2 senses" in output and "7 of 25 sentences are in no named cluster" in output
    path = download(page, tmp_path / f"{WORD}-senses.jsonl")
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line["sense"] for line in lines].count('a "bird", wading') == 9

    output = import_corpus([path], out=tmp_path / "named", name="named")
    assert "1 word;" in output
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


def test_a_focal_word_of_several_tokens_stays_whole_and_clusters_by_form_say_so(
    opened: Callable[..., Browser], tmp_path: Path
) -> None:
    page = opened("forms", "tower crane")
    strong = texts_of(page, "#clusters strong")
    assert set(strong) == {"tower crane", "Tower cranes"}
    apart = "".join(texts_of(page, ".apart"))
    assert "tower" not in apart and "crane" not in apart
    name(page, 0, "one")
    name(page, 1, "other")
    path = download(page, tmp_path / "tower_crane-senses.jsonl")
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert {line["position"] for line in lines} == {"1:3"} and len(lines) == len(GROUP)
    import_corpus([path], out=tmp_path / "named", name="named")
    back = read_text(tmp_path / "named" / "tower=20crane", "tower crane")
    given = corpus(labelled=False, **TOWER)
    assert set(back.tokens) == set(given.tokens) and set(back.position.tolist()) == {1}
    assert texts_of(page, ".forms") == ["Forms: tower crane (13)", "Forms: tower cranes (12)"]
    warning = page.driver.find_element(By.ID, "by-form")
    assert "normalised mutual information with the forms is 1.00" in warning.text
    move(page, 0, 1)
    assert texts_of(page, ".forms") == [
        "Forms: tower crane (12)",
        "Forms: tower cranes (12) · tower crane (1)",
    ]
    choose(page, "number", "1")
    assert not warning.is_displayed()
    assert texts_of(page, ".forms") == ["Forms: tower crane (13) · tower cranes (12)"]


def test_running_text_is_shown_and_downloaded_as_it_is(
    opened: Callable[..., Browser], tmp_path: Path
) -> None:
    page = opened("running", "tower crane")
    assert 'the "tower crane" steel hook ' in page.js("return document.body.textContent")
    name(page, 0, "one")
    name(page, 1, "other")
    path = download(page, tmp_path / "tower_crane-senses.jsonl")
    import_corpus([path], out=tmp_path / "named", name="named")
    back = read_text(tmp_path / "named" / "tower=20crane", "tower crane")
    given = corpus(labelled=False, running=True, **TOWER)
    texts = {given.text(row) for row in range(len(given))}
    assert {back.text(row) for row in range(len(back))} == texts
    assert {*back.focal_tokens} == {*given.focal_tokens}


# The clusters of the largest and the second largest group changed places, and one sentence its
# cluster; what was made is kept under the digest of those labels.
OTHER_LABELS = np.where(GROUP < 2, 1 - GROUP, GROUP)
OTHER_LABELS[5] = 0


def keep_earlier(page: Browser) -> None:
    """Keep names and moves of an earlier clustering in the browser, and open the page again."""
    made = {"names": {"0": "bird", "1": "machine", "4": "lift"}}
    made["moved"] = {"3": 2, "7": 4, "9": -1, "14": 1}
    kept = {"1 k-means 3 0123456789ab": {**made, "labels": encode(OTHER_LABELS, "<u2")}}
    script = "localStorage.setItem(`wsd uses ${arguments[0]}`, JSON.stringify(arguments[1]))"
    page.js("wsd.unpack().then((packed) => { window.packedKey = packed.key; })")
    page.until("window.packedKey")
    page.js(script, page.js("return window.packedKey"), kept)
    reopen(page)


def names(page: Browser) -> list[str]:
    return page.js(
        "return [...document.querySelectorAll('input[data-cluster]')].map((e) => e.value)"
    )


def test_names_of_other_clusters_are_offered_and_not_applied(page: Browser) -> None:
    keep_earlier(page)
    assert names(page) == ["", "", ""] and sizes(page) == [12, 8, 5]
    older = page.driver.find_element(By.ID, "earlier")
    assert "bird, machine, lift" in older.text and "other sentences" in older.text
    page.driver.find_element(By.ID, "adopt").click()
    # By the sentences: what was cluster 1 is cluster 0. Sentences 3 and 9 had been moved out, or to
    # a cluster without a name, 7 to a cluster that people made, 14 to the other sense.
    assert names(page) == ["machine", "bird", "", "lift"]
    assert sizes(page) == [10, 7, 5, 1, 2]
    assert not older.is_displayed()
    reopen(page)
    assert names(page) == ["machine", "bird", "", "lift"]
    page.driver.find_element(By.ID, "forget").click()
    older = page.driver.find_element(By.ID, "earlier")
    assert names(page) == ["", "", ""] and older.is_displayed()
    page.driver.find_element(By.ID, "discard").click()
    assert not older.is_displayed()


EXTRA = made_extra(len(GROUP))


def test_a_filter_by_a_column_and_its_cells_in_the_download(
    opened: Callable[..., Browser], tmp_path: Path
) -> None:
    page = opened("extra")
    for key, text in (("colour", HOSTILE_COLUMN), ("only", "(no value)")):
        Select(page.driver.find_element(By.ID, key)).select_by_visible_text(text)
    for _ in range(2):  # it is in the address
        assert sizes(page) == [4, 3, 2]
        reopen(page)
    page.open(page.js("return location.href").partition("#")[0] + "#colour=x&only=period")
    assert sizes(page) == [12, 8, 5]
    name(page, 0, "one")
    name(page, 1, "other")
    path = download(page, tmp_path / f"{WORD}-senses.jsonl")
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert list(lines[0]) == ["word", "sense", "position", "sentence", *EXTRA]
    for line in lines:
        row = int(line["identifier"].removeprefix("use "))
        assert {key: line[key] for key in EXTRA} == {key: EXTRA[key][row] for key in EXTRA}
