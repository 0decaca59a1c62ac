"""Tables with a row per instance of every word: the columns that name it, and scores in the
metadata.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from wsd.artifacts.corpus import Corpus


def instance_columns(corpora: Mapping[str, Corpus]) -> dict[str, Any]:
    """The columns word, split and index of all words' instances, one word after the other."""
    tables = corpora.values()
    return {
        "word": np.repeat(list(corpora), [len(corpus) for corpus in tables]),
        "split": np.concatenate([corpus.split for corpus in tables]),
        "index": np.concatenate([corpus.index for corpus in tables]),
    }


def score_to_json(score: float) -> float | None:
    """A score for the metadata: JSON has no NaN."""
    return None if np.isnan(score) else score


def score_from_json(score: float | None) -> float:
    """What :func:`to_json` wrote."""
    return float("nan") if score is None else float(score)
