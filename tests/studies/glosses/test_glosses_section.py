"""The section "Glosses" of the layers page."""

from pathlib import Path

import pandas as pd
from read_pages import sources_of
from report_builder import MODEL, Page, build_report, make_run

from wsd.studies.glosses.layers_section import GlossSection


def test_the_section_has_the_scores_of_the_last_layer(tmp_path: Path) -> None:
    """The scores of layer 0 are 25 points lower."""
    table = pd.DataFrame(
        {"model": model, "view": "focal", "layers": layers, "start": start, "n": n, "draws": 20,
         "mean_macro_f1": value, "mean_macro_f1_low": value - 0.02,
         "mean_macro_f1_high": value + 0.02, "as_many_alone": many,
         "as_many_alone_low": many, "as_many_alone_high": many}
        for model, count in [(MODEL, 3)]
        for layers, less in (("0", 0.25), (str(count), 0.0))
        for start, least, many in (("sentences", 1, None), ("gloss", 0, 3.25))
        for n in (0, 1, 8)[least:]
        for value in (0.5 + n / 32 - less,)
    )  # fmt: skip
    run = make_run(tmp_path / "run")
    build_report(**run.arguments(tmp_path), extensions=[GlossSection(table)])
    page = Page(tmp_path / "report" / "layers.html")
    worth = {s["name"]: s for s in sources_of(page.json(f"glosses.{MODEL}"))}
    assert worth["sentences alone"]["y"] == [53.125, 75.0]
    assert worth["sentences alone"]["x"] == [1.0, 2.0]
    with_gloss = worth["and the gloss, by the word in it"]
    assert (with_gloss["x"], with_gloss["y"]) == ([0.0, 1.0, 2.0], [50.0, 53.125, 75.0])
    assert with_gloss["low"] == [48.0, 51.125, 73.0]
    text = " ".join(page.text.split())
    assert "by the word in it: 50.00, as much as 3.2 sentences of each sense alone" in text
    assert (tmp_path / "report" / "data" / "gloss-worth.csv").exists()
