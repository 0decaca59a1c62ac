"""A word's page in a browser: plot, controls, scores, film strip, address."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from browser import Browser
from report_builder import (
    CHOICES,
    GIVEN,
    READERS,
    Run,
    build_report,
    make_run,
    pictures_of,
    predictions_of,
)
from selenium.webdriver.support.ui import Select
from word_pages import (
    STATE,
    assert_marks,
    assert_shows,
    by_id,
    listed,
    rows_of,
    wrong_rows,
)


def choose(page: Browser, control: str, value: str) -> None:
    Select(by_id(page, control)).select_by_value(value)


def shown_rows(page: Browser, rows: list[int]) -> set[int]:
    """Return the corpus rows of the instances that the plot shows."""
    return {row for row, on in zip(rows, page.js(STATE)["shown"], strict=True) if on}


# Per frame: the curve's height there in percent, score, title.
FRAMES = """
return [...document.querySelectorAll("#strip a")].map((frame) => [
  parseFloat(frame.querySelector(".dot").style.bottom), frame.querySelector("b").textContent,
  frame.title]);
"""


def test_curve_has_the_score_and_interval_of_each_layer_choice(run: Run, page: Browser) -> None:
    table = run.table("word-layers")
    for reader in READERS:
        choose(page, "classifier", reader)
        rows = table[(table["word"] == "bank") & (table["classifier"] == reader)]
        rows = rows.set_index("layers").loc[list(CHOICES)]
        heights, scores, titles = zip(*page.js(FRAMES), strict=True)
        values = 100 * rows["macro_f1"]
        assert [float(score) for score in scores] == pytest.approx(values.tolist(), abs=0.051)
        low, high = (float(by_id(page, f"strip-{end}").text) for end in ("low", "high"))
        expected = (values - low) / (high - low) * 100
        assert list(heights) == pytest.approx(expected.tolist(), abs=0.1)
        for title, row in zip(titles, rows.to_dict("records"), strict=True):
            ends = row["macro_f1_low"] * 100, row["macro_f1_high"] * 100
            assert "95% CI {:.2f} to {:.2f}".format(*ends) in title


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
    assert shown_rows(chromium, rows) == wrong
    assert_marks(run, built, state, wrong)
    assert state["centroids"] == []
    at = rows.index(35)
    assert state["pinned"] == [[state["x"][at], state["y"][at]]]
    assert by_id(chromium, "card").is_displayed()
    assert state["ranges"] == [-1, 2, -3, 4]
    chromium.assert_quiet()


def test_every_layer_control(run: Run, built: Path, page: Browser) -> None:
    assert_shows(run, built, page, "2")  # what the word's folds chose
    by_id(page, "next").click()
    assert_shows(run, built, page, "mean-last-2")
    assert not by_id(page, "next").is_enabled()
    for _ in range(3):
        by_id(page, "previous").click()
    assert assert_shows(run, built, page, "0")["hash"] == "#layers=0"
    assert not by_id(page, "previous").is_enabled()
    choose(page, "layers", "mean-last-2")
    assert_shows(run, built, page, "mean-last-2")
    page.driver.find_element("css selector", "#strip a[data-layers='2']").click()
    assert_marks(run, built, assert_shows(run, built, page, "2"), wrong_rows(run, "2", READERS[:1]))
    # The user edits the address to another choice while the page is open.
    page.js("location.hash = '#layers=1&off=rings'")
    page.until("document.getElementById('layers').value === '1'")
    assert assert_shows(run, built, page, "1")["errors"]["row"] == []


def test_classifier_and_errors_only(run: Run, built: Path, page: Browser) -> None:
    rows, corpus = rows_of(run, built), run.corpora["bank"]
    for choice, reader in product(("0", "mean-last-2"), READERS):
        choose(page, "layers", choice)
        choose(page, "classifier", reader)
        choose(page, "show", "all")
        wrong = wrong_rows(run, choice, (reader,))
        assert wrong
        state = page.js(STATE)
        assert_marks(run, built, state, wrong)
        # Rings have the colour of the predicted sense.
        words = predictions_of(run, "bank", choice, reader)
        predicted = dict(zip(words.index.tolist(), words.predicted.tolist(), strict=True))
        of_errors = [predicted[int(corpus.index[rows[row]])] for row in state["errors"]["row"]]
        assert state["errors"]["tone"] == [*map(str, of_errors)]
        choose(page, "show", "errors")
        assert shown_rows(page, rows) == wrong
        assert by_id(page, "listed").text == f"{len(wrong)} of {len(corpus)} instances"
        assert [line[:2] for line in listed(page)] == [
            [f"test {corpus.index[row]}", " ".join(corpus.tokens[row])] for row in sorted(wrong)
        ]


def test_legend_hides_and_shows(run: Run, built: Path, page: Browser) -> None:
    corpus, rows = run.corpora["bank"], rows_of(run, built)
    for control in ("[data-sense='1']", "[data-split=train]"):
        page.driver.find_element("css selector", control).click()
    expected = {r for r in rows if corpus.gold[r] != 1 and corpus.split[r] == "test"}
    assert shown_rows(page, rows) == expected
    state = page.js(STATE)
    assert [sense for sense, _, _ in state["centroids"]] == [0, 2]
    assert_marks(run, built, state, wrong_rows(run, "2", READERS[:1]) & expected)


def test_the_page_opens_with_the_projection_selected_by_cv(
    chromium: Browser, tmp_path: Path
) -> None:
    run = make_run(tmp_path / "run", methods=("pca", "discriminant", "tsne"))
    build_report(**run.arguments(tmp_path))
    chromium.open(tmp_path / "report" / "words" / "bank.html")
    opened = chromium.js(STATE)
    assert opened["labels"] == ["LDA axis 1 (30.0%)", "LDA axis 2 (12.5%)"]
    assert "by a fit without it" in by_id(chromium, "projection-note").text
    assert "opens with LDA" in by_id(chromium, "opening").text
    for method, label, note in (("pca", "PC 1 (30.0% of variance)", "75.0 in this plot"),
                                ("tsne", "t-SNE 1", "mean little")):  # fmt: skip
        choose(chromium, "method", method)
        after = chromium.js(STATE)
        assert after["x"] != opened["x"] and after["labels"][0] == label
        assert note in by_id(chromium, "projection-note").text
        # The address names a projection unless the page opens with it.
        assert after["hash"] == f"#layers=2&method={method}"
    chromium.assert_quiet()


def test_centroids_are_means_of_training_instances(run: Run, page: Browser) -> None:
    corpus, points = run.corpora["bank"], pictures_of(run, "bank")[CHOICES.index("2")]
    for sense, x, y in page.js(STATE)["centroids"]:
        training = (corpus.gold == sense) & (corpus.split == "train")
        assert [x, y] == pytest.approx(points[training].mean(axis=0).tolist(), abs=2e-4)


def test_scores_follow_the_layer_choice(run: Run, page: Browser) -> None:
    table = """return [...document.querySelectorAll("#scores tbody tr")]
        .map((row) => [...row.cells].map((cell) => cell.textContent))"""
    for choice in ("0", "mean-last-2"):
        choose(page, "layers", choice)
        status = by_id(page, "status").get_attribute("textContent")
        for reader, (name, _, accuracy, wrong) in zip(READERS, page.js(table), strict=True):
            words = predictions_of(run, "bank", choice, reader)
            right = words.predicted == words.gold
            shown = (reader, f"{right.mean() * 100:.2f}", str(int((~right).sum())))
            assert (name, accuracy, wrong) == shown
            assert f"{wrong} error{'' if wrong == '1' else 's'} of {len(right)}" in status


def test_confusion_matrix_is_of_the_layer_and_classifier_shown(run: Run, page: Browser) -> None:
    choose(page, "layers", "1")
    choose(page, "classifier", READERS[1])
    words = predictions_of(run, "bank", "1", READERS[1])
    expected = np.zeros((3, 3), dtype=int)
    np.add.at(expected, (words.gold, words.predicted), 1)
    heads, *rows = page.js(
        "return [...document.querySelectorAll('#confusion tr')]"
        ".map((row) => [...row.cells].map((cell) => cell.textContent)).slice(-4)"
    )
    first, _, third = run.corpora["bank"].senses
    names = [first, GIVEN.name, third]
    assert heads[-3:] == [row[0] for row in rows] == names
    assert [[*map(int, row[1:])] for row in rows] == expected.tolist()
    assert by_id(page, "confusion").text.startswith(READERS[1])
