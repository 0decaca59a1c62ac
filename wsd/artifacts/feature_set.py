"""Read feature sets: the vectors of an instance that a classifier gets.

A feature set names a view and its layer choice, or several of each joined by ``+``:
``focal`` with ``mean-last-2``, or ``focal+context`` with ``mean-last-2+6``. Several vectors are
each scaled to unit length. Otherwise the view with the longest vectors would outweigh the others.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.layer_choice import LayerChoice, parse_layers
from wsd.artifacts.run_json import Words, word_file
from wsd.artifacts.vectors import VECTORS, Embeddings
from wsd.errors import ConfigError
from wsd.metrics.nearest import unit_vectors
from wsd.storage.file_names import file_name

JOIN = "+"
# The provenance that the vectors of all words and views share.
ENCODER_KEYS = (
    "model", "architecture", "input", "pooling", "precision", "device", "versions",
)  # fmt: skip


@dataclass(frozen=True)
class Features:
    """Views with a layer choice for each.

    Attributes
    ----------
    parts : tuple of (view, LayerChoice)
    """

    parts: tuple[tuple[str, LayerChoice], ...]

    @property
    def view(self) -> str:
        """Return the views, joined by ``+``."""
        return JOIN.join(view for view, _ in self.parts)

    @property
    def layers(self) -> str:
        """Return the names of the layer choices, joined by ``+``."""
        return JOIN.join(choice.name for _, choice in self.parts)

    @property
    def order(self) -> tuple[Any, ...]:
        """Return a sort key: one view before several, single layers before combinations."""
        return (len(self.parts), tuple(choice.order for _, choice in self.parts))


def parse_features(
    views: str, layers: str, blocks: int, *, where: str | None = None, learned: bool = True
) -> Features:
    """Parse the two names of a feature set.

    See :func:`wsd.artifacts.layer_choice.parse_layers` for the last two parameters.

    Raises
    ------
    ConfigError
        If there are not as many layer choices as views, or a layer choice does not exist.
    """
    names, choices = views.split(JOIN), layers.split(JOIN)
    if len(names) != len(choices):
        problem = f"{len(choices)} layer choices in {layers!r} for {len(names)} views in {views!r}"
        fix = f"give each view its own, joined by {JOIN}: focal+context with 5+mean-last-2"
        raise ConfigError(problem, where=where, fix=fix)
    parts = [
        (view, parse_layers(choice, blocks, where=where, learned=learned))
        for view, choice in zip(names, choices, strict=True)
    ]
    return Features(tuple(parts))


def vectors_file(words: Words, corpus: Corpus, view: str) -> Path:
    """Return the path of a word's vectors."""
    return word_file(words, f"{file_name(corpus.word)}/{view}{VECTORS}")


def read_features(
    folder: Words, corpus: Corpus, views: str, layers: str
) -> tuple[Features, np.ndarray, dict[str, Any]]:
    """Read the vectors of one word; only the layers of the feature set are read.

    Parameters
    ----------
    folder : Path or WordFiles
        With ``<name of the word>/<view>.safetensors``.
    corpus : Corpus
    views, layers : str
        As in :func:`parse_features`.

    Returns
    -------
    Features, float32 array of shape (len(corpus), features), and the vectors' provenance
    """
    opened = {v: Embeddings(vectors_file(folder, corpus, v), corpus) for v in views.split(JOIN)}
    blocks = next(iter(opened.values())).blocks
    features = parse_features(views, layers, blocks, where="layers")
    vectors = assemble(features, lambda view, layer: opened[view].layer(layer))
    return features, vectors, next(iter(opened.values())).provenance


def assemble(features: Features, layer_of: Callable[[str, int], np.ndarray]) -> np.ndarray:
    """Return the vectors of a feature set, given its hidden states.

    Parameters
    ----------
    features : Features
    layer_of : function of a view and a layer
        Returns float32 arrays of shape (n, width).

    Returns
    -------
    float32 array of shape (n, features)
    """
    parts = [
        choice.combine({layer: layer_of(view, layer) for layer in choice.layers})
        for view, choice in features.parts
    ]
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([unit_vectors(part) for part in parts], axis=1)


class StoredFeatures:
    """The vectors of one feature set, read word by word.

    Parameters
    ----------
    folder : Path or WordFiles
    views, layers : str
        As in :func:`read_features`.

    Attributes
    ----------
    features : Features
        Available after the first word.
    """

    features: Features

    def __init__(self, folder: Words, views: str, layers: str) -> None:
        self._folder, self._views, self._layers = folder, views, layers
        self._sources: dict[str, dict[str, Any]] = {}

    def read(self, corpus: Corpus) -> np.ndarray:
        """Return the vectors of one word: float32 array of shape (len(corpus), features)."""
        self.features, vectors, self._sources[corpus.word] = read_features(
            self._folder, corpus, self._views, self._layers
        )
        return vectors

    def provenance(self) -> dict[str, Any]:
        """Return the views, the layers, and the shared provenance of all words read so far."""
        names = {"view": self.features.view, "layers": self.features.layers}
        return {**names, **shared_provenance(self._sources)}


def shared_provenance(sources: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the provenance that all words share, and the digest of each word's corpus.

    Parameters
    ----------
    sources : mapping of word to the provenance of its embeddings
    """
    first = next(iter(sources.values()))
    encoder = {key: first[key] for key in ENCODER_KEYS}
    return {"encoder": encoder, "corpus": {word: s["corpus"] for word, s in sources.items()}}


def ordered_features(names: Sequence[tuple[str, str]], blocks: int) -> list[tuple[str, str]]:
    """Return distinct (views, layers) pairs, sorted by :attr:`Features.order`."""
    return sorted(set(names), key=lambda p: (parse_features(p[0], p[1], blocks).order, p))
