"""The section "Geometry" of the layers page."""

from itertools import product
from pathlib import Path

import pandas as pd
import pytest
from read_pages import sources_of
from report_builder import MODEL, Page, build_report, make_run

from wsd.studies.geometry.geometry import COLUMNS
from wsd.studies.geometry.layers_section import GeometrySection


@pytest.mark.slow
def test_the_section_has_the_means_over_words_by_layer(tmp_path: Path) -> None:
    ways = (("none", "-"), ("centre", "corpus"), ("centre", "word"))
    numbers = {"n": 9, "self_similarity": 0.5, "silhouette": 0.2, "majority_norm": 0.9}
    rows = [
        {"model": MODEL, "view": "focal", "layers": layer, "transform": transform, "word": word,
         "fitted_on": on, "anisotropy": 0.1 * int(layer) + (word == "bank"), **numbers}
        for layer, (transform, on), word in product("012", ways, ("bank", "(mean)"))
    ]  # fmt: skip
    section = GeometrySection(pd.DataFrame(rows, columns=COLUMNS))
    run = make_run(tmp_path / "run")
    build_report(**run.arguments(tmp_path), extensions=[section])
    page = Page(tmp_path / "report" / "layers.html")
    assert "#geometry-title" in page.links() and "Anisotropy" in page.text
    assert (tmp_path / "report" / "data" / "geometry.csv").exists()
    anisotropy = sources_of(page.json(f"geometry.{MODEL}.anisotropy"))
    assert [s["y"] for s in anisotropy] == [[0.0, 0.1, 0.2]] * 2
