"""Find the word pieces of each view, and the weights or embeddings that average them."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from wsd.artifacts.corpus_table import Corpus, instance_name
from wsd.artifacts.vectors import not_finite
from wsd.artifacts.view_names import STATIC
from wsd.encoder.aligned import Aligned
from wsd.encoder.run_model import input_matrix
from wsd.errors import ModelError

# For each instance and view, the positions of the pieces whose mean is the view.
Places = Sequence[Sequence[Sequence[int]]]


@dataclass
class Sentences:
    """The sentences and views of a word that the model runs on.

    Attributes
    ----------
    corpus : Corpus
    aligned : sequence of Aligned
        The result of :meth:`wsd.encoder.encoder.Encoder.align`.
    views : sequence of str
        Contextual views.
    """

    corpus: Corpus
    aligned: Sequence[Aligned]
    views: Sequence[str]

    def places(self, pooling: str, seed: int) -> Places:
        """Return the places of every instance and view."""
        return [
            self._view_places(instance, pooling, seed, instance_name(self.corpus, i))
            for i, instance in enumerate(self.aligned)
        ]

    def _view_places(
        self, instance: Aligned, pooling: str, seed: int, name: str
    ) -> list[list[int]]:
        others = instance.others
        if "cls" in self.views and instance.cls is None:
            problem = "this tokenizer has no [CLS] token"
            raise ModelError(problem, where=name, fix="leave `cls` out of the views")
        places = {
            "focal": instance.pooled(pooling),
            "context": others,
            "sentence": instance.sentence,
            "cls": [] if instance.cls is None else [instance.cls],
            "other": [others[_draw(seed, name, len(others))]] if others else [],
        }
        return [places[view] for view in self.views]


def static_views(
    model: Any, corpus: Corpus, aligned: Sequence[Aligned], views: Sequence[str], pooling: str
) -> dict[str, np.ndarray]:
    """Return the static views: pooled rows of the matrix of input embeddings.

    Parameters
    ----------
    model : transformers.PreTrainedModel
    corpus : Corpus
    aligned : sequence of Aligned
        Its instances.
    views : sequence of str
        Contextual views are skipped.
    pooling : {"mean", "first", "last"}

    Returns
    -------
    dict of view to float32 array of shape (instances, width of the matrix)
        The width differs from the model's if the embeddings are factorised (ALBERT, ELECTRA).

    Raises
    ------
    ModelError
        If there is no such matrix, or a vector is not finite; the error names the instance.
    """
    static = [view for view in views if view in STATIC]
    if not static:
        return {}
    if (weights := input_matrix(model)) is None:
        problem = f"{type(model).__name__} has no matrix of input embeddings"
        raise ModelError(problem, fix="leave the static views out")
    matrix = weights.detach().float().cpu().numpy()
    vectors_of = {}
    for view in static:
        vectors = np.zeros((len(aligned), matrix.shape[1]), dtype=np.float32)
        for i, instance in enumerate(aligned):
            places = instance.pooled(pooling) if view == "static" else instance.others
            if places:
                vectors[i] = matrix[[instance.ids[place] for place in places]].mean(axis=0)
        if (bad := not_finite(vectors)) is not None:
            problem = f"the model's input embeddings give a {view} vector that is not finite"
            raise ModelError(problem, where=instance_name(corpus, bad), fix="check the weights")
        vectors_of[view] = vectors
    return vectors_of


def selection(places: Sequence[Sequence[Sequence[int]]], longest: int) -> torch.Tensor:
    """Return the weight of each position for each view and instance of a batch.

    A product with a hidden state then gives all views. Padding and unused positions have weight 0.

    Returns
    -------
    float32 tensor of shape (instances, views, longest)
    """
    flat = [positions for views in places for positions in views]
    counts = torch.tensor([len(positions) for positions in flat])
    lines = torch.arange(len(flat)).repeat_interleave(counts)
    weights = torch.zeros((len(flat), longest))
    columns = torch.tensor([place for positions in flat for place in positions], dtype=torch.long)
    weights[lines, columns] = (1 / counts.double()).float()[lines]
    return weights.view(len(places), -1, longest)


def _draw(seed: int, name: str, n: int) -> int:
    """Draw a number below ``n`` that depends only on the seed and the name."""
    digest = hashlib.sha256(f"{seed} {name}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % n
