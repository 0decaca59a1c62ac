"""Measure the cost of files in an extraction: the worker process of `extraction.py --files`.

The encoder returns ready-made vectors with the shape of BERT-base. `wsd embed` writes them for
words as large as those of CoarseWSD-20. Then all files are checked as `wsd check` does, and each
layer is read as a classifier reads it.
"""

import json
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.vectors import Embeddings, check_vectors
from wsd.encoder import embed, find_model_folder
from wsd.encoder.aligned import Aligned
from wsd.encoder.encoder import Encoder

BLOCKS, WIDTH, VIEWS = 12, 768, ("focal", "cls")
NAMES = {view: f"{view}.safetensors" for view in VIEWS}
RECORD = {"name": "ready", "blocks": BLOCKS, "width": WIDTH}
CHUNK = 2**18  # bytes per write; the fastest size on Linux
# Instances of each word in CoarseWSD-20.
WORD_SIZES = (3391, 656, 1610, 4564, 742, 441, 603, 529, 275, 110, 253, 6435, 686, 9257, 329, 1239,
              1552, 741, 242, 250)  # fmt: skip


class ReadyMadeEncoder(Encoder):
    """An encoder that returns ready-made vectors."""

    def __init__(self) -> None:
        self.blocks, self.width, self.pooling, self.drawn = BLOCKS, WIDTH, "mean", None
        self.device = torch.device("cpu")
        self.__dict__["architecture"] = SimpleNamespace(as_dict=dict)
        rng = np.random.default_rng(1)
        shape = len(VIEWS), BLOCKS + 1
        self.vectors = [rng.random((*shape, n, WIDTH), np.float32) for n in range(97)]
        self.aligned: dict[str, list[Aligned]] = {}

    def align(self, corpus: Corpus) -> list[Aligned]:
        return self.aligned[corpus.word]

    def static(self, *_: object) -> dict[str, np.ndarray]:
        return {}

    def _forward(self, batch: Any, places: Any) -> tuple[np.ndarray, np.ndarray]:
        return self.vectors[len(batch)], np.ones(len(batch), dtype=bool)


def make_word(word: str, n: int) -> tuple[Corpus, list[Aligned]]:
    """Return a word with ``n`` sentences of 8 to 90 pieces."""
    aligned = [
        Aligned([1] * k, [1], list(range(2, k - 1)), 0, windowed=False, pieces=(word,))
        for k in np.random.default_rng(n).integers(8, 90, n).tolist()
    ]
    split, row, tokens = np.array(["train"] * n), np.arange(n), (("the", word),) * n
    return Corpus(word, ("a", "b"), split, row, tokens, row * 0 + 1, row % 2), aligned


def wsd_steps(
    corpora: list[Corpus], encoder: ReadyMadeEncoder, out: Path
) -> list[Callable[[], None]]:
    """Return the three steps of `wsd`: write, check and read."""
    Encoder.load = lambda *_, **__: encoder  # type: ignore[method-assign, assignment]
    find_model_folder.verify = lambda record: Path()
    words = [embed.Word(corpus, out / corpus.word, NAMES) for corpus in corpora]
    paths = [(corpus, word / name) for corpus, word, names in words for name in names.values()]

    def write() -> None:
        embed.embed(words, RECORD, embed.Options(device="cpu"), threads=2)

    def check() -> None:
        for _, path in paths:
            check_vectors(path)

    def read() -> None:
        for corpus, path in paths:
            embeddings = Embeddings(path, corpus)
            for layer in range(embeddings.layers):
                embeddings.layer(layer)

    return [write, check, read]


def plain_array_steps(
    corpora: list[Corpus], encoder: ReadyMadeEncoder, out: Path
) -> list[Callable[[], None]]:
    """Return the same steps on plain arrays: no batches, no checksums, no waiting for the disk."""
    whole = np.random.default_rng(1).random((BLOCKS + 1, max(WORD_SIZES), WIDTH), np.float32)
    shapes = [(out / corpus.word / view, len(corpus)) for corpus in corpora for view in VIEWS]

    def write() -> None:
        for path, rows in shapes:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("wb", buffering=0) as file:
                for layer in whole[:, :rows]:
                    data = layer.data.cast("B")
                    for i in range(0, len(data), CHUNK):
                        file.write(data[i : i + CHUNK])

    def read() -> None:
        for path, rows in shapes:
            for layer in range(BLOCKS + 1):
                start = 4 * layer * rows * WIDTH
                np.fromfile(path, np.float32, count=rows * WIDTH, offset=start)

    return [write, read, read]


def main() -> None:
    method, size, out = sys.argv[1], float(sys.argv[2]) * 1e9, Path(sys.argv[3])
    encoder, corpora = ReadyMadeEncoder(), []
    while size > 0:
        n = WORD_SIZES[len(corpora) % len(WORD_SIZES)]
        corpus, encoder.aligned[corpus.word] = make_word(f"word{len(corpora)}", n)
        corpora.append(corpus)
        size -= 4 * len(VIEWS) * (BLOCKS + 1) * WIDTH * n
    steps = (plain_array_steps if method == "limit" else wsd_steps)(corpora, encoder, out)
    print("ready", flush=True)
    for _ in sys.stdin:
        seconds = []
        for step in steps:
            start = time.process_time()
            step()
            seconds.append(time.process_time() - start)
        shutil.rmtree(out)
        print(json.dumps(seconds), flush=True)


if __name__ == "__main__":
    main()
