"""Fuzz targets, and functions that all targets share.

A target writes the bytes where its reader looks for them, reads, and holds the result against what
must be true of any. An input that is neither refused with one clear error nor read to a result
that holds is a finding.
"""

import importlib.util
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
from checkout import REPOSITORY
from choices import Choices, damaged_table, write_parquet

from wsd.artifacts.corpus_table import Corpus
from wsd.errors import WsdError, visible
from wsd.storage.parquet import read_table

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

# Tables in Parquet

TABLE_TOKENS = (b"\0", b"\1", b"\2", b"\5")
BYTE_TOKENS = (b"PAR1", b"\x15", b"\x00")
Reader = tuple[Callable[[Path], Any], Callable[[Any], None]]


@dataclass(frozen=True)
class Tables:
    """Some kinds of tables, each damaged as a table or as bytes.

    Attributes
    ----------
    readers : mapping of kind to (function of a path, function of what that returns)
        What reads a file, and what checks the result.
    write : function of a folder
        Writes a valid file of each kind, and returns their paths.
    """

    readers: Mapping[str, Reader]
    write: Callable[[Path], dict[str, Path]]

    @cached_property
    def valid(self) -> dict[str, tuple[bytes, pa.Table, Any]]:
        """Return bytes, table and provenance of a valid file of each kind."""
        with tempfile.TemporaryDirectory() as folder:
            paths = self.write(Path(folder))
            return {name: (path.read_bytes(), *read_table(path)) for name, path in paths.items()}

    def byte_seeds(self) -> list[bytes]:
        return [bytes([i]) + data for i, (data, *_) in enumerate(self.valid.values())]

    def run_bytes(self, data: bytes, folder: Path) -> None:
        """The first byte chooses the reader; the rest is the file."""
        name = [*self.readers][data[0] % len(self.readers) if data else 0]
        path = folder / "table.parquet"
        path.write_bytes(data[1:])
        read, _ = self.readers[name]
        # Flipped bits of numbers are not visible here; the digests of whole files detect them.
        read(path)

    def damage_seeds(self) -> list[bytes]:
        kinds = [bytes([i]) for i in range(len(self.readers))]
        return [*kinds, *(kind + b"\x05\x03\x02\x01\x07" for kind in kinds)]

    def run_damage(self, data: bytes, folder: Path) -> None:
        """The bytes choose a kind of table and its damage."""
        choices = Choices(data)
        name = choices.pick(list(self.readers))
        _, table, provenance = self.valid[name]
        if data[1:]:
            table, provenance = damaged_table(table, provenance, choices)
        path = folder / "table.parquet"
        try:
            write_parquet(path, table, provenance)
        except pa.ArrowNotImplementedError:
            return  # no file can hold it, as a struct without fields
        read, check = self.readers[name]
        check(read(path))


# Readers of studies


@cache
def of_studies() -> list[ModuleType]:
    """Return the modules `fuzz_*.py` beside the tests of studies: TARGETS and PARSERS."""
    results = []
    for path in sorted((REPOSITORY / "tests/studies").glob("*/fuzz_*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        results.append(importlib.util.module_from_spec(spec))
        spec.loader.exec_module(results[-1])
    return results
