"""Read the vectors of glosses, which ``wsd embed`` computes as for any sentences."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.feature_set import ENCODER_KEYS, read_features
from wsd.artifacts.run_json import Words
from wsd.errors import wrong_file
from wsd.studies.glosses.gloss_names import KINDS


class SenseVectors(NamedTuple):
    """The gloss vectors of one word.

    Attributes
    ----------
    vectors : float32 array of shape (glosses, features)
    gold : int array of shape (glosses,)
        The sense of each gloss. Every sense of the word has at least one.
    """

    vectors: np.ndarray
    gold: np.ndarray


def read_gloss_vectors(
    folder: Words, glosses: Corpus, corpus: Corpus, layers: str, source: Mapping[str, Any]
) -> dict[str, SenseVectors]:
    """Return the gloss vectors of a word for one layer choice, by kind.

    Parameters
    ----------
    folder : Path
        Has ``<name of the word>/<view>.safetensors`` for the glosses.
    glosses, corpus : Corpus
        The word's glosses and its sentences.
    layers : str
        As in :func:`wsd.artifacts.feature_set.parse_features`.
    source : mapping
        The provenance of the sentences' vectors.

    Raises
    ------
    ResultError
        If the senses of the glosses differ from those of the corpus, or the encoders differ.
    """
    where = folder if isinstance(folder, Path) else folder.listings[0]
    if glosses.senses != corpus.senses or set(glosses.gold) != set(range(len(corpus.senses))):
        problem = f"the glosses of {corpus.word!r} are of other senses than its corpus"
        raise wrong_file(problem, where)
    kinds = {}
    for kind, view in KINDS.items():
        _, vectors, gloss_source = read_features(folder, glosses, view, layers)
        if other := [key for key in ENCODER_KEYS if gloss_source[key] != source[key]]:
            problem = f"the glosses of {corpus.word!r} were embedded with another {other[0]}"
            raise wrong_file(f"{problem} than its sentences", where)
        kinds[kind] = SenseVectors(vectors, glosses.gold)
    return kinds
