"""The page of layers shows the scores of the tables."""

import re
from itertools import product
from pathlib import Path
from urllib.parse import unquote

import pandas as pd
import pytest
from read_pages import lines_of, parts_of, sources_of
from report_builder import MODEL, READERS, Page, Run

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
    actual = {
        (word_of(Path(path).stem), unquote(choice), unquote(reader), value, below, bool(chosen))
        for chosen, path, choice, reader, value, below in cells
    }
    columns = ["word", "layers", "classifier", "macro_f1", "below", "selected_by_cv"]
    assert actual == {
        (*names, f"{score * 100:.1f}", f"{below + 0:.1f}".replace("-", "\N{MINUS SIGN}"), chosen)
        for *names, score, below, chosen in table[columns].values.tolist()
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
    text = (three_models / "layers.html").read_text()
    assert '<th scope="row">layer 1</th><td class="n quiet">0.17</td>' in text


@pytest.mark.parametrize("embeddings", [0.3, 0.87])
def test_the_embedding_layer_does_not_change_the_colours_of_others(embeddings: float) -> None:
    _, *cells = heat_row([embeddings, 0.88, 0.98, 0.99])
    assert cells == [(-11.0, 88.0, 5), (-1.0, 98.0, 16), (0.0, 99.0, 20)]
