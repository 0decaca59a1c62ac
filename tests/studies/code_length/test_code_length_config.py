"""The code length asks for training sets and for a classifier with probabilities."""

import pytest
from changed_config import Change, Wrong, assert_refused, coarsewsd20, ids

WRONG: list[Wrong] = [
    (
        coarsewsd20(analyses=["code_length"], trains=["1pct", "25pct"]),
        "trains",
        "5pct, 10pct, 50pct too",
        "leave code_length out",
    ),
    (
        coarsewsd20(analyses=["code_length"], trains=[f"{i}pct" for i in (1, 5, 10, 25, 50)]),
        "controls.classifiers",
        "gives probabilities",
        "logistic and lda",
    ),
]


@pytest.mark.parametrize(("change", "key", "value", "fix"), WRONG, ids=ids(WRONG))
def test_a_wrong_request_for_the_code_length_is_refused(
    change: Change, key: str, value: str, fix: str
) -> None:
    assert_refused(change, key, value, fix)
