"""Models that are left out of substitutes."""

from typing import Any

import pytest
from changed_config import check_changed, model, top

from wsd.studies.registry import STUDIES


@pytest.mark.parametrize("input", ["echo", {"template": "{sentence} is"}, {"mark": ["<", ">"]}])
def test_a_model_that_reads_more_than_the_sentence_is_left_out(
    input: Any,
) -> None:
    study = STUDIES["substitutes"]
    for plain in ("plain", "masked"):
        assert study.models(check_changed(model(input=plain), top(analyses=["substitutes"])))
    config = check_changed(model(input=input), top(analyses=["substitutes"]))
    assert study.models(config) == []
