"""The code length asks for training sets and for a classifier with probabilities."""

from pathlib import Path

import pytest
from changed_config import Wrong, assert_refused, coarsewsd20, ids
from steps import assert_one_error, changed

EVERY = [f"{share}pct" for share in (1, 5, 10, 25, 50)]
WRONG: list[Wrong] = [
    (coarsewsd20(analyses=["code_length"], trains=["1pct", "25pct"]), "trains",
     "5pct, 10pct, 50pct", "leave code_length out"),
    (coarsewsd20(analyses=["code_length"], trains=EVERY), "controls.classifiers",
     "gives probabilities", "logistic and lda"),
]  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG, ids=ids(WRONG))
def test_a_wrong_request_for_the_code_length_is_refused(wrong: Wrong) -> None:
    assert_refused(*wrong)


@pytest.mark.slow
def test_a_set_without_predictions_is_one_error(
    every_step: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = changed("code-length", "--predictions", "p4.parquet")
    assert_one_error(every_step, capsys, call, 2, "on the training set 1pct")
