"""What a classifier sees of an instance: one vector or several side by side.

A feature set names a view and its layer choice, or several of each joined by ``+``:
``focal`` with ``mean-last-2``, or ``focal+context`` with ``mean-last-2+6``. Where there are
several vectors, each is scaled to unit length, so that a view of longer vectors does not outweigh
the others.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wsd.corpus import Corpus
from wsd.embeddings import Embeddings
from wsd.errors import ConfigError, ResultError
from wsd.layers import LayerChoice, parse
from wsd.views import blocks_of

JOIN = "+"


@dataclass(frozen=True)
class Features:
    """Views, each with its own layer choice.

    Attributes
    ----------
    parts : tuple of (view, LayerChoice)
    """

    parts: tuple[tuple[str, LayerChoice], ...]

    @property
    def view(self) -> str:
        """The views, joined by ``+``."""
        return JOIN.join(view for view, _ in self.parts)

    @property
    def layers(self) -> str:
        """The names of the layer choices, joined by ``+``."""
        return JOIN.join(choice.name for _, choice in self.parts)

    @property
    def order(self) -> tuple[Any, ...]:
        """Sorts feature sets: one view before several, single layers before combinations."""
        return (len(self.parts), tuple(choice.order for _, choice in self.parts))


def features(views: str, layers: str, blocks: int, *, where: str | None = None) -> Features:
    """Read the two names of a feature set.

    Raises
    ------
    ConfigError
        If there are not as many layer choices as views, or one of them does not exist.
    """
    named, choices = views.split(JOIN), layers.split(JOIN)
    if len(named) != len(choices):
        raise ConfigError(
            f"{len(choices)} layer choices in {layers!r} for {len(named)} views in {views!r}",
            where=where,
            fix=f"give each view its own, joined by {JOIN}: focal+context with 5+mean-last-2",
        )
    return Features(
        tuple(
            (view, parse(choice, blocks_of(view, blocks), where=where))
            for view, choice in zip(named, choices, strict=True)
        )
    )


def read(
    folder: Path, corpus: Corpus, views: str, layers: str
) -> tuple[Features, np.ndarray, dict[str, Any]]:
    """The vectors of one word, reading only the layers that are named.

    Parameters
    ----------
    folder : Path
        With ``<word>/<view>.safetensors``.
    corpus : Corpus
    views, layers : str
        As in :func:`features`.

    Returns
    -------
    Features, float32 array of shape (len(corpus), features), and the vectors' provenance
    """
    opened = [
        Embeddings(folder / corpus.word / f"{view}.safetensors", corpus)
        for view in views.split(JOIN)
    ]
    found = features(views, layers, max(one.blocks for one in opened), where="layers")
    sources = [{k: v for k, v in one.provenance.items() if k != "view"} for one in opened]
    if any(source != sources[0] for source in sources):
        raise ResultError(
            f"the views {views} of {corpus.word!r} were not made in one pass",
            where=str(folder / corpus.word),
            fix="delete the folder and run again",
        )
    files = dict(zip(views.split(JOIN), opened, strict=True))
    vectors = assemble(found, lambda view, layer: files[view].layer(layer))
    return found, vectors, opened[0].provenance


def assemble(found: Features, layer_of: Callable[[str, int], np.ndarray]) -> np.ndarray:
    """The vectors of a feature set, from the hidden states that it names.

    Parameters
    ----------
    found : Features
    layer_of : function of a view and a layer
        Gives float32 arrays of shape (n, width).

    Returns
    -------
    float32 array of shape (n, features)
    """
    parts = [
        choice.combine({layer: layer_of(view, layer) for layer in choice.layers})
        for view, choice in found.parts
    ]
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([_unit(part) for part in parts], axis=1)


def _unit(vectors: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)


def shared(sources: Mapping[str, Mapping[str, Any]], where: Path) -> dict[str, Any]:
    """What the embeddings of all words must have in common, and the digest of each word's corpus.

    Parameters
    ----------
    sources : mapping of word to the provenance of its embeddings
    where : Path
        For the error.

    Raises
    ------
    ResultError
        If two words' vectors come from different models, poolings or seeds.
    """
    keys = (
        "model",
        "architecture",
        "input",
        "pooling",
        "precision",
        "seed",
        "device",
        "versions",
    )
    found = {word: {key: source[key] for key in keys} for word, source in sources.items()}
    first, *others = found
    for other in others:
        for key in keys:
            if found[other][key] != found[first][key]:
                raise ResultError(
                    f"the vectors of {first!r} and {other!r} were made with another {key}",
                    where=str(where),
                    fix="delete the embeddings of the model and run again",
                )
    return {
        "encoder": found[first],
        "corpus": {word: source["corpus"] for word, source in sources.items()},
    }


def ordered(names: Sequence[tuple[str, str]], blocks: int) -> list[tuple[str, str]]:
    """(views, layers) pairs, each once, in the order of :attr:`Features.order`."""
    return sorted(set(names), key=lambda pair: (features(pair[0], pair[1], blocks).order, pair))
