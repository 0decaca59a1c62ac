"""Write the vectors of one word, part by part.

The files lie in a hidden folder until the last part is written, and then get their names. So a job
that was killed leaves only whole words, and the next job goes on with the first word that is
missing.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import Corpus, instance_name
from wsd.artifacts.number_formats import FLOAT32, TooLargeError
from wsd.artifacts.vectors import STORED_LAYERS, VectorsWriter
from wsd.artifacts.view_names import DRAWN
from wsd.encoder import alignment
from wsd.encoder.aligned import Aligned
from wsd.encoder.encoder import Encoder
from wsd.encoder.view_weights import Sentences
from wsd.errors import ConfigError
from wsd.logs import log
from wsd.storage.atomic import working_folder, write_errors
from wsd.storage.json import write_json

# The size of a view in a part, which is held in memory: some 3,000 sentences of BERT-base. A batch
# never spans two parts, so the last bits of the vectors depend on this size.
PART_BYTES = 2**27


class WordExtraction:
    """A word while it is embedded, and its open files.

    The files get their names with the last part; static views alone are finished at once.

    Parameters
    ----------
    encoder : Encoder
    corpus, aligned
        As in :class:`wsd.encoder.view_weights.Sentences`.
    views : mapping of str to str
        The file name of each view.
    provenance : mapping
        The metadata of the files.
    out : Path
        The word's folder.
    dtype : str
        As in :class:`wsd.artifacts.vectors.VectorsWriter`.
    layers : sequence of int
        The numbers of the layers to write, ascending; none stand for all.

    Attributes
    ----------
    contextual : list of str
        The views that are written part by part.
    """

    def __init__(
        self,
        encoder: Encoder,
        corpus: Corpus,
        aligned: Sequence[Aligned],
        views: Mapping[str, str],
        provenance: Mapping[str, Any],
        out: Path,
        dtype: str = FLOAT32,
        layers: Sequence[int] = (),
    ) -> None:
        self.corpus, self.aligned, self.views, self.out = corpus, aligned, views, out
        self.report = alignment.alignment_report(corpus, aligned)
        for line in alignment.report_warnings(self.report):
            log.warning("%s %s", provenance["model"]["name"], line)
        static = encoder.static(corpus, aligned, list(views))
        self.contextual = [view for view in views if view not in static]
        every = range(encoder.blocks + 1)
        self.stored, self.width = list(layers or every), encoder.width
        subset = {} if self.stored == list(every) else {STORED_LAYERS: self.stored}
        self.rows_of_part = max(1, PART_BYTES // (4 * len(self.stored) * self.width))
        self._left = len(corpus) if self.contextual else 0
        self._writers: dict[str, VectorsWriter] = {}
        with write_errors(out / "vectors"), ExitStack() as cleanup:
            folder = cleanup.enter_context(working_folder(out / "vectors"))
            for view in views:
                # Only one view depends on the seed: runs with other seeds share the other files.
                seed = provenance["seed"] if view == DRAWN else None
                about = {**provenance, "seed": seed, "view": view}
                shape: tuple[int, ...] = (len(self.stored), len(corpus), self.width)
                if view in static:
                    shape = (1, *static[view].shape)
                else:
                    about |= subset
                metadata = {"wsd": json.dumps(about, sort_keys=True)}
                writer = VectorsWriter(folder / view, shape, metadata, dtype)
                cleanup.callback(writer.leave)
                self._writers[view] = writer
            for view, vectors in static.items():
                self._write(view, vectors[None])
            self._cleanup = cleanup.pop_all()
        if self.is_done:
            self._finish()

    @property
    def is_done(self) -> bool:
        """Whether all parts are written."""
        return not self._left

    def parts(self) -> Iterator["Part"]:
        """Yield the parts, in order."""
        for first in range(0, len(self.corpus), self.rows_of_part):
            yield Part(self, slice(first, first + self.rows_of_part))

    def add(self, vectors: np.ndarray) -> None:
        """Write a part, of shape (contextual views, layers, rows, width)."""
        with write_errors(self.out / "vectors"):
            for view, vectors_of_view in zip(self.contextual, vectors, strict=True):
                self._write(view, vectors_of_view)
        self._left -= vectors.shape[2]
        if self.is_done:
            self._finish()

    def _write(self, view: str, vectors: np.ndarray) -> None:
        try:
            self._writers[view].add(vectors)
        except TooLargeError as error:
            name = instance_name(self.corpus, error.row)
            problem = f"{error.value:.6g} in a vector of {name} is too large for the stored type"
            fix = "use bfloat16 or float32"
            raise ConfigError(problem, where="store_dtype", fix=fix) from error

    def _finish(self) -> None:
        with self._cleanup, write_errors(self.out / "vectors"):
            write_json(self.out / alignment.ALIGNMENT_FILE, self.report)
            for writer in self._writers.values():
                writer.close()
            for view, writer in self._writers.items():
                writer.path.replace(self.out / self.views[view])

    def leave(self) -> None:
        """Close and remove the unfinished files; a second call does nothing."""
        self._cleanup.close()


class Part(Sentences):
    """Consecutive rows of a word, and their vectors while the encoder runs on them."""

    def __init__(self, word: WordExtraction, rows: slice) -> None:
        selected = np.zeros(len(word.corpus), dtype=bool)
        selected[rows] = True
        super().__init__(word.corpus.take(selected), word.aligned[rows], word.contextual)
        self.word, self._left = word, len(self.corpus)
        row_size = len(self.views) * len(word.stored) * word.width
        memory = _memory(row_size * word.rows_of_part)[: row_size * self._left]
        self._vectors = memory.reshape(len(self.views), len(word.stored), self._left, word.width)

    def add(self, rows: Sequence[int], vectors: np.ndarray) -> None:
        """Add the vectors of a batch; the last batch writes the part."""
        self._vectors[:, :, rows] = vectors[:, self.word.stored]
        self._left -= len(rows)
        if not self._left:
            self.word.add(self._vectors)


@lru_cache(maxsize=1)
def _memory(n: int) -> np.ndarray:
    # Shared by consecutive parts: memory is slow when it is first used.
    return np.empty(n, dtype=np.float32)
