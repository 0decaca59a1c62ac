"""What the benchmark of a sweep puts its clocks into is there, under that name."""

import importlib
import runpy
from functools import reduce
from pathlib import Path

import pytest

CALLS = runpy.run_path(str(Path(__file__).parents[1] / "bench/trace/sitecustomize.py"))["CALLS"]


@pytest.mark.parametrize(("module", "name"), [call[:2] for call in CALLS])
def test_what_is_timed_is_there(module: str, name: str) -> None:
    assert callable(reduce(getattr, name.split("."), importlib.import_module(module)))
