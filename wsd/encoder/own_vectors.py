"""Read hidden states that another program computed, instead of running an encoder.

The folder has a file per word and split, ``<word>.<split>.npy`` or ``.safetensors``, with one array
of shape (instances, layers, width): the instances in the order of the corpus, the layers from the
embedding layer to the last block.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.encoder.match_word_pieces import Aligned
from wsd.encoder.model_files import VECTOR_FILES, from_path
from wsd.encoder.word_extraction import WordExtraction
from wsd.errors import ModelError
from wsd.storage.checksums import sha256
from wsd.storage.file_names import file_name

# Of an instance whose word pieces are unknown.
UNKNOWN = Aligned([], [], [], None, windowed=False)


class OwnVectors:
    """Stands for an :class:`wsd.encoder.encoder.Encoder`, with vectors from files.

    Parameters
    ----------
    record : mapping
        From :func:`wsd.encoder.model.resolve`, with the source ``vectors``.
    """

    architecture = None
    device = "none"
    drawn = None

    def __init__(self, record: Mapping[str, Any]) -> None:
        self.folder = from_path(record["source"]["vectors"], "vectors")
        self.blocks, self.width = record["blocks"], record["width"]
        self._sums = record["files"]

    def align(self, corpus: Corpus) -> list[Aligned]:
        """Return an empty alignment of every instance."""
        return [UNKNOWN] * len(corpus)

    def encode_words(
        self, words: Iterable[WordExtraction], *, threads: int = 1
    ) -> Iterator[tuple[WordExtraction, tuple[list[int], np.ndarray]]]:
        """Yield the rows and vectors of each split of each word, as the encoder does of a batch.

        Raises
        ------
        ModelError
            If a file is missing, has changed, or has not the right number of finite vectors.
        """
        for word in words:
            for split in dict.fromkeys(word.corpus.split.tolist()):
                rows = np.flatnonzero(word.corpus.split == split)
                vectors = self._read(f"{file_name(word.corpus.word)}.{split}", len(rows))
                yield word, (rows.tolist(), vectors.swapaxes(0, 1)[None])

    def _read(self, name: str, instances: int) -> np.ndarray:
        paths = [self.folder / f"{name}{end}" for end in VECTOR_FILES]
        path = paths[not paths[0].exists()]
        shape = (instances, self.blocks + 1, self.width)
        fix = f"write the vectors of this split in the order of the corpus, of shape {shape}"
        if not path.exists():
            problem = f"there is no {' and no '.join(path.name for path in paths)}"
            raise ModelError(problem, where=str(self.folder), fix=fix)
        vectors = _array(path)
        if vectors.shape != shape:
            raise ModelError(f"an array of shape {vectors.shape}", where=str(path), fix=fix)
        if not (finite := np.isfinite(vectors).all(axis=(1, 2))).all():
            problem = f"row {int(finite.argmin())} has a number that is not finite"
            raise ModelError(problem, where=str(path), fix=fix)
        if sha256(path) != self._sums.get(path.name):
            problem = "the file has changed since the run began"
            raise ModelError(problem, where=str(path), fix="run snakemake again")
        return vectors


def _array(path: Path) -> np.ndarray:
    """Return the array of a file as float32."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        if path.suffix == ".npy":
            return np.load(path, allow_pickle=False).astype(np.float32)
        (tensor,) = load_file(path).values()
    except (SafetensorError, ValueError) as error:
        fix = "write one array of numbers with numpy.save, or one tensor with safetensors"
        raise ModelError(f"not a file with one array: {error}", where=str(path), fix=fix) from None
    return tensor.float().numpy()
