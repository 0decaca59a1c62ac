"""The scripts of the pages, function by function, in a browser."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from browser import Browser
from formula_cells import FORMULAS, NO_FORMULAS
from word_pages import by_id, evaluate, made_data

from wsd.storage.csv import guarded

SCRIPTS = ("page.js", "extra-columns.js", "word-data.js", "word-state.js")


def test_page_reports_that_the_plot_cannot_be_drawn(
    chromium: Browser, portable: Path, tmp_path: Path
) -> None:
    text = portable.read_text(encoding="utf-8")
    page = tmp_path / "damaged.html"
    page.write_text(text.replace('id="packed">', 'id="packed">AAAA'), encoding="utf-8")
    chromium.open(page, wait="!document.getElementById('problem').hidden")
    assert "could not be drawn" in by_id(chromium, "problem").text
    console, _ = chromium.drain()
    assert len(console) == 1


def of_data(browser: Browser, expression: str, **changes: Any) -> Any:
    body = f"const data = wsd.wordData(arguments[0]); return {expression};"
    return evaluate(browser, SCRIPTS[:3], body, made_data(**changes))


def test_errors_in_all_layers_and_the_confidence(chromium: Browser) -> None:
    assert of_data(chromium, "[1, 3, 4].map((row) => data.confidence(row, 1, 0))") == [0, 1, 2]
    assert of_data(chromium, "[1, 3, 4].map((row) => data.layersCorrect(row, 0))") == [1, 2, 0]
    # Single layers count, the mean of two does not.
    assert of_data(chromium, "[0, 1].map((c) => [...data.alwaysWrong(c)])") == [[4], [1, 4]]


def test_missing_neighbours_are_skipped(chromium: Browser) -> None:
    near = "data.rows.map((row) => data.neighbours(row, 0).map((of) => [of.row, of.similarity]))"
    last = [[4, pytest.approx(63 / 127)], [3, 0]]
    shown = [[[1, 1], [2, 0]], [[0, -1]], [], [[0, 1], [1, 1]], last]
    assert of_data(chromium, near) == shown


@pytest.mark.parametrize(
    ("colour", "classifier", "tones", "key"),
    [
        ("gold", 0, ["0", "1", "1", "0", "1"], []),
        ("predicted", 0, ["train", "1", "train", "0", "0"], ["training, no prediction"]),
        ("error", 0, ["train", "right", "train", "right", "wrong"],
         ["correct", "wrong", "training"]),
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
    scripts = (*SCRIPTS, "word-colours.js")
    actual = evaluate(chromium, scripts, body, made_data(), colour, classifier)
    assert actual == [tones, key]


FILTERS: list[tuple[str, set[int]]] = [
    ("{}", {0, 1, 2, 3, 4}),
    ("{ hiddenSenses: new Set([1]) }", {0, 3}),
    ("{ hiddenSplits: new Set(['train']) }", {1, 3, 4}),
    ("{ show: 'errors' }", {4}),
    ("{ show: 'errors', classifier: 1 }", {1, 4}),
    ("{ show: 'always', choice: 0 }", {4}),
    ("{ query: '  BANK of ' }", {1}),
    ("{ query: 'bank', hiddenSplits: new Set(['test']), hiddenSenses: new Set([0]) }", {2}),
    ("{ cell: [1, 0] }", {4}),
]


def test_which_rows_pass_the_filters(chromium: Browser) -> None:
    body = f"""const data = wsd.wordData(arguments[0]);
        return [{", ".join(chosen for chosen, _ in FILTERS)}].map((chosen) => {{
          const defaults = {{ choice: 1, classifier: 0, show: "all", query: "" }};
          const state = Object.assign(wsd.wordState(data, defaults), chosen);
          return [state.filter(), state.filter(), state.visible];
        }});"""
    actual: Any = evaluate(chromium, SCRIPTS, body, made_data())
    for (chosen, rows), (*changes, visible) in zip(FILTERS, actual, strict=True):
        assert changes == [True, False]  # the second time nothing has changed
        assert {row for row, is_visible in enumerate(visible) if is_visible} == rows, chosen


def of_text(chromium: Browser, result: str, query: str = "", side: str = "") -> Any:
    body = f"""const [packed, query, side] = arguments, data = wsd.wordData(packed);
        if (side) data.sentence = () => [side, "bank", side];
        const state = wsd.wordState(data, {{ choice: 1, classifier: 0, query }});
        const text = wsd.wordText(data, state);
        return {result};"""
    return evaluate(chromium, (*SCRIPTS, "word-text.js"), body, made_data(), query, side)


def test_a_long_sentence_is_cut_around_the_word(chromium: Browser) -> None:
    """The card has the whole sentence; a script without spaces is cut between characters."""
    both = "[text.sentence(0), text.sentence(0, true)].map((element) => element.textContent)"
    dots, river = "\N{HORIZONTAL ELLIPSIS}", "\N{CJK UNIFIED IDEOGRAPH-6CB3}"
    for side, kept in (
        (f" {'words ' * 60}", f" {'words ' * 26}"), (river * 200, river * 160),
        (f" {river * 200} ", f" {river * 159} "), ("x" * 160, ""),
    ):  # fmt: skip
        shown, whole = of_text(chromium, both, side=side)
        assert whole == f"{side}bank{side}"
        cut = f"{dots} {kept.lstrip()}bank{kept.rstrip()} {dots}"
        assert shown == (cut if kept else whole)


def test_hits_of_the_search_are_marked(chromium: Browser) -> None:
    marked = "[...text.sentence(1).querySelectorAll('mark')].map((mark) => mark.textContent)"
    for query, hits in ((" A ", ["A", "a", "a"]), ("of s", ["of S"]), ("İ", [])):
        assert of_text(chromium, marked, query) == hits


DEFAULTS = """const data = wsd.wordData(arguments[0]), defaults = arguments[1].defaults;
const address = wsd.wordAddress(data, defaults, {
  colour: ["gold", "error"], show: ["all", "errors"], method: ["pca", "tsne"], search: true,
  sort: ["instance", "-confidence"],
});
const plain = (state) => ({
  ...state, hiddenSenses: [...state.hiddenSenses], hiddenSplits: [...state.hiddenSplits],
});
"""
AT_FIRST = {
    "choice": 1, "classifier": 0, "colour": "gold", "show": "all", "only": "", "method": "pca",
    "query": "", "cell": None, "sort": "instance", "pin": -1, "box": None, "rings": True,
    "centroids": True, "keys": True, "hiddenSenses": [], "hiddenSplits": [],
}  # fmt: skip


def of_address(browser: Browser, result: str, **given: Any) -> Any:
    given["defaults"] = {k: v for k, v in AT_FIRST.items() if not k.startswith("hidden")}
    return evaluate(browser, SCRIPTS, f"{DEFAULTS} return {result};", made_data(), given)


def decoded(browser: Browser, *texts: str) -> list[dict[str, Any]]:
    result = "arguments[1].texts.map((text) => plain(address.decode(text)))"
    return list(of_address(browser, result, texts=texts))


STATES: list[tuple[dict[str, Any], str]] = [
    ({}, "layers=1"),
    ({"choice": 2, "classifier": 1}, "layers=mean-last-2&classifier=nearest%2Bcentroid"),
    ({"colour": "error", "show": "errors", "method": "tsne"},
     "layers=1&colour=error&show=errors&method=tsne"),
    ({"query": "a+b & <c>"}, "layers=1&search=a%2Bb%20%26%20%3Cc%3E"),
    ({"cell": [0, 1], "sort": "-confidence"}, "layers=1&cell=0%2C1&sort=-confidence"),
    ({"hiddenSenses": [0, 1]}, "layers=1&without=0%2C1"),
    ({"hiddenSplits": ["test", "train"]}, "layers=1&hide=test%2Ctrain"),
    ({"rings": False, "centroids": False}, "layers=1&off=rings%2Ccentroids"),
    ({"pin": 3, "box": [-1.5, 2, 0.25, 4]}, "layers=1&pin=test-2&box=-1.5%2C2%2C0.25%2C4"),
]  # fmt: skip


def test_the_state_survives_a_round_trip(chromium: Browser) -> None:
    states = [{**AT_FIRST, **chosen} for chosen, _ in STATES]
    encode = """arguments[1].states.map((state) => address.encode({ ...state,
        hiddenSenses: new Set(state.hiddenSenses), hiddenSplits: new Set(state.hiddenSplits) }))"""
    texts = of_address(chromium, encode, states=states)
    assert texts == [text for _, text in STATES]
    assert decoded(chromium, *(f"#{text}" for text in texts)) == states


def test_invalid_values_are_ignored(chromium: Browser) -> None:
    texts = (
        "", "layers=9", "classifier=", "colour=no", "without=7,x", "hide=all", "off=x",
        "pin=test-9", "cell=1", "cell=0,2", "cell=0,x", "sort=length", "box=1,2,3", "box=1,2,3,x",
        "box=2,1,3,4", "box=1,2,4,3", "box=1,Infinity,3,4", "=&=&%", "layers=%3Cscript%3E",
    )  # fmt: skip
    for text, state in zip(texts, decoded(chromium, *texts), strict=True):
        assert state == AT_FIRST, text


def test_csv_quotes_and_guards_the_same_cells_as_python(chromium: Browser) -> None:
    cells = [*FORMULAS, *NO_FORMULAS]
    lines: list[list[Any]] = [["a", 'say "b"', "c,d\ne"], [1, -0.5, ""], cells]
    text = evaluate(chromium, ("page.js", "word-table.js"), "return wsd.csv(arguments[0]);", lines)
    assert text.endswith("\r\n")
    read = list(csv.reader(io.StringIO(text, newline="")))
    # Numbers are what they are.
    assert read == [lines[0], ["1", "-0.5", ""], [guarded(cell) for cell in cells]]
