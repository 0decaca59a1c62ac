"""Read and write the vectors of a view: one safetensors file per model, word and view.

The tensor ``vectors`` has shape (layers, instances, width), and the type float32, bfloat16 or
float16; it is read as float32. ``bfloat16`` has the range of float32 and 8 bits of precision;
``float16`` has 11 bits, and ends at 65,504. NumPy has no bfloat16, so its numbers are handled as
the upper half of a float32. Each layer is one contiguous slice, which can be read alone. If not
every layer is stored, the metadata lists the stored ones. The rows are the rows of the word's
table. The metadata has the digest of that table, so that vectors are never paired with another
table.

A file is written batch by batch, so that memory does not grow with the corpus. The metadata has a
CRC-32 of each layer and of the header, so that reading a layer also checks it.
"""

import json
import math
import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.errors import DamageError, ResultError, wrong_file
from wsd.storage.result_files import UNEXPECTED, require_file

FLOAT32, BFLOAT16, FLOAT16 = STORE_DTYPES = ("float32", "bfloat16", "float16")
# The names of the safetensors format, and the types of the numbers on disk.
NAMES = {FLOAT32: "F32", BFLOAT16: "BF16", FLOAT16: "F16"}
ON_DISK: dict[str, np.dtype[Any]] = {
    "F32": np.dtype("<f4"),
    "BF16": np.dtype("<u2"),
    "F16": np.dtype("<f2"),
}


class TooLargeError(Exception):
    """A number that the type of the stored vectors cannot hold.

    Attributes
    ----------
    row, value
        The row of the array, and the number.
    """

    def __init__(self, row: int, value: float) -> None:
        super().__init__(row, value)
        self.row, self.value = row, value


def to_disk(values: np.ndarray, name: str) -> np.ndarray:
    """Round float32 numbers to a format, to the nearest, and to even halfway.

    Parameters
    ----------
    values : float32 array of shape (rows, width)
    name : str
        A name of the safetensors format: F32, BF16 or F16.

    Returns
    -------
    C-contiguous array of the same shape and the type ``ON_DISK[name]``

    Raises
    ------
    TooLargeError
        If a finite number is beyond the range.
    """
    values = np.ascontiguousarray(values, dtype="<f4")
    if name == "F32":
        return values
    if name == "F16":
        with np.errstate(over="ignore"):
            stored = values.astype("<f2")
    else:
        bits = values.view("<u4")
        stored = ((bits + (0x7FFF + ((bits >> 16) & 1))) >> 16).astype("<u2")
        stored[np.isnan(values)] = 0x7FC0  # rounding could turn a NaN into another number
    lost = np.isfinite(values) & ~np.isfinite(from_disk(stored, name))
    if lost.any():
        row, column = (int(place) for place in np.argwhere(lost)[0])
        raise TooLargeError(row, float(values[row, column]))
    return stored


def from_disk(stored: np.ndarray, name: str) -> np.ndarray:
    """Return the numbers of :func:`to_disk` as float32; no number changes."""
    if name == "BF16":
        return (stored.astype("<u4") << 16).view("<f4")
    return stored.astype("<f4", copy=False)


VECTORS = ".safetensors"
TENSOR = "vectors"
CHECKSUMS = "crc32"
# The key of the provenance with the numbers of the stored layers, if not all are.
STORED_LAYERS = "stored_layers"
NO_CHECKSUM = "0" * 8


class VectorsWriter:
    """Write a safetensors file with one tensor, to which rows are added in any order.

    Parameters
    ----------
    path : Path
        A temporary path, because the file is not written atomically.
    shape : (layers, instances, width)
    metadata : dict of str to str
    dtype : {"float32", "bfloat16", "float16"}
        The type of the numbers in the file.

    Attributes
    ----------
    rows : int
        The number of rows added so far.
    """

    def __init__(
        self, path: Path, shape: tuple[int, ...], metadata: dict[str, str], dtype: str = FLOAT32
    ) -> None:
        self.path, self.shape, self._type = path, shape, NAMES[dtype]
        self.rows = 0
        self._size = ON_DISK[self._type].itemsize
        nbytes = self._size * math.prod(shape)
        self._no_sums = " ".join([NO_CHECKSUM] * (shape[0] + 1))  # until the file is closed
        header = json.dumps(
            {
                "__metadata__": {**metadata, CHECKSUMS: self._no_sums},
                TENSOR: {"dtype": self._type, "shape": shape, "data_offsets": [0, nbytes]},
            }
        ).encode()
        header += b" " * (-len(header) % 8)  # the format asks for an aligned start
        self._header = len(header).to_bytes(8, "little") + header
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o666)
        os.ftruncate(self._file, len(self._header) + nbytes)

    def add(self, vectors: np.ndarray, rows: Sequence[int]) -> None:
        """Add rows that are not written yet, a float32 array of shape (layers, rows, width).

        Raises
        ------
        wsd.artifacts.vectors.TooLargeError
            If a finite number is beyond the range of the type.
        """
        for layer, values in enumerate(vectors):
            data = to_disk(values, self._type).view(np.uint8)
            for row, vector in zip(rows, data, strict=True):
                _write(self._file, vector.data, self._offset(layer, row))
        self.rows += len(rows)

    def _offset(self, layer: int, row: int) -> int:
        _, instances, width = self.shape
        return len(self._header) + self._size * width * (layer * instances + row)

    def close(self) -> None:
        """Write the header, flush the file to the disk, and close it."""
        try:
            layers, instances, width = self.shape
            if self.rows != instances:
                raise ValueError(f"{self.rows} rows of {self.shape}")
            sums = []
            for layer in range(layers):
                kind, start = ON_DISK[self._type], self._offset(layer, 0)
                stored = np.fromfile(self.path, kind, instances * width, offset=start)
                sums.append(f"{zlib.crc32(stored.data):08x}")
            # The checksum of the header comes last. It covers the header with zeros in its place.
            own = zlib.crc32(self._header_with([*sums, NO_CHECKSUM]))
            _write(self._file, self._header_with([*sums, f"{own:08x}"]), 0)
            os.fsync(self._file)
        finally:
            self.leave()

    def _header_with(self, sums: Sequence[str]) -> bytes:
        return self._header.replace(self._no_sums.encode(), " ".join(sums).encode())

    def leave(self) -> None:
        """Close an unfinished file; a second call does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _write(file: int, data: bytes | memoryview, offset: int) -> None:
    while data:  # on a nearly full disk, pwrite may write only a part
        n = os.pwrite(file, data, offset)
        data, offset = data[n:], offset + n


class _VectorsFile:
    """A file of :class:`VectorsWriter`; its header and its size are checked.

    Attributes
    ----------
    layers, width : int
    provenance : dict
    checksum : str
        The size of the file, and the CRC-32 of its header.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        require_file(path)
        try:
            with path.open("rb") as file:
                size, length = os.fstat(file.fileno()).st_size, file.read(8)
                header = file.read(min(int.from_bytes(length, "little"), size))
            described = json.loads(header)
            metadata, tensor = described["__metadata__"], described[TENSOR]
            line, self.provenance = metadata[CHECKSUMS], json.loads(metadata["wsd"])
            *self._sums, own = (int(crc, 16) for crc in line.split())
            self.layers, self._instances, self.width = tensor["shape"]
            self._type, self._start = tensor["dtype"], len(length + header)
            end = self._start + tensor["data_offsets"][1]
        except UNEXPECTED as error:
            problem = f"not an embedding file of this program: {error}"
            raise DamageError(problem, path=path) from None
        if size != end:
            raise DamageError(f"the file has {size} bytes, not {end}", path=path)
        blank = f"{line[:-8]}{NO_CHECKSUM}"
        if zlib.crc32(length + header.replace(line.encode(), blank.encode())) != own:
            raise DamageError("the header has changed since it was written", path=path)
        self.checksum = f"crc32 {own:08x} {size}"

    def read(self, place: int) -> np.ndarray:
        """Read the layer at a place of the tensor, and compare its checksum."""
        kind, count = ON_DISK[self._type], self._instances * self.width
        start = self._start + kind.itemsize * place * count
        stored = np.fromfile(self.path, dtype=kind, count=count, offset=start)
        if zlib.crc32(stored.data) != self._sums[place]:
            problem = f"layer {place} has changed since it was written: the checksum differs"
            raise DamageError(problem, path=self.path)
        return from_disk(stored, self._type).reshape(self._instances, self.width)


class Embeddings(_VectorsFile):
    """Read one view of one word by one model, layer by layer.

    Parameters
    ----------
    path : Path
        A file that :func:`wsd.encoder.embed.embed` wrote.
    corpus : Corpus
        The table of the word.

    Raises
    ------
    ResultError
        If the file is missing, belongs to other data, or is damaged (:class:`DamageError`).

    Attributes
    ----------
    layers : int
        The number of layers in the file.
    stored : tuple of int
        Their numbers, ascending.
    blocks : int
        The number of the encoder's blocks, L.
    width : int
    provenance : dict
    """

    def __init__(self, path: Path, corpus: Corpus) -> None:
        super().__init__(path)
        self.stored, self.blocks = tuple(range(self.layers)), self.layers - 1
        if STORED_LAYERS in self.provenance:
            self.stored = tuple(self.provenance[STORED_LAYERS])
            self.blocks = self.provenance["model"]["blocks"]
        if self.provenance["corpus"] != corpus.digest:
            problem = f"the vectors belong to another table than the corpus of {corpus.word!r}"
            raise wrong_file(problem, path)

    def layer(self, number: int) -> np.ndarray:
        """Return the vectors of one hidden state: float32 array of shape (instances, width).

        Raises
        ------
        ResultError
            If the layer is not stored.
        """
        if number not in self.stored:
            problem = f"layer {number} is not stored, only {', '.join(map(str, self.stored))}"
            fix = f"add {number} to `store_layers` of the model, and run again"
            raise ResultError(problem, where=str(self.path), fix=fix)
        return self.read(self.stored.index(number))


def vectors_checksum(path: Path) -> str:
    """Return the size of a file and the CRC-32 of its header, which has the CRC-32 of each layer.

    Raises
    ------
    ResultError
        If the file is missing.
    DamageError
        If the header or the size has changed since it was written.
    """
    return _VectorsFile(path).checksum


def check_vectors(path: Path) -> str:
    """Check the header and every layer of a file; return :func:`vectors_checksum`.

    Raises
    ------
    ResultError
        If the file is missing.
    DamageError
        If the header or a layer has changed since it was written.
    """
    file = _VectorsFile(path)
    for place in range(file.layers):
        file.read(place)
    return file.checksum
