"""Substitutes that distinguish senses: from training instances, ranked by log-odds."""

import math
from pathlib import Path

import numpy as np
import pytest
from builders import make_corpus
from call_step import call_step
from log_odds_cases import CASES
from substitute_tables import write_made

from wsd.artifacts.encoder_input import MASKED
from wsd.artifacts.substitute_table import Fillers
from wsd.storage.csv import read_csv
from wsd.studies.substitutes import sense_substitutes
from wsd.studies.substitutes.sense_substitutes import log_odds, sense_rows

COUNTS = np.array([[8, 2, 0, 5], [1, 9, 0, 5], [0, 0, 3, 5]])
PRIOR = np.array([1.0, 2.0, 0.5, 3.0])


def test_a_figure_by_hand() -> None:
    ratios, z = log_odds(COUNTS, PRIOR)
    delta = math.log(9 / 12.5) - math.log(2 / 27.5)
    assert ratios[0, 0] == pytest.approx(delta)
    assert z[0, 0] == pytest.approx(delta / math.sqrt(1 / 9 + 1 / 2))
    # One group has nothing to be set apart from.
    assert not np.any(log_odds(np.array([[3, 4]]), np.ones(2)))


@pytest.mark.parametrize(("words", "labels", "expected"), CASES)
def test_the_shared_cases(
    words: list[list[str]], labels: list[int], expected: list[dict[str, float]]
) -> None:
    """The script of the pages of uses is tested with the same cases."""
    names = sorted({word for sentence in words for word in sentence})
    counts = np.zeros((len(expected), len(names)))
    for sentence, label in zip(words, labels, strict=True):
        for word in sentence:
            counts[label, names.index(word)] += 1
    _, z = log_odds(counts, counts.sum(axis=0))
    named = [dict(zip(names, scores, strict=True)) for scores in z]
    above = [{name: score for name, score in row.items() if score > 1} for row in named]
    assert above == [pytest.approx(group) for group in expected]


CORPUS = make_corpus([("train", i % 2) for i in range(40)] + [("test", 0), ("test", 1)])


def test_distinctive_substitutes_come_first_and_shared_and_test_ones_are_left_out() -> None:
    pieces = np.array([["both", "x", "y"], ["both", "z", "y2"]], dtype=object)[CORPUS.gold]
    pieces[40:, 1] = "only-test"
    pieces[0, 2] = "a-once"
    rows = sense_rows(CORPUS, Fillers(pieces, np.full(pieces.shape, 0.1)))
    # The rarest of a sense comes last.
    assert [(row["sense"], row["piece"], row["instances"]) for row in rows] == [
        ("a", "x", 20), ("a", "y", 19), ("a", "a-once", 1), ("b", "y2", 20), ("b", "z", 20),
    ]  # fmt: skip
    assert all(row["n"] == 20 and (row["z"] > 1.96) == (row["instances"] > 1) for row in rows)


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
