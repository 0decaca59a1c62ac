"""word-scores.js: the scores next to the plot."""

from pathlib import Path
from typing import Any

import numpy as np
from browser import Browser
from report_builder import CHOICES, GIVEN, READERS, Run, explained_at, predictions_of
from selenium.webdriver.support.ui import Select
from word_pages import STATE, by_id, listed, rows_of


def test_scores_follow_the_layer_choice(run: Run, page: Browser) -> None:
    for choice in CHOICES:
        Select(by_id(page, "layers")).select_by_value(choice)
        for row, reader in enumerate(READERS):
            words = predictions_of(run, "bank", choice, reader)
            right = words.predicted == words.gold
            cells = page.js(
                "return [...document.querySelectorAll('#scores tbody tr')[arguments[0]].cells]"
                ".map((cell) => cell.textContent)",
                row,
            )
            assert cells[0] == reader
            assert cells[2:] == [f"{right.mean() * 100:.2f}", str(int((~right).sum()))]
            errors = f"{cells[3]} error{'' if cells[3] == '1' else 's'}"
            assert f"{errors} of {len(right)}" in by_id(page, "status").get_attribute("textContent")
        share = sum(explained_at(choice)) * 100
        honest = by_id(page, "projection-note").text
        assert f"explain {share:.1f}% of their variance" in honest
        assert "75.0 in the full space (8 dimensions a layer) and 75.0 in this plot" in honest


def test_confusion_matrix_is_of_the_layer_and_classifier_shown(run: Run, page: Browser) -> None:
    for choice, reader in (("1", READERS[1]), ("mean-last-2", READERS[0])):
        Select(by_id(page, "layers")).select_by_value(choice)
        Select(by_id(page, "classifier")).select_by_value(reader)
        words = predictions_of(run, "bank", choice, reader)
        expected = np.zeros((3, 3), dtype=int)
        np.add.at(expected, (words.gold, words.predicted), 1)
        shown = page.js(
            "return [...document.querySelectorAll('#confusion tbody tr')]"
            ".map((row) => [...row.cells].slice(1).map((cell) => Number(cell.textContent)))"
        )
        assert shown == expected.tolist()
        sides = page.js(
            "return ['thead th', 'tbody th'].map((side) => [...document.querySelectorAll"
            "(`#confusion ${side}`)].map((cell) => [cell.textContent, cell.title]))"
        )
        first, second, third = run.corpora["bank"].senses
        named = [[first, first], [GIVEN.name, f"{second}: {GIVEN.gloss}"], [third, third]]
        assert sides == [named, named]
        heading = page.js("return document.querySelector('#confusion td').textContent")
        assert heading.startswith(reader)


def test_a_number_of_the_confusion_matrix_filters(run: Run, built: Path, page: Browser) -> None:
    words, corpus = predictions_of(run, "bank", "2", READERS[0]), run.corpora["bank"]
    wrong = words.gold != words.predicted
    gold, predicted = int(words.gold[wrong][0]), int(words.predicted[wrong][0])
    cell = (words.gold == gold) & (words.predicted == predicted)

    def number() -> Any:
        path = f"#confusion tbody tr:nth-child({gold + 1}) td:nth-child({predicted + 2}) button"
        return page.driver.find_element("css selector", path)

    number().click()
    assert number().get_attribute("aria-pressed") == "true"
    assert page.js("return document.activeElement.getAttribute('aria-pressed')") == "true"
    rows = rows_of(run, built)
    shown = [row for row, on in zip(rows, page.js(STATE)["shown"], strict=True) if on]
    assert {int(corpus.index[row]) for row in shown} == set(words.index[cell].tolist())
    assert len(listed(page)) == cell.sum()
    assert page.js("return location.hash") == f"#layers=2&cell={gold}%2C{predicted}"
    number().click()
    assert all(page.js(STATE)["shown"]) and page.js("return location.hash") == "#layers=2"
