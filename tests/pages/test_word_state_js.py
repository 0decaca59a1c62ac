"""word-state.js: selects the instances that pass the filters."""

from pathlib import Path
from typing import Any

import pytest
from browser import Browser
from report_builder import CHOICES, READERS, Run
from selenium.webdriver.support.ui import Select
from word_pages import STATE, by_id, evaluate, listed, made_data, rows_of, wrong_rows


def test_errors_of_every_single_layer(run: Run, built: Path, page: Browser) -> None:
    rows = rows_of(run, built)
    always = set.intersection(
        *(wrong_rows(run, choice, (READERS[1],)) for choice in ("0", "1", "2"))
    )
    Select(by_id(page, "classifier")).select_by_value(READERS[1])
    Select(by_id(page, "show")).select_by_value("always")
    for choice in CHOICES:  # the same on every layer choice
        Select(by_id(page, "layers")).select_by_value(choice)
        shown = page.js(STATE)["shown"]
        assert {row for row, on in zip(rows, shown, strict=True) if on} == always
    assert all(line[5] == "0 of 3" for line in listed(page))


def test_search_takes_text_literally(run: Run, built: Path, page: Browser) -> None:
    rows, corpus = rows_of(run, built), run.corpora["bank"]
    for query in ("N7", "<SCRIPT>", "שלום", "$$x^2$$", "👩‍🔬", "nothing of that kind"):
        # Chromium's driver cannot type characters beyond the basic plane.
        page.js(
            """const field = document.getElementById("search");
            field.value = arguments[0];
            field.dispatchEvent(new Event("input", { bubbles: true }));""",
            query,
        )
        expected = {row for row in rows if query.lower() in " ".join(corpus.tokens[row]).lower()}
        page.until("location.hash.includes(encodeURIComponent(arguments[0]))", query)
        assert by_id(page, "listed").text == f"{len(expected)} of {len(corpus)} instances"
        shown = page.js(STATE)["shown"]
        assert {row for row, on in zip(rows, shown, strict=True) if on} == expected
        page.open(page.js("return location.href"))
        assert by_id(page, "search").get_attribute("value") == query
        assert page.js(STATE)["shown"] == shown


@pytest.mark.parametrize(
    ("chosen", "visible"),
    [
        ("{}", {0, 1, 2, 3, 4}),
        ("{ hiddenSenses: new Set([1]) }", {0, 3}),
        ("{ hiddenSplits: new Set(['train']) }", {1, 3, 4}),
        ("{ show: 'errors' }", {4}),
        ("{ show: 'errors', choice: 0 }", {1, 4}),
        ("{ show: 'errors', classifier: 1 }", {1, 4}),
        ("{ show: 'always', choice: 0 }", {4}),
        ("{ query: '  BANK of ' }", {1}),
        ("{ query: 'bank', hiddenSplits: new Set(['test']), hiddenSenses: new Set([0]) }", {2}),
        ("{ query: 'nothing' }", set()),
        ("{ cell: [1, 0] }", {4}),
        ("{ cell: [1, 1] }", {1}),
        ("{ cell: [1, 0], choice: 0 }", {1, 4}),
    ],
)
def test_which_rows_pass_the_filters(chromium: Browser, chosen: str, visible: set[int]) -> None:
    body = f"""const data = wsd.wordData(arguments[0]), defaults = {{
          choice: 1, classifier: 0, show: "all", query: "" }};
        const state = wsd.wordState(data, defaults);
        Object.assign(state, {chosen});
        const changes = [state.filter(), state.filter()];
        return [changes, state.visible, state.layers.name, state.classifierName];"""
    scripts = ("page.js", "extra-columns.js", "word-data.js", "word-state.js")
    actual: Any = evaluate(chromium, scripts, body, made_data())
    assert actual[0] == [True, False]  # the second time nothing has changed
    assert {row for row, is_visible in enumerate(actual[1]) if is_visible} == visible
    assert actual[2] == ("0" if "choice: 0" in chosen else "1")
    assert actual[3] == ("nearest+centroid" if "classifier: 1" in chosen else "logistic")
