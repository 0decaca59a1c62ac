"""Sense vectors from glosses: the tables that `wsd glosses` writes, embedded like any sentences."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.feature_set import ENCODER_KEYS, read_features
from wsd.artifacts.run_map import Words
from wsd.errors import wrong_file
from wsd.studies.glosses.names import KINDS


class SenseVectors(NamedTuple):
    """The gloss vectors of one word.

    Attributes
    ----------
    vectors : float32 array of shape (glosses, features)
    gold : int array of shape (glosses,)
        The sense of each, every sense of the word at least once.
    """

    vectors: np.ndarray
    gold: np.ndarray


def read_gloss_vectors(
    folder: Words, glosses: Corpus, corpus: Corpus, layers: str, made: Mapping[str, Any]
) -> dict[str, SenseVectors]:
    """The gloss vectors of a word in one layer choice, of each kind.

    Parameters
    ----------
    folder : Path
        With ``<name of the word>/<view>.safetensors`` of the glosses.
    glosses, corpus : Corpus
        The word's glosses and its sentences.
    layers : str
        As in :func:`wsd.artifacts.feature_set.parse_features`.
    made : mapping
        The provenance of the sentences' vectors.

    Raises
    ------
    ResultError
        If the glosses are of other senses than the corpus, or another encoder read them.
    """
    if glosses.senses != corpus.senses or set(glosses.gold) != set(range(len(corpus.senses))):
        raise wrong_file(
            f"the glosses of {corpus.word!r} are of other senses than its corpus", _named(folder)
        )
    found = {}
    for kind, view in KINDS.items():
        _, vectors, source = read_features(folder, glosses, view, layers)
        if other := [key for key in ENCODER_KEYS if source[key] != made[key]]:
            what = f"the glosses of {corpus.word!r} were read with another {other[0]}"
            raise wrong_file(f"{what} than its sentences", _named(folder))
        found[kind] = SenseVectors(vectors, glosses.gold)
    return found


def _named(words: Words) -> Path:
    return words if isinstance(words, Path) else words.listings[0]
