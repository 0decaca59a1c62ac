"""Compute the feature vectors of instances in memory.

Alignment, views and layer choices are the same as in the workflow. Only the hidden states that the
features need are kept.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from wsd.artifacts import feature_set
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.feature_set import Features

if TYPE_CHECKING:
    from wsd.encoder.encoder import Encoder
    from wsd.encoder.match_word_pieces import Aligned

# The unit of a progress bar.
UNIT = " sentences"
ALL = "all"  # the layer choice of an array with every single layer


def feature_vectors(
    encoder: "Encoder",
    corpus: Corpus,
    aligned: Sequence["Aligned"],
    features: Features,
    *,
    threads: int = 1,
    progress: bool = False,
) -> np.ndarray:
    """Return the features of each instance.

    Parameters
    ----------
    encoder : Encoder
    corpus : Corpus
    aligned : sequence of Aligned
        The word pieces of its instances, as from ``encoder.align``.
    features : Features
        The views, and the layer choice of each.
    threads : int
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    float32 array of shape (len(corpus), features)

    Raises
    ------
    ModelError
        If a vector is not finite; it names the instance.
    """
    (vectors,) = vectors_of_features(
        encoder, corpus, aligned, [features], threads=threads, progress=progress
    )
    return vectors


def vectors_of_features(
    encoder: "Encoder",
    corpus: Corpus,
    aligned: Sequence["Aligned"],
    several: Sequence[Features],
    *,
    threads: int = 1,
    progress: bool = False,
) -> Iterator[np.ndarray]:
    """Yield the vectors of several feature sets, from one pass of the encoder.

    The parameters and errors are those of :func:`feature_vectors`.
    """
    parts = [part for features in several for part in features.parts]
    views = list(dict.fromkeys(view for view, _ in parts))
    keys = dict.fromkeys((view, layer) for view, choice in parts for layer in choice.layers)
    shape = (len(corpus), encoder.width)
    states = {key: np.empty(shape, dtype=np.float32) for key in keys}
    for rows, vectors in _batches(encoder, corpus, aligned, views, threads, progress):
        for view, layer in keys:
            states[view, layer][rows] = vectors[views.index(view), layer]
    for features in several:
        yield feature_set.assemble(features, lambda view, layer: states[view, layer])


def vectors_of_layers(
    encoder: "Encoder",
    corpus: Corpus,
    aligned: Sequence["Aligned"],
    view: str,
    *,
    threads: int = 1,
    progress: bool = False,
) -> np.ndarray:
    """Return every single layer of a view, from one pass of the encoder.

    Other parameters and errors are as in :func:`feature_vectors`. Batches depend on the
    sentences alone, so that a layer equals the result of :func:`feature_vectors` bit by bit.

    Returns
    -------
    float32 array of shape (len(corpus), layers, width)
    """
    shape = (len(corpus), encoder.blocks + 1, encoder.width)
    states = np.empty(shape, dtype=np.float32)
    for rows, (vectors,) in _batches(encoder, corpus, aligned, [view], threads, progress):
        states[rows] = vectors.swapaxes(0, 1)
    return states


def _batches(
    encoder: "Encoder",
    corpus: Corpus,
    aligned: Sequence["Aligned"],
    views: Sequence[str],
    threads: int,
    progress: bool,
) -> Iterator[tuple[list[int], np.ndarray]]:
    """Yield the batches of :meth:`Encoder.encode`, and show how far they are."""
    with tqdm(total=len(corpus), unit=UNIT, disable=not progress) as bar:
        for rows, vectors in encoder.encode(corpus, aligned, views=views, threads=threads):
            yield rows, vectors
            bar.update(len(rows))


def frame_of_layers(
    vectors: np.ndarray, layers: Iterable[int] | None = None, index: Any = None
) -> pd.DataFrame:
    """Return the vectors of several layers as a frame that shares their memory.

    ``frame[6]`` is the frame of layer 6.

    Parameters
    ----------
    vectors : array of shape (n, layers, width)
    layers : iterable of int, optional
        The numbers of the layers; by default from 0.
    index : Index, optional
        The names of the rows; by default 0, 1, …

    Returns
    -------
    DataFrame of shape (n, layers * width)
        Its columns are a MultiIndex of ``layer`` and ``dimension``.
    """
    n, depth, width = vectors.shape
    numbers = [range(depth) if layers is None else list(layers), range(width)]
    columns = pd.MultiIndex.from_product(numbers, names=["layer", "dimension"])
    return pd.DataFrame(vectors.reshape(n, -1), index=index, columns=columns)
