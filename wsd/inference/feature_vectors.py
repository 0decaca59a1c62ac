"""Compute the feature vectors of instances in memory.

Alignment, views and layer choices are the same as in the workflow. Only the hidden states that the
features need are kept.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.feature_set import Features, assemble

if TYPE_CHECKING:
    from wsd.encoder.aligned import Aligned
    from wsd.encoder.encoder import Encoder

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
    keys = list(dict.fromkeys((view, layer) for view, choice in parts for layer in choice.layers))
    states = hidden_states(encoder, corpus, aligned, keys, threads=threads, progress=progress)
    for features in several:
        yield assemble(features, lambda view, layer: states[:, keys.index((view, layer))])


def hidden_states(
    encoder: "Encoder",
    corpus: Corpus,
    aligned: Sequence["Aligned"],
    keys: Sequence[tuple[str, int]],
    *,
    threads: int = 1,
    progress: bool = False,
) -> np.ndarray:
    """Return layers of views, from one pass of the encoder.

    Other parameters and errors are as in :func:`feature_vectors`. Batches depend on the
    sentences alone, so that a layer equals the result of :func:`feature_vectors` bit by bit.

    Parameters
    ----------
    keys : sequence of (view, layer)

    Returns
    -------
    float32 array of shape (len(corpus), len(keys), width)
    """
    views = list(dict.fromkeys(view for view, _ in keys))
    states = np.empty((len(corpus), len(keys), encoder.width), dtype=np.float32)
    with tqdm(total=len(corpus), unit=UNIT, disable=not progress) as bar:
        for rows, vectors in encoder.encode(corpus, aligned, views=views, threads=threads):
            for i, (view, layer) in enumerate(keys):
                states[rows, i] = vectors[views.index(view), layer]
            bar.update(len(rows))
    return states


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
