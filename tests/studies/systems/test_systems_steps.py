"""Published and other systems among the other steps."""

from pathlib import Path

import pytest
from numpy.testing import assert_array_equal
from steps import SYSTEM, Refused, assert_one_error, changed, corpora

from wsd.artifacts import predictions


def test_published_predictions_are_in_the_same_tables(every_step: Path) -> None:
    actual, provenance = predictions.read_predictions(every_step / "published.parquet")
    assert provenance["encoder"]["model"]["name"] == SYSTEM
    for of_word in actual:
        table = corpora(every_step)[of_word.word]
        assert_array_equal(of_word.gold, table.gold[table.split == "test"])
        assert_array_equal(of_word.predicted, of_word.gold)
    assert SYSTEM in (every_step / "report/index.html").read_text()


BAD: dict[str, Refused] = {
    "no such system": (changed("published", "--system", "gpt"), 2, "gpt"),
    "evaluate a system twice": (
        changed("evaluate", "--predictions", "published.parquet"), 6, "have the same name"),
    "evaluate our own as a system's": (
        changed("evaluate", "--systems", "p.parquet"), 6, "not predictions of this kind"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_error(
    every_step: Path, capsys: pytest.CaptureFixture[str], case: str
) -> None:
    assert_one_error(every_step, capsys, *BAD[case])
