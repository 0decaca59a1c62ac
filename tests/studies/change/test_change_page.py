"""The pages of change: what they say, and in a browser one layer choice at a time."""

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import Browser, chromium
from call_step import call_step
from made_change import HOSTILE, PER_GROUP, SHIFTS, made_corpus, made_words, run
from selenium.webdriver.common.keys import Keys

from wsd.artifacts.corpus_table import Corpus
from wsd.errors import ResultError
from wsd.storage.file_names import file_name
from wsd.studies.change import change_page
from wsd.studies.change.change_page import MOST, places, typical
from wsd.studies.change.change_page import shown as shown_uses

__all__ = ["chromium"]
WORDS = made_words() | {"lone": made_corpus("lone", ["1"] * 4)}


def write_pages(run: Path, folder: Path, words: dict[str, Corpus] = WORDS, **more: Any) -> Path:
    """Write the pages of a run; return their folder."""
    out = folder / "toy" / "change"
    out.mkdir(parents=True, exist_ok=True)
    call_step(
        change_page, words, embeddings=run / "vectors", tables=run / "tables",
        group="period", dataset="quickstart", listings=[folder / "toy" / "change.json"], out=out,
        **more,
    )  # fmt: skip
    return out


@pytest.fixture(scope="module")
def pages(planted: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pages(planted, tmp_path_factory.mktemp("pages"))


def text_of(page: Path) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page.read_text().partition("<body>")[2]))


def test_the_index_lists_words_by_change(pages: Path) -> None:
    order = re.findall(r'<a href="words/(\w+)\.html">', (pages / "index.html").read_text())
    assert {*order} == {*SHIFTS} and {*order[:3]} == {"rock", "seal", "spring"}
    text = text_of(pages / "index.html")
    assert re.search("[34] of 8 words are used differently in 1 and 2", text)
    assert "lone (in one group only)" in text and "Agreement with graded change" in text


def test_every_word_has_a_page_and_is_in_the_listing(pages: Path) -> None:
    listed = json.loads((pages.parent / "change.json").read_text())
    names = {f"change/words/{file_name(word)}.html" for word in SHIFTS}
    assert {*listed} == {"change/index.html", *names}
    html = (pages / "words" / "seal.html").read_text()
    assert HOSTILE not in html and "&lt;script&gt;window.pwned=1" in html


def test_without_gold_and_text_and_tables_of_other_words(tmp_path: Path) -> None:
    words = {word: WORDS[word] for word in ("crane", "seal")}
    run(tmp_path, words, ["0", "1"])
    text = text_of(write_pages(tmp_path, tmp_path, words, no_text=True) / "index.html")
    assert "Mean change" in text and "Layer 1 of toy (the last layer)" in text
    assert not [*(tmp_path / "toy" / "change").glob("words/*")]
    with pytest.raises(ResultError, match="other words"):
        write_pages(tmp_path, tmp_path, {"crane": words["crane"]})


def test_typical_uses_and_their_neighbours_by_hand() -> None:
    """Group 1 has (1,0) and (.6,.8), group 2 has (0,1) and (.8,.6)."""
    units = np.array([[1, 0], [0.6, 0.8], [0, 1], [0.8, 0.6]])
    first, second = typical(units, np.array([False, False, True, True]))
    assert [[use["row"], use["near"]] for use in first + second] == [[0, 3], [1, 3], [2, 1], [3, 1]]
    assert first[0]["cosine"] == second[0]["cosine"] == pytest.approx(0.8)


def test_a_sample_of_many_uses_is_shown_and_places_of_equal_vectors_are_finite() -> None:
    is_second = np.arange(2 * MOST + 5) >= MOST + 5
    taken = shown_uses(is_second, seed=1)
    assert (taken & ~is_second).sum() == (taken & is_second).sum() == MOST
    (points,) = places([np.ones((4, 3))])
    assert points.shape == (4, 2) and (abs(points) <= 100).all()


# --- in a browser -------------------------------------------------------------------------------


@pytest.fixture
def page(chromium: Browser, pages: Path) -> Iterator[Browser]:
    chromium.open(pages / "words" / "seal.html")
    yield chromium
    assert chromium.js("return window.pwned") is None
    chromium.assert_quiet()


def shown(page: Browser) -> list[str]:
    """Return the layer choices that the page shows, by section, frame and select."""
    return page.js(
        """return [
          ...[...document.querySelectorAll("section.layer:not([hidden])")].map(({ id }) => id),
          ...[...document.querySelectorAll(".film a.shown span")].map((e) => e.textContent),
          document.getElementById("layers").value, location.hash]"""
    )


def test_steps_through_the_layers_and_the_address(page: Browser, pages: Path) -> None:
    page.js("document.querySelectorAll('.film a')[2].click()")
    assert shown(page) == ["mean-all"] * 3 + ["#mean-all"]
    assert page.js("return document.getElementById('next').disabled")
    page.driver.find_element("tag name", "body").send_keys(Keys.ARROW_LEFT)
    assert shown(page) == ["1", "1", "1", "#1"]
    page.js("document.getElementById('previous').click()")
    assert shown(page) == ["0", "0", "0", "#0"]
    page.open((pages / "words" / "seal.html").as_uri() + "#mean-all")
    assert shown(page)[0] == "mean-all"
    page.js("location.hash = '#0'")
    page.until("!document.getElementById('0').hidden")
    page.js("location.hash = '#none'")
    assert shown(page)[0] == "0"


def test_points_show_their_sentences(page: Browser) -> None:
    points = "section.layer:not([hidden]) svg.scatter [data-row]"
    rows = page.js(f"return [...document.querySelectorAll('{points}')].map((p) => p.dataset.row)")
    assert sorted(map(int, rows)) == [*range(2 * PER_GROUP)]
    tip = page.js(
        f"""const point = [...document.querySelectorAll('{points}')].at(-1);
        point.dispatchEvent(new PointerEvent("pointerover", {{ bubbles: true }}));
        return document.querySelector(".tip").textContent"""
    )
    assert tip.startswith("2") and HOSTILE in tip


@pytest.mark.slow
@pytest.mark.parametrize("name", ["index.html", "words/seal.html"])
def test_axe_has_no_serious_finding(chromium: Browser, pages: Path, name: str) -> None:
    chromium.open(pages / name, wait="document.readyState === 'complete'")
    chromium.js((files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    found = chromium.driver.execute_async_script(
        """axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
          arguments[0](violations.map((v) => [v.impact, v.id, v.nodes[0].html])));"""
    )
    assert [v for v in found if v[0] in ("serious", "critical")] == []
