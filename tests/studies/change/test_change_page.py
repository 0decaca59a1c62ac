"""The pages of change: what they say, without and with scripts."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from call_step import call_step
from made_change import HOSTILE, SHIFTS, made_corpus, made_words, write_all, write_gold

from wsd.artifacts.corpus_table import Corpus
from wsd.errors import ResultError
from wsd.report.overview import write_overview
from wsd.storage.file_names import file_name
from wsd.studies.change import change, change_page
from wsd.studies.change.change_page import MOST, places, shown, typical

LAYERS = ["0", "1", "mean-all"]


def write_pages(folder: Path, words: dict[str, Corpus], **options: Any) -> Path:
    """Run both steps on words; return the folder of the pages."""
    embeddings = write_all(folder / "vectors", words)
    (folder / "tables").mkdir()
    shared = {"embeddings": embeddings, "group": "period"}
    settings = {"layers": LAYERS, "permutations": 199, "seed": 1, "source": folder}
    call_step(change, words, out=folder / "tables", **shared, **settings)
    out = folder / "toy" / "change"
    out.mkdir(parents=True)
    pages = {"dataset": "quickstart", "tables": folder / "tables", **options}
    listings = folder / "toy" / "change.json"
    call_step(change_page, words, out=out, listings=[listings], **shared, **pages)
    return out


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    write_gold(folder)
    words = made_words()
    words["bow"] = made_corpus("bow", ["1"] * 4)
    return write_pages(folder, words)


def text_of(page: Path) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page.read_text().partition("<body>")[2]))


def test_the_index_lists_words_by_change(pages: Path) -> None:
    html = (pages / "index.html").read_text()
    order = re.findall(r'<a href="words/(\w+)\.html">', html)
    assert {*order} == {*SHIFTS} - {"bow"}
    assert {*order[:3]} == {"rock", "seal", "spring"}
    text = text_of(pages / "index.html")
    assert re.search("[34] of 7 words are used differently in 1 and 2", text)
    assert "Without measures: bow (in one group only)" in text
    assert "Agreement with graded change" in text
    assert "Not significantly different from the best" in text


def test_every_word_has_a_page_and_is_in_the_listing(pages: Path) -> None:
    listed = json.loads((pages.parent / "change.json").read_text())
    names = {f"words/{file_name(word)}.html" for word in SHIFTS if word != "bow"}
    assert {Path(name).relative_to("change").as_posix() for name in listed} == {
        "index.html",
        *names,
    }


def test_sentences_are_escaped(pages: Path) -> None:
    html = (pages / "words" / "seal.html").read_text()
    assert HOSTILE not in html
    assert "&lt;script&gt;window.pwned=1" in html


def test_without_gold_the_mean_change_is_drawn(tmp_path: Path) -> None:
    words = {word: corpus for word, corpus in made_words().items() if word in ("crane", "seal")}
    text = text_of(write_pages(tmp_path, words, no_text=True) / "index.html")
    assert "Mean change" in text
    assert "mean-all of toy" not in text
    assert "Layer 1 of toy (the last layer)" in text
    assert not [*(tmp_path / "toy" / "change").glob("words/*")]


def test_tables_of_other_words_are_refused(tmp_path: Path) -> None:
    words = made_words()
    write_pages(tmp_path, words)
    with pytest.raises(ResultError, match="other words"):
        call_step(
            change_page, {"crane": words["crane"]}, embeddings=tmp_path / "vectors",
            dataset="quickstart", tables=tmp_path / "tables", group="period",
            listings=[tmp_path / "x.json"], out=tmp_path,
        )  # fmt: skip


def test_typical_uses_and_their_neighbours_by_hand() -> None:
    """Group 1 has (1,0) and (.6,.8), group 2 has (0,1) and (.8,.6)."""
    units = np.array([[1, 0], [0.6, 0.8], [0, 1], [0.8, 0.6]])
    first, second = typical(units, np.array([False, False, True, True]))
    assert [use["row"] for use in first] == [0, 1]
    assert [use["row"] for use in second] == [2, 3]
    assert first[0]["near"] == 3
    assert first[0]["cosine"] == pytest.approx(0.8)
    assert second[0]["near"] == 1
    assert second[0]["cosine"] == pytest.approx(0.8)


def test_a_page_shows_a_sample_of_many_uses() -> None:
    is_second = np.arange(2 * MOST + 5) >= MOST + 5
    taken = shown(is_second, seed=1)
    assert (taken & ~is_second).sum() == MOST
    assert (taken & is_second).sum() == MOST
    assert (shown(is_second, seed=2) != taken).any()


def test_places_of_equal_vectors_are_finite() -> None:
    (points,) = places([np.ones((4, 3))])
    assert points.shape == (4, 2)
    assert (abs(points) <= 100).all()


def test_pages_are_listed_by_run_and_model(tmp_path: Path) -> None:
    for tables in ("mine/toy", "mine/runs/a/toy"):
        page = tmp_path / tables / "change/index.html"
        page.parent.mkdir(parents=True)
        page.write_text("")
    text = write_overview(tmp_path, [change_page]).read_text()
    assert re.findall('<li><a href="([^"]*)">', text) == [
        "mine/toy/change/index.html",
        "mine/runs/a/toy/change/index.html",
    ]
