"""One word while it is embedded: its files are filled part by part, and then get their names."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.encoder import alignment
from wsd.encoder.encoder import Encoder
from wsd.encoder.focal_pieces import Aligned
from wsd.encoder.loading import rounding_of
from wsd.encoder.resume import UNFINISHED, UnfinishedVectors
from wsd.encoder.view_weights import Sentences
from wsd.logs import log
from wsd.storage.atomic import storing
from wsd.storage.json import write_json

# Of a view in a part: some 3,000 sentences of BERT-base. What is held, and what a killed pass
# loses; batches do not go beyond a part, so that the last bits of vectors hang on it.
PART_BYTES = 2**27


@dataclass(kw_only=True)
class PassOfWord:
    """A word whose files are open.

    Attributes
    ----------
    corpus, aligned
        As in :class:`wsd.encoder.view_weights.Sentences`.
    views : mapping of str to str
        All of them, and the names of their files.
    batched : sequence of str
        The views that come part by part.
    shape : (layers, width)
        Of their vectors.
    report : dict
        Of the alignment.
    out : Path
        The word's folder.
    """

    corpus: Corpus
    aligned: Sequence[Aligned]
    views: Mapping[str, str]
    batched: Sequence[str]
    shape: tuple[int, int]
    report: dict[str, Any]
    out: Path
    unfinished: UnfinishedVectors

    @classmethod
    def open(
        cls,
        encoder: Encoder,
        corpus: Corpus,
        aligned: Sequence[Aligned],
        views: Mapping[str, str],
        provenance: dict[str, Any],
        out: Path,
    ) -> Self:
        """Take up what an interrupted pass has left of a word, or begin."""
        name = provenance["model"]["name"]
        report = alignment.alignment_report(corpus, aligned)
        for line in alignment.report_warnings(report):
            log.warning("%s %s", name, line)
        static = encoder.static(corpus, aligned, list(views))
        batched = [view for view in views if view not in static]
        layers, width = encoder.blocks + 1, encoder.width
        of_encoder = (layers, len(corpus), width)
        making = {
            "provenance": provenance,
            "shapes": {v: (1, *static[v].shape) if v in static else of_encoder for v in views},
            "machine": rounding_of(encoder.device),
        }
        part = max(1, PART_BYTES // (4 * layers * width))
        with storing(out / "vectors"):
            unfinished = UnfinishedVectors(
                out / UNFINISHED, making, batched, part, f"{name} {corpus.word}"
            )
        word = cls(
            corpus=corpus, aligned=aligned, views=views, batched=batched, shape=(layers, width),
            report=report, out=out, unfinished=unfinished,
        )  # fmt: skip
        try:
            with storing(out / "vectors"):
                for view, vectors in static.items():
                    unfinished.put(view, vectors[None])
        except BaseException as error:
            word.leave(error)
            raise
        return word

    @property
    def is_done(self) -> bool:
        """Whether nothing of it is left to be run."""
        return not self.batched or self.unfinished.rows == len(self.corpus)

    def parts(self) -> Iterator["Part"]:
        """What is left of it, to be run one after the other."""
        for first in range(self.unfinished.rows, len(self.corpus), self.unfinished.part):
            yield Part(self, slice(first, first + self.unfinished.part))

    def add(self, of_views: np.ndarray) -> None:
        """Store a part."""
        with storing(self.out / "vectors"):
            self.unfinished.add(of_views)

    def finish(self) -> None:
        """Give the files their names, the report of the alignment first."""
        try:
            with storing(self.out / "vectors"):
                write_json(self.out / alignment.ALIGNMENT_FILE, self.report)
                self.unfinished.finish(self.out, self.views)
        except BaseException as error:
            self.leave(error)
            raise

    def leave(self, error: BaseException) -> None:
        """Close the files as they are; of what would fail again nothing is kept."""
        self.unfinished.leave(error)


class Part(Sentences):
    """Rows of a word that follow each other, while the encoder runs over them."""

    def __init__(self, word: PassOfWord, rows: slice) -> None:
        here = np.zeros(len(word.corpus), dtype=bool)
        here[rows] = True
        super().__init__(word.corpus.take(here), word.aligned[rows], word.batched)
        layers, width = word.shape
        self.word, self._left = word, len(self.corpus)
        of_row = len(self.views) * layers * width
        room = _room(of_row * word.unfinished.part)[: of_row * self._left]
        self._vectors = room.reshape(len(self.views), layers, self._left, width)

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
