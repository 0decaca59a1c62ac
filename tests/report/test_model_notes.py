"""The caveats of a model say what its encoder reads."""

from typing import Any

import pytest

from wsd.report.pages.model_notes import LEFT_ONLY, notes


@pytest.mark.parametrize(
    ("input", "says", "left_only"),
    [
        ("plain", "", True),
        ("masked", "A mask token replaces the focal word.", True),
        ("echo", "The encoder reads the sentence twice", False),
        (
            {"template": "{sentence} is", "read": "last"},
            "reads “{sentence} is”; the vector is of the last piece",
            False,
        ),
        ({"mark": ["<t>", "</t>"]}, "<t> and </t> around the focal word", True),
    ],
)
def test_notes_on_the_input_of_a_decoder(input: Any, says: str, left_only: bool) -> None:
    encoder = {"model": {}, "architecture": {"causal": True}, "input": input}
    shown = notes(encoder)
    assert says in " ".join(shown)
    assert (LEFT_ONLY in shown) == left_only
    assert len(shown) == left_only + bool(says)
