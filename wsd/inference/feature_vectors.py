"""Vectors of instances straight from an encoder, with nothing written.

The same alignment, views, layer choices and combination as the files of
:mod:`wsd.artifacts.vectors` give a classifier; only the hidden states that are named are kept.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from wsd.artifacts import feature_set
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.feature_set import Features

if TYPE_CHECKING:
    from wsd.encoder.encoder import Encoder
    from wsd.encoder.focal_pieces import Aligned


def feature_vectors(
    encoder: "Encoder",
    corpus: Corpus,
    aligned: Sequence["Aligned"],
    found: Features,
    *,
    threads: int = 1,
) -> np.ndarray:
    """What a classifier sees of each instance.

    Parameters
    ----------
    encoder : Encoder
    corpus : Corpus
    aligned : sequence of Aligned
        Its instances, of ``encoder.align``.
    found : Features
        The views, without ``other``, and the layer choice of each.
    threads : int

    Returns
    -------
    float32 array of shape (len(corpus), features)

    Raises
    ------
    ModelError
        If a vector is not finite; it names the instance.
    """
    static = encoder.static(corpus, aligned, [view for view, _ in found.parts])
    states = {(view, 0): vectors for view, vectors in static.items()}
    contextual = [view for view, _ in found.parts if view not in static]
    if contextual:
        of_encoder = [(v, i) for v, choice in found.parts if v in contextual for i in choice.layers]
        shape = (len(corpus), encoder.width)
        states |= {key: np.empty(shape, dtype=np.float32) for key in of_encoder}
        for rows, of_views in encoder.encode(
            corpus, aligned, views=contextual, seed=0, threads=threads
        ):
            for view, layer in of_encoder:
                states[view, layer][rows] = of_views[contextual.index(view), layer]
    return feature_set.assemble(found, lambda view, layer: states[view, layer])
