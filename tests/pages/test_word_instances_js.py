"""A word's page in a browser: the table of instances, the card, the tooltips."""

import csv
import io
import re
from pathlib import Path

import pytest
from browser import Browser
from report_builder import (
    CHOICES,
    DATASET,
    GIVEN,
    HOSTILE,
    READERS,
    Run,
    neighbours_of,
    predictions_of,
)
from selenium.webdriver.common.keys import Keys
from word_pages import STATE, by_id, hover, listed, rows_of, wrong_rows

from wsd.artifacts.corpus_table import Corpus


def test_tooltips_show_hostile_text_as_text(run: Run, built: Path, page: Browser) -> None:
    corpus: Corpus = run.corpora["bank"]
    rows = rows_of(run, built)
    by_sentence = {rows.index(30 + i): 30 + i for i in range(len(HOSTILE))}
    by_sentence[rows.index(4)] = 4  # and one of the training instances
    for shown, row in by_sentence.items():
        tip = hover(page, shown)
        tokens, at = corpus.tokens[row], corpus.position[row]
        split, line = corpus.split[row], corpus.index[row]
        assert " ".join(tokens) in tip["text"]
        assert tip["bold"] == [tokens[at]]
        names = [text.name for text in DATASET.sense_texts("bank", corpus.senses)]
        gold = names[corpus.gold[row]]
        assert gold in tip["text"]
        assert f"{split} {line}" in tip["text"]
        tags = ["B", "BDI", "DIV", *(["SPAN"] if split == "test" else []), "STYLE"]
        assert tip["tags"] == tags
        assert tip["width"] <= 400
        if split == "train":
            assert "logistic" not in tip["text"]
            continue
        words = predictions_of(run, "bank", "2", "logistic")
        rows_of_line = words.index == line
        code = int(words.predicted[rows_of_line][0])
        word = "✓ correct" if code == corpus.gold[row] else "✗ wrong"
        assert f"{gold} → {names[code]} {word}" in tip["text"]
        has_gloss = 1 in (code, corpus.gold[row])
        assert (f"{GIVEN.name}: {GIVEN.gloss}" in tip["text"]) == has_gloss
        confidence = float(tip["text"].split("logistic, confidence ")[1][:4])
        assert confidence == pytest.approx(words.scores[rows_of_line].max(), abs=0.01)


def test_selection_and_its_csv(run: Run, built: Path, page: Browser) -> None:
    corpus, rows = run.corpora["bank"], rows_of(run, built)
    page.js(
        """window.saved = [];
        HTMLAnchorElement.prototype.click = function () { saved.push([this.download, this.href]); };
        const [view] = [...Bokeh.index];
        view.model.document.get_model_by_name("points").selected.indices = arguments[0];""",
        [4, 20, 40, 41],
    )
    page.until("document.getElementById('listed').textContent.startsWith('4 of 48')")
    by_id(page, "csv").click()
    [(name, address)] = page.js("return saved")
    assert name == "bank-2-logistic.csv"
    # The page that made a blob can read its text; no connection can.
    text = page.driver.execute_async_script(
        """const done = arguments[1], made = URL.createObjectURL;
        URL.createObjectURL = (blob) => { blob.text().then(done); return made(blob); };
        document.getElementById("csv").click();""",
        address,
    )
    lines = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
    wanted = {(corpus.split[rows[i]], str(corpus.index[rows[i]])) for i in (4, 20, 40, 41)}
    assert {(line["split"], line["index"]) for line in lines} == wanted
    for line in lines:
        row = int(line["index"]) + (30 if line["split"] == "test" else 0)
        assert line["gold"].removeprefix("'") == corpus.senses[corpus.gold[row]]
        parts = [line[part].removeprefix("'") for part in ("left", "focal", "right")]
        assert " ".join(part for part in parts if part) == " ".join(corpus.tokens[row])
        assert not any(value.startswith(("=", "+", "-", "@")) for value in line.values())
        # The page stores 255 steps, and the file has no further digits.
        digits = r"[01]\.[0-9]{2}" if line["split"] == "test" else ""
        assert re.fullmatch(digits, line["confidence"])
    # Files have the labels; the table has the names.
    texts = [cell for line in listed(page) for cell in line]
    second = corpus.senses[1]
    assert [GIVEN.name in texts, second in texts] == [
        second in {csv_row["gold"] for csv_row in lines},
        False,
    ]
    by_id(page, "unselect").click()
    assert by_id(page, "listed").text == "48 of 48 instances"


def test_table_has_pages(page: Browser) -> None:
    first = [line[0] for line in listed(page)]
    assert len(first) == 25 and by_id(page, "place").text == "1\N{EN DASH}25"
    assert not by_id(page, "earlier").is_enabled()
    by_id(page, "later").click()
    second = [line[0] for line in listed(page)]
    assert len(second) == 23 and not set(first) & set(second)
    assert not by_id(page, "later").is_enabled()
    by_id(page, "earlier").click()
    assert [line[0] for line in listed(page)] == first


def test_headings_sort_the_table(run: Run, page: Browser) -> None:
    words = predictions_of(run, "bank", "2", READERS[0])
    sure = words.scores.max(axis=1)
    heading = page.driver.find_element("css selector", "[data-sort=confidence]")
    orders = []
    for sign, direction in ((1, "ascending"), (-1, "descending")):
        heading.click()
        assert heading.find_element("xpath", "..").get_attribute("aria-sort") == direction
        lines = listed(page)
        shown = [line for line in lines if line[0].startswith("test")]
        # Training instances have no confidence, and come last.
        assert lines[: len(shown)] == shown and len(shown) == len(sure)
        values = [float(line[4]) for line in shown]
        assert values == sorted(values, reverse=sign < 0)
        orders.append(shown[0][0])
    assert orders[0] == f"test {words.index[sure.argmin()]}"
    assert page.js("return location.hash") == "#layers=2&sort=-confidence"
    page.open(page.js("return location.href"))
    assert listed(page)[0][0] == orders[1]
    page.driver.find_element("css selector", "[data-sort=gold]").click()
    golds = [line[2] for line in listed(page)]
    assert golds == sorted(golds, key=str.lower)
    page.driver.find_element("css selector", "[data-sort=instance]").click()
    assert page.js("return location.hash") == "#layers=2"


def test_card_shows_neighbours_and_every_layer(run: Run, built: Path, page: Browser) -> None:
    corpus, rows = run.corpora["bank"], rows_of(run, built)
    names = [text.name for text in DATASET.sense_texts("bank", corpus.senses)]
    button = page.driver.find_elements("css selector", "#instances tbody th button")[0]
    assert button.text == "test 0"
    button.send_keys(Keys.ENTER)
    assert page.js("return document.activeElement.id") == "card"
    row = 30
    card = by_id(page, "card").get_attribute("textContent")
    assert " ".join(corpus.tokens[row]) in card
    words = predictions_of(run, "bank", "2", READERS[0])
    i = words.index.tolist().index(0)
    assert f"logistic, confidence {words.scores[i].max():.2f}" in card
    fates = page.js(
        "return [...document.querySelectorAll('.fates tbody tr')]"
        ".map((line) => [...line.cells].map((cell) => cell.textContent))"
    )
    for line, reader in zip(fates, READERS, strict=True):
        marks = ["✗" if row in wrong_rows(run, c, (reader,)) else "✓" for c in CHOICES]
        assert line == [reader, *marks]
    assert "independent probe" in card
    near = neighbours_of(run, "bank", "2")
    entries = page.js(
        "return [...document.querySelectorAll('#card .sentences li')].map((e) => e.textContent)"
    )
    assert len(entries) == 5
    for entry, other, similarity in zip(entries, near.rows[row], near.similarity[row], strict=True):
        assert entry.startswith(" ".join(corpus.tokens[other]))
        assert f"{corpus.split[other]} {corpus.index[other]} " in entry
        assert names[corpus.gold[other]] in entry
        same = "✓ same sense" if corpus.gold[other] == corpus.gold[row] else "✗ another sense"
        assert same in entry
        assert abs(float(entry.rsplit(" ", 1)[1]) - similarity) < 0.01
    # Neighbours belong to the layer; clicking a neighbour pins it.
    by_id(page, "previous").click()
    fresh = neighbours_of(run, "bank", "1").rows[row]
    first = page.driver.find_element("css selector", "#card .sentences button")
    assert first.text == f"{corpus.split[fresh[0]]} {corpus.index[fresh[0]]}"
    first.click()
    state = page.js(STATE)
    at = rows.index(int(fresh[0]))
    assert state["pinned"] == [[state["x"][at], state["y"][at]]]
    assert state["hash"].endswith(f"pin={corpus.split[fresh[0]]}-{corpus.index[fresh[0]]}")
    page.driver.find_element("css selector", ".fates thead button, #choices a").click()
    page.driver.find_element("tag name", "body").send_keys(Keys.ESCAPE)
    assert not by_id(page, "card").is_displayed()
    assert page.js(STATE)["pinned"] == []


def test_card_of_a_training_instance_and_of_one_without_neighbours(
    run: Run, built: Path, chromium: Browser
) -> None:
    address = (built / "report" / "words" / "bank.html").as_uri()
    chromium.open(f"{address}#pin=train-0")
    entries = "return [...document.querySelectorAll('#card .sentences li')].length"
    assert "fitted on it" in by_id(chromium, "card").text
    assert chromium.js(entries) == 4
    chromium.open(f"{address}#pin=test-17")
    assert chromium.js(entries) == 0
    chromium.assert_quiet()
