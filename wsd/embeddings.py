"""What lies on disk between the encoder and everything after it.

One safetensors file per model, word and view holds the tensor ``vectors`` of shape (layers,
instances, width), float32: each layer is one contiguous slice, read without reading the rest. A
static view has one layer, and the width of the encoder's matrix of input embeddings.
Rows are the corpus's rows; the file's metadata names the corpus by its digest, so that vectors
are never paired with rows of another table.

Files are filled batch by batch as the encoder gives them: memory does not grow with the corpus. A
pass that was killed is taken up where it was (:mod:`wsd.unfinished`). The metadata has a CRC-32 of
each layer and of the header, so that reading one layer checks that layer.
"""

import json
import logging
import os
import time
import zlib
from collections.abc import Sequence
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from wsd.corpus import Corpus
from wsd.errors import DamageError, ModelError, ResultError
from wsd.files import storing, write_json
from wsd.unfinished import FOLDER, Journal
from wsd.views import STATIC

log = logging.getLogger("wsd")

TENSOR = "vectors"
CHECKSUMS = "crc32"
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
    resume : bool
        Go on with the file that an interrupted writer left, if it is of the same shape and
        metadata; ``resumed`` says whether it was.
    """

    def __init__(
        self,
        path: Path,
        shape: tuple[int, int, int],
        metadata: dict[str, str],
        *,
        resume: bool = False,
    ) -> None:
        self.path, self.shape = path, shape
        nbytes = int(np.prod(shape, dtype=np.int64)) * 4
        blank = " ".join([_hexadecimal(0)] * (shape[0] + 1))  # until the file is closed
        header = json.dumps(
            {
                "__metadata__": {**metadata, CHECKSUMS: blank},
                TENSOR: {"dtype": "F32", "shape": shape, "data_offsets": [0, nbytes]},
            }
        ).encode()
        header += b" " * (-len(header) % 8)  # the format asks for an aligned start
        self._header = len(header).to_bytes(8, "little") + header
        self._start = len(self._header)
        self._checksums = self._header.rindex(blank.encode()), blank
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        self.resumed = resume and self._is_mine(nbytes)
        if not self.resumed:
            os.ftruncate(self._file, 0)
            _write(self._file, self._header, 0)
            os.ftruncate(self._file, self._start + nbytes)

    def _is_mine(self, nbytes: int) -> bool:
        if os.fstat(self._file).st_size != self._start + nbytes:
            return False
        place, blank = self._checksums  # filled in already, if it was killed at the very end
        found = _read(self._file, self._start, 0)
        found = found[:place] + blank.encode() + found[place + len(blank) :]
        return found == self._header

    def _offset(self, layer: int, row: int) -> int:
        _, instances, width = self.shape
        return self._start + 4 * width * (layer * instances + row)

    def put(self, rows: Sequence[int], vectors: np.ndarray) -> None:
        """Store ``vectors`` of shape (layers, len(rows), width) at ``rows``."""
        layers, _, width = self.shape
        if vectors.shape != (layers, len(rows), width):
            raise ValueError(f"{vectors.shape} is not {(layers, len(rows), width)}")
        vectors = np.ascontiguousarray(vectors, dtype="<f4")
        for layer in range(layers):
            for i, row in enumerate(rows):
                _write(self._file, vectors[layer, i].tobytes(), self._offset(layer, row))

    def checksum(self, rows: Sequence[int], crc: int = 0) -> int:
        """CRC-32 of what :meth:`put` stored at ``rows``, of what is in the file now."""
        layers, _, width = self.shape
        for layer in range(layers):
            for row in rows:
                crc = zlib.crc32(_read(self._file, 4 * width, self._offset(layer, row)), crc)
        return crc

    def close(self) -> None:
        """Write the checksums, and close the file once it is on the disk.

        The rows never put are zero.
        """
        try:
            place, blank = self._checksums
            sums = [_hexadecimal(self._of_layer(layer)) for layer in range(self.shape[0])]
            # The header's own comes last, over the header without it.
            line = " ".join([*sums, _hexadecimal(0)])
            own = zlib.crc32(self._header.replace(blank.encode(), line.encode()))
            line = " ".join([*sums, _hexadecimal(own)])
            _write(self._file, line.encode(), place)
            os.fsync(self._file)
        finally:
            self.leave()

    def _of_layer(self, layer: int) -> int:
        _, instances, width = self.shape
        start, left, crc = self._offset(layer, 0), 4 * width * instances, 0
        while left:
            block = _read(self._file, min(left, 2**22), start)
            start, left, crc = start + len(block), left - len(block), zlib.crc32(block, crc)
        return crc

    def leave(self) -> None:
        """Close the file as it is, to be gone on with or thrown away; once is enough."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _hexadecimal(crc: int) -> str:
    return f"{crc:08x}"


def _write(file: int, data: bytes, offset: int) -> None:
    """All of ``data``: the system may write less, of a disk that is nearly full."""
    while data:
        n = os.pwrite(file, data, offset)
        data, offset = data[n:], offset + n


def _read(file: int, size: int, offset: int) -> bytes:
    data = os.pread(file, size, offset)
    if len(data) < size:
        raise EOFError(f"{size} bytes at {offset}, {len(data)} are there")
    return data


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
    shapes = {
        view: (1 if view in STATIC else encoder.blocks + 1, len(corpus), encoder.width)
        for view in views
    }
    contextual = [view for view in views if view not in STATIC]
    static = [view for view in views if view in STATIC]
    of_static = dict(zip(static, encoder.static(aligned, static), strict=True))
    for view, vectors in of_static.items():
        if (bad := _not_finite(vectors)) is not None:
            raise ModelError(
                f"the model's input embeddings give a {view} vector that is not finite",
                where=_name(corpus, bad),
                fix="check the weights",
            )
        shapes[view] = (1, *vectors.shape)
    name = f"{record['name']} {corpus.word}"
    making = {"provenance": provenance, "shapes": shapes, "machine": encoder.machine()}
    with storing(out / f"{views[0]}.safetensors"), ExitStack() as stack:
        journal = stack.enter_context(Journal(out / FOLDER, making, name))
        writers = {
            view: Writer(
                journal.folder / f"{view}.safetensors",
                shape,
                {"wsd": json.dumps({**provenance, "view": view}, sort_keys=True)},
                resume=bool(journal.found),
            )
            for view, shape in shapes.items()
        }
        for writer in writers.values():
            stack.callback(writer.leave)
        whole = all(writer.resumed for writer in writers.values())
        done = _done(journal, [writers[view] for view in contextual], name) if whole else []
        if journal.found and not done:
            log.warning("%s: the unfinished files are damaged, and are thrown away", name)
        journal.begin(done)
        for view, vectors in of_static.items():
            writers[view].put(range(len(corpus)), vectors[None])
        if contextual:
            rows_done = {row for rows, _ in done for row in rows}
            batches = encoder.encode(
                corpus,
                aligned,
                views=contextual,
                seed=seed,
                threads=threads,
                done=rows_done,
                progress=_Progress(name, len(corpus), len(rows_done)),
            )
            try:
                for rows, of_views in batches:
                    crc = 0
                    for view, of_view in zip(contextual, of_views, strict=True):
                        of_view = np.ascontiguousarray(of_view, dtype="<f4")
                        writers[view].put(rows, of_view)
                        crc = zlib.crc32(of_view.data, crc)
                    journal.add(rows, crc)
            except ModelError:
                journal.remove()  # the same again would end the same way
                raise
        for writer in writers.values():
            writer.close()
        write_json(out / pieces.FILE, audit)
        for view in views:
            writers[view].path.replace(out / f"{view}.safetensors")
        journal.remove()


def _done(journal: Journal, writers: Sequence[Writer], name: str) -> list[tuple[list[int], int]]:
    """The batches of an interrupted pass whose vectors are in the files, as they were."""
    instances = writers[0].shape[1] if writers else 0
    done = []
    for rows, noted in journal.found:
        crc = 0
        if all(0 <= row < instances for row in rows):
            for writer in writers:
                crc = writer.checksum(rows, crc)
            if crc == noted:
                done.append((rows, noted))
    sentences = sum(len(rows) for rows, _ in done)
    if done:
        log.info("%s: %d of %d sentences were done before", name, sentences, instances)
    if len(done) < len(journal.found):
        damaged = len(journal.found) - len(done)
        log.warning("%s: %d unfinished batches are damaged, and done again", name, damaged)
    return done


def _not_finite(vectors: np.ndarray) -> int | None:
    """The first row of an array of shape (n, width) that holds what is no finite number."""
    bad = ~np.isfinite(vectors).all(axis=1)
    return int(bad.argmax()) if bad.any() else None


def _name(corpus: Corpus, row: int) -> str:
    return f"{corpus.word} {corpus.split[row]} {corpus.index[row]}"


class _Progress:
    """A line every few seconds, and one at the end; ``before`` were done by an earlier pass."""

    def __init__(self, what: str, total: int, before: int = 0) -> None:
        self.what, self.total, self.before = what, total, before
        self.start = self.last = time.monotonic()

    def __call__(self, done: int) -> None:
        now = time.monotonic()
        if done < self.total and now - self.last < PROGRESS_SECONDS:
            return
        self.last = now
        rate = (done - self.before) / max(now - self.start, 1e-9)
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
        If the file is missing, damaged (then a :class:`DamageError`), or belongs to other data.
    """

    def __init__(self, path: Path, corpus: Corpus) -> None:
        from safetensors import SafetensorError, safe_open

        self.path, self._corpus = path, corpus
        fix = "delete the file and run again"
        self._sums = _checked_header(path)
        try:
            self._file = safe_open(path, framework="numpy")
            self.provenance: dict[str, Any] = json.loads(self._file.metadata()["wsd"])
            self._vectors = self._file.get_slice(TENSOR)
            self.layers, instances, self.width = self._vectors.get_shape()
            if self._vectors.get_dtype() != "F32" or not (self.layers and self.width):
                raise ValueError("not float32 vectors of at least one layer")
            if len(self._sums) != self.layers:
                raise ValueError("not one checksum per layer")
            if not isinstance(self.provenance, dict):
                raise TypeError("its provenance is no object")
        except FileNotFoundError:
            raise ResultError("a file of an earlier step is missing", where=str(path)) from None
        except (SafetensorError, KeyError, RecursionError, TypeError, ValueError) as error:
            raise DamageError(
                f"not an embedding file of this program: {error}", path=path
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
        vectors = np.ascontiguousarray(self._vectors[number])
        if zlib.crc32(vectors.data) != self._sums[number]:
            raise DamageError(
                f"layer {number} is not what was written: its checksum is another", path=self.path
            )
        if (bad := _not_finite(vectors)) is not None:
            raise ResultError(
                f"the vector of {_name(self._corpus, bad)} in layer {number} is not finite",
                where=str(self.path),
                fix="delete the file and run again; if it is from elsewhere, get it anew",
            )
        return vectors


def _checked_header(path: Path) -> list[int]:
    """The checksums of the layers, out of a header that is what was written.

    Raises
    ------
    ResultError
        If there is no file.
    DamageError
        If the header is another, or the file has another size than it says.
    """
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            length = int.from_bytes(file.read(8), "little")
            header = file.read(min(length, size))
        described = json.loads(header)
        line = described["__metadata__"][CHECKSUMS]
        *sums, own = (int(one, 16) for one in line.split())
        end = int(described[TENSOR]["data_offsets"][1])
        if not sums:
            raise ValueError("no checksums of layers")
    except FileNotFoundError:
        raise ResultError("a file of an earlier step is missing", where=str(path)) from None
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise DamageError(f"not an embedding file of this program: {error}", path=path) from None
    if size != 8 + length + end:
        raise DamageError(f"the file has {size} bytes, not {8 + length + end}", path=path)
    blank = f"{line[:-8]}{_hexadecimal(0)}"
    written = length.to_bytes(8, "little") + header.replace(line.encode(), blank.encode())
    if zlib.crc32(written) != own:
        raise DamageError("the header is not what was written", path=path)
    return sums


def check_file(path: Path, *, layers: bool = True) -> None:
    """Check a file that :func:`embed` wrote: its header and size, and every layer.

    Raises
    ------
    DamageError
        Naming the layer that is not what was written.
    """
    sums = _checked_header(path)
    if not layers:
        return
    with path.open("rb") as file:
        start = 8 + int.from_bytes(file.read(8), "little")
        per_layer = (os.fstat(file.fileno()).st_size - start) // len(sums)
        for number, noted in enumerate(sums):
            file.seek(start + number * per_layer)
            if zlib.crc32(file.read(per_layer)) != noted:
                raise DamageError(
                    f"layer {number} is not what was written: its checksum is another", path=path
                )
