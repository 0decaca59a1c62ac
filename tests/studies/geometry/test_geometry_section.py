"""The section "Geometry" of the layers page."""

from pathlib import Path

import pandas as pd
import pytest
from read_pages import sources_of
from report_builder import MODEL, Page, build_report, make_run

from wsd.studies.geometry.geometry import COLUMNS
from wsd.studies.geometry.layers_section import GeometrySection


@pytest.mark.parametrize("measured", [True, False])
def test_geometry_has_its_section_if_measured(tmp_path: Path, measured: bool) -> None:
    rows = (
        {
            "model": model, "view": "focal", "layers": layer, "transform": transform,
            "fitted_on": on, "word": word,
            "n": 9, "anisotropy": 0.1 * int(layer), "self_similarity": 0.5, "silhouette": 0.2,
            "majority_norm": 0.9,
        }
        for model in [MODEL] * measured
        for layer in "012"
        for transform, on in (("none", "-"), ("centre", "corpus"), ("centre", "word"))
        for word in ("bank", "(mean)")
    )  # fmt: skip
    table = pd.DataFrame(rows, columns=COLUMNS)
    run = make_run(tmp_path / "run")
    build_report(**run.arguments(tmp_path), extensions=[GeometrySection(table)])
    page = Page(tmp_path / "report" / "layers.html")
    assert ("#geometry-title" in page.links()) == ("Anisotropy" in page.text) == measured
    assert (tmp_path / "report" / "data" / "geometry.csv").exists() == measured
    if measured:
        anisotropy = sources_of(page.json(f"geometry.{MODEL}.anisotropy"))
        assert [s["y"] for s in anisotropy] == [[0.0, 0.1, 0.2]] * 2
