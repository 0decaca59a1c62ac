"""The control task among the other steps."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from steps import assert_one_error, changed, corpora

from wsd.artifacts import predictions
from wsd.studies.control_task.control_task import control_labels


@pytest.mark.slow
def test_control_learns_the_labels_of_the_neighbours(
    every_step: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    actual, provenance = predictions.read_predictions(every_step / "c.parquet")
    assert provenance["task"] == "control"
    usual, of_senses = predictions.read_predictions(every_step / "p4.parquet")
    assert provenance["corpus"] == of_senses["corpus"]
    for of_word, of_sense in zip(actual, usual, strict=True):
        table = corpora(every_step)[of_word.word]
        labels = control_labels(table, 3)[table.split == of_word.split]
        assert_array_equal(of_word.gold, labels)
        assert of_word.senses == of_sense.senses
    assert any(not np.array_equal(a.gold, b.gold) for a, b in zip(actual, usual, strict=True))
    call = changed("evaluate", "--predictions", "c.parquet")
    assert_one_error(every_step, capsys, call, 6, "of the control task")
