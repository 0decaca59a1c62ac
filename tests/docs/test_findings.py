"""The tables and figures of the findings show the kept numbers."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import small_results
from checkout import REPOSITORY

from wsd.storage.json import read_json, write_json


@pytest.fixture(autouse=True)
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(REPOSITORY / "docs/make"))


def test_the_tables_are_written_from_the_numbers() -> None:
    import tables

    pages = {path.name: path.read_text(encoding="utf-8") for path in tables.PAGES.glob("*.md")}
    assert {name: tables.fill(page) for name, page in pages.items()} == pages
    assert sum(page.count("<!-- table: ") for page in pages.values()) > 6


def test_a_run_is_kept_without_paths_of_the_machine(
    shown_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import keep_run

    monkeypatch.setattr(keep_run, "DATA", tmp_path)
    results = small_results.copy(shown_once, tmp_path / "copy") / "results/quickstart"
    sums = {"file /home/me/weights/decoder/model.safetensors": "12ab", "step embed": "34cd"}
    run = {"command": "snakemake", "config": {"seed": 1}}
    write_json(results / "run.json", {**run, "digests": sums, "files": {}})
    keep_run.main(results)
    kept = tmp_path / results.name
    run["sha256"] = {"decoder/model.safetensors": "12ab"}
    assert read_json(kept / "run.json") == run
    layers, rows = (pd.read_csv(kept / f"{name}.csv") for name in ("layers", "rows"))
    (selected,) = rows.loc[rows["kind"] == "selected", "mean_macro_f1"]
    assert len(layers) == 8 and selected in set(layers["value"])


@pytest.mark.slow
def test_the_figures_are_drawn_from_the_numbers(minilm: str, tmp_path: Path) -> None:
    import figures

    figures.main(tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {path.name for path in figures.FIGURES.iterdir()}
    for name in names:
        shown, came = ((folder / name).read_text() for folder in (figures.FIGURES, tmp_path))
        number = re.compile(r"-?\d+\.\d+")
        shape = re.compile(rf"{number.pattern}|\b[mp][0-9a-f]{{10}}\b")  # and ids made of numbers
        assert shape.sub("#", shown) == shape.sub("#", came), name
        drawn, expected = (np.array(number.findall(text), float) for text in (came, shown))
        assert np.abs(drawn - expected).max() < 0.5, name  # points: a seventieth of an inch by two
