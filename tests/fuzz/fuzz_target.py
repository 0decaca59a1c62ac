"""Fuzz targets, and functions that all targets share.

A target writes the bytes where its reader looks for them, reads, and holds the result against what
must be true of any. An input that is neither refused with one clear error nor read to a result
that holds is a finding.
"""

import importlib.util
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from builders import make_corpus
from checkout import REPOSITORY

from wsd.artifacts.corpus_table import Corpus
from wsd.errors import WsdError, visible


class Target(NamedTuple):
    """A reader, valid bytes to begin with, and a check of its results."""

    name: str
    seeds: Callable[[], list[bytes]]
    run: Callable[[bytes, Path], Any]  # gets the input and an empty folder
    tokens: Sequence[bytes] = ()  # what the format is made of
    weight: float = 1.0  # its share of a run's inputs; a slow one gets less


def outcome(target: Target, data: bytes, folder: Path) -> str:
    """Return ``valid`` or ``refused``; raise everything else."""
    try:
        target.run(data, folder)
    except WsdError as error:
        check_error(error)
        return "refused"
    return "valid"


def check_error(error: WsdError) -> None:
    """Check that the error is one message with problem and place or fix, safe for a terminal."""
    text = str(error)
    assert 1 <= error.exit_code <= 7
    assert error.problem.strip() and (error.where or error.fix), f"nothing of where: {text!r}"
    assert visible(text, "\n") == text and len(text) < 8000, text[:500]
    assert all(line[0] == " " for line in text.split("\n")[1:] if line), text


@cache
def small_corpus() -> Corpus:
    rows = [(split, i % 2) for i, split in enumerate(["train"] * 6 + ["test"] * 3)]
    return make_corpus(rows, word="crane", senses=("crane_bird", "crane_machine"))


def check_predictions(content: Any) -> None:
    for prediction in content[0]:
        n, senses = len(prediction.index), prediction.senses
        assert n and prediction.scores.shape == (n, len(senses)) and len({*senses}) == len(senses)
        assert prediction.scores.dtype.kind == "f" and not np.isinf(prediction.scores).any()
        for codes in (prediction.gold, prediction.predicted):
            assert len(codes) == n and ((codes >= 0) & (codes < len(senses))).all()
        assert (prediction.index >= 0).all() and prediction.n_train >= 0


JSON_TOKENS = (b"null", b"true", b"1e999", b"NaN", b'"', b"[]", b"{}", b"\\ud800", b"-1", b"1.0")


@cache
def of_studies() -> list[ModuleType]:
    """Return the modules `fuzz_*.py` beside the tests of studies, with their TARGETS."""
    results = []
    for path in sorted((REPOSITORY / "tests/studies").glob("*/fuzz_*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        results.append(importlib.util.module_from_spec(spec))
        spec.loader.exec_module(results[-1])
    return results
