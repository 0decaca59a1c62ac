"""The scripts of the pages, function by function, in a browser."""

import csv
import io
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import Browser
from formula_cells import FORMULAS, NO_FORMULAS
from word_pages import by_id, encoded, evaluate, made_data

from wsd.storage.csv import guarded


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


def of_page(browser: Browser, expression: str, *arguments: Any) -> Any:
    return evaluate(browser, ("page.js",), f"return {expression};", *arguments)


def test_address_round_trip(chromium: Browser) -> None:
    parts = [["layers", "mean-last-2"], ["search", "a+b&c=d #%שלום 👩‍🔬"], ["off", "x,y"]]
    text = of_page(chromium, "wsd.fragment.encode(arguments[0])", parts)
    assert "#" not in text and text.count("&") == 2
    decode = "[...wsd.fragment.decode(arguments[0])]"
    assert of_page(chromium, decode, text) == of_page(chromium, decode, f"#{text}") == parts
    # A plus that the user types is a plus, not the space of a form.
    assert of_page(chromium, decode, "#search=a+b") == [["search", "a+b"]]
    assert of_page(chromium, decode, "") == []


def test_numbers_as_text(chromium: Browser) -> None:
    assert of_page(chromium, "wsd.count(1234567)") == "1,234,567"
    shares = [0.12345, 1, 0, None]
    text = of_page(chromium, "arguments[0].map((share) => wsd.percent(share))", shares)
    assert text == ["12.35", "100.00", "0.00", "\N{EN DASH}"]
    assert of_page(chromium, "wsd.percent(0.126, 1)") == "12.6"


def test_text_of_an_element_stays_text(chromium: Browser) -> None:
    text = "<img src=x onerror=window.pwned=1>"
    for made in ("make('td', arguments[0], 'n')", "heading('row', arguments[0])",
                 "button(arguments[0], () => {}, arguments[0])"):  # fmt: skip
        assert of_page(chromium, f"wsd.{made}.textContent", text) == text
        assert of_page(chromium, f"wsd.{made}.childElementCount", text) == 0
    assert of_page(chromium, "wsd.make('b').outerHTML") == "<b></b>"
    assert of_page(chromium, "wsd.make('b', '', 'n').outerHTML") == '<b class="n"></b>'
    styled = of_page(chromium, "wsd.make('b', 'x', { color: 'red' }).outerHTML")
    assert styled == '<b style="color: red;">x</b>'


@pytest.mark.parametrize(
    ("name", "saved"), [("bank-2.svg", "bank-2.svg"), ("a/b: <c>.csv", "a_b_c_.csv"),
                        ("Bänke-שלום.csv", "Bänke-שלום.csv")],
)  # fmt: skip
def test_saved_file_has_a_valid_name(chromium: Browser, name: str, saved: str) -> None:
    body = """const names = [];
        HTMLAnchorElement.prototype.click = function () { names.push(this.download); };
        wsd.download(new Blob(["x"]), arguments[0]);
        return names;"""
    assert evaluate(chromium, ("page.js",), body, name) == [saved]


@pytest.mark.parametrize("modifier", ["altKey", "ctrlKey", "metaKey", "shiftKey"])
def test_key_with_a_modifier_is_the_browsers(chromium: Browser, modifier: str) -> None:
    body = """const pressed = [];
        wsd.onKey(({ key }) => pressed.push(key));
        dispatchEvent(new KeyboardEvent("keydown", { key: "a", [arguments[0]]: true }));
        dispatchEvent(new KeyboardEvent("keydown", { key: "b" }));
        return pressed;"""
    assert evaluate(chromium, ("page.js",), body, modifier) == ["b"]


def of_data(browser: Browser, expression: str, **changes: Any) -> Any:
    return evaluate(
        browser,
        ("page.js", "extra-columns.js", "word-data.js"),
        f"const data = wsd.wordData(arguments[0]); return {expression};",
        made_data(**changes),
    )


def test_rows_have_names_and_an_order(chromium: Browser) -> None:
    ids = ["train 1", "test 0", "train 0", "test 2", "test 1"]
    assert of_data(chromium, "data.rows.map(data.id)") == ids
    assert of_data(chromium, "data.inOrder.map(data.id)") == sorted(ids)
    assert of_data(chromium, "data.rowOf.get('test-2')") == 3
    assert of_data(chromium, "Array.from(data.gold)") == [0, 1, 1, 0, 1]


@pytest.mark.parametrize(("text", "has"), [(True, [True] * 5), (False, [False] * 5)])
def test_which_instances_have_text(chromium: Browser, text: bool, has: list[bool]) -> None:
    assert of_data(chromium, "data.rows.map(data.hasText)", text=text) == has
    lower = of_data(chromium, "data.lowerCase()", text=text)
    wanted = ["the bank ", "a bank of sand", " bank there", "a b bank ", "x bank y"]
    assert lower == [line if there else "" for line, there in zip(wanted, has, strict=True)]


def test_predictions_are_of_test_rows(chromium: Browser) -> None:
    wrong = "data.rows.map((row) => data.isWrong(row, arguments[1], arguments[2]))"
    for classifier, choice, rows in ((0, 0, {1, 4}), (0, 1, {4}), (0, 2, {4}), (1, 0, {1, 4})):
        asked = wrong.replace("arguments[1]", str(classifier)).replace("arguments[2]", str(choice))
        assert {row for row, is_wrong in enumerate(of_data(chromium, asked)) if is_wrong} == rows
    assert of_data(chromium, "data.predicted(1, 0, 1)") == 1
    assert of_data(chromium, "[1, 3, 4].map((row) => data.confidence(row, 1, 0))") == [0, 1, 2]
    assert of_data(chromium, "[1, 3, 4].map((row) => data.layersCorrect(row, 0))") == [1, 2, 0]
    # Single layers count, the mean of two does not.
    assert of_data(chromium, "[0, 1].map((c) => [...data.alwaysWrong(c)])") == [[4], [1, 4]]
    assert of_data(chromium, "[...data.alwaysWrong(0)]", choices=[
        {**choice, "single": False} for choice in made_data()["choices"]]) == []  # fmt: skip


def test_confidence_has_a_range_of_its_kind(chromium: Browser) -> None:
    assert of_data(chromium, "data.confidenceRange(0, 0)") == [0.5, 1]
    assert of_data(chromium, "data.confidenceRange(1, 0)") == [0, pytest.approx(2.55)]


def test_points_are_all_x_before_all_y(chromium: Browser) -> None:
    for axis, values in (("x", [-2, 1, 0, 3, 0.5]), ("y", [0, 0.5, 1, 1.5, 2])):
        assert of_data(chromium, f"[...data.places(0, 'pca').{axis}]") == values


def test_missing_neighbours_are_skipped(chromium: Browser) -> None:
    near = "data.rows.map((row) => data.neighbours(row, 0).map((of) => [of.row, of.similarity]))"
    shown = [
        [[1, 1], [2, 0]],
        [[0, -1]],
        [],
        [[0, 1], [1, 1]],
        [[4, pytest.approx(63 / 127)], [3, 0]],
    ]
    assert of_data(chromium, near) == shown
    nowhere = 2**32 - 1
    rows = [1, 2, 0, *[nowhere] * 3, 0, 65535, 4, 3]
    choices = [{**choice, "near": encoded(rows, "<u4")} for choice in made_data()["choices"]]
    wide = of_data(chromium, near, wide=True, choices=choices)
    assert wide == [*shown[:3], [[0, 1], [65535, 1]], shown[4]]


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


def places(chromium: Browser, method: str, data: dict[str, Any]) -> list[dict[str, list[float]]]:
    body = "return wsd.wordFrames(wsd.wordData(arguments[0]))(arguments[1]);"
    scripts = ("page.js", "extra-columns.js", "word-data.js", "word-strip.js")
    return list(evaluate(chromium, scripts, body, data, method))


def test_frames_share_axes_in_standard_deviations(chromium: Browser) -> None:
    """A layer with ten times as long vectors looks the same; one that hides more is smaller."""
    data, points = made_data(), np.array([[-4, 2, 0, 6, 1], [1, -1, 0, 2, 3]])
    projections = [choice["projections"]["pca"] for choice in data["choices"]]
    for projection in projections:
        projection["points"] = encoded(points.ravel().tolist(), "<i2")
    projections[1]["step"] = 5.0
    projections[2]["explained"] = [0.125, 0.0625]
    train = [0, 2]
    unit = points[0, train].std() / np.sqrt([0.5, 0.5, 0.125])
    scaled = points[:, [1, 3, 4], None] / unit
    # The axes end at the 99th percentile of all coordinates, here below the largest.
    ends = [np.sort(np.abs(scaled[axis]).ravel())[int(0.99 * 8)] for axis in (0, 1)]
    expected = np.clip(scaled / max(ends), -1, 1)
    for choice, plane in enumerate(places(chromium, "pca", data)):
        assert plane["x"] == pytest.approx(expected[0, :, choice].tolist())
        assert plane["y"] == pytest.approx(expected[1, :, choice].tolist())


def of_text(chromium: Browser, result: str, query: str = "", **given: Any) -> Any:
    body = f"""const [packed, query, row, side] = arguments, data = wsd.wordData(packed);
        if (side) data.sentence = () => [side, "bank", side];
        const state = wsd.wordState(data, {{ choice: 1, classifier: 0, query }});
        const text = wsd.wordText(data, state);
        return {result};"""
    scripts = ("page.js", "extra-columns.js", "word-data.js", "word-state.js", "word-text.js")
    row, side = given.pop("row", 0), given.pop("side", None)
    return evaluate(chromium, scripts, body, made_data(**given), query, row, side)


@pytest.mark.parametrize(
    ("row", "text", "expected"),
    [
        (0, True, ["the bank", "money", "train 1"]),
        (1, True, ["A Bank of Sand", "shore → shore ✓ correct",
                    "test 0 · logistic, confidence 1.00"]),
        (4, True, ["x bank y", "shore → money ✗ wrong",
                    "test 1 · logistic, confidence 0.20"]),
        (0, False, ["(train 1: this report omits sentences)", "money", "train 1"]),
    ],
)  # fmt: skip
def test_instance_in_words(chromium: Browser, row: int, text: bool, expected: list[str]) -> None:
    parts = "[text.sentence(row), text.verdict(row), text.numbers(row)].map((e) => e.textContent)"
    assert of_text(chromium, parts, row=row, text=text) == expected


def test_a_long_sentence_is_cut_around_the_word(chromium: Browser) -> None:
    """The card has the whole sentence; a script without spaces is cut between characters."""
    both = "[text.sentence(0), text.sentence(0, true)].map((element) => element.textContent)"
    dots, river = "\N{HORIZONTAL ELLIPSIS}", "\N{CJK UNIFIED IDEOGRAPH-6CB3}"
    for side, kept in (("words " * 60, "words " * 26), (river * 200, river * 160), ("x" * 160, "")):
        side, kept = side.strip(), kept.strip()
        shown, whole = of_text(chromium, both, side=side)
        assert whole == f"{side} bank {side}"
        assert shown == (f"{dots} {kept} bank {kept} {dots}" if kept else whole)


@pytest.mark.parametrize(
    ("query", "hits"),
    [("", []), ("bank", ["Bank"]), (" A ", ["A", "a", "a"]), ("of s", ["of S"]), ("İ", [])],
)
def test_hits_of_the_search_are_marked(chromium: Browser, query: str, hits: list[str]) -> None:
    marked = """[text.sentence(1).textContent,
        [...text.sentence(1).querySelectorAll("mark")].map((mark) => mark.textContent)]"""
    assert of_text(chromium, marked, query) == ["A Bank of Sand", hits]


DEFAULTS = """const data = wsd.wordData(arguments[0]);
const defaults = {
  choice: 1, classifier: 0, colour: "gold", show: "all", only: "", method: "pca",
  query: "", cell: null,
  sort: "instance",
  pin: -1, box: null, rings: true, centroids: true, keys: true,
};
const address = wsd.wordAddress(data, defaults, {
  colour: ["gold", "error"], show: ["all", "errors"], method: ["pca", "tsne"], search: true,
  sort: ["instance", "-confidence"], ...arguments[1].offered,
});
const plain = (state) => ({
  ...state, hiddenSenses: [...state.hiddenSenses], hiddenSplits: [...state.hiddenSplits],
});
const open = { ...defaults, hiddenSenses: new Set(), hiddenSplits: new Set() };
"""


AT_FIRST = {
    "choice": 1, "classifier": 0, "colour": "gold", "show": "all", "only": "",
    "method": "pca", "query": "",
    "cell": None, "sort": "instance",
    "pin": -1, "box": None, "rings": True, "centroids": True, "keys": True, "hiddenSenses": [],
    "hiddenSplits": [],
}  # fmt: skip


SCRIPTS = ("page.js", "extra-columns.js", "word-data.js", "word-state.js")


def decoded(browser: Browser, text: str, **offered: Any) -> dict[str, Any]:
    body = f"{DEFAULTS} return plain(address.decode(arguments[1].text));"
    given = {"text": text, "offered": offered}
    return dict(evaluate(browser, SCRIPTS, body, made_data(), given))


@pytest.mark.parametrize(
    ("chosen", "text"),
    [
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
    ],
)  # fmt: skip
def test_the_state_survives_a_round_trip(
    chromium: Browser, chosen: dict[str, Any], text: str
) -> None:
    body = f"""{DEFAULTS} const sets = Object.fromEntries(Object.entries(arguments[1].chosen)
        .map(([key, value]) => [key, key.startsWith("hidden") ? new Set(value) : value]));
        return address.encode({{ ...open, ...sets }});"""
    assert evaluate(chromium, SCRIPTS, body, made_data(), {"chosen": chosen}) == text
    assert decoded(chromium, f"#{text}") == {**AT_FIRST, **chosen}


def test_invalid_values_are_ignored(chromium: Browser) -> None:
    for text in (
        "", "layers=9", "classifier=", "colour=no", "without=7,x", "hide=all", "off=x",
        "pin=test-9", "cell=1", "cell=0,2", "cell=0,x", "sort=length", "box=1,2,3", "box=1,2,3,x",
        "box=2,1,3,4", "box=1,2,4,3", "box=1,Infinity,3,4", "=&=&%", "layers=%3Cscript%3E",
    ):  # fmt: skip
        assert decoded(chromium, text) == AT_FIRST, text


def test_values_that_the_page_lacks_are_ignored(chromium: Browser) -> None:
    asked = "method=tsne&search=x"
    assert decoded(chromium, asked) == {**AT_FIRST, "method": "tsne", "query": "x"}
    assert decoded(chromium, asked, method=None, search=False) == AT_FIRST


def test_csv_quotes_and_disarms(chromium: Browser) -> None:
    lines: list[list[Any]] = [
        ["a", 'say "b"', "c,d\ne"],
        [1, -0.5, ""],
        ["=1+1", "+1+1", "-x"],
        ["@x", "\tx", "\rx"],
        ["x=1", "é", "שלום"],
    ]
    text = evaluate(chromium, ("page.js", "word-table.js"), "return wsd.csv(arguments[0]);", lines)
    assert text.endswith("\r\n")
    read = list(csv.reader(io.StringIO(text, newline="")))
    assert read[0] == lines[0] and read[4] == lines[4]
    assert read[1] == ["1", "-0.5", ""]  # numbers are what they are
    assert read[2:4] == [[f"'{cell}" for cell in line] for line in lines[2:4]]


def test_csv_guards_the_same_cells_as_python(chromium: Browser) -> None:
    cells = [*FORMULAS, *NO_FORMULAS]
    lines = [[cell] for cell in cells]
    text = evaluate(chromium, ("page.js", "word-table.js"), "return wsd.csv(arguments[0]);", lines)
    read = text.removesuffix("\r\n").split('"\r\n"')
    assert [cell.strip('"') for cell in read] == [guarded(cell) for cell in cells]
    assert {guarded(cell) for cell in FORMULAS} == {f"'{cell}" for cell in FORMULAS}


def scripts() -> list[Path]:
    return sorted(Path(str(files("wsd.report") / "assets")).glob("*.js"))


def test_every_script_is_loaded_by_a_page_and_by_the_portable_one(
    built: Path, portable: Path, chromium: Browser
) -> None:
    pages = [page.read_text() for page in (built / "report").rglob("*.html")]
    loaded = {name for page in pages for name in re.findall(r'src="[./]*assets/([^"]*)"', page)}
    assert loaded == {"bokeh.min.js", *(path.name for path in scripts())}
    single = portable.read_text()
    for path in scripts():
        whole = path.read_text() in single
        others = {"gallery.js", "tables.js"}
        assert whole == (path.name not in others), path.name


@pytest.mark.parametrize("path", scripts(), ids=lambda path: path.name)
def test_script_is_short_and_strict_and_has_a_heading(path: Path) -> None:
    text = path.read_text()
    assert text.count("\n") < 250
    header, _, rest = text.partition('"use strict";\n')
    assert rest and header.startswith("// ")
    assert all(line.startswith("//") for line in header.splitlines())
    # A script exports only what it puts into `wsd`.
    names = re.findall(r"^(?:const|let|var|function|class) (\w+)", rest, flags=re.MULTILINE)
    assert names == (["wsd"] if path.name == "page.js" else [])
    assert "innerHTML" not in text and "eval(" not in text
