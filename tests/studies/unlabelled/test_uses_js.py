"""The page of uses in a browser: distinctive words, names, moves, and the import of the result."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from browser import Browser, chromium
from importing import import_corpus
from log_odds_cases import CASES
from made_uses import GROUP, HOSTILE, WORD, corpus, made_uses
from report_builder import HOSTILE_COLUMN, made_extra
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from wsd.artifacts.dataset import MANIFEST, read_manifest
from wsd.corpora.text_format import read_text
from wsd.report.pages.render import encode

__all__ = ["chromium"]


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


def test_words_that_distinguish_clusters_are_the_same_as_in_python(page: Browser) -> None:
    for words, labels, expected in CASES:
        # A sentence that is left out has no effect.
        arguments = [[*words, ["d"]], [*labels, -1], len(expected)]
        groups = page.js("return wsd.distinguishingWords(...arguments)", *arguments)
        assert [dict(group) for group in groups] == [pytest.approx(group) for group in expected]


def test_focal_word_and_punctuation_are_no_words(page: Browser) -> None:
    actual = page.js("return wsd.wordsOf(['The', 'crane', ',', 'crane', '7', 'É'], 1, 2)")
    assert actual == ["the", "crane", "7", "é"]
    several = page.js("return wsd.wordsOf(['The', 'hot', 'dog', 'is', 'hot'], 1, 3)")
    assert several == ["the", "is", "hot"]


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
        "return document.getElementById('scores').textContent"
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


def test_neighbours_of_the_clicked_sentence(page: Browser) -> None:
    page.js("document.querySelector('[data-row=\"3\"]').dispatchEvent("
            "new MouseEvent('click', {bubbles: true}))")  # fmt: skip
    texts = page.js("return [...document.querySelectorAll('#card li bdi')].map(e => e.textContent)")
    assert texts[0].startswith("the crane steel hook da db") and len(texts) == 6
    assert all("steel hook" in text for text in texts)


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


# ---- Focal words of several tokens, and in several forms ----


@pytest.fixture(scope="module")
def in_forms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("forms")
    forms = ("tower crane", "Tower cranes")
    return made_uses(folder, labelled=False, word="tower crane", forms=forms)


@pytest.fixture
def forms_page(chromium: Browser, in_forms: Path) -> Iterator[Browser]:
    chromium.open(in_forms / "toy" / "tower=20crane.html")
    chromium.js("localStorage.clear()")
    chromium.open(in_forms / "toy" / "tower=20crane.html")
    yield chromium
    chromium.assert_quiet()


def texts_of(page: Browser, selector: str) -> list[str]:
    return page.js(
        "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)", selector
    )


def test_a_focal_word_of_several_tokens_stays_whole(forms_page: Browser, tmp_path: Path) -> None:
    strong = texts_of(forms_page, "#clusters strong")
    assert set(strong) == {"tower crane", "Tower cranes"}
    apart = "".join(texts_of(forms_page, ".apart"))
    assert "tower" not in apart and "crane" not in apart
    name(forms_page, 0, "one")
    name(forms_page, 1, "other")
    path = download(forms_page, tmp_path / "tower_crane-senses.jsonl")
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert {line["position"] for line in lines} == {"1:3"} and len(lines) == len(GROUP)
    import_corpus([path], out=tmp_path / "named", name="named")
    back = read_text(tmp_path / "named" / "tower=20crane", "tower crane")
    given = corpus(labelled=False, word="tower crane", forms=("tower crane", "Tower cranes"))
    assert set(back.tokens) == set(given.tokens) and set(back.position.tolist()) == {1}
    assert {tokens[1] for tokens in back.tokens} == {"tower crane", "Tower cranes"}


def test_clusters_that_follow_the_form_say_so(forms_page: Browser) -> None:
    assert texts_of(forms_page, ".forms") == ["Forms: tower crane (13)", "Forms: tower cranes (12)"]
    warning = forms_page.driver.find_element(By.ID, "by-form")
    assert "normalised mutual information with the forms is 1.00" in warning.text
    move(forms_page, 0, 1)
    assert texts_of(forms_page, ".forms") == [
        "Forms: tower crane (12)",
        "Forms: tower cranes (12) · tower crane (1)",
    ]
    Select(forms_page.driver.find_element(By.ID, "number")).select_by_value("1")
    assert not warning.is_displayed()
    assert texts_of(forms_page, ".forms") == ["Forms: tower crane (13) · tower cranes (12)"]


def test_one_form_is_not_listed(page: Browser) -> None:
    assert texts_of(page, ".forms") == []
    assert not page.driver.find_element(By.ID, "by-form").is_displayed()


# ---- Names of an earlier clustering ----

# The clusters of the largest and the second largest group changed places, and one sentence its
# cluster; what was made is kept under the digest of those labels.
OTHER_LABELS = np.where(GROUP < 2, 1 - GROUP, GROUP)
OTHER_LABELS[5] = 0


def keep_earlier(page: Browser, pages: Path, *, known: bool) -> None:
    """Keep names and moves of an earlier clustering in the browser, and open the page again."""
    labels = encode(OTHER_LABELS, "<u2")
    made = {"names": {"0": "bird", "1": "machine", "4": "lift"}}
    made["moved"] = {"3": 2, "7": 4, "9": -1, "14": 1}
    place = "1 k-means 3 0123456789ab" if known else "1 k-means 3"
    kept = {place: {**made, "labels": labels} if known else made}
    script = "localStorage.setItem(`wsd uses ${arguments[0]}`, JSON.stringify(arguments[1]))"
    page.js(script, page_key(page), kept)
    page.open(pages / "toy" / f"{WORD}.html")


def page_key(page: Browser) -> str:
    page.js("wsd.unpack().then((packed) => { window.packedKey = packed.key; })")
    page.until("window.packedKey")
    return page.js("return window.packedKey")


def names(page: Browser) -> list[str]:
    return page.js(
        "return [...document.querySelectorAll('input[data-cluster]')].map((e) => e.value)"
    )


def test_names_of_other_clusters_are_offered_and_not_applied(page: Browser, pages: Path) -> None:
    keep_earlier(page, pages, known=True)
    assert names(page) == ["", "", ""] and sizes(page) == [12, 8, 5]
    older = page.driver.find_element(By.ID, "earlier")
    assert "bird, machine, lift" in older.text and "other sentences" in older.text
    page.driver.find_element(By.ID, "adopt").click()
    # By the sentences: what was cluster 1 is cluster 0. Sentences 3 and 9 had been moved out, or to
    # a cluster without a name, 7 to a cluster that people made, 14 to the other sense.
    assert names(page) == ["machine", "bird", "", "lift"]
    assert sizes(page) == [10, 7, 5, 1, 2]
    assert not older.is_displayed()
    page.open(pages / "toy" / f"{WORD}.html")
    assert names(page) == ["machine", "bird", "", "lift"]
    page.driver.find_element(By.ID, "forget").click()
    assert names(page) == ["", "", ""] and older_is_shown(page)
    page.driver.find_element(By.ID, "discard").click()
    assert not older_is_shown(page)
    page.open(pages / "toy" / f"{WORD}.html")
    assert not older_is_shown(page)


def older_is_shown(page: Browser) -> bool:
    return page.driver.find_element(By.ID, "earlier").is_displayed()


def test_names_that_an_earlier_version_kept_are_offered_too(page: Browser, pages: Path) -> None:
    keep_earlier(page, pages, known=False)
    assert names(page) == ["", "", ""]
    assert "are unknown" in page.driver.find_element(By.ID, "earlier").text
    page.driver.find_element(By.ID, "adopt").click()
    assert names(page) == ["bird", "machine", "", "lift"]


def test_a_new_name_ends_the_offer(page: Browser, pages: Path) -> None:
    keep_earlier(page, pages, known=True)
    name(page, 0, "crane")
    assert not older_is_shown(page)
    Select(page.driver.find_element(By.ID, "number")).select_by_value("2")
    assert not older_is_shown(page)


# ---- Extra columns ----


@pytest.fixture(scope="module")
def with_extra(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_uses(tmp_path_factory.mktemp("extra"), labelled=False, extra=True)


@pytest.fixture
def extra_page(chromium: Browser, with_extra: Path) -> Iterator[Browser]:
    chromium.open(with_extra / "toy" / f"{WORD}.html")
    chromium.js("localStorage.clear()")
    chromium.open(with_extra / "toy" / f"{WORD}.html")
    yield chromium
    assert chromium.js("return window.pwned") is None
    chromium.assert_quiet()


EXTRA = made_extra(len(GROUP))
POINTS = """return [...document.querySelectorAll('#plot [data-row]')]
  .sort((a, b) => a.dataset.row - b.dataset.row)
  .map((e) => e.style.getPropertyValue('--tone') || e.className.baseVal)"""


def select(page: Browser, key: str, text: str) -> None:
    Select(page.driver.find_element(By.ID, key)).select_by_visible_text(text)


def test_points_and_clusters_by_a_column(extra_page: Browser) -> None:
    by_cluster = extra_page.js(POINTS)
    assert by_cluster[0] == "s0" and not extra_page.driver.find_element(By.ID, "tones").text
    select(extra_page, "colour", "period")
    number = {"990": 0, "1850": 1, "1900": 2}
    assert extra_page.js(POINTS) == [f"var(--value-{number[cell]})" for cell in EXTRA["period"]]
    key = extra_page.driver.find_element(By.ID, "tones").text
    assert key == "period:\n990 (6)\n1850 (7)\n1900 (12)"
    marks = "return [...document.querySelectorAll('.head .mark')].map((e) => e.classList[1])"
    assert set(extra_page.js(marks)) == {"sn"}
    first = extra_page.driver.find_element(By.CSS_SELECTOR, "#clusters li")
    assert first.text.split(" · ")[-1].startswith("period: ")
    # Of each cluster, how many of its sentences are of which period.
    assert texts_of(extra_page, ".forms")[:2] == [
        "period: 990 (3) · 1850 (3) · 1900 (6)",
        "period: 990 (2) · 1850 (2) · 1900 (4)",
    ]
    assert "colour=column-period" in extra_page.js("return location.hash")
    select(extra_page, "colour", "cluster of this layer")
    assert extra_page.js(POINTS) == by_cluster
    assert not extra_page.driver.find_element(By.ID, "tones").is_displayed()


def test_a_value_filters_points_and_clusters_and_is_in_the_address(extra_page: Browser) -> None:
    select(extra_page, "colour", HOSTILE_COLUMN)
    select(extra_page, "only", "(no value)")
    expected = ["var(--value-2)" if not cell else "off" for cell in EXTRA[HOSTILE_COLUMN]]
    for _ in range(2):
        shown = extra_page.js(POINTS)
        assert [tone.split()[-1] for tone in shown] == expected
        assert sizes(extra_page) == [4, 3, 2]
        scores = extra_page.driver.find_element(By.ID, "scores").text
        assert "The filter leaves 9 of 25 sentences." in scores
        extra_page.open(extra_page.js("return location.href"))
    extra_page.open(f"{extra_page.js('return location.href').split('#')[0]}#colour=x&only=period")
    assert sizes(extra_page) == [12, 8, 5]


def test_the_pinned_sentence_and_the_download_have_the_columns(
    extra_page: Browser, tmp_path: Path
) -> None:
    extra_page.js("document.querySelector('[data-row=\"4\"]').dispatchEvent("
                  "new MouseEvent('click', {bubbles: true}))")  # fmt: skip
    cells = (
        "return [...document.querySelectorAll('.extra tr')].map((e) => e.innerText.split('\\t'))"
    )
    assert dict(extra_page.js(cells)) == {name: cells[4] for name, cells in EXTRA.items()}
    name(extra_page, 0, "one")
    name(extra_page, 1, "other")
    path = download(extra_page, tmp_path / f"{WORD}-senses.jsonl")
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert list(lines[0]) == ["word", "sense", "position", "sentence", *EXTRA]
    for line in lines:
        row = int(line["identifier"].removeprefix("use "))
        assert {key: line[key] for key in EXTRA} == {key: EXTRA[key][row] for key in EXTRA}


def test_a_page_of_uses_without_extra_columns(page: Browser) -> None:
    assert not page.driver.find_elements(By.CSS_SELECTOR, "#colour, #only, #tones")
