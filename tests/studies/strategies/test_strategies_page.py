"""The strategies page: what it says, as a table without scripts too, and what it does not."""

import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from made_report import MODEL, Page, Run, build_report, make_run
from read_pages import sources_of

from wsd.studies.strategies.page import apart


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def built(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built")
    build_report(**run.arguments(out))
    return out / "report" / "strategies.html"


def text_of(page: Path) -> str:
    """With spaces between elements, and hyphens of one kind."""
    text = unescape(re.sub("<[^>]*>", " ", page.read_text(encoding="utf-8")))
    return re.sub("[\u2011\u2013]", "-", " ".join(text.split())).replace(" ,", ",")


def parts_of(item: Any, name: str) -> list[dict[str, Any]]:
    """The attributes of every model of a kind in a plot."""
    if isinstance(item, list):
        return [found for of in item for found in parts_of(of, name)]
    if not isinstance(item, dict):
        return []
    own = [item["attributes"]] if item.get("name") == name and "attributes" in item else []
    return own + [found for of in item.values() for found in parts_of(of, name)]


def changed(run: Run, folder: Path, table: pd.DataFrame) -> Path:
    path = folder / "strategies.csv"
    table.to_csv(path, index=False)
    build_report(**replace(run, tables={**run.tables, "strategies": [path]}).arguments(folder))
    return folder / "report"


def test_it_says_what_won_and_what_that_is_told_from(built: Path) -> None:
    text = text_of(built)
    assert "With all labels <i>tuned</i> scores highest, 80.00 macro-F1 (77.0 to 82.0)" in text
    assert "cannot be told from best frozen layer; it is told apart from bag of words" in text
    assert "With the training set 1pct best frozen layer scores highest" in text


def test_what_is_not_known_is_a_dash_and_no_zero(built: Path) -> None:
    text = text_of(built)
    assert "zero-shot (gloss) focal 2, <b>own</b>: the last layer none 0 - 45.00" in text
    assert "bag of words full 60 0.024 0.048 with search 50.00 47.0-52.0" in text
    assert "No time on record: best frozen layer on 1pct; zero-shot (gloss)." in text
    drawn = json.dumps(Page(built).json(f"strategies.{MODEL}.minutes"))
    assert "zero-shot" not in drawn and "120 minutes" in drawn


def test_each_run_stands_beside_the_mean(built: Path) -> None:
    text = text_of(built)
    assert "80.00 77.0-82.0 2 seeds: 81.2, 78.8" in text
    assert "50.00 47.0-52.0 4 runs, a line per draw: 50.0, 60.0, 40.0, 50.0" in text
    assert "50.0, 60.0,<br>40.0, 50.0" in built.read_text()


def test_how_an_encoder_was_trained_is_said_and_who_chose_it(built: Path) -> None:
    text = text_of(built)
    assert "<i>tuned</i> rate <b>1 full 60 120" in text
    assert "<i>tuned</i> rate <b>1: as given 1pct 10 1.0" in text


def test_what_needs_no_label_stands_at_the_left_edge(built: Path) -> None:
    drawn = json.dumps(Page(built).json(f"strategies.{MODEL}.labels"))
    assert '"2.0", "none"' in drawn or '[2.0, "none"]' in drawn
    # What was measured of time stands in the other picture alone.
    assert "minutes" not in drawn


def test_strategies_with_the_same_number_of_labels_stand_at_that_number(
    run: Run, built: Path
) -> None:
    labels = set(pd.read_csv(run.tables["strategies"][0])["labels"]) - {0}
    sources = sources_of(Page(built).json(f"strategies.{MODEL}.labels"))
    drawn = {x for source in sources for x in source["x"]}
    assert drawn - {2.0} == labels and len(sources) > len(labels)


def test_no_interval_hides_the_point_of_another_strategy(built: Path) -> None:
    drawn = parts_of(Page(built).json(f"strategies.{MODEL}.labels"), "GlyphRenderer")
    glyphs = [(of.get("level", "glyph"), of["glyph"]) for of in drawn]
    bars = [(level, of["attributes"]) for level, of in glyphs if of["name"] == "Segment"]
    assert bars and {level for level, _ in bars} == {"underlay"}
    assert all(of["line_alpha"]["value"] < 0.5 for _, of in bars)
    points = [(level, of["attributes"]) for level, of in glyphs if of["name"] == "Scatter"]
    assert {level for level, _ in points} == {"glyph"}


def test_the_same_predictions_are_said_to_be(run: Run, tmp_path: Path) -> None:
    table = pd.read_csv(run.tables["strategies"][0], dtype=str, keep_default_na=False)
    row = table.index[table["mean_macro_f1_p_holm"] != ""][0]
    table.loc[row, "mean_macro_f1_difference"] = "0.000000"
    ends = [f"mean_macro_f1_{end}" for end in ("difference_low", "difference_high", "p_holm")]
    table.loc[row, ends] = ""
    text = text_of(changed(run, tmp_path, table) / "strategies.html")
    assert "+0.00 the same predictions" in text and "nan" not in text


def test_the_numbers_of_an_axis_do_not_run_into_one_another() -> None:
    assert apart([1197, 1080, 23638, 1080, 1404]) == [1080, 1404, 23638]
    assert apart([]) == []


def test_names_are_text(built: Path) -> None:
    page = Page(built)
    assert {"i", "b"}.isdisjoint(tag for tag, _ in page.elements)
    assert "<i>tuned</i>" in page.text and "<b>own</b>" in page.text


def test_without_fine_tuning_it_says_how_to_get_it(run: Run, built: Path, tmp_path: Path) -> None:
    said = "Nothing was fine-tuned here: with the config key finetune it stands beside the rest."
    assert said in text_of(built)
    table = pd.read_csv(run.tables["strategies"][0]).replace("<i>tuned</i>", "fine-tuned")
    assert said not in text_of(changed(run, tmp_path, table) / "strategies.html")


def test_without_a_table_there_is_no_page_and_no_link(run: Run, tmp_path: Path) -> None:
    report = changed(run, tmp_path, pd.DataFrame())
    assert not (report / "strategies.html").exists()
    assert "strategies.html" not in Page(report / "index.html").links()
