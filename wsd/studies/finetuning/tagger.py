"""An encoder with a linear layer on the focal word: one for all words, each with its own senses.

The layer has a row per sense of every word, and a word's instances are told among its own: those
that it has training instances of. Gradients are asked for, never stored in the model, so that
several threads can run at a time.

There is no dropout: threads would draw it from one generator, in whatever order they come, and a
training would not be the same twice.
"""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import torch

from wsd.encoder.architecture import trial_inputs
from wsd.encoder.batches import model_inputs
from wsd.encoder.encoder import Encoder
from wsd.encoder.focal_pieces import Aligned
from wsd.encoder.loading import choose_device, load_folder
from wsd.encoder.view_weights import selection
from wsd.errors import ModelError
from wsd.studies.finetuning.blocks import find_blocks
from wsd.studies.finetuning.finetuning_files import ALL
from wsd.studies.finetuning.needed_rows import Needed, restore, spare

Gradients = Sequence[torch.Tensor]


@dataclass(frozen=True)
class Instance:
    """What is told of one instance.

    Attributes
    ----------
    aligned : Aligned
    senses : range
        The rows of the linear layer that are its word's.
    gold : int
        Among those rows, counted from the first of all.
    """

    aligned: Aligned
    senses: range
    gold: int


class Tagger:
    """A model and its linear layer.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        In evaluation mode, on the encoder's device.
    encoder : Encoder
        Of that model.
    known : bool array of shape (rows of the layer,)
        Which senses have training instances.
    blocks : int or "all"
        How many of the upper blocks are trained; ``all`` trains the embeddings too.

    Attributes
    ----------
    trained : dict of name to parameter
        The layer's own come last.

    Raises
    ------
    ModelError
        If the blocks cannot be told apart.
    """

    def __init__(self, model: Any, encoder: Encoder, known: Sequence[bool], blocks: int | str):
        self.model, self.encoder = model, encoder
        self._known = torch.tensor(known, device=encoder.device)
        # Of zeros: before the first step every sense is as likely, whatever the encoder's scale.
        shape = (len(known), encoder.width)
        self.weight = torch.zeros(shape, device=encoder.device, requires_grad=True)
        self.bias = torch.zeros(len(known), device=encoder.device, requires_grad=True)
        with torch.no_grad():
            every = find_blocks(encoder.model, trial_inputs(encoder))
        of_encoder = self._trained(blocks, every)
        for name, parameter in encoder.model.named_parameters():
            # Below the lowest that is trained no gradient is made, and nothing kept for one.
            parameter.requires_grad_(name in of_encoder)
        self.trained = {**of_encoder, "(head).weight": self.weight, "(head).bias": self.bias}
        for module in model.modules():
            if isinstance(module, torch.nn.Embedding):
                # A batch has few of its rows: a gradient of all would be mostly zeros.
                module.sparse = encoder.device.type == "cpu"
        self._needed = spare_last(encoder, every)

    @classmethod
    def load(
        cls,
        folder: Path,
        known: Sequence[bool],
        blocks: int | str,
        *,
        pooling: str,
        masked: bool,
        device: str,
        random_weights: int | None = None,
    ) -> Self:
        """Load as :meth:`wsd.encoder.encoder.Encoder.load` does, in float32, to be trained."""
        chosen = choose_device(device)
        tokenizer, model, file = load_folder(str(folder), random_weights)
        model.config.use_cache = False
        model = model.eval().to(chosen)
        encoder = Encoder(
            tokenizer, model, pooling=pooling, masked=masked, device=chosen, file=file
        )
        _ = encoder.architecture  # a model that cannot be handled is refused here
        return cls(model, encoder, known, blocks)

    def _trained(
        self, blocks: int | str, every: Sequence[torch.nn.Module] | None
    ) -> dict[str, torch.nn.Parameter]:
        """The encoder's parameters that are trained: of those that come into the last state."""
        encoder = self.encoder
        named = dict(encoder.model.named_parameters())
        if blocks == ALL:
            last = encoder.model(**trial_inputs(encoder)).last_hidden_state.sum()
            found = torch.autograd.grad(last, list(named.values()), allow_unused=True)
            return {
                name: parameter
                for (name, parameter), gradient in zip(named.items(), found, strict=True)
                if gradient is not None
            }
        if every is None or len(every) != encoder.blocks:
            what = f"the blocks of {type(encoder.model).__name__} cannot be told apart"
            fix = "train all of it: `blocks: [all]` (config key finetune.blocks)"
            raise ModelError(what, fix=fix)
        upper = {p for block in every[-int(blocks) :] for p in block.parameters()}
        return {name: parameter for name, parameter in named.items() if parameter in upper}

    def logits(self, batch: Sequence[Instance]) -> torch.Tensor:
        """A number for every sense of all words; of what an instance cannot be, minus infinity."""
        aligned = [one.aligned for one in batch]
        encoder = self.encoder
        inputs = model_inputs(encoder, [a.ids for a in aligned], [a.segments for a in aligned])
        places = [[one.pooled(encoder.pooling)] for one in aligned]
        select = selection(places, inputs["input_ids"].shape[1])
        with nullcontext() if self._needed is None else self._needed.reading(select):
            state = encoder.model(**inputs).last_hidden_state
        focal = torch.bmm(select.to(encoder.device), state.float())[:, 0]
        found = torch.nn.functional.linear(focal, self.weight, self.bias)
        own = torch.zeros_like(found, dtype=torch.bool)
        for row, one in enumerate(batch):
            own[row, one.senses.start : one.senses.stop] = True
        return found.masked_fill(~(own & self._known), -torch.inf)

    def gradients(self, batch: Sequence[Instance]) -> tuple[float, Gradients]:
        """The sum of the instances' losses, and its gradients in the order of ``trained``."""
        gold = torch.tensor([one.gold for one in batch], device=self.encoder.device)
        loss = torch.nn.functional.cross_entropy(self.logits(batch), gold, reduction="sum")
        return loss.item(), torch.autograd.grad(
            loss, list(self.trained.values()), materialize_grads=True
        )

    def chances(self, batch: Sequence[Instance]) -> torch.Tensor:
        """The probabilities that :meth:`logits` lead to."""
        with torch.inference_mode():
            return self.logits(batch).softmax(dim=1).cpu()

    def save(self, folder: Path) -> None:
        """Write the encoder's weights, in ``model.safetensors``, without the linear layer."""
        restore(self.model)
        self.model.save_pretrained(folder, safe_serialization=True)


def spare_last(encoder: Encoder, blocks: Sequence[torch.nn.Module] | None) -> Needed | None:
    """:func:`wsd.studies.finetuning.needed_rows.spare` of the last block, on a CPU."""
    if encoder.device.type != "cpu" or blocks is None or len(blocks) != encoder.blocks:
        return None
    inputs = trial_inputs(encoder, twice=True)
    with torch.no_grad():
        return spare(blocks[-1], lambda: encoder.model(**inputs).last_hidden_state)
