"""Fuzz targets, and functions that all targets share.

A target writes the bytes where its reader looks for them, reads, and holds the result against what
must be true of any. An input that is neither refused with one clear error nor read to a result
that holds is a finding.
"""

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from checkout import REPOSITORY

from wsd.artifacts.corpus_table import Corpus
from wsd.errors import WsdError, visible

LONGEST_MESSAGE = 8000


@dataclass(frozen=True)
class Target:
    """A reader, valid bytes, and a check of its results.

    Attributes
    ----------
    seeds : function without arguments
        Valid inputs, to begin with.
    run : function of the input and an empty folder
        Reads and checks; an AssertionError, or anything else but a WsdError, is a finding.
    tokens : sequence of bytes
        What the format is made of.
    weight : float
        Its share of a run's inputs, before scaling; a slow one gets less.
    """

    name: str
    seeds: Callable[[], list[bytes]]
    run: Callable[[bytes, Path], Any]
    tokens: Sequence[bytes] = ()
    weight: float = 1.0


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
    assert visible(text, "\n") == text and len(text) < LONGEST_MESSAGE, text[:500]
    assert all(line[0] == " " for line in text.split("\n")[1:] if line), text


# A corpus for tables


@cache
def small_corpus(word: str = "crane") -> Corpus:
    return Corpus(
        word=word,
        senses=("crane_bird", "crane_machine"),
        split=np.array(["train"] * 6 + ["test"] * 3),
        index=np.array([*range(6), *range(3)], dtype=np.int32),
        tokens=tuple(("a", "crane", f"n{i}") for i in range(9)),
        position=np.ones(9, dtype=np.int32),
        gold=np.arange(9, dtype=np.int32) % 2,
    )


def check_predictions(content: Any) -> None:
    for prediction in content[0]:
        n = len(prediction.index)
        assert (
            n
            and prediction.scores.shape == (n, len(prediction.senses))
            and prediction.scores.dtype.kind == "f"
        )
        assert (
            len(prediction.gold) == len(prediction.predicted) == n
            and not np.isinf(prediction.scores).any()
        )
        for codes in (prediction.gold, prediction.predicted):
            assert ((codes >= 0) & (codes < len(prediction.senses))).all()
        assert (
            (prediction.index >= 0).all()
            and isinstance(prediction.n_train, int)
            and prediction.n_train >= 0
        )
        assert len(set(prediction.senses)) == len(prediction.senses)


# JSON values

JSON_TOKENS = (b"null", b"true", b"1e999", b"NaN", b'"', b"[]", b"{}", b"\\ud800", b"-1", b"1.0")
LAYER_TOKENS = (
    b"all", b"mean", b"sum", b"concat", b"mix", b"-", b"last", b"-last-", b"-all", b"0", b"1",
    b"12", b"-1", b"01", b",", b"-0", b"99999", "\u0661".encode(), b"+", b"focal", b"cls", b"|",
)  # fmt: skip

# Readers of studies


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
