"""word-card.js: the card of the pinned instance."""

from pathlib import Path

from browser import Browser
from report_builder import (
    CHOICES,
    DATASET,
    READERS,
    Run,
    neighbours_of,
    predictions_of,
)
from selenium.webdriver.common.keys import Keys
from word_pages import STATE, by_id, rows_of, wrong_rows


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
