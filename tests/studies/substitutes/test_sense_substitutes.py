"""Substitutes that distinguish senses: from training instances, ranked by log-odds."""

from pathlib import Path

import numpy as np
from builders import make_corpus
from call_step import call_step
from substitute_tables import write_made

from wsd.artifacts.encoder_input import MASKED
from wsd.artifacts.substitute_table import Fillers
from wsd.storage.csv import read_csv
from wsd.studies.substitutes import sense_substitutes
from wsd.studies.substitutes.sense_substitutes import sense_rows

CORPUS = make_corpus([("train", i % 2) for i in range(40)] + [("test", 0), ("test", 1)])


def fillers(*of_sense: list[str]) -> Fillers:
    pieces = np.array(of_sense, dtype=object)[CORPUS.gold]
    return Fillers(pieces, np.full(pieces.shape, 0.1))


def test_distinctive_substitutes_come_first_and_shared_ones_are_left_out() -> None:
    rows = sense_rows(CORPUS, fillers(["both", "x", "y"], ["both", "z", "y2"]))
    assert [(row["sense"], row["piece"]) for row in rows] == [
        ("a", "x"), ("a", "y"), ("b", "y2"), ("b", "z"),
    ]  # fmt: skip
    assert all(row["z"] > 1.96 and row["instances"] == row["n"] == 20 for row in rows)


def test_test_instances_are_not_counted() -> None:
    seen = fillers(["x"], ["z"])
    seen.pieces[40:] = "only-test"
    rows = sense_rows(CORPUS, seen)
    assert {row["piece"] for row in rows} == {"x", "z"}


def test_rare_substitutes_rank_behind_frequent_ones() -> None:
    seen = fillers(["often", "often"], ["z", "z"])
    seen.pieces[0] = "often", "a-once"
    rows = sense_rows(CORPUS, seen)
    assert [row["piece"] for row in rows if row["sense"] == "a"] == ["often", "a-once"]


def test_the_command_writes_both_inputs_of_all_words(tmp_path: Path) -> None:
    corpora = {"mint": CORPUS}
    write_made(tmp_path / "substitutes", corpora)
    out = tmp_path / "substitutes.csv"
    call_step(sense_substitutes, corpora, substitutes=tmp_path / "substitutes", out=out)
    table = read_csv(out)
    assert list(table.columns) == list(sense_substitutes.COLUMNS)
    first = table[(table["input"] == MASKED) & (table["rank"].astype(int) == 1)]
    assert dict(zip(first["sense"], first["piece"], strict=True)) == {"a": "##s0", "b": "##s1"}
    # Of the word itself there is nothing to tell.
    assert set(table["input"]) == {MASKED} and set(table["model"]) == {"tiny"}
