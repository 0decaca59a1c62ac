"""Parse layer choices, and read feature sets: the vectors of an instance for a classifier.

An encoder of L blocks has L + 1 hidden states: ``0`` is the embedding layer, ``1`` to ``L`` are the
outputs of the blocks. A layer choice is

* a number, ``0`` to ``L``; ``-1`` counts from the top (``-1`` is ``L``);
* ``<op>-last-<k>``, the last k hidden states;
* ``<op>-all``, blocks 1 to L;
* ``<op>-<i>-<j>-...``, the hidden states of these numbers;

with op ``mean``, ``sum``, ``concat`` or ``mix``. A mix is a weighted mean: the classifier gets the
layers one after the other and learns the weights. In a list of choices ``all`` stands for every
single layer. All spellings of a choice have the same name: ``mean-last-1`` is ``L``,
``mean-last-L`` is ``mean-all``, ``mean-2-1`` is ``mean-1-2``, and ``mean-5-6`` of 6 blocks is
``mean-last-2``.

A feature set names a view and its layer choice, or several of each joined by ``+``:
``focal`` with ``mean-last-2``, or ``focal+context`` with ``mean-last-2+6``. Several vectors are
each scaled to unit length. Otherwise the view with the longest vectors would outweigh the others.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.run_json import Words, word_file
from wsd.artifacts.vectors import VECTORS, Embeddings
from wsd.errors import ConfigError
from wsd.metrics.nearest import unit_vectors
from wsd.storage.file_names import file_name

OPERATIONS = ("mean", "sum", "concat", "mix")
NUMBER = r"(?:0|[1-9][0-9]{0,3})"
MOST_BLOCKS = 9999  # the largest number of the grammar


@dataclass(frozen=True)
class LayerChoice:
    """Hidden states and the operation that combines them.

    Attributes
    ----------
    name : str
        The unique, file-safe name of this choice.
    operation : str
        ``mean``, ``sum``, ``concat`` or ``mix``; a single layer has ``mean``.
    layers : tuple of int
        Ascending numbers of hidden states.
    """

    name: str
    operation: str
    layers: tuple[int, ...]

    @property
    def order(self) -> tuple[bool, int, tuple[int, ...], str]:
        """Return a sort key: single layers first, then number of layers, layers, operation."""
        return (not self.is_single, len(self.layers), self.layers, self.operation)

    @property
    def is_single(self) -> bool:
        """Return whether this is one hidden state, not a combination."""
        return len(self.layers) == 1

    @property
    def widths(self) -> int:
        """Return the width of the vectors as a number of hidden states."""
        return len(self.layers) if self.operation in ("concat", "mix") else 1

    def combine(self, states: Mapping[int, np.ndarray]) -> np.ndarray:
        """Combine hidden states into the chosen vectors.

        Parameters
        ----------
        states : mapping of layer to array of shape (n, width)
            At least the layers of this choice.

        Returns
        -------
        array of shape (n, width * ``widths``)
        """
        chosen = [states[layer] for layer in self.layers]
        if len(chosen) == 1:
            return chosen[0]
        if self.widths > 1:
            return np.concatenate(chosen, axis=1)
        total = np.sum(chosen, axis=0)
        return total / np.float32(len(chosen)) if self.operation == "mean" else total


def parse_layers(
    choice: str | int, blocks: int, *, where: str | None = None, learned: bool = True
) -> LayerChoice:
    """Parse a layer choice for an encoder of ``blocks`` blocks.

    Parameters
    ----------
    choice : str or int
        See the grammar above, without ``all``, which :func:`expand_layers` handles.
    blocks : int
        Number of the encoder's blocks, L.
    where : str, optional
        The config key or argument that an error names.
    learned : bool
        Whether ``mix`` is allowed: a classifier learns its weights.

    Raises
    ------
    ConfigError
        If the choice does not exist. The error lists the possible choices.
    """
    text = str(choice)
    layers: Sequence[int] = ()
    operation, _, rest = text.partition("-")
    if re.fullmatch(rf"-?{NUMBER}", text) and text != "-0":
        operation, layers = "mean", [int(text) if text[0] != "-" else blocks + 1 + int(text)]
    elif rest == "all":
        layers = range(1, blocks + 1)
    elif last := re.fullmatch(rf"last-({NUMBER})", rest):
        layers = range(blocks + 1 - int(last[1]), blocks + 1)
    elif re.fullmatch(rf"{NUMBER}(-{NUMBER})*", rest):
        layers = sorted(map(int, rest.split("-")))
    operations = [name for name in OPERATIONS if learned or name != "mix"]
    exists = layers and layers[0] >= 0 and layers[-1] <= min(blocks, MOST_BLOCKS)
    if not exists or operation not in operations or len(set(layers)) < len(layers):
        raise ConfigError(
            f"layer choice {text!r}: there is no such layer choice",
            where=where,
            fix=f"with {blocks} blocks, use 0 to {blocks} (or -1 to -{blocks + 1} from the top), "
            f"<op>-last-<k> with k from 1 to {blocks + 1}, <op>-all, or <op>-<i>-<j>-... , "
            f"with op {', '.join(operations)}",
        )
    return _named(operation, tuple(layers), blocks)


def _named(operation: str, layers: tuple[int, ...], blocks: int) -> LayerChoice:
    """Return the choice under its shortest spelling."""
    if len(layers) == 1:
        return LayerChoice(str(layers[0]), "mean", layers)
    if layers == tuple(range(1, blocks + 1)):
        name = f"{operation}-all"
    elif layers == tuple(range(layers[0], blocks + 1)):
        name = f"{operation}-last-{len(layers)}"
    else:
        name = "-".join([operation, *map(str, layers)])
    return LayerChoice(name, operation, layers)


def expand_layers(
    choices: Iterable[str | int],
    blocks: int,
    *,
    where: str | None = None,
    stored: Sequence[int] | None = None,
) -> list[LayerChoice]:
    """Parse a list of layer choices; return the distinct choices in a fixed order.

    ``all`` stands for every single layer, or for the ``stored`` ones. Single layers come first, by
    number; combinations follow, by number of layers, then by the layers, then by operation.
    """
    parsed = {
        parse_layers(name, blocks, where=where and f"{where}[{i}]")
        for i, choice in enumerate(choices)
        for name in ((stored or range(blocks + 1)) if choice == "all" else (choice,))
    }
    return sorted(parsed, key=lambda choice: choice.order)


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

    See :func:`wsd.artifacts.feature_set.parse_layers` for the last two parameters.

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
