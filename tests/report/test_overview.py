"""The page that lists all reports: only existing ones, with any name."""

import json
import os
import re
import shutil
from html import unescape
from pathlib import Path

import pandas as pd
import pytest
from report_builder import HOSTILE, Run, make_run

import wsd
from wsd.cli import main
from wsd.report.overview import PAGE, reports, write_overview
from wsd.storage.csv import read_csv, write_csv
from wsd.storage.json import write_json

NOON = 1_700_049_600  # of 15 November 2023, in UTC


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("run"), models={"first": {}, "second": {}})


def report(run: Run, tables: Path) -> Path:
    """Write the files of a report that the list reads."""
    (tables / PAGE).parent.mkdir(parents=True)
    (tables / PAGE).write_text("a report")
    write_csv(tables / "comparison.csv", read_csv(run.tables["comparison"][0]))
    content = json.loads((run.folder / "provenance.json").read_text())
    write_json(tables / "provenance.json", {**content, "versions": {"wsd": wsd.__version__}})
    os.utime(tables / "provenance.json", (NOON, NOON))
    return tables


def cells(page: Path) -> list[list[str]]:
    """Return the rows of the table as text."""
    rows = re.findall(r"<tr>(<th scope=\"row\">.*?)</tr>", page.read_text("utf-8"), re.DOTALL)
    parts = [re.split("<t[hd][^>]*>", row)[1:] for row in rows]
    return [[unescape(re.sub("<[^>]*>", "", cell)).strip() for cell in row] for row in parts]


def test_every_report_has_a_row_and_a_link(run: Run, tmp_path: Path) -> None:
    for tables in ("quickstart", "quickstart/runs/more.layers", "mine/runs/a"):
        report(run, tmp_path / tables)
    (tmp_path / "quickstart/runs/unfinished").mkdir()
    (tmp_path / "logs/quickstart").mkdir(parents=True)
    page = write_overview(tmp_path)
    assert [(entry.page[:-2], entry.run) for entry in reports(tmp_path)] == [
        (("mine", "runs", "a"), "a"),
        (("quickstart",), ""),
        (("quickstart", "runs", "more.layers"), "more.layers"),
    ]
    links = re.findall(r'href="((?!data:)[^"]*)"', page.read_text())
    assert len(links) == 3 and all((tmp_path / link).is_file() for link in links)
    table = read_csv(run.tables["comparison"][0])
    best = table[table["kind"] == "selected"].nlargest(1, "objective_cv").iloc[0]
    assert [row[1] for row in cells(page)] == ["a", "\N{EN DASH}", "more.layers"]
    chosen = [f"{best['view']} {best['layers']} of {best['model']}", best["classifier"]]
    for row in cells(page):
        assert row[2:4] == chosen
        assert f"{100 * best['mean_macro_f1']:.2f}" in row[4]
        assert f"{100 * best['mean_macro_f1_low']:.1f}\N{EN DASH}" in row[4]
        assert row[5:] == [str(int(best["n_words"])), "first, second", "2023-11-15"]
    shutil.rmtree(tmp_path / "quickstart/runs")
    assert main(["overview", str(tmp_path)]) == 0
    assert len(cells(page)) == 2


def test_tables_that_cannot_be_read_hide_no_report(run: Run, tmp_path: Path) -> None:
    damaged, gone, _ = (report(run, tmp_path / name) for name in ("a", "b", "whole"))
    (damaged / "comparison.csv").write_text("kind,model\n")
    for name in ("comparison.csv", "provenance.json"):
        (gone / name).unlink()
    rows = [" ".join(row) for row in cells(write_overview(tmp_path))]
    assert ["its tables cannot be read" in row for row in rows] == [True, True, False]
    assert "whole" in rows[2]


def test_foreign_text_stays_text(run: Run, tmp_path: Path) -> None:
    tables = report(run, tmp_path / "mine")
    table = read_csv(run.tables["comparison"][0])
    for column, text in zip(("model", "layers", "classifier"), HOSTILE, strict=False):
        table.loc[table["model"] == "first", column] = text
    table["view"] = table["layers"]  # so that it is named as it is
    write_csv(tables / "comparison.csv", pd.DataFrame(table))
    text = write_overview(tmp_path).read_text(encoding="utf-8")
    assert unescape(text).count(HOSTILE[0]) and not re.search("<script|<img", text)
    assert "default-src 'none'; script-src 'none'" in unescape(text)
