"""Which word pieces each view is the mean of: weights of positions, or rows of a matrix."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from wsd.artifacts.corpus_table import Corpus, instance_name
from wsd.artifacts.vectors import not_finite
from wsd.artifacts.view_names import STATIC
from wsd.encoder.architecture import input_matrix
from wsd.encoder.focal_pieces import Aligned
from wsd.errors import ModelError

# Of each instance and view, the positions among the pieces that the view is the mean of.
Places = Sequence[Sequence[Sequence[int]]]


@dataclass
class Sentences:
    """What is to be run of one word.

    Attributes
    ----------
    corpus : Corpus
    aligned : sequence of Aligned
        What :meth:`wsd.encoder.encoder.Encoder.align` gave for it.
    views : sequence of str
        Among ``focal``, ``context``, ``sentence``, ``cls``, ``other``.
    """

    corpus: Corpus
    aligned: Sequence[Aligned]
    views: Sequence[str]

    def places(self, pooling: str, seed: int) -> Places:
        """The places of every instance and view."""
        return [
            view_places(one, self.views, pooling, seed, instance_name(self.corpus, i))
            for i, one in enumerate(self.aligned)
        ]


def view_places(
    one: Aligned, views: Sequence[str], pooling: str, seed: int, name: str
) -> list[list[int]]:
    """Of each view, the positions among an instance's pieces that it is the mean of."""
    if "cls" in views and one.cls is None:
        what = "this tokenizer has no [CLS] token"
        raise ModelError(what, where=name, fix="leave `cls` out of the views")
    places = {
        "focal": one.pooled(pooling),
        "context": one.others,
        "sentence": sorted([*one.focal, *one.others]),
        "cls": [] if one.cls is None else [one.cls],
        "other": [one.others[_draw(seed, name, len(one.others))]] if one.others else [],
    }
    return [places[view] for view in views]


def static_views(
    model: Any, corpus: Corpus, aligned: Sequence[Aligned], views: Sequence[str], pooling: str
) -> dict[str, np.ndarray]:
    """The static views: rows of the input embeddings, pooled, before anything is added.

    Parameters
    ----------
    model : transformers.PreTrainedModel
    corpus : Corpus
    aligned : sequence of Aligned
        Its instances.
    views : sequence of str
        Those that are not static are passed over.
    pooling : {"mean", "first", "last"}

    Returns
    -------
    dict of view to float32 array of shape (instances, width of the matrix)
        That width is not the model's where the embeddings are factorised (ALBERT, ELECTRA).

    Raises
    ------
    ModelError
        If there is no such matrix, or a vector is not finite; it names the instance.
    """
    static = [view for view in views if view in STATIC]
    if not static:
        return {}
    if (weights := input_matrix(model)) is None:
        what = f"{type(model).__name__} has no matrix of input embeddings"
        raise ModelError(what, fix="leave the static views out")
    matrix = weights.detach().float().cpu().numpy()
    found = {}
    for view in static:
        vectors = np.zeros((len(aligned), matrix.shape[1]), dtype=np.float32)
        for i, one in enumerate(aligned):
            places = one.pooled(pooling) if view == "static" else one.others
            if places:
                vectors[i] = matrix[[one.ids[place] for place in places]].mean(axis=0)
        if (bad := not_finite(vectors)) is not None:
            what = f"the model's input embeddings give a {view} vector that is not finite"
            raise ModelError(what, where=instance_name(corpus, bad), fix="check the weights")
        found[view] = vectors
    return found


def selection(places: Sequence[Sequence[Sequence[int]]], longest: int) -> torch.Tensor:
    """The weight of each position in each view of each instance of a batch.

    One product per layer then gives all views, and what has weight 0, padding included, counts for
    nothing.

    Returns
    -------
    float32 tensor of shape (instances, views, longest)
    """
    flat = [positions for of_views in places for positions in of_views]
    counts = torch.tensor([len(positions) for positions in flat])
    lines = torch.arange(len(flat)).repeat_interleave(counts)
    weights = torch.zeros((len(flat), longest))
    columns = torch.tensor([place for positions in flat for place in positions], dtype=torch.long)
    weights[lines, columns] = (1 / counts.double()).float()[lines]
    return weights.view(len(places), -1, longest)


def _draw(seed: int, name: str, n: int) -> int:
    """A number below ``n`` that depends on the seed and the instance alone, not on any order."""
    digest = hashlib.sha256(f"{seed} {name}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % n
