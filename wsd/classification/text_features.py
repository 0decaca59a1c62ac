"""Read features of the text for baselines, in place of stored vectors.

``most_frequent_sense``
    predicts the sense with the most training instances;
``bag_of_words``
    uses the other words of the sentence, in any order: TF-IDF and logistic regression. On the view
    ``substitutes``, it uses the ten word pieces that an encoder finds most likely for the masked
    focal word;
``position_length``
    uses the position of the focal word and the length of the sentence.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.feature_set import Features, StoredFeatures
from wsd.artifacts.run_json import Words
from wsd.artifacts.substitute_table import read_substitutes
from wsd.errors import ConfigError

TEXT, SUBSTITUTES = "text", "substitutes"
_SHIFTS = [0.0, 0.25, 0.5, 0.75, 1.0]
# The baselines with their search spaces, as in a config.
SPACES: dict[str, dict[str, list[float]]] = {
    "most_frequent_sense": {},
    "bag_of_words": {"C": [0.1, 1.0, 10.0, 100.0, 1000.0], "prior_shift": _SHIFTS},
    "position_length": {"C": [0.001, 0.01, 0.1, 1.0, 10.0, 100.0], "prior_shift": _SHIFTS},
}


class TextFeatures:
    """The features of a baseline, with the methods of ``StoredFeatures``.

    Parameters
    ----------
    folder : Path or WordFiles, or None
        The tables of substitutes, for the view ``substitutes``.
    layers : str
        The input of the encoder that predicted the substitutes; else any name.
    estimator : str
        A name in ``SPACES``.
    """

    features = Features(())

    def __init__(self, folder: Words | None, layers: str, estimator: str) -> None:
        self._folder, self._layers, self._estimator = folder, layers, estimator
        self._model: dict[str, Any] = {"name": "no encoder", "blocks": 0, "width": 0}
        self._digests: dict[str, str] = {}

    def read(self, corpus: Corpus) -> np.ndarray:
        """Return a feature, or a row of features, per instance of a word."""
        self._digests[corpus.word] = corpus.digest
        if self._folder is not None:
            tables, source = read_substitutes(self._folder, {corpus.word: corpus})
            self._model = source["model"]
            return _documents(tables[corpus.word][self._layers].pieces.tolist())
        return documents(corpus) if self._estimator == "bag_of_words" else positions(corpus)

    def provenance(self) -> dict[str, Any]:
        """Return the view, the layers, the encoder of the substitutes and the words' digests."""
        return {
            "view": TEXT if self._folder is None else SUBSTITUTES,
            "layers": self._layers,
            "encoder": {"model": self._model},
            "corpus": self._digests,
        }


def features_of(
    folder: Words | None, view: str, layers: str, estimator: str
) -> StoredFeatures | TextFeatures:
    """Return the reader of the features that an estimator gets."""
    of_text = view in (TEXT, SUBSTITUTES)
    if of_text != (estimator in SPACES) or (folder is None) != (view == TEXT):
        problem = f"{estimator} on the view {view!r}"
        fix = f"use {' or '.join(SPACES)} for {TEXT}, without --embeddings; bag_of_words for "
        fix += f"{SUBSTITUTES}, and other estimators for vectors, with --embeddings"
        raise ConfigError(problem, where="--view, --estimator, --embeddings", fix=fix)
    if folder is None or of_text:
        return TextFeatures(folder, layers, estimator)
    return StoredFeatures(folder, view, layers)


def documents(corpus: Corpus) -> np.ndarray:
    """Return the words of every sentence, lower-cased, without the focal word.

    Returns
    -------
    array of shape (len(corpus),) of tuples of str
    """
    return _documents(
        [
            [token.lower() for token in (*tokens[:position], *tokens[position + 1 :])]
            for tokens, position in zip(corpus.tokens, corpus.position.tolist(), strict=True)
        ]
    )


def _documents(words: Sequence[Sequence[str]]) -> np.ndarray:
    """Return an array of tuples, which numpy would turn into a table if their lengths are equal."""
    array = np.empty(len(words), dtype=object)
    array[:] = [tuple(row) for row in words]
    return array


def positions(corpus: Corpus) -> np.ndarray:
    """Return the focal word's index, the sentence length, and the index divided by the last one.

    Returns
    -------
    array of shape (len(corpus), 3)
    """
    length = np.array([len(tokens) for tokens in corpus.tokens], dtype=np.float64)
    relative = corpus.position / np.maximum(length - 1, 1)
    return np.column_stack([corpus.position, length, relative])
