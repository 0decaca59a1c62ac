"""A word's files are written batch by batch, and get their names together or not at all."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from builders import plain
from tiny import corpus_of, tiny_bert

from wsd.artifacts import corpus_table as corpora
from wsd.artifacts.vectors import Embeddings, VectorsWriter
from wsd.encoder import batches, embed, model
from wsd.encoder.encoder import Encoder
from wsd.errors import StorageError
from wsd.storage.atomic import PART, remove_abandoned
from wsd.storage.json import read_json, write_json

# Sixty sentences of many lengths; the budget below gives batches of a few.
CORPUS = corpus_of(
    *[(f"near {'the ' * (i % 13)}crane {'of' * (i // 13)}", i % 13 + 1) for i in range(60)]
)
VIEWS = plain("focal", "cls", "context")

KILLS_ITSELF = """
import os, signal, sys
from pathlib import Path
import wsd.encoder.batches
from wsd.artifacts import corpus_table
from wsd.encoder import embed
from wsd.encoder.word_extraction import WordExtraction
from wsd.storage.json import read_json
wsd.encoder.batches.CPU_BUDGET = 64
add, calls = WordExtraction.add, []
def counted(self, rows, vectors):
    calls.append(rows)
    if len(calls) == 10:
        os.kill(os.getpid(), signal.SIGKILL)
    add(self, rows, vectors)
WordExtraction.add = counted
folder = Path(sys.argv[1])
word = embed.Word(corpus_table.read(folder / "crane.parquet"), folder / "sigkill",
    {view: f"{view}.safetensors" for view in ("focal", "cls", "context")})
embed.embed([word], read_json(folder / "tiny.json"), embed.Options(device="cpu"))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a corpus, a model's record, and ``whole``, the files of an undisturbed pass."""
    root = tmp_path_factory.mktemp("extraction")
    corpora.write(root / "crane.parquet", CORPUS)
    record = model.resolve("tiny", path=str(tiny_bert(root / "model")), sha256={})
    write_json(root / "tiny.json", record)
    run(root / "whole")
    return root


def run(out: Path, *, threads: int = 1, **options: Any) -> None:
    record, word = read_json(out.parent / "tiny.json"), embed.Word(CORPUS, out, VIEWS)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(batches, "CPU_BUDGET", 64)
        embed.embed([word], record, embed.Options(device="cpu", **options), threads=threads)


def contents(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()}


def test_the_number_of_threads_changes_no_bit(folder: Path, tmp_path: Path) -> None:
    out = folder / tmp_path.name
    run(out, threads=2)
    assert contents(out) == contents(folder / "whole")


def test_a_failure_at_the_end_leaves_no_partial_file(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(self: VectorsWriter) -> None:
        if self.path.name == "cls":
            raise OSError(28, "No space left on device")
        close(self)

    close, out = VectorsWriter.close, folder / tmp_path.name
    monkeypatch.setattr(VectorsWriter, "close", failing)
    with pytest.raises(StorageError, match="No space left"):
        run(out)
    assert {*contents(out)} == {"alignment.json"}


def test_some_layers_in_half_precision(folder: Path, tmp_path: Path) -> None:
    whole, out = Embeddings(folder / "whole" / VIEWS["focal"], CORPUS), folder / tmp_path.name
    run(out, store_dtype="bfloat16", store_layers=(0, 2))
    half = Embeddings(out / VIEWS["focal"], CORPUS)
    assert (whole.stored, half.stored, half.blocks) == ((0, 1, 2), (0, 2), 2)
    for layer in half.stored:
        rounded = torch.from_numpy(whole.layer(layer)).to(torch.bfloat16).float().numpy()
        assert np.array_equal(half.layer(layer), rounded)


def test_rows_are_in_order(folder: Path) -> None:
    encoder = Encoder.load(str(folder / "model"), device="cpu")
    aligned = encoder.align(CORPUS)
    for view in VIEWS:
        stored = Embeddings(folder / "whole" / VIEWS[view], CORPUS)
        for rows, of_views in encoder.encode(CORPUS, aligned, views=[view]):
            for layer, expected in enumerate(of_views[0]):
                assert np.allclose(stored.layer(layer)[rows], expected, atol=1e-5)


@pytest.mark.slow
def test_killed_in_the_middle_and_two_at_once_after_it(folder: Path) -> None:
    out = folder / "sigkill"
    code = [sys.executable, "-c", KILLS_ITSELF, folder]
    assert subprocess.run(code).returncode == -9
    (left,) = out.iterdir()
    assert left.name.endswith(PART)
    assert remove_abandoned(out) == [left], "as the next run does it before its first job"
    code[2] = KILLS_ITSELF.replace("== 10", "== 0")
    both = [subprocess.Popen(code) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    assert contents(out) == contents(folder / "whole")
