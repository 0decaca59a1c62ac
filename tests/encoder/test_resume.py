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

import pytest
from tiny import corpus_of, tiny_bert

from wsd.artifacts import corpus as corpora
from wsd.artifacts.vectors import Embeddings, VectorsWriter
from wsd.encoder import batches, embed, model
from wsd.encoder.encoder import Encoder
from wsd.encoder.resume import JOURNAL, UNFINISHED
from wsd.errors import ModelError, StorageError
from wsd.storage.json import read_json, write_json

# Sixty sentences of many lengths: with the budget below a batch each of a few.
CORPUS = corpus_of(
    *[(f"near {'the ' * (i % 13)}crane {'of' * (i // 13)}", i % 13 + 1) for i in range(60)]
)
VIEWS = ["focal", "cls", "static"]

SIGKILLED = """
import os, signal, sys
from pathlib import Path
import wsd.encoder.batches, wsd.encoder.encoder
from wsd.artifacts import corpus
from wsd.encoder import embed
from wsd.storage.json import read_json
wsd.encoder.batches.CPU_BUDGET = 64
forward, calls = wsd.encoder.encoder.Encoder._forward, []
def counted(self, batch, weights):
    calls.append(len(batch))
    if len(calls) == 10:
        os.kill(os.getpid(), signal.SIGKILL)
    return forward(self, batch, weights)
wsd.encoder.encoder.Encoder._forward = counted
folder = Path(sys.argv[1])
word = embed.Word(corpus.read(folder / "crane.parquet"), folder / "sigkill",
    ["focal", "cls", "static"])
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
        patched.setattr(Encoder, "_forward", counted)
        with pytest.raises(Killed) if kill_at else contextlib.nullcontext():
            embed.embed(
                [embed.Word(CORPUS, out, VIEWS)], record, pooling="mean", seed=seed, device="cpu",
                threads=threads,
            )  # fmt: skip
    return sum(calls)


def contents(out: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in out.iterdir() if p.is_file()}


def journal(out: Path) -> list[str]:
    return (out / UNFINISHED / JOURNAL).read_text().splitlines()


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
    done = sum(len(json.loads(line)[0]) for line in journal(out)[1:])
    assert done > 5
    # Snakemake removes the outputs of a failed job, and nothing else.
    assert run(out, threads=threads) == len(CORPUS) - done
    assert f"{done} of {len(CORPUS)} sentences were done before" in caplog.text
    assert contents(out) == contents(folder / "whole"), "bit for bit"
    assert not (out / UNFINISHED).exists()


def test_killed_three_times(folder: Path, tmp_path: Path) -> None:
    out = folder / tmp_path.name
    total = 0
    for _ in range(3):
        run(out, kill_at=5)
        done = sum(len(json.loads(line)[0]) for line in journal(out)[1:])
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
    assert run(out) == 0
    assert contents(out) == contents(folder / "whole")


def test_a_folder_that_cannot_be_written_is_one_error(folder: Path, tmp_path: Path) -> None:
    out = folder / tmp_path.name
    out.write_text("in the way")
    with pytest.raises(StorageError, match="could not be written: "):
        run(out)


def test_other_settings_start_anew(
    folder: Path, killed: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert run(killed, seed=2) == len(CORPUS)
    assert "unfinished work on something else is thrown away" in caplog.text
    focal = Embeddings(killed / "focal.safetensors", CORPUS)
    assert focal.provenance["seed"] == 2


@pytest.mark.parametrize("damage", ["a bit", "cut", "gone", "journal cut", "journal bad", "rows"])
def test_damaged_unfinished_work_is_done_again(
    folder: Path, killed: Path, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    caplog.set_level(logging.INFO, "wsd")
    lines = journal(killed)
    vectors, book = killed / UNFINISHED / "cls.safetensors", killed / UNFINISHED / JOURNAL
    rows, crc = json.loads(lines[3])
    kept = [json.loads(line)[0] for line in lines[1:]]
    says = "1 unfinished batches are damaged"
    if damage == "a bit":
        data = bytearray(vectors.read_bytes())
        start = len(data) - 3 * len(CORPUS) * 32 * 4
        data[start + 4 * 32 * rows[0]] ^= 1
        vectors.write_bytes(data)
        kept.remove(rows)
    elif damage in ("cut", "gone"):
        if damage == "gone":
            vectors.unlink()
        else:
            os.truncate(vectors, 5000)
        kept, says = [], "the unfinished files are damaged"
    elif damage == "journal cut":
        book.write_text("\n".join(lines)[:-3])
        kept, says = kept[:-1], "were done before"
    elif damage == "journal bad":
        book.write_text("\n".join([*lines[:3], "\0\0\0", *lines[4:], ""]))
        kept, says = kept[:2], "were done before"
    else:
        book.write_text("\n".join([*lines, json.dumps([[4711], crc]), ""]))
    assert run(killed) == len(CORPUS) - sum(map(len, kept))
    assert says in caplog.text
    assert contents(killed) == contents(folder / "whole")


@pytest.mark.slow
def test_sigkill_in_the_middle_and_two_at_once_after_it(folder: Path) -> None:
    out = folder / "sigkill"
    code = [sys.executable, "-c", SIGKILLED, folder]
    assert subprocess.run(code).returncode == -9
    done = sum(len(json.loads(line)[0]) for line in journal(out)[1:])
    assert 0 < done < len(CORPUS)
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
