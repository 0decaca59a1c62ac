"""The code length asks for training sets and for a classifier with probabilities."""

import pytest
from changed_config import Wrong, assert_refused, coarsewsd20, ids

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
