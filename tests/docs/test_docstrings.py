"""The examples of the docstrings show what the code returns."""

import doctest
import re
from importlib import import_module

import pytest
from checkout import REPOSITORY

WITH_EXAMPLES = sorted(
    ".".join(path.relative_to(REPOSITORY).with_suffix("").parts)
    for path in (REPOSITORY / "wsd").rglob("*.py")
    if re.search(r"^\s*>>> ", path.read_text(), re.MULTILINE)
)


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_examples_are_true(module: str) -> None:
    result = doctest.testmod(import_module(module))
    assert result.attempted and not result.failed
