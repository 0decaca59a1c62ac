"""Substitutes on the page of a word."""

from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from call_step import call_step
from report_builder import MODEL, Run, build_report, make_run, word_page
from substitute_tables import write_made

from wsd.artifacts.encoder_input import MASKED, PLAIN
from wsd.report.pages import word
from wsd.report.pages.report_data import Extension
from wsd.studies.substitutes import sense_substitutes, word_panel


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    """A run of a model that was asked, and its report."""
    folder = tmp_path_factory.mktemp("asked")
    run = make_run(folder / "run", n_ood=3)
    write_made(folder / "said", run.corpora, MODEL)
    table = folder / "substitutes.csv"
    call_step(sense_substitutes, run.corpora, substitutes=folder / "said", out=table)
    build_report(**run.arguments(folder), extensions=[panel(run, folder)])
    return run, folder


def panel(run: Run, folder: Path) -> Extension:
    """Return the study's addition, read as the command reads it."""
    args = Namespace(substitutes=[folder / "said"], sense_substitutes=[folder / "substitutes.csv"])
    return word_panel.load(args, run.corpora)


@pytest.mark.parametrize("most", [10_000, 20])
def test_every_instance_has_its_own_substitutes(
    asked: tuple[Run, Path], most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a large word, too, of which a page shows a sample."""
    run, built = asked
    if most == 20:
        monkeypatch.setattr(word, "MOST", most)
        monkeypatch.setattr(word, "RARE", 1)
        build_report(**run.arguments(tmp_path), extensions=[panel(run, built)])
        built = tmp_path
    data: dict[str, Any] = word_page(built, "bank").packed()["data"]
    output = data["extensions"]["substitutes"]
    index = decoded(data["index"], "<i4")
    gold, train = decoded(data["gold"], "<u2"), decoded(data["train"], "u1")
    shown = int((run.corpora["bank"].split != "outofdomain").sum())
    assert len(index) == shown if most > shown else len(index) < shown
    assert output[MASKED]["most"] == 3 and output[PLAIN]["most"] == 1
    masked = decoded(output[MASKED]["pieces"], "<u4").reshape(-1, 3)
    for row, pieces in enumerate(masked):
        split = "train" if train[row] else "test"
        names = [output["names"][piece] for piece in pieces]
        assert names == ["thing", f"##s{gold[row]}", f"{split}{index[row]}"]
    plain = decoded(output[PLAIN]["pieces"], "<u4")
    assert {output["names"][piece] for piece in plain} == {"<i>itself"}
    assert set(decoded(output[MASKED]["probabilities"], "u1").reshape(-1, 3)[0]) == {125, 62, 0}


def decoded(text: str, dtype: str) -> np.ndarray:
    import base64

    return np.frombuffer(base64.b64decode(text), dtype=dtype)


def test_a_sense_has_its_distinctive_substitutes(asked: tuple[Run, Path]) -> None:
    _, built = asked
    texts = word_page(built, "bank").text.split("in its place: ")[1:]
    assert [text.split()[0].strip(",") for text in texts] == ["##s0", "##s1", "##s2"]


def test_a_model_that_was_not_asked_has_nothing(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    build_report(**run.arguments(tmp_path))
    page = word_page(tmp_path, "bank")
    assert (
        "substitutes" not in page.packed()["data"]["extensions"] and "in its place" not in page.text
    )
