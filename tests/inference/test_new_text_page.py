"""`wsd predict --show`: new sentences on a copy of a word's page."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shown_results
import small_results
from browser import Browser, chromium
from log_state import logs_as_before
from numpy.testing import assert_allclose, assert_array_equal
from report_builder import Page, decode
from shown_results import CHOICES, CLASSIFIERS, METHODS

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.instance_tables import read_projections, write_projections
from wsd.cli import main
from wsd.fitted.selected_results import Results

__all__ = ["chromium"]

RESULTS = str(shown_results.FOLDER)
SENTENCE = "The crane lifted the container onto the ship."


@pytest.fixture
def root(shown_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Copy the results, so that a test can change them."""
    monkeypatch.chdir(small_results.copy(shown_once, tmp_path / "copy"))
    with logs_as_before():
        yield tmp_path / "copy"


def show(*arguments: str, code: int = 0) -> dict[str, Any]:
    """Run `wsd predict --show` and return the data of the page."""
    assert main(["predict", "--results", RESULTS, *arguments, "--show", "page.html"]) == code
    return Page(Path("page.html")).packed()["data"] if code == 0 else {}


def points(data: dict[str, Any], choice: int, method: str) -> np.ndarray:
    """Return the points of a page, in steps: an array of shape (n, 2)."""
    return decode(data["choices"][choice]["projections"][method]["points"], "<i2").reshape(2, -1).T


def marked_text(corpus: Corpus, row: int) -> str:
    tokens, at = [*corpus.tokens[row]], corpus.position[row]
    return " ".join([*tokens[:at], f"[[{tokens[at]}]]", *tokens[at + 1 :]])


def test_a_test_sentence_gets_the_values_that_the_page_has(root: Path) -> None:
    corpus = Results(shown_results.FOLDER).corpus("crane")
    test = np.flatnonzero(corpus.split == "test")
    Path("test.txt").write_text("\n".join(marked_text(corpus, row) for row in test))
    data = show("--file", "test.txt", "--word", "crane", "--out", "answers.csv")
    n, index = data["new"], decode(data["index"], "<i4")
    assert n == len(test)
    assert_array_equal(index[-n:], corpus.index[test])  # new sentences are the last rows
    assert (decode(data["gold"], "<u2")[-n:] == 65535).all()
    places = np.flatnonzero(decode(data["train"], "u1") == 0)[:-n]
    order = np.argsort(index[places])
    rows = places[order]  # the test instances in the order of the new ones
    for part in ("left", "focal", "right"):
        assert data[part][-n:] == [data[part][row] for row in rows]
    for i, choice in enumerate(data["choices"]):
        for method in METHODS:
            placed = points(data, i, method)
            assert_allclose(placed[-n:], placed[rows], atol=1)
        for j in range(len(CLASSIFIERS)):
            predicted = decode(choice["predicted"][j], "<u2")
            shades = decode(choice["confidence"][j]["values"], "u1").astype(int)
            assert_array_equal(predicted[-n:], predicted[:-n][order])
            assert_allclose(shades[-n:], shades[:-n][order], atol=1)
        near = decode(choice["near"], "<u2").reshape(-1, 5)
        similar = decode(choice["similar"], "u1").reshape(-1, 5).astype(int)
        # A new sentence has its twin in the corpus as nearest neighbour.
        for k, row in enumerate(rows, start=len(near) - n):
            others = [place for place in near[k] if place != row]
            assert others[:4] == near[row].tolist()[:4]
            assert_allclose(similar[k][near[k] != row][:4], similar[row][:4], atol=1)
    assert [choice["name"] for choice in data["choices"]] == list(CHOICES)


def test_new_sentences_change_nothing_else(root: Path) -> None:
    """A report without sentences shows the new ones only."""
    one = show(SENTENCE)
    shown_results.change_config(sentences=False)
    two = show(SENTENCE, "Cranes [[crane]] necks.")
    assert (one["new"], two["new"], two["word"]) == (1, 2, "crane")
    for i, (first, second) in enumerate(zip(one["choices"], two["choices"], strict=True)):
        for part in ("confusion", "scores"):
            assert first[part] == second[part]
        for method in METHODS:
            steps = [choice["projections"][method]["step"] for choice in (first, second)]
            known = [points(data, i, method)[: -data["new"]] for data in (one, two)]
            assert_allclose(known[0] * steps[0], known[1] * steps[1], atol=max(steps))
    assert one["right"][-1] == " lifted the container onto the ship."
    assert two["text"] is False and {*two["left"][:-2]} == {""}
    assert two["left"][-2:] == ["The ", "Cranes "]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([SENTENCE, "An apple a day."], "the sentences have apple, crane"),
        ([SENTENCE], "t-SNE cannot place new sentences"),
        (["--show", SENTENCE], "give sentences before --show"),
    ],
)
def test_what_cannot_be_shown_is_one_error(
    root: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    if len(arguments) == 1:
        shown_results.change_config(projections=["tsne"])
    with contextlib.suppress(SystemExit):  # the parser's own errors
        show(*arguments, code=2)
    assert message in capsys.readouterr().err
    assert not Path("page.html").exists()


def test_results_that_do_not_fit_are_one_error(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(RESULTS, "tiny/projections/discriminant/focal/1.parquet")
    words, provenance = read_projections(path)
    results = Results(shown_results.FOLDER)
    words["crane"].points[-1] += 1
    write_projections(path, {w: results.corpus(w) for w in words}, words, provenance)
    show(SENTENCE, code=6)
    assert "does not reproduce the points" in capsys.readouterr().err


STARS = """
const view = [...Bokeh.index].find((view) => view.model.x_range);
const source = (name) => view.model.document.get_model_by_name(name).data;
const { x, y } = source("points"), added = source("added"), row = arguments[0];
return [[x[row], y[row]], ...Array.from(added.x, (left, i) => [left, added.y[i]])];"""


@pytest.mark.slow
def test_a_browser_shows_the_sentence_in_every_layer_choice(root: Path, chromium: Browser) -> None:
    corpus = Results(shown_results.FOLDER).corpus("crane")
    twin = np.flatnonzero(corpus.split == "test")[0]
    data = show(marked_text(corpus, twin))
    is_test = decode(data["train"], "u1")[:-1] == 0
    row = int(np.flatnonzero(is_test & (decode(data["index"], "<i4")[:-1] == 0))[0])
    chromium.open(Path("page.html"))
    assert "1 new sentence as a star" in chromium.js("return document.body.innerText")
    method = chromium.js("return document.getElementById('method').value")
    places = []
    for choice, name in enumerate(CHOICES[:2]):
        chromium.js(f"location.hash = 'layers={name}'")
        step = data["choices"][choice]["projections"][method]["step"]
        chromium.until(  # points move
            "Math.abs([...Bokeh.index].find((view) => view.model.x_range).model.document"
            ".get_model_by_name('added').data.x[0] - arguments[0]) < 1e-3",
            float(points(data, choice, method)[-1, 0] * step),
        )
        known, star = chromium.js(STARS, row)
        assert_allclose(star, known, atol=1e-3)  # its twin's place
        places.append(star)
    assert places[0] != places[1]
    chromium.js("document.querySelector('[data-split=new]').click()")
    assert len(chromium.js(STARS, row)) == 1
    chromium.assert_quiet()
