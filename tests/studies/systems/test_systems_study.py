"""The config key `systems`, and published and other systems among the other steps."""

from pathlib import Path

import pytest
from changed_config import MINILM, Wrong, assert_refused, coarsewsd20, ids, shipped, top
from steps import Refused, assert_one_error, changed

from wsd.errors import ConfigError
from wsd.run.config import check
from wsd.studies.systems.published import SYSTEMS


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


def test_a_model_called_like_a_published_system_is_refused() -> None:
    """In the tables it would be that system."""
    config = shipped()
    config["models"][0]["name"] = next(iter(SYSTEMS))
    with pytest.raises(ConfigError, match="is taken") as caught:
        check(config)
    assert caught.value.where == "config key models[0].name"


BAD: dict[str, Refused] = {
    "no such system": (changed("published", "--system", "gpt"), 2, "gpt"),
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
