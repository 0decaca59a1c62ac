"""word-colours.js: the meaning of a point's colour."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import Browser
from report_builder import READERS, Run, predictions_of
from selenium.webdriver.support.ui import Select
from word_pages import STATE, by_id, evaluate, made_data, rows_of


def test_colours_show_the_chosen_quantity(run: Run, built: Path, page: Browser) -> None:
    corpus, rows = run.corpora["bank"], rows_of(run, built)
    words = predictions_of(run, "bank", "2", READERS[0])
    at = {int(line): i for i, line in enumerate(words.index)}

    def expected(of_test: Any) -> list[str]:
        return [
            of_test(row, at[int(corpus.index[row])]) if corpus.split[row] == "test" else "train"
            for row in rows
        ]

    sure = words.scores.max(axis=1)
    shade = np.clip(np.floor((sure - 1 / 3) / (1 - 1 / 3) * 8), 0, 7)
    tones = {
        "predicted": expected(lambda _, i: str(words.predicted[i])),
        "error": expected(
            lambda r, i: "right" if words.predicted[i] == corpus.gold[r] else "wrong"
        ),
        "split": expected(lambda *_: "test"),
        "gold": [str(corpus.gold[row]) for row in rows],
    }
    for value, wanted in tones.items():
        Select(by_id(page, "colour")).select_by_value(value)
        state = page.js(STATE)
        assert state["tone"] == wanted
        assert state["sense"] == tones["gold"]  # the marker stays the gold sense's
        assert state["hash"] == "#layers=2" + (f"&colour={value}" if value != "gold" else "")
        assert by_id(page, "tones").is_displayed() == (value != "gold")
    Select(by_id(page, "colour")).select_by_value("confidence")
    shown = page.js(STATE)["tone"]
    for tone, row in zip(shown, rows, strict=True):
        if corpus.split[row] == "train":
            assert tone == "train"
        else:
            shade_of_row = shade[at[int(corpus.index[row])]]
            assert abs(int(tone.removeprefix("ramp-")) - shade_of_row) <= 1
    assert "0.33 to 1.00, probability" in by_id(page, "tones").text


@pytest.mark.parametrize(
    ("colour", "classifier", "tones", "key"),
    [
        ("gold", 0, ["0", "1", "1", "0", "1"], []),
        ("predicted", 0, ["train", "1", "train", "0", "0"], ["training, no prediction"]),
        ("error", 0, ["train", "right", "train", "right", "wrong"],
         ["correct", "wrong", "training"]),
        ("split", 0, ["train", "test", "train", "test", "test"], ["training", "test"]),
        # The smallest probability is one over the number of senses; a lead starts at 0.
        ("confidence", 0, ["train", "ramp-7", "train", "ramp-0", "ramp-0"],
         ["0.50 to 1.00, probability of the predicted sense", "training, no prediction"]),
        ("confidence", 1, ["train", "ramp-0", "train", "ramp-3", "ramp-6"],
         ["0.00 to 2.55, lead over the next sense's score", "training, no prediction"]),
    ],
)  # fmt: skip
def test_tones_and_their_key(
    chromium: Browser, colour: str, classifier: int, tones: list[str], key: list[str]
) -> None:
    body = """const [packed, colour, classifier] = arguments, data = wsd.wordData(packed);
        const state = wsd.wordState(data, { choice: 1, classifier, colour });
        const colours = wsd.wordColours(data, state);
        return [data.rows.map(colours.toneOf(state)), colours.entries().map(([, text]) => text)];"""
    scripts = ("page.js", "extra-columns.js", "word-data.js", "word-state.js", "word-colours.js")
    actual = evaluate(chromium, scripts, body, made_data(), colour, classifier)
    assert actual == [tones, key]
