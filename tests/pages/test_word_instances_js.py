"""A word's page in a browser: the table of instances, the card, the tooltips."""

import csv
import io
import re
from pathlib import Path

import numpy as np
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
from word_pages import STATE, by_id, hover, listed, rows_of, saved, wrong_rows


def test_tooltips_show_hostile_text_as_text(run: Run, built: Path, page: Browser) -> None:
    corpus, rows = run.corpora["bank"], rows_of(run, built)
    names = [text.name for text in DATASET.sense_texts("bank", corpus.senses)]
    words = predictions_of(run, "bank", "2", "logistic")
    # A training instance, and a test instance for each hostile text.
    for row in (4, *range(30, 30 + len(HOSTILE))):
        tip = hover(page, rows.index(row))
        tokens, gold = corpus.tokens[row], names[corpus.gold[row]]
        assert " ".join(tokens) in tip["text"] and tip["bold"] == [tokens[corpus.position[row]]]
        assert gold in tip["text"] and f"{corpus.split[row]} {corpus.index[row]}" in tip["text"]
        span = [] if row < 30 else ["SPAN"]
        assert tip["tags"] == ["B", "BDI", "DIV", *span, "STYLE"] and tip["width"] <= 400
        if row < 30:
            assert "logistic" not in tip["text"]
            continue
        [i] = np.flatnonzero(words.index == corpus.index[row])
        code = words.predicted[i]
        verdict = "✓ correct" if code == corpus.gold[row] else "✗ wrong"
        assert f"{gold} → {names[code]} {verdict}" in tip["text"]
        has_gloss = 1 in (code, corpus.gold[row])
        assert (f"{GIVEN.name}: {GIVEN.gloss}" in tip["text"]) == has_gloss
        confidence = float(tip["text"].split("logistic, confidence ")[1][:4])
        assert confidence == pytest.approx(words.scores[i].max(), abs=0.01)


def test_selection_and_its_csv(run: Run, built: Path, page: Browser) -> None:
    corpus, rows = run.corpora["bank"], rows_of(run, built)
    page.js(
        """const [view] = [...Bokeh.index];
        view.model.document.get_model_by_name("points").selected.indices = arguments[0];""",
        [4, 20, 40, 41],
    )
    page.until("document.getElementById('listed').textContent.startsWith('4 of 48')")
    name, _, content = saved(page, by_id(page, "csv").click)
    assert name == "bank-2-logistic.csv"
    lines = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    wanted = {(corpus.split[rows[i]], str(corpus.index[rows[i]])) for i in (4, 20, 40, 41)}
    assert {(line["split"], line["index"]) for line in lines} == wanted
    for line in lines:
        row = int(line["index"]) + (30 if line["split"] == "test" else 0)
        assert line["gold"].removeprefix("'") == corpus.senses[corpus.gold[row]]
        parts = [line[part].removeprefix("'") for part in ("left", "focal", "right")]
        assert " ".join(filter(None, parts)) == " ".join(corpus.tokens[row])
        # The page stores 255 steps, and the file has no further digits.
        digits = r"[01]\.[0-9]{2}" if line["split"] == "test" else ""
        assert re.fullmatch(digits, line["confidence"])
        assert line["input_gold"] == "one"  # an extra column
    # Files have the labels; the table has the names.
    assert corpus.senses[1] not in {cell for line in listed(page) for cell in line}


def test_headings_sort_the_table(run: Run, page: Browser) -> None:
    words = predictions_of(run, "bank", "2", READERS[0])
    sure = words.scores.max(axis=1)
    heading = page.driver.find_element("css selector", "[data-sort=confidence]")
    for sign, direction in ((1, "ascending"), (-1, "descending")):
        heading.click()
        assert heading.find_element("xpath", "..").get_attribute("aria-sort") == direction
        # Training instances have no confidence, and come last.
        shown, rest = listed(page)[: len(sure)], listed(page)[len(sure) :]
        assert {line[0].split()[0] for line in rest} == {"train"}
        assert shown[0][0] == f"test {words.index[(sign * sure).argmin()]}"
        values = [float(line[4]) for line in shown]
        assert values == sorted(values, reverse=sign < 0)
    assert page.js("return location.hash") == "#layers=2&sort=-confidence"
    page.open(page.js("return location.href"))
    assert listed(page)[: len(shown)] == shown


def test_card_shows_neighbours_and_every_layer(run: Run, built: Path, page: Browser) -> None:
    corpus, row = run.corpora["bank"], 30
    rows = rows_of(run, built)
    names = [text.name for text in DATASET.sense_texts("bank", corpus.senses)]
    ids = [f"{s} {i}" for s, i in zip(corpus.split, corpus.index, strict=True)]
    page.driver.find_element("css selector", "#instances tbody th button").send_keys(Keys.ENTER)
    assert page.js("return document.activeElement.id") == "card"
    card = by_id(page, "card").get_attribute("textContent")
    assert " ".join(corpus.tokens[row]) in card and ids[row] in card
    fates = page.js(
        "return [...document.querySelectorAll('.fates tbody tr')]"
        ".map((line) => [...line.cells].map((cell) => cell.textContent))"
    )
    for line, reader in zip(fates, READERS, strict=True):
        marks = ["✗" if row in wrong_rows(run, c, (reader,)) else "✓" for c in CHOICES]
        assert line == [reader, *marks]
    near = neighbours_of(run, "bank", "2")
    entries = page.js(
        "return [...document.querySelectorAll('#card .sentences li')].map((e) => e.textContent)"
    )
    for entry, other, similarity in zip(entries, near.rows[row], near.similarity[row], strict=True):
        assert entry.startswith(" ".join(corpus.tokens[other])) and f"{ids[other]} " in entry
        assert names[corpus.gold[other]] in entry
        same = "✓ same sense" if corpus.gold[other] == corpus.gold[row] else "✗ another sense"
        assert same in entry
        assert abs(float(entry.rsplit(" ", 1)[1]) - similarity) < 0.01
    # Neighbours belong to the layer; clicking a neighbour pins it.
    by_id(page, "previous").click()
    fresh = int(neighbours_of(run, "bank", "1").rows[row][0])
    first = page.driver.find_element("css selector", "#card .sentences button")
    assert first.text == ids[fresh]
    first.click()
    state, at = page.js(STATE), rows.index(fresh)
    assert state["pinned"] == [[state["x"][at], state["y"][at]]]
    assert state["hash"].endswith(f"pin={ids[fresh].replace(' ', '-')}")
    page.driver.find_element("tag name", "body").send_keys(Keys.ESCAPE)
    assert not by_id(page, "card").is_displayed()
    assert page.js(STATE)["pinned"] == []
