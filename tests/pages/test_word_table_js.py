"""word-table.js: the table of instances, with its pages and its CSV."""

import csv
import io
import re
from pathlib import Path
from typing import Any

from browser import Browser
from formula_cells import FORMULAS, NO_FORMULAS
from report_builder import GIVEN, READERS, Run, build_report, make_run, predictions_of
from word_pages import by_id, evaluate, listed, rows_of

from wsd.storage.csv import guarded


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


def test_csv_begins_no_cell_like_a_formula(chromium: Browser, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", formula=True)
    build_report(**run.arguments(tmp_path))
    chromium.open(tmp_path / "report" / "words" / "bank.html")
    text = chromium.driver.execute_async_script(
        """const done = arguments[0], made = URL.createObjectURL;
        URL.createObjectURL = (blob) => { blob.text().then(done); return made(blob); };
        HTMLAnchorElement.prototype.click = () => {};
        document.getElementById("csv").click();"""
    )
    lines = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
    assert {line["left"] for line in lines} == {"'=HYPERLINK(1)"}
    chromium.assert_quiet()


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
