"""An encoder with a linear layer on the focal word, which classifies the senses of all words.

The layer has a row per sense of every word. The candidates for an instance are the senses of its
word that have training instances. Gradients are returned, not stored in the model, so that several
threads can compute at the same time.

There is no dropout. Threads would draw it from one generator in any order, and a training could not
be repeated exactly.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import torch

from wsd.artifacts.input_template import InputValue
from wsd.encoder.aligned import Aligned
from wsd.encoder.encoder import Encoder
from wsd.encoder.load_model import choose_device, load_folder
from wsd.encoder.view_weights import selection
from wsd.errors import ModelError
from wsd.studies.finetuning.encoder_blocks import find_blocks
from wsd.studies.finetuning.finetuning_files import ALL

Gradients = Sequence[torch.Tensor]


@dataclass(frozen=True)
class Instance:
    """An instance to train on or to predict.

    Attributes
    ----------
    aligned : Aligned
    senses : range
        The rows of the linear layer for the senses of its word.
    gold : int
        The row of the linear layer for its sense; -1 if it is only predicted.
    """

    aligned: Aligned
    senses: range
    gold: int


class Tagger:
    """An encoder and its linear layer.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        In evaluation mode, on the encoder's device.
    encoder : Encoder
        The encoder of that model.
    known : bool array of shape (rows of the layer,)
        Whether each sense has training instances.
    blocks : int or "all"
        The number of upper blocks to train; ``all`` trains the embeddings too.

    Attributes
    ----------
    trained : dict of name to parameter
        The trained parameters; those of the linear layer come last.

    Raises
    ------
    ModelError
        If the blocks of the model cannot be identified.
    """

    def __init__(self, model: Any, encoder: Encoder, known: Sequence[bool], blocks: int | str):
        self.model, self.encoder = model, encoder
        self._known = torch.tensor(known, device=encoder.device)
        # Zeros: before the first step all senses have equal probabilities for any encoder.
        shape = (len(known), encoder.width)
        self.weight = torch.zeros(shape, device=encoder.device, requires_grad=True)
        self.bias = torch.zeros(len(known), device=encoder.device, requires_grad=True)
        parameters = self._parameters(blocks)
        for name, parameter in encoder.model.named_parameters():
            # Below the lowest trained parameter nothing is computed or kept for gradients.
            parameter.requires_grad_(name in parameters)
        self.trained = {**parameters, "(head).weight": self.weight, "(head).bias": self.bias}
        for module in model.modules():
            if isinstance(module, torch.nn.Embedding):
                # A batch has few of the pieces: a dense gradient would be mostly zeros.
                module.sparse = encoder.device.type == "cpu"

    @classmethod
    def load(
        cls,
        folder: Path,
        known: Sequence[bool],
        blocks: int | str,
        *,
        pooling: str,
        input: InputValue,
        device: str,
        random_weights: int | None = None,
    ) -> Self:
        """Load a model for training, as :meth:`wsd.encoder.encoder.Encoder.load`, in float32."""
        chosen = choose_device(device)
        tokenizer, model = load_folder(str(folder), random_weights)
        model = model.to(chosen)
        encoder = Encoder(tokenizer, model, pooling=pooling, input=input, device=chosen)
        _ = encoder.architecture  # refuses a model that cannot be used
        return cls(model, encoder, known, blocks)

    def _parameters(self, blocks: int | str) -> dict[str, torch.nn.Parameter]:
        """Return the parameters to train, among those on which the last hidden state depends."""
        encoder = self.encoder
        named = dict(encoder.model.named_parameters())
        if blocks == ALL:
            last = encoder.model(**encoder.trial_inputs()).last_hidden_state.sum()
            gradients = torch.autograd.grad(last, list(named.values()), allow_unused=True)
            return {
                name: parameter
                for (name, parameter), gradient in zip(named.items(), gradients, strict=True)
                if gradient is not None
            }
        with torch.no_grad():
            all_blocks = find_blocks(encoder.model, encoder.trial_inputs())
        if all_blocks is None or len(all_blocks) != encoder.blocks:
            problem = f"the blocks of {type(encoder.model).__name__} cannot be identified"
            fix = "train all of it: `blocks: [all]` (config key finetune.blocks)"
            raise ModelError(problem, fix=fix)
        upper = {p for block in all_blocks[-int(blocks) :] for p in block.parameters()}
        return {name: parameter for name, parameter in named.items() if parameter in upper}

    def logits(self, batch: Sequence[Instance]) -> torch.Tensor:
        """Return a logit for every sense of all words; minus infinity if it is no candidate."""
        aligned = [instance.aligned for instance in batch]
        encoder = self.encoder
        inputs = encoder.network.inputs([a.ids for a in aligned], [a.segments for a in aligned])
        places = [[a.pooled(encoder.pooling)] for a in aligned]
        select = selection(places, inputs["input_ids"].shape[1])
        state = encoder.model(**inputs).last_hidden_state
        focal = torch.bmm(select.to(encoder.device), state.float())[:, 0]
        logits = torch.nn.functional.linear(focal, self.weight, self.bias)
        candidates = torch.zeros_like(logits, dtype=torch.bool)
        for row, instance in enumerate(batch):
            candidates[row, instance.senses.start : instance.senses.stop] = True
        return logits.masked_fill(~(candidates & self._known), -torch.inf)

    def gradients(self, batch: Sequence[Instance]) -> tuple[float, Gradients]:
        """Return the sum of the losses, and its gradients in the order of ``trained``."""
        gold = torch.tensor([instance.gold for instance in batch], device=self.encoder.device)
        loss = torch.nn.functional.cross_entropy(self.logits(batch), gold, reduction="sum")
        return loss.item(), torch.autograd.grad(
            loss, list(self.trained.values()), materialize_grads=True
        )

    def probabilities(self, batch: Sequence[Instance]) -> torch.Tensor:
        """Return the probabilities of all senses for each instance."""
        with torch.inference_mode():
            return self.logits(batch).softmax(dim=1).cpu()

    def save(self, folder: Path) -> None:
        """Write the encoder to ``model.safetensors``, without the linear layer."""
        self.model.save_pretrained(folder, safe_serialization=True)
