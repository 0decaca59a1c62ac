"""What lies on disk between the encoder and everything after it.

One safetensors file per model, word and view holds the tensor ``vectors`` of shape (layers,
instances, width), float32: each layer is one contiguous slice, read without reading the rest. A
static view has one layer, and the width of the encoder's matrix of input embeddings.
Rows are the corpus's rows; the file's metadata names the corpus by its digest, so that vectors
are never paired with rows of another table.

Files are filled batch by batch as the encoder gives them: memory does not grow with the corpus.
"""

import json
import logging
import os
import time
from collections.abc import Sequence
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from wsd.corpus import Corpus
from wsd.errors import ModelError, ResultError
from wsd.files import replacing, write_json
from wsd.views import STATIC

log = logging.getLogger("wsd")

TENSOR = "vectors"
PACKAGES = ("numpy", "safetensors", "tokenizers", "torch", "transformers", "wsd")
PROGRESS_SECONDS = 5.0
# What the encoder reads: the sentence, or the sentence with a mask token for the focal word.
PLAIN, MASKED = INPUTS = ("plain", "masked")


class Writer:
    """A safetensors file with one float32 tensor whose rows come in any order.

    Parameters
    ----------
    path : Path
        Written in place: give a temporary path.
    shape : (layers, instances, width)
    metadata : dict of str to str
    """

    def __init__(self, path: Path, shape: tuple[int, int, int], metadata: dict[str, str]) -> None:
        self.shape = shape
        nbytes = int(np.prod(shape, dtype=np.int64)) * 4
        header = json.dumps(
            {
                "__metadata__": metadata,
                TENSOR: {"dtype": "F32", "shape": shape, "data_offsets": [0, nbytes]},
            }
        ).encode()
        header += b" " * (-len(header) % 8)  # the format asks for an aligned start
        self._start = 8 + len(header)
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        os.write(self._file, len(header).to_bytes(8, "little") + header)
        os.ftruncate(self._file, self._start + nbytes)

    def put(self, rows: Sequence[int], vectors: np.ndarray) -> None:
        """Store ``vectors`` of shape (layers, len(rows), width) at ``rows``."""
        layers, instances, width = self.shape
        if vectors.shape != (layers, len(rows), width):
            raise ValueError(f"{vectors.shape} is not {(layers, len(rows), width)}")
        vectors = np.ascontiguousarray(vectors, dtype="<f4")
        for layer in range(layers):
            for i, row in enumerate(rows):
                offset = self._start + 4 * width * (layer * instances + row)
                os.pwrite(self._file, vectors[layer, i].tobytes(), offset)

    def close(self) -> None:
        """Close the file; the rows never put are zero."""
        os.close(self._file)


def embed(
    corpus: Corpus,
    record: dict[str, Any],
    *,
    views: Sequence[str],
    pooling: Any,
    seed: int,
    device: str,
    threads: int,
    out: Path,
    input: str = PLAIN,
    precision: Any = "float32",
) -> None:
    """Run the encoder over a word's instances and write ``out/<view>.safetensors``.

    Beside them ``alignment.json`` says what the tokenizer made of the focal words.

    Parameters
    ----------
    corpus : Corpus
    record : dict
        What :func:`wsd.models.resolve` found; its files are checked again. With
        ``random_weights`` the weights are drawn with that seed, not read.
    views, pooling, seed, device, threads
        As in :class:`wsd.encoder.Encoder` and :meth:`wsd.encoder.Encoder.encode`; the views also
        among the static ones of :mod:`wsd.views`.
    out : Path
        The word's folder.
    input : {"plain", "masked"}
        Whether one mask token takes the place of the focal word.
    precision
        As in :meth:`wsd.encoder.Encoder.load`.
    """
    from wsd import models, pieces
    from wsd.encoder import Encoder

    folder = models.verify(record)
    encoder = Encoder.load(
        str(folder),
        pooling=pooling,
        masked=input == MASKED,
        device=device,
        precision=precision,
        random_weights=record.get("random_weights"),
    )
    for key, here in (("blocks", encoder.blocks), ("width", encoder.width)):
        if here != record[key]:
            raise ResultError(f"the model has {key} {here}, its record says {record[key]}")
    model = {key: value for key, value in record.items() if key != "folder"}
    if encoder.drawn is not None:
        model["random_weights_sha256"] = encoder.drawn
    aligned = encoder.align(corpus)
    audit = pieces.report(corpus, aligned)
    for line in pieces.warnings(audit):
        log.warning("%s %s", record["name"], line)
    provenance = {
        "model": model,
        "architecture": encoder.architecture.as_dict(),
        "input": input,
        "pooling": pooling,
        "precision": precision,
        "seed": seed,
        "device": str(encoder.device),
        "word": corpus.word,
        "corpus": corpus.digest,
        "instances": len(corpus),
        "split_focal_words": sum(len(one.pieces) > 1 for one in aligned),
        "windowed": sum(one.windowed for one in aligned),
        "without_context": sum(not one.others for one in aligned),
        "versions": {package: version(package) for package in PACKAGES},
    }
    shape = (encoder.blocks + 1, len(corpus), encoder.width)
    contextual = [view for view in views if view not in STATIC]
    static = [view for view in views if view in STATIC]
    with ExitStack() as stack:

        def writer(view: str, shape: tuple[int, int, int]) -> Writer:
            path = stack.enter_context(replacing(out / f"{view}.safetensors"))
            metadata = {"wsd": json.dumps({**provenance, "view": view}, sort_keys=True)}
            opened = Writer(path, shape, metadata)
            stack.callback(opened.close)
            return opened

        for view, vectors in zip(static, encoder.static(aligned, static), strict=True):
            if (bad := _not_finite(vectors)) is not None:
                raise ModelError(
                    f"the model's input embeddings give a {view} vector that is not finite",
                    where=_name(corpus, bad),
                    fix="check the weights",
                )
            opened = writer(view, (1, *vectors.shape))
            opened.put(range(len(corpus)), vectors[None])
        if contextual:
            writers = [writer(view, shape) for view in contextual]
            batches = encoder.encode(
                corpus,
                aligned,
                views=contextual,
                seed=seed,
                threads=threads,
                progress=_Progress(f"{record['name']} {corpus.word}", len(corpus)),
            )
            for rows, of_views in batches:
                for opened, of_view in zip(writers, of_views, strict=True):
                    opened.put(rows, of_view)
    write_json(out / pieces.FILE, audit)


def _not_finite(vectors: np.ndarray) -> int | None:
    """The first row of an array of shape (n, width) that holds what is no finite number."""
    bad = ~np.isfinite(vectors).all(axis=1)
    return int(bad.argmax()) if bad.any() else None


def _name(corpus: Corpus, row: int) -> str:
    return f"{corpus.word} {corpus.split[row]} {corpus.index[row]}"


class _Progress:
    """A line every few seconds, and one at the end."""

    def __init__(self, what: str, total: int) -> None:
        self.what, self.total = what, total
        self.start = self.last = time.monotonic()

    def __call__(self, done: int) -> None:
        now = time.monotonic()
        if done < self.total and now - self.last < PROGRESS_SECONDS:
            return
        self.last = now
        rate = done / max(now - self.start, 1e-9)
        left = f", {(self.total - done) / rate:.0f} s left" if done < self.total else ""
        log.info("%s: %d of %d sentences, %.0f/s%s", self.what, done, self.total, rate, left)


class Embeddings:
    """One view of one word by one model, read layer by layer.

    Parameters
    ----------
    path : Path
        A file that :func:`embed` wrote.
    corpus : Corpus
        The table whose rows the vectors belong to.

    Raises
    ------
    ResultError
        If the file is missing, damaged, or belongs to other data.
    """

    def __init__(self, path: Path, corpus: Corpus) -> None:
        from safetensors import SafetensorError, safe_open

        self.path, self._corpus = path, corpus
        fix = "delete the file and run again"
        try:
            self._file = safe_open(path, framework="numpy")
            self.provenance: dict[str, Any] = json.loads(self._file.metadata()["wsd"])
            self._vectors = self._file.get_slice(TENSOR)
            self.layers, instances, self.width = self._vectors.get_shape()
            if self._vectors.get_dtype() != "F32" or not (self.layers and self.width):
                raise ValueError("not float32 vectors of at least one layer")
            if not isinstance(self.provenance, dict):
                raise TypeError("its provenance is no object")
        except FileNotFoundError:
            raise ResultError("a file of an earlier step is missing", where=str(path)) from None
        except (SafetensorError, KeyError, RecursionError, TypeError, ValueError) as error:
            raise ResultError(
                f"not an embedding file of this program: {error}", where=str(path), fix=fix
            ) from None
        if self.provenance.get("corpus") != corpus.digest or instances != len(corpus):
            raise ResultError(
                f"the vectors belong to another table than the corpus of {corpus.word!r}",
                where=str(path),
                fix=fix,
            )

    @property
    def blocks(self) -> int:
        """Number of the encoder's blocks: one less than there are layers; a static view has 0."""
        return self.layers - 1

    def layer(self, number: int) -> np.ndarray:
        """The vectors of one hidden state: float32 array of shape (instances, width).

        Raises
        ------
        ResultError
            If one is not finite; it names the instance.
        """
        if not 0 <= number < self.layers:
            raise ValueError(f"layer {number} of {self.layers}")
        vectors: np.ndarray = self._vectors[number]
        if (bad := _not_finite(vectors)) is not None:
            raise ResultError(
                f"the vector of {_name(self._corpus, bad)} in layer {number} is not finite",
                where=str(self.path),
                fix="delete the file and run again; if it is from elsewhere, get it anew",
            )
        return vectors
