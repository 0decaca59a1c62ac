"""The page of layers shows the scores of the tables."""

import re
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote

import pandas as pd
import pytest
from read_pages import lines_of, parts_of, sources_of
from report_builder import MODEL, READERS, Page, Run, build_report, make_run

from wsd.report.pages import layers
from wsd.report.pages.layers import heat_row
from wsd.report.tables import METRICS
from wsd.storage.file_names import word_of


def test_cells_link_to_the_word_at_that_layer(run: Run, built: Path) -> None:
    table = run.table("word-layers")
    best = table.groupby(["word", "classifier"])["macro_f1"].transform("max")
    table["below"] = (table["macro_f1"] - best) * 100
    page = (built / "report" / "layers.html").read_text()
    cells = re.findall(
        r'<td class="n h( chosen)?" style="--heat: \d+"><a href="(words/[^"]*)#layers=([^"&]*)'
        r'&amp;classifier=([^"]*)" title="score: ([\d.]+)">(\N{MINUS SIGN}?[\d.]+)<',
        page,
    )
    actual = {}
    for chosen, path, choice, reader, value, below in cells:
        assert (built / "report" / unquote(path)).is_file()
        word = word_of(Path(path).stem)
        actual[word, unquote(choice), unquote(reader)] = (value, below, bool(chosen))
    assert actual == {
        (row["word"], row["layers"], row["classifier"]): (
            f"{row['macro_f1'] * 100:.1f}",
            f"{row['below'] + 0:.1f}".replace("-", "\N{MINUS SIGN}"),
            row["selected_by_cv"],
        )
        for row in table.to_dict("records")
    }


def test_differences_match_the_table(run: Run, built: Path) -> None:
    text = " ".join(Page(built / "report" / "layers.html").text.split())
    ends = ("low", "high", "low_over_words", "high_over_words")
    for row in run.table("layers").to_dict("records"):
        verdict = "yes" if row["layers"] == "1" else "no"  # in the confidence set
        cv = f"{row['objective_cv'] * 100:.2f}"
        if row["layers"] == row["reference"]:
            cells = f"{row['value'] * 100:.2f}{cv} reference\N{EN DASH} {verdict}"
        else:
            numbers = [row[n] for n in ("difference", *(f"difference_{end}" for end in ends))]
            shown = [f"{n * 100:+.2f}".replace("-", "\N{MINUS SIGN}") for n in numbers]
            cells = "{} {} {} to {}{} to {}".format(cv, *shown) + verdict
        assert cells in text


def test_peaks_are_on_the_layers_page_and_in_the_caption(built: Path) -> None:
    layers, index = (
        " ".join(Page(built / f"report/{name}.html").text.split()) for name in ("layers", "index")
    )
    for metric, peak in (("Macro-F1", 2), ("Micro accuracy", 1)):
        assert f"logistic{metric}{peak}1\N{EN DASH}275%2" in layers
    assert "over words: logistic, layer 2 [1, 2]; nearest_centroid, layer 2 [1, 2]. " in index


def test_curves_have_the_scores_of_the_tables(run: Run, built: Path) -> None:
    page = Page(built / "report" / "layers.html")
    rows = run.table("comparison", "candidate").set_index(["layers", "classifier"])
    for metric, reader in product(METRICS, READERS):
        sources = sources_of(page.json(f"curves.{MODEL}.{metric}"))
        shown = [s for s in sources if s["name"] == reader]
        (context,) = (s["y"] for s in sources if s["name"] == f"{reader}, context only")
        for column, key in (("", "y"), ("_low", "low"), ("_high", "high")):
            singles, combined = (
                [100 * rows.loc[(name, reader), f"{metric}{column}"] for name in names]
                for names in ("012", ["mean-last-2"])
            )
            assert any(s[key] == pytest.approx(singles, abs=1e-3) for s in shown)
            assert any(s[key] == pytest.approx(combined, abs=1e-3) for s in shown)
            assert column or context == pytest.approx(singles, abs=1e-3)
    learned = sources_of(page.json(f"learning.{MODEL}.logistic"))
    assert [s["y"] for s in learned] == [[10.0, 60.0]] * 3
    assert [[text.split("\n")[1] for text in s["text"]] for s in learned] == [
        [f"{train}, layer {layer}" for train in ("1pct", "full")] for layer in range(3)
    ]


def test_fine_tuned_layers_are_lines_of_their_model(run: Run, built: Path) -> None:
    page = Page(built / "report" / "layers.html")
    rows = run.table("comparison", "candidate").set_index(["layers", "classifier"])
    sources = sources_of(page.json(f"curves.{MODEL}.mean_macro_f1"))
    for reader in READERS:
        (shown,) = (s["y"] for s in sources if s["name"] == f"{reader}, fine-tuned")
        before = [rows.loc[(name, reader), "mean_macro_f1"] for name in ("0", "1", "2")]
        assert shown == pytest.approx([100 * (value - 0.125) for value in before], abs=1e-3)
    assert "after fine-tuning. They are a control" in " ".join(page.text.split())
    assert "curves.<b>after</b>.mean_macro_f1" not in (built / "report/layers.html").read_text()


def test_calibration_and_ood_flags(built: Path) -> None:
    page = Page(built / "report" / "layers.html")
    lines = lines_of(page, f"reliability.{MODEL}")
    assert (lines["raw"]["x"], lines["raw"]["y"]) == ([68.0, 98.0], [60.0, 90.0])
    assert lines["calibrated"]["y"] == [66.0, 96.0]
    assert lines["calibrated"]["low"] == [50.0, 80.0]
    counts = parts_of(page.json(f"reliability.{MODEL}"), "Label")
    assert {(note["text"], note["x"]) for note in counts} == {("45", 65.0), ("45", 95.0)}
    text = " ".join(page.text.split())
    for shown in (
        "testraw9090.0098.00+8.000.24000.16008.003.005.00",
        "bank9090.0092.00+2.000.06000.04002.003.005.00",
        "above the 95% quantile of its noise floor in 0 of 1 words",
        "1.2% of 90 sentences (test); 75.0% of 90 sentences (other words)",
    ):
        assert shown in text


@pytest.mark.slow
def test_curves_of_models_line_up_by_relative_depth(three_models: Path) -> None:
    page = Page(three_models / "layers.html")
    lines = lines_of(page, "models.logistic.mean_macro_f1")
    places = {name: line["x"] for name, line in lines.items()}
    assert places == {"wide": [0, 2, 4], "tiny": [0, 2, 4], "deep": [0, 1, 2]}
    assert lines["deep"]["text"][2].split("\n")[1] == "layer 2 of 6, deep"
    assert "relative depth" in page.text
    table = pd.read_csv(three_models / "data" / "comparison.csv", dtype={"layers": str})
    own = table[(table["kind"] == "candidate") & (table["model"] == "deep")]
    own = own[own["classifier"] == "logistic"].set_index("layers")["mean_macro_f1"]
    assert lines["deep"]["y"] == pytest.approx([100 * own[i] for i in "012"], abs=1e-3)
    # Each model's own plot has its layer numbers.
    assert lines_of(page, "curves.deep.mean_macro_f1")["logistic"]["x"][:3] == [0, 1, 2]
    text = (three_models / "layers.html").read_text()
    assert '<th scope="row">layer 1</th><td class="n quiet">0.17</td>' in text


@pytest.mark.slow
def test_small_runs_have_no_controls_and_no_further_training_sets(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    for name in ("controls", "learning", "differences", "calibration", "reliability", "ood"):
        path = run.tables[name][0]
        path.write_text(path.read_text().partition("\n")[0] + "\n")
    build_report(**run.arguments(tmp_path))
    page = Page(tmp_path / "report" / "layers.html")
    text = " ".join(page.text.split())
    for missing in ("context only", "fine-tuned", "dashdot", "Learning curves", "Geometry",
                    "dashed", "Calibration", "zero-shot", "gloss"):  # fmt: skip
        assert missing not in text
    assert not (tmp_path / "report" / "data" / "controls.csv").exists()
    assert "controls.csv" not in Page(tmp_path / "report" / "index.html").text


def test_baselines_without_an_encoder_are_levels_of_every_metric() -> None:
    table = pd.DataFrame(
        {
            "kind": ["baseline", "baseline", "candidate"],
            "classifier": ["bag_of_words", "position_length", "most_frequent_sense"],
            "micro_accuracy": [0.9, 0.5, 0.7],
        }
    )
    report: Any = SimpleNamespace(rows=lambda _, kind: table[table["kind"] == kind])
    assert layers.baselines(report, "micro_accuracy") == {"bag of words": 90.0}


@pytest.mark.parametrize("embeddings", [0.3, 0.87])
def test_the_embedding_layer_does_not_change_the_colours_of_others(embeddings: float) -> None:
    _, *cells = heat_row([embeddings, 0.88, 0.98, 0.99])
    assert cells == [(-11.0, 88.0, 5), (-1.0, 98.0, 16), (0.0, 99.0, 20)]
