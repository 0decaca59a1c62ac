"""The functions that bench/sweep.py times exist under their names."""

import importlib
import runpy
from functools import reduce
from pathlib import Path

import pytest

TRACE = Path(__file__).parents[1] / "bench/trace/sitecustomize.py"
TIMED_CALLS = runpy.run_path(str(TRACE))["TIMED_CALLS"]


@pytest.mark.parametrize(("module", "name"), [call[:2] for call in TIMED_CALLS])
def test_timed_functions_exist(module: str, name: str) -> None:
    assert callable(reduce(getattr, name.split("."), importlib.import_module(module)))
