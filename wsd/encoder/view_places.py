"""Which word pieces each view is the mean of, as weights of their positions."""

import hashlib
from collections.abc import Sequence

import numpy as np
import torch

from wsd.encoder.word_pieces import Aligned
from wsd.errors import ModelError


def view_places(
    one: Aligned, views: Sequence[str], pooling: str, seed: int, name: str
) -> list[list[int]]:
    """Of each view, the positions among an instance's pieces that it is the mean of."""
    if "cls" in views and one.cls is None:
        raise ModelError(
            "this tokenizer has no [CLS] token", where=name, fix="leave `cls` out of the views"
        )
    places = {
        "focal": one.pooled(pooling),
        "context": one.others,
        "cls": [] if one.cls is None else [one.cls],
        "other": [one.others[_draw(seed, name, len(one.others))]] if one.others else [],
    }
    return [places[view] for view in views]


def static_vectors(
    matrix: np.ndarray, aligned: Sequence[Aligned], view: str, pooling: str
) -> np.ndarray:
    """A static view of instances: means of rows of the matrix of the input embeddings."""
    vectors = np.zeros((len(aligned), matrix.shape[1]), dtype=np.float32)
    for i, one in enumerate(aligned):
        places = one.pooled(pooling) if view == "static" else one.others
        if places:
            vectors[i] = matrix[[one.ids[place] for place in places]].mean(axis=0)
    return vectors


def selection(places: Sequence[Sequence[Sequence[int]]], longest: int) -> torch.Tensor:
    """The weight of each position in each view of each instance of a batch.

    One product per layer then gives all views, and what has weight 0, padding included, counts for
    nothing.

    Returns
    -------
    float32 tensor of shape (instances, views, longest)
    """
    weights = torch.zeros((len(places), len(places[0]), longest))
    for i, of_views in enumerate(places):
        for view, positions in enumerate(of_views):
            weights[i, view, positions] = 1 / max(1, len(positions))
    return weights


def _draw(seed: int, name: str, n: int) -> int:
    """A number below ``n`` that depends on the seed and the instance alone, not on any order."""
    digest = hashlib.sha256(f"{seed} {name}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % n
