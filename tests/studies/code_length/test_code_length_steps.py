"""The code length among the other steps."""

from pathlib import Path

import pytest
from steps import Refused, assert_one_error, changed

BAD: dict[str, Refused] = {
    "code length without a set's predictions": (
        changed("code-length", "--predictions", "p4.parquet"), 2, "on the training set 1pct"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_error(
    every_step: Path, capsys: pytest.CaptureFixture[str], case: str
) -> None:
    assert_one_error(every_step, capsys, *BAD[case])
