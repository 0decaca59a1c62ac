"""Write the vectors of one word, batch by batch.

The files lie in a hidden folder until the last batch is written, and then get their names. So a
job that was killed leaves only whole words, and the next job goes on with the first word that is
missing.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wsd.artifacts.corpus_table import Corpus, instance_name
from wsd.artifacts.vectors import FLOAT32, STORED_LAYERS, TooLargeError, VectorsWriter
from wsd.encoder import alignment
from wsd.encoder.batches import Sentences
from wsd.encoder.match_word_pieces import Aligned
from wsd.errors import ConfigError
from wsd.logs import log
from wsd.storage.atomic import working_folder, write_errors
from wsd.storage.checksums import is_as_noted
from wsd.storage.json import read_json, write_json

if TYPE_CHECKING:
    from wsd.encoder.encoder import Encoder
    from wsd.encoder.own_vectors import OwnVectors


class WordExtraction(Sentences):
    """A word while it is embedded, and its open files, which get their names with the last batch.

    Parameters
    ----------
    encoder : Encoder or OwnVectors
    corpus, aligned
        As in :class:`wsd.encoder.batches.Sentences`.
    names : mapping of str to str
        The file name of each view.
    provenance : mapping
        The metadata of the files.
    out : Path
        The word's folder.
    dtype : str
        As in :class:`wsd.artifacts.vectors.VectorsWriter`.
    layers : sequence of int
        The numbers of the layers to write, ascending; none stand for all.
    """

    def __init__(
        self,
        encoder: "Encoder | OwnVectors",
        corpus: Corpus,
        aligned: Sequence[Aligned],
        names: Mapping[str, str],
        provenance: Mapping[str, Any],
        out: Path,
        dtype: str = FLOAT32,
        layers: Sequence[int] = (),
    ) -> None:
        super().__init__(corpus, aligned, list(names))
        self.out, self._left = out, len(corpus)
        self._report = alignment.alignment_report(corpus, aligned)
        for line in alignment.report_warnings(self._report):
            log.warning("%s %s", provenance["model"]["name"], line)
        every = list(range(encoder.blocks + 1))
        self._stored = list(layers) or every
        subset = {} if self._stored == every else {STORED_LAYERS: self._stored}
        shape = (len(self._stored), len(corpus), encoder.width)
        self._norms = np.empty((len(names), *shape[:2]), dtype=np.float32)
        self._writers: dict[str, VectorsWriter] = {}
        with write_errors(out / "vectors"), ExitStack() as cleanup:
            folder = cleanup.enter_context(working_folder(out / "vectors"))
            for view, name in names.items():
                about = json.dumps({**provenance, "view": view, **subset}, sort_keys=True)
                writer = VectorsWriter(folder / view, shape, {"wsd": about}, dtype)
                cleanup.callback(writer.leave)
                self._writers[name] = writer
            self._cleanup = cleanup.pop_all()

    @property
    def is_done(self) -> bool:
        """Whether all batches are written."""
        return not self._left

    def add(self, rows: Sequence[int], vectors: np.ndarray) -> None:
        """Write a batch, of shape (views, layers, rows, width)."""
        self._norms[:, :, rows] = np.linalg.norm(vectors[:, self._stored], axis=3)
        with write_errors(self.out / "vectors"):
            for writer, vectors_of_view in zip(self._writers.values(), vectors, strict=True):
                try:
                    writer.add(vectors_of_view[self._stored], rows)
                except TooLargeError as error:
                    name = instance_name(self.corpus, rows[error.row])
                    problem = f"{error.value:.6g} in a vector of {name} does not fit the type"
                    fix = "use bfloat16 or float32"
                    raise ConfigError(problem, where="store_dtype", fix=fix) from error
        self._left -= len(rows)
        if self.is_done:
            self._finish()

    def _finish(self) -> None:
        report = self.out / alignment.ALIGNMENT_FILE
        with self._cleanup, write_errors(self.out / "vectors"):
            # The other views may have been embedded before.
            rows = read_json(report)["long_vectors"] if is_as_noted(report) else []
            rows = [row for row in rows if row["view"] not in self.views]
            for view, norms in zip(self.views, self._norms, strict=True):
                rows += alignment.long_vectors(view, self._stored, norms)
            write_json(report, {**self._report, "long_vectors": rows})
            for writer in self._writers.values():
                writer.close()
            for name, writer in self._writers.items():
                writer.path.replace(self.out / name)

    def leave(self) -> None:
        """Close and remove the unfinished files; a second call does nothing."""
        self._cleanup.close()
