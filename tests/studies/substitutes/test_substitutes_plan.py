"""The cost of substitutes in `wsd plan`."""

from pathlib import Path
from typing import Any

import pytest
from changed_config import check_changed, check_shipped, model, top

from wsd.run import plan
from wsd.run.plan import describe
from wsd.studies.registry import STUDIES
from wsd.studies.substitutes import masked_lm_head


def test_asking_for_substitutes_is_two_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "JOB_SECONDS", 0)
    monkeypatch.setattr(plan, "SEARCHED", {})
    monkeypatch.setattr(plan, "_tables_seconds", lambda *_: 0)
    monkeypatch.setattr(plan, "pass_seconds", lambda *_: 240)
    asked = check_shipped("quickstart.yaml", analyses=["substitutes"])
    for has_head, minutes in ((True, 4 + 8), (False, 4)):
        monkeypatch.setattr(
            masked_lm_head, "known_without_head", lambda *_, known=has_head: None if known else ""
        )
        for cores in (1, 2):
            actual = describe(asked, tmp_path, cores)
            assert f"roughly {minutes // cores} min on {cores} core" in actual


def test_a_model_that_cannot_be_asked_is_named_if_substitutes_are_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    why = "it has no masked-language-model head"
    monkeypatch.setattr(masked_lm_head, "known_without_head", lambda name, *_: why)
    asked = check_shipped(analyses=["substitutes"])
    assert describe(asked, tmp_path, 1).splitlines()[-1] == f"left out of substitutes: {why}"
    assert why not in describe(check_shipped(), tmp_path, 1)
    assert STUDIES["substitutes"].models(asked) == []


@pytest.mark.parametrize("input", ["echo", {"template": "{sentence} is"}, {"mark": ["<", ">"]}])
def test_a_model_that_reads_more_than_the_sentence_is_left_out(
    input: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(masked_lm_head, "known_without_head", lambda *_: None)
    study = STUDIES["substitutes"]
    for plain in ("plain", "masked"):
        assert study.models(check_changed(model(input=plain), top(analyses=["substitutes"])))
    config = check_changed(model(input=input), top(analyses=["substitutes"]))
    assert study.models(config) == []
    (why,) = study.left_out(config)
    assert "the `input` of all-MiniLM-L6-v2 is more than the sentence" in why
