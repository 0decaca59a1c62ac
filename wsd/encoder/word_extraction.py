"""One word while it is embedded: its files are filled part by part, and then get their names.

They lie in a hidden folder beside their places until the last part is written. So a job that was
killed leaves whole words alone, and the next job goes on after the last of them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.vectors import VectorsWriter
from wsd.artifacts.view_names import DRAWN
from wsd.encoder import alignment
from wsd.encoder.encoder import Encoder
from wsd.encoder.focal_pieces import Aligned
from wsd.encoder.view_weights import Sentences
from wsd.logs import log
from wsd.storage.atomic import working_folder, write_errors
from wsd.storage.json import write_json

# Of a view in a part: some 3,000 sentences of BERT-base. That much is held in memory. Batches do
# not go beyond a part, so the last bits of the vectors depend on it.
PART_BYTES = 2**27


class PassOfWord:
    """A word whose files are open.

    Parameters
    ----------
    encoder : Encoder
    corpus, aligned
        As in :class:`wsd.encoder.view_weights.Sentences`.
    views : mapping of str to str
        The views, and the names of their files.
    provenance : dict
        What the files' metadata says of the vectors.
    out : Path
        The word's folder.

    Attributes
    ----------
    batched : list of str
        The views that come part by part; the static ones are written at once.
    """

    def __init__(
        self,
        encoder: Encoder,
        corpus: Corpus,
        aligned: Sequence[Aligned],
        views: Mapping[str, str],
        provenance: Mapping[str, Any],
        out: Path,
    ) -> None:
        self.corpus, self.aligned, self.views, self.out = corpus, aligned, views, out
        self.report = alignment.alignment_report(corpus, aligned)
        for line in alignment.report_warnings(self.report):
            log.warning("%s %s", provenance["model"]["name"], line)
        static = encoder.static(corpus, aligned, list(views))
        self.batched = [view for view in views if view not in static]
        self.layers, self.width = encoder.blocks + 1, encoder.width
        self.rows_of_part = max(1, PART_BYTES // (4 * self.layers * self.width))
        self._left = len(corpus) if self.batched else 0
        self._writers: dict[str, VectorsWriter] = {}
        self._cleanup = ExitStack()
        try:
            with write_errors(out / "vectors"):
                folder = self._cleanup.enter_context(working_folder(out / "vectors"))
                shape = (self.layers, len(corpus), self.width)
                for view in views:
                    # Only one view depends on the seed: other runs find the same files of the rest.
                    seed = provenance["seed"] if view == DRAWN else None
                    about = json.dumps({**provenance, "seed": seed, "view": view}, sort_keys=True)
                    of_view = (1, *static[view].shape) if view in static else shape
                    writer = VectorsWriter(folder / view, of_view, {"wsd": about})
                    self._cleanup.callback(writer.leave)
                    self._writers[view] = writer
                for view, vectors in static.items():
                    self._writers[view].add(vectors[None])
        except BaseException:
            self.leave()
            raise

    @property
    def is_done(self) -> bool:
        """Whether nothing of it is left to be run."""
        return not self._left

    def parts(self) -> Iterator["Part"]:
        """Its parts, to be run one after the other."""
        for first in range(0, len(self.corpus), self.rows_of_part):
            yield Part(self, slice(first, first + self.rows_of_part))

    def add(self, of_views: np.ndarray) -> None:
        """Store a part, of shape (batched views, layers, rows, width)."""
        with write_errors(self.out / "vectors"):
            for view, vectors in zip(self.batched, of_views, strict=True):
                self._writers[view].add(vectors)
        self._left -= of_views.shape[2]

    def finish(self) -> None:
        """Give the files their names, the report of the alignment first."""
        try:
            with write_errors(self.out / "vectors"):
                write_json(self.out / alignment.ALIGNMENT_FILE, self.report)
                for writer in self._writers.values():
                    writer.close()
                for view, writer in self._writers.items():
                    writer.path.replace(self.out / self.views[view])
        finally:
            self.leave()

    def leave(self) -> None:
        """Close the files, and remove those that have not got their names."""
        self._cleanup.close()


class Part(Sentences):
    """Rows of a word that follow each other, while the encoder runs over them."""

    def __init__(self, word: PassOfWord, rows: slice) -> None:
        here = np.zeros(len(word.corpus), dtype=bool)
        here[rows] = True
        super().__init__(word.corpus.take(here), word.aligned[rows], word.batched)
        self.word, self._left = word, len(self.corpus)
        of_row = len(self.views) * word.layers * word.width
        room = _room(of_row * word.rows_of_part)[: of_row * self._left]
        self._vectors = room.reshape(len(self.views), word.layers, self._left, word.width)

    def add(self, rows: Sequence[int], of_views: np.ndarray) -> None:
        """Take a batch; all are stored with the last."""
        self._vectors[:, :, rows] = of_views
        self._left -= len(rows)
        if not self._left:
            self.word.add(self._vectors)


@lru_cache(maxsize=1)
def _room(n: int) -> np.ndarray:
    """For the numbers of a part, and then of the next: memory is slow when it is first touched."""
    return np.empty(n, dtype=np.float32)
