"""The caveats of a model say what its encoder reads."""

from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from wsd.report.pages.model_notes import LEFT_ONLY, long_vectors, notes


@pytest.mark.parametrize(
    ("input", "says", "left_only"),
    [
        ("plain", "", True),
        ("masked", "A mask token", True),
        ("echo", "reads the sentence twice", False),
        ({"template": "{sentence} is", "read": "last"}, "vector is of the last piece", False),
        ({"mark": ["<t>", "</t>"]}, "<t> and </t>", True),
    ],
)
def test_notes_on_the_input_of_a_decoder(input: Any, says: str, left_only: bool) -> None:
    architecture = {"causal": True, "first_token": "\n"}
    encoder = {"model": {}, "architecture": architecture, "input": input}
    shown = notes(encoder)
    assert says in " ".join(shown)
    assert (LEFT_ONLY in shown) == left_only
    assert any(r"begins with '\n'" in sentence for sentence in shown)
    assert len(shown) == left_only + bool(says) + 1
    architecture["first_token"] = ""
    assert any("No token comes before a text" in sentence for sentence in notes(encoder))


def test_long_vectors_are_named_by_layer_and_view() -> None:
    rows = [("m", "focal", layer, n) for layer, n in ((3, 10), (12, 10), (13, 10), (13, 8))]
    columns = ["model", "view", "layer", "long"]
    tables = {
        "alignment": pd.DataFrame({"instances": [1000, 612]}),
        "long-vectors": pd.DataFrame([*rows, ("m", "context", 12, 1)], columns=columns),
    }
    report = SimpleNamespace(choices=["m"], rows=lambda name, model: tables[name])
    focal, context = long_vectors(report)  # type: ignore[arg-type]
    assert focal.startswith("In layers 3, 12\N{EN DASH}13 of m, 18 of 1,612 focal vectors are more")
    assert context.startswith("In layer 12 of m, 1 of 1,612 context vectors")
