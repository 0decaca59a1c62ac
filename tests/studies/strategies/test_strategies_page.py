"""The strategies page: its content, and its table without scripts."""

import json
import re
from html import unescape
from pathlib import Path

import pandas as pd
import pytest
from read_pages import parts_of, sources_of
from report_builder import MODEL, Page, Run, build_report, make_run
from wsd.studies.strategies.strategies_page import COLUMNS, StrategiesPage, readable_ticks

from wsd.report.pages.read_tables import read_tables


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def built(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built")
    build_report(**run.arguments(out), extensions=[StrategiesPage(made_table())])
    return out / "report" / "strategies.html"


def made_table() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "model": model, "strategy": name, "train": train, "view": "focal", "layers": layers,
            "classifier": "<b>own</b>", "selected_by": by, "n_words": 2,
            "runs": runs.count(" ") + 1, "setting": "rate <b>1" if "tuned" in name else "",
            "draws": draws, "labels": labels,
            "processor_minutes": minutes,
            "processor_minutes_with_search": None if minutes is None else 2 * minutes,
            **{
                f"{metric}{values}": result
                for metric in ("mean_macro_f1", "micro_accuracy")
                for values, result in {
                    "": value, "_low": value - 0.03, "_high": value + 0.02, "_of_runs": runs,
                    "_sd": 0.0123, "_difference": apart, "_difference_sd": 0.0045,
                    "_difference_low": apart if p else None,
                    "_difference_high": apart if p else None,
                    "_difference_of_runs": "" if apart is None else differences, "_p": p,
                    "_p_holm": p, "_detectable": None if p is None else 0.02 - apart / 100,
                    "_detectable_in_family": None if p is None else 0.03 - apart / 100,
                }.items()
            },
        }
        for model in [MODEL]
        for name, train, layers, by, labels, minutes, value, apart, p, runs, draws, differences in (
            ("bag of words", "full", "-", "", 60, 0.024, 0.5, -0.25, 0.002, "0.5", 1, "-0.25"),
            ("zero-shot (gloss)", "none", "2", "last layer", 0, None, 0.45, -0.3, 0.05, "0.45", 1,
             "-0.3"),
            ("best frozen layer", "full", "1", "cv", 60, 1.5, 0.75, None, None, "0.75", 1, ""),
            ("frozen features", "full", "1", "cv", 60, 1.5, 0.75, 0.0, None, "0.75", 1, ""),
            ("<i>tuned</i>", "full", "1", "cv", 60, 120.0, 0.8, 0.05, 0.25, "0.8125 0.7875", 1,
             "0.0625 0.0375"),
            ("best frozen layer", "1pct", "1", "cv", 10, None, 0.6, None, None, "0.6", 1, ""),
            ("<i>tuned</i>", "1pct", "1", "as given", 10, 1.0, 0.5, -0.1, 0.25,
             "0.5 0.6 0.4 0.5", 2, "-0.05 -0.15"),
        )
    )  # fmt: skip


def text_of(page: Path) -> str:
    """Return the text with spaces between elements and one kind of hyphen."""
    text = unescape(re.sub("<[^>]*>", " ", page.read_text(encoding="utf-8")))
    return re.sub("[\u2011\u2013]", "-", " ".join(text.split())).replace(" ,", ",")


def changed(run: Run, folder: Path, table: pd.DataFrame) -> Path:
    path = folder / "strategies.csv"
    table.to_csv(path, index=False)
    extension = StrategiesPage(read_tables([path], "strategies", COLUMNS))
    build_report(**run.arguments(folder), extensions=[extension])
    return folder / "report"


def test_the_page_names_the_highest_and_every_verdict_once(built: Path) -> None:
    text = text_of(built)
    assert "With all labels <i>tuned</i> scores highest, 80.00 macro-F1 (77.0 to 82.0)" in text
    verdicts = (
        "Compared with the best frozen layer (75.00): not significantly different: <i>tuned</i>; "
        "significantly lower: bag of words and zero-shot (gloss); "
        "with the same predictions: frozen features."
    )
    assert text.count(verdicts) == 2
    assert "With the training set 1pct best frozen layer scores highest" in text
    assert "layer (60.00): not significantly different: <i>tuned</i>." in text


def test_the_page_says_which_difference_it_could_detect(built: Path) -> None:
    text = text_of(built)
    assert "1.95 to 2.30 points for one comparison" in text
    assert "2.95 to 3.30 within the family of comparisons" in text
    assert "2.10 points for one comparison" in text


def test_unknown_values_are_a_dash_not_zero(built: Path) -> None:
    text = text_of(built)
    assert "zero-shot (gloss) focal 2, <b>own</b>: the last layer none 0 - 45.00" in text
    assert "bag of words full 60 0.024 0.048 with search 50.00 47.0-52.0" in text
    assert "No recorded time: best frozen layer on 1pct; zero-shot (gloss)." in text
    drawn = json.dumps(Page(built).json(f"strategies.{MODEL}.minutes"))
    assert "zero-shot" not in drawn and "120 minutes" in drawn


def test_runs_have_their_spread_and_range(built: Path) -> None:
    text = text_of(built)
    assert "80.00 77.0-82.0 2 seeds: SD 1.23, range 78.75 to 81.25" in text
    assert "+5.00 +5.00 to +5.00 SD 0.45, range +3.75 to +6.25" in text
    assert "50.00 47.0-52.0 4 runs of 2 draws: SD 1.23, range 40.00 to 60.00" in text
    # One run has no spread.
    assert text.count("SD 0.45") == 2


def test_the_training_of_an_encoder_and_its_selection_are_shown(built: Path) -> None:
    text = text_of(built)
    assert "<i>tuned</i> rate <b>1 full 60 120" in text
    assert "<i>tuned</i> rate <b>1: as given in the config 1pct 10 1.0" in text


def test_strategies_without_labels_are_at_the_left_edge(built: Path) -> None:
    drawn = json.dumps(Page(built).json(f"strategies.{MODEL}.labels"))
    assert '"2.0", "none"' in drawn or '[2.0, "none"]' in drawn
    # Measured times are only in the other plot.
    assert "minutes" not in drawn


def test_strategies_are_placed_by_their_number_of_labels(run: Run, built: Path) -> None:
    labels = set(made_table()["labels"]) - {0}
    sources = sources_of(Page(built).json(f"strategies.{MODEL}.labels"))
    drawn = {x for source in sources for x in source["x"]}
    assert drawn - {2.0} == labels and len(sources) > len(labels)


def test_no_interval_hides_the_point_of_another_strategy(built: Path) -> None:
    drawn = parts_of(Page(built).json(f"strategies.{MODEL}.labels"), "GlyphRenderer")
    glyphs = [(entry.get("level", "glyph"), entry["glyph"]) for entry in drawn]
    bars = [(level, entry["attributes"]) for level, entry in glyphs if entry["name"] == "Segment"]
    assert bars and {level for level, _ in bars} == {"underlay"}
    assert all(entry["line_alpha"]["value"] < 0.5 for _, entry in bars)
    points = [(level, entry["attributes"]) for level, entry in glyphs if entry["name"] == "Scatter"]
    assert {level for level, _ in points} == {"glyph"}


def test_the_name_of_a_strategy_is_at_its_last_point(built: Path) -> None:
    notes = {
        n["text"]: n for n in parts_of(Page(built).json(f"strategies.{MODEL}.minutes"), "Label")
    }
    names = ["bag of words", "best frozen layer", "frozen features", "<i>tuned</i>"]
    assert sorted(notes) == sorted(names)
    assert notes["bag of words"]["x"] == 0.024 and notes["bag of words"]["y"] == 50
    assert notes["<i>tuned</i>"]["name"] == "line-<i>tuned</i>"
    # Names at the same point are one above the other.
    first, second = (notes[name] for name in names[1:3])
    assert first["x"] == second["x"] and abs(first["y"] - second["y"]) > 1


def test_a_name_is_to_the_left_if_a_point_is_to_the_right(run: Run, tmp_path: Path) -> None:
    table = made_table()
    table.loc[table["strategy"] == "<i>tuned</i>", ["processor_minutes", "mean_macro_f1"]] = 2, 0.75
    plot = Page(changed(run, tmp_path, table) / "strategies.html").json(
        f"strategies.{MODEL}.minutes"
    )
    offsets = {note["text"]: note["x_offset"] for note in parts_of(plot, "Label")}
    assert offsets["best frozen layer"] < 0 < offsets["<i>tuned</i>"]


def test_strategies_with_as_many_labels_are_a_list(run: Run, built: Path, tmp_path: Path) -> None:
    text = built.read_text(encoding="utf-8")
    assert f"strategies.{MODEL}.list" not in text
    table = made_table()
    page = Page(changed(run, tmp_path, table[table["train"] != "1pct"]) / "strategies.html")
    plot = page.json(f"strategies.{MODEL}.list")
    (factors,) = parts_of(plot, "FactorRange")
    assert factors["factors"][::-1] == [
        "<i>tuned</i>, 80.0", "best frozen layer, 75.0", "frozen features, 75.0",
        "bag of words, 50.0", "zero-shot (gloss), 45.0",
    ]  # fmt: skip
    (tuned,) = (source for source in sources_of(plot) if source["name"] == "<i>tuned</i>")
    assert (tuned["x"], tuned["low"], tuned["high"]) == ([80], [77], [82])
    assert "Macro\u2011F1 with 60 labelled sentences" in page.text


def test_equal_predictions_are_named(built: Path) -> None:
    text = text_of(built)
    assert "+0.00 the same predictions" in text and "nan" not in text


def test_the_numbers_of_an_axis_do_not_run_into_one_another() -> None:
    assert readable_ticks([1197, 1080, 23638, 1080, 1404]) == [1080, 1404, 23638]
    assert readable_ticks([]) == []


def test_names_are_text(built: Path) -> None:
    page = Page(built)
    assert {"i", "b"}.isdisjoint(tag for tag, _ in page.elements)
    assert "<i>tuned</i>" in page.text and "<b>own</b>" in page.text


def test_without_fine_tuning_it_says_how_to_get_it(run: Run, built: Path, tmp_path: Path) -> None:
    output = (
        "Nothing was fine-tuned here. To compare with fine-tuning, set the config key finetune ."
    )
    assert output in text_of(built)
    table = made_table().replace("<i>tuned</i>", "fine-tuned")
    assert output not in text_of(changed(run, tmp_path, table) / "strategies.html")


def test_without_a_table_there_is_no_page_and_no_link(run: Run, tmp_path: Path) -> None:
    report = changed(run, tmp_path, pd.DataFrame())
    assert not (report / "strategies.html").exists()
    assert "strategies.html" not in Page(report / "index.html").links()
