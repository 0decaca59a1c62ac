"""A pass that was killed goes on where it was, and ends as if nothing had happened."""

import contextlib
import json
import logging
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made import plain
from tiny import corpus_of, tiny_bert

from wsd.artifacts import corpus_table as corpora
from wsd.artifacts.vectors import Embeddings, VectorsWriter
from wsd.encoder import batches, embed, model, word_extraction
from wsd.encoder.encoder import Encoder
from wsd.encoder.resume import JOURNAL, UNFINISHED
from wsd.errors import ModelError, StorageError
from wsd.storage.json import read_json, write_json

# Sixty sentences of many lengths: with the budget below a batch each of a few, and four parts.
CORPUS = corpus_of(
    *[(f"near {'the ' * (i % 13)}crane {'of' * (i // 13)}", i % 13 + 1) for i in range(60)]
)
VIEWS = plain("focal", "cls", "static", "other")
PART = 16
PART_BYTES = PART * 3 * 32 * 4

SIGKILLED = """
import os, signal, sys
from pathlib import Path
import wsd.encoder.batches, wsd.encoder.encoder, wsd.encoder.word_extraction
from wsd.artifacts import corpus_table
from wsd.encoder import embed
from wsd.storage.json import read_json
wsd.encoder.batches.CPU_BUDGET = 64
wsd.encoder.word_extraction.PART_BYTES = 16 * 3 * 32 * 4
forward, calls = wsd.encoder.encoder.Encoder._forward, []
def counted(self, batch, weights):
    calls.append(len(batch))
    if len(calls) == 10:
        os.kill(os.getpid(), signal.SIGKILL)
    return forward(self, batch, weights)
wsd.encoder.encoder.Encoder._forward = counted
folder = Path(sys.argv[1])
word = embed.Word(corpus_table.read(folder / "crane.parquet"), folder / "sigkill",
    {view: f"{view}.safetensors" for view in ("focal", "cls", "static", "other")})
embed.embed([word], read_json(folder / "tiny.json"), pooling="mean", seed=1, device="cpu",
    threads=1)
"""


class Killed(BaseException):
    """Stops a pass without any of its own clearing up; what is on the disk is as after SIGKILL."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus, a model's record, and ``whole``: what an undisturbed pass writes."""
    root = tmp_path_factory.mktemp("unfinished")
    corpora.write(root / "crane.parquet", CORPUS)
    record = model.resolve(
        "tiny", path=str(tiny_bert(root / "model")), sha256={}, blocks=2, width=32
    )
    write_json(root / "tiny.json", record)
    assert run(root / "whole") == len(CORPUS)
    return root


def run(out: Path, *, kill_at: int = 0, seed: int = 1, threads: int = 1) -> int:
    """How many sentences go through the model; killed as that pass begins, if it is not 0."""
    calls: list[int] = []
    forward = Encoder._forward

    def counted(self: Encoder, batch: Any, weights: Any) -> Any:
        calls.append(len(batch))
        if len(calls) == kill_at:
            raise Killed
        return forward(self, batch, weights)

    record = read_json(out.parent / "tiny.json")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(batches, "CPU_BUDGET", 64)
        patched.setattr(word_extraction, "PART_BYTES", PART_BYTES)
        patched.setattr(Encoder, "_forward", counted)
        with pytest.raises(Killed) if kill_at else contextlib.nullcontext():
            embed.embed(
                [embed.Word(CORPUS, out, VIEWS)], record, pooling="mean", seed=seed, device="cpu",
                threads=threads,
            )  # fmt: skip
    return sum(calls)


def contents(out: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in out.iterdir() if p.is_file()}


def unfinished(out: Path) -> Path:
    """The folder of the work that is not done."""
    (found,) = (out / UNFINISHED).iterdir()
    return found


def rows_done(out: Path) -> int:
    return PART * len((unfinished(out) / JOURNAL).read_text().splitlines())


@pytest.fixture
def killed(folder: Path, tmp_path: Path) -> Path:
    """What a pass leaves that was killed in its tenth batch."""
    kept = folder / "killed"
    if not kept.exists():
        run(kept, kill_at=10)
    out = folder / tmp_path.name
    shutil.copytree(kept, out)
    return out


@pytest.mark.parametrize("threads", [1, 2])
def test_what_was_done_is_not_done_again(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, threads: int
) -> None:
    caplog.set_level(logging.INFO, "wsd")
    out = folder / tmp_path.name
    run(out, kill_at=10, threads=threads)
    assert contents(out) == {}, "no half-written file has the name of a whole one"
    done = rows_done(out)
    assert done
    # Snakemake removes the outputs of a failed job, and nothing else.
    assert run(out, threads=threads) == len(CORPUS) - done
    assert f"{done} of {len(CORPUS)} sentences were done before" in caplog.text
    assert contents(out) == contents(folder / "whole"), "bit for bit"
    assert not (out / UNFINISHED).exists()


def test_killed_three_times(folder: Path, tmp_path: Path) -> None:
    out = folder / tmp_path.name
    total = 0
    for _ in range(3):
        run(out, kill_at=7)
        done = rows_done(out)
        assert done > total
        total = done
    assert run(out) == len(CORPUS) - total
    assert contents(out) == contents(folder / "whole")


def test_killed_when_all_is_computed(folder: Path, tmp_path: Path) -> None:
    out = folder / tmp_path.name
    close = VectorsWriter.close

    def closed(self: VectorsWriter) -> None:
        if self.path.name == "cls.safetensors":
            raise Killed
        close(self)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(VectorsWriter, "close", closed)
        with pytest.raises(Killed):
            run(out)
    assert run(out) == len(CORPUS) % PART, "the last part"
    assert contents(out) == contents(folder / "whole")


def test_a_folder_that_cannot_be_written_is_one_error(folder: Path, tmp_path: Path) -> None:
    out = folder / tmp_path.name
    out.write_text("in the way")
    with pytest.raises(StorageError, match="could not be written: "):
        run(out)


def test_other_settings_are_other_work(folder: Path, killed: Path) -> None:
    left, done = unfinished(killed), rows_done(killed)
    before = {path.name: path.read_bytes() for path in left.iterdir()}
    assert run(killed, seed=2) == len(CORPUS)
    seeds = {
        view: Embeddings(killed / name, CORPUS).provenance["seed"] for view, name in VIEWS.items()
    }
    assert seeds == {"focal": None, "cls": None, "static": None, "other": 2}
    # What was interrupted is there still, and is gone on with.
    assert {path.name: path.read_bytes() for path in left.iterdir()} == before
    assert run(killed) == len(CORPUS) - done
    assert contents(killed) == contents(folder / "whole")
    assert not (killed / UNFINISHED).exists()


def test_parts_are_where_they_belong(folder: Path) -> None:
    encoder = Encoder.load(str(folder / "model"), device="cpu")
    aligned = encoder.align(CORPUS)
    for view in ("focal", "cls", "other"):
        stored = Embeddings(folder / "whole" / VIEWS[view], CORPUS)
        for rows, of_views in encoder.encode(CORPUS, aligned, views=[view], seed=1):
            for layer, expected in enumerate(of_views[0]):
                assert np.allclose(stored.layer(layer)[rows], expected, atol=1e-5)


def test_a_part_counts_once_it_is_on_the_disk(folder: Path, tmp_path: Path) -> None:
    """The power fails while the second part is put there: of it there is what there is."""
    out, synced = folder / tmp_path.name, []
    sync = VectorsWriter.sync

    def failing(self: VectorsWriter) -> None:
        synced.append(self.rows)
        if synced == [*[PART] * 3, 2 * PART]:
            raise Killed
        sync(self)

    with pytest.MonkeyPatch.context() as patched, pytest.raises(Killed):
        patched.setattr(VectorsWriter, "sync", failing)
        run(out)
    assert rows_done(out) == PART
    path = unfinished(out) / VIEWS["cls"]
    size = path.stat().st_size
    os.truncate(path, size - 4 * 32 * (len(CORPUS) - PART))
    os.truncate(path, size)
    assert run(out) == len(CORPUS) - PART
    assert contents(out) == contents(folder / "whole")


@pytest.mark.parametrize(
    "damage", ["a bit", "cut", "gone", "journal cut", "journal bad", "too many parts"]
)
def test_damaged_unfinished_work_is_done_again(
    folder: Path, killed: Path, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    caplog.set_level(logging.INFO, "wsd")
    vectors, book = unfinished(killed) / VIEWS["cls"], unfinished(killed) / JOURNAL
    kept, says = 0, "the unfinished files are damaged"
    if damage == "a bit":
        data = bytearray(vectors.read_bytes())
        data[-4 * 32 * len(CORPUS)] ^= 1  # of the last layer's first row
        vectors.write_bytes(data)
    elif damage == "cut":
        os.truncate(vectors, 5000)
    elif damage == "gone":
        vectors.unlink()
    elif damage == "journal cut":
        kept = rows_done(killed) - PART
        says = f"{kept} of {len(CORPUS)} sentences were done before"
        book.write_text(book.read_text()[:-3])
    elif damage == "journal bad":
        book.write_text(book.read_text() + "\0\0\0\n")
    else:
        book.write_text(9 * book.read_text())
    run(killed, kill_at=7)
    assert says in caplog.text
    assert (done := rows_done(killed)) == kept + PART
    assert run(killed) == len(CORPUS) - done
    assert contents(killed) == contents(folder / "whole")


@pytest.mark.slow
def test_sigkill_in_the_middle_and_two_at_once_after_it(folder: Path) -> None:
    out = folder / "sigkill"
    code = [sys.executable, "-c", SIGKILLED, folder]
    assert subprocess.run(code).returncode == -9
    assert rows_done(out)
    with ThreadPoolExecutor(2) as pool:
        # One takes it up; the other waits for it, and finds nothing unfinished.
        counts = list(pool.map(lambda _: embed_again(out), range(2)))
    assert counts == [None, None]
    assert contents(out) == contents(folder / "whole")
    assert not (out / UNFINISHED).exists()


def embed_again(out: Path) -> None:
    code = SIGKILLED.replace("== 10", "== 0")
    subprocess.run([sys.executable, "-c", code, out.parent], check=True)


def test_a_model_that_fails_leaves_nothing(folder: Path, tmp_path: Path, monkeypatch) -> None:
    def broken(self, *_: object, **__: object) -> None:
        raise ModelError("the model gives a vector that is not finite")

    monkeypatch.setattr(Encoder, "_forward", broken)
    record = json.loads((folder / "tiny.json").read_text())
    with pytest.raises(ModelError, match="not finite"):
        embed.embed(
            [embed.Word(CORPUS, tmp_path, VIEWS)], record, pooling="mean", seed=1, device="cpu",
            threads=1,
        )  # fmt: skip
    assert list(tmp_path.iterdir()) == []
