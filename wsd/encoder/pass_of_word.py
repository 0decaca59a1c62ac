"""One word while it is embedded: its files are filled batch by batch, and then get their names."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from wsd.artifacts.corpus import Corpus
from wsd.encoder import alignment
from wsd.encoder.encoder import Encoder
from wsd.encoder.loading import rounding_of
from wsd.encoder.resume import UNFINISHED, Journal, UnfinishedVectors
from wsd.encoder.view_pieces import Sentences
from wsd.encoder.word_pieces import Aligned
from wsd.logs import log
from wsd.storage.atomic import storing
from wsd.storage.json import write_json


@dataclass(kw_only=True)
class PassOfWord(Sentences):
    """A word whose files are open.

    Attributes
    ----------
    all_views : sequence of str
        With the static ones, which need no pass.
    report : dict
        Of the alignment.
    out : Path
        The word's folder.
    """

    all_views: Sequence[str]
    report: dict[str, Any]
    out: Path
    journal: Journal
    unfinished: UnfinishedVectors

    @classmethod
    def open(
        cls,
        encoder: Encoder,
        corpus: Corpus,
        aligned: Sequence[Aligned],
        views: Sequence[str],
        provenance: dict[str, Any],
        out: Path,
    ) -> Self:
        """Take up what an interrupted pass has left of a word, or begin."""
        name = provenance["model"]["name"]
        report = alignment.alignment_report(corpus, aligned)
        for line in alignment.report_warnings(report):
            log.warning("%s %s", name, line)
        static = encoder.static(corpus, aligned, views)
        contextual = [view for view in views if view not in static]
        of_encoder = (encoder.blocks + 1, len(corpus), encoder.width)
        making = {
            "provenance": provenance,
            "shapes": {v: (1, *static[v].shape) if v in static else of_encoder for v in views},
            "machine": rounding_of(encoder.device),
        }
        with storing(out / "vectors"):
            journal = Journal(out / UNFINISHED, making, f"{name} {corpus.word}")
            try:
                unfinished = UnfinishedVectors(journal, contextual)
            except BaseException:
                journal.close()
                raise
        word = cls(
            corpus=corpus, aligned=aligned, views=contextual, done=unfinished.done,
            all_views=views, report=report, out=out, journal=journal, unfinished=unfinished,
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
        return not self.views or len(self.done) == len(self.corpus)

    def add(self, rows: Sequence[int], of_views: np.ndarray) -> None:
        """Store a batch."""
        with storing(self.out / "vectors"):
            self.unfinished.add(rows, of_views)

    def finish(self) -> None:
        """Give the files their names, the report of the alignment first."""
        try:
            with storing(self.out / "vectors"):
                write_json(self.out / alignment.ALIGNMENT_FILE, self.report)
                self.unfinished.finish(self.out)
        except BaseException as error:
            self.leave(error)
            raise
        self.journal.close()

    def leave(self, error: BaseException) -> None:
        """Close the files as they are; of what would fail again nothing is kept."""
        self.unfinished.leave(error)
        self.journal.close()
