"""Build pairs of sentences."""

from collections.abc import Mapping

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import ABOUT
from wsd.studies.pairs.pair_tables import Pairs


def pairs_of(
    *rows: tuple[str, str, float], about: Mapping[str, str] | None = None, graded: bool = False
) -> Pairs:
    """Pairs of (word, split, label or rating), each of two sentences of its own; -1 is unknown."""
    words, splits, labels = zip(*rows, strict=True)
    gold = np.array(labels, dtype=float)
    n = len(rows)
    sentences = Corpus(
        word="sentences",
        senses=("unknown",),
        split=np.repeat(splits, 2),
        index=np.arange(2 * n, dtype=np.int32),
        tokens=tuple((f"t{i}", "mint") for i in range(2 * n)),
        position=np.ones(2 * n, dtype=np.int32),
        gold=np.zeros(2 * n, dtype=np.int32),
    )
    return Pairs(
        about={"name": "mine", **dict.fromkeys(ABOUT, ""), "title": "Mine", **(about or {})},
        sentences=sentences,
        word=np.array(words),
        split=np.array(splits),
        line=np.arange(1, n + 1, dtype=np.int32),
        rows=np.arange(2 * n, dtype=np.int32).reshape(n, 2),
        gold=np.where(gold == -1, np.nan, gold),
        is_graded=graded,
    )
