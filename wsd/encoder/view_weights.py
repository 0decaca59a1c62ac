"""Find the word pieces of each view, and the weights that average them."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from wsd.artifacts.corpus_table import Corpus, instance_name
from wsd.encoder.aligned import Aligned
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
    """

    corpus: Corpus
    aligned: Sequence[Aligned]
    views: Sequence[str]

    def places(self, pooling: str) -> Places:
        """Return the places of every instance and view."""
        return [self._view_places(row, pooling) for row in range(len(self.aligned))]

    def _view_places(self, row: int, pooling: str) -> list[list[int]]:
        instance = self.aligned[row]
        if "cls" in self.views and instance.cls is None:
            problem, fix = "this tokenizer has no [CLS] token", "leave `cls` out of the views"
            raise ModelError(problem, where=instance_name(self.corpus, row), fix=fix)
        places = {
            "focal": instance.pooled(pooling),
            "context": instance.others,
            "sentence": instance.sentence,
            "cls": [] if instance.cls is None else [instance.cls],
        }
        return [places[view] for view in self.views]


def selection(places: Places, longest: int) -> torch.Tensor:
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
