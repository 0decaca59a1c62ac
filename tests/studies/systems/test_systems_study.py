"""The config key `systems`, and published and other systems among the other steps."""

from pathlib import Path

import pytest
from changed_config import MINILM, Wrong, assert_refused, coarsewsd20, ids, top
from steps import Refused, assert_one_error, changed


def of(*names: str, file: str = __file__) -> dict[str, list[dict[str, str]]]:
    return {"systems": [{"name": name, "file": file} for name in names]}


WRONG: list[Wrong] = [
    (top(**of("x", file="{a,b}.jsonl")), "systems[0].file", "has braces", "a link to it"),
    (top(systems=["x"]), "systems[0]", "'x'", "its name"),
    (top(**of("x", file="x" * 300)), "systems[0].file", "no file", "JSON lines"),
    (top(**of(MINILM.upper())), "systems[0].name", MINILM.upper(), "a name that no model"),
    (top(**of("x", "X")), "systems[1].name", "'X'", "a name that no model"),
    (coarsewsd20(**of("fasttext-base-100d")), "systems[0].name", "'fasttext", "that no model"),
]


@pytest.mark.parametrize("wrong", WRONG, ids=ids(WRONG))
def test_a_wrong_system_is_refused(wrong: Wrong) -> None:
    assert_refused(*wrong)


BAD: dict[str, Refused] = {
    "suffix": (["score", "f", "--name", "n", "--corpus", "c", "--out", "s.jsonl"], 2, ".parquet"),
    "evaluate a system twice": (
        changed("evaluate", "--predictions", "published.parquet"), 6, "have the same name"),
    "evaluate our own as a system's": (
        changed("evaluate", "--systems", "p.parquet"), 6, "not predictions of this kind"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_error(
    every_step: Path, capsys: pytest.CaptureFixture[str], case: str
) -> None:
    assert_one_error(every_step, capsys, *BAD[case])
