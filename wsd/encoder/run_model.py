"""Run a model: its shape, its inputs, and its hidden states."""

from collections.abc import Sequence
from typing import Any

import torch
from torch.nn.utils.rnn import pad_sequence

from wsd.encoder.model_files import BLOCK_KEYS, WIDTH_KEYS
from wsd.errors import ModelError

# transformers sets a limit of 1e30 for a tokenizer without one.
NO_LIMIT = 10**9


class Network:
    """A model that returns its hidden states.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        An encoder in evaluation mode, on ``device``.
    tokenizer : transformers.PreTrainedTokenizerFast
    device : torch.device

    Attributes
    ----------
    blocks, width : int
        The number of blocks, and the width of a hidden state.
    known : int
        The number of pieces that the model knows.
    """

    def __init__(self, model: Any, tokenizer: Any, device: torch.device) -> None:
        self.model, self.device = model, device
        self.blocks, self.width = stated_shape(self.model.config)
        matrix = input_matrix(self.model)
        self.known = len(tokenizer if matrix is None else matrix)
        pad = tokenizer.pad_token_id
        # GPT-2 has no padding token of its own.
        self._pad = 0 if pad is None or pad >= self.known else pad

    def inputs(
        self, batch: Sequence[Sequence[int]], segments: Sequence[Sequence[int] | None] = ()
    ) -> dict[str, torch.Tensor]:
        """Return the model's arguments for a batch of word pieces, padded on the right.

        Padding on the right keeps the positions of a sentence. Segment ids are included only if
        they are not all 0: models without segments refuse them, and GPT-2 would add its first word
        to every piece.
        """
        ids = _stacked(batch, self._pad)
        lengths = torch.tensor([len(pieces) for pieces in batch])
        mask = (torch.arange(ids.shape[1]) < lengths[:, None]).long()
        inputs = {"input_ids": ids, "attention_mask": mask}
        if any(kinds is not None for kinds in segments):
            rows = [kinds or [0] * len(ids) for ids, kinds in zip(batch, segments, strict=True)]
            inputs["token_type_ids"] = _stacked(rows, 0)
        if self.device.type == "cuda":
            # Pinned memory is copied while the GPU computes.
            inputs = {key: value.pin_memory() for key, value in inputs.items()}
        return {key: value.to(self.device, non_blocking=True) for key, value in inputs.items()}

    def hidden_states(self, inputs: dict[str, torch.Tensor]) -> tuple[torch.Tensor, ...]:
        """Return every hidden state of a batch."""
        states: tuple[torch.Tensor, ...] = self.model(
            **inputs, output_hidden_states=True
        ).hidden_states
        return states


def _stacked(rows: Sequence[Sequence[int]], pad: int) -> torch.Tensor:
    return pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=pad)


def encoder_of(model: Any) -> Any:
    """Return the encoder of an encoder-decoder; any other model is returned unchanged."""
    config = model.config
    if not getattr(config, "is_encoder_decoder", False):
        return model
    encoder = model.get_encoder()
    if encoder is model:
        raise ModelError(f"{type(model).__name__} has a decoder, but its encoder cannot be found")
    return encoder


def stated_shape(config: Any) -> tuple[int, int]:
    """Return the number of blocks and the width of a hidden state that a model's config states."""
    shape = []
    for problem, keys in (("number of blocks", BLOCK_KEYS), ("width", WIDTH_KEYS)):
        value = next((v for key in keys if isinstance(v := getattr(config, key, None), int)), None)
        if value is None:
            kind = getattr(config, "model_type", "this model")
            tried = f"it has none of {', '.join(keys)}"
            raise ModelError(f"the config of {kind} states no {problem}: {tried}")
        shape.append(value)
    return shape[0], shape[1]


def length_limit(tokenizer: Any, model: Any) -> int | None:
    """Return the most pieces of a sentence, special tokens included; None if there is no limit.

    The tables of position embeddings count, not only the config. RoBERTa's positions start after
    the padding index, so that 514 rows are 512 pieces; BART's table has two rows more than its
    config states.
    """
    stated = getattr(model.config, "max_position_embeddings", None)
    limits = [getattr(tokenizer, "model_max_length", None), stated]
    for name, module in getattr(model, "named_modules", lambda: ())():
        if isinstance(module, torch.nn.Embedding) and _is_positions(name.split(".")[-1]):
            padding = module.padding_idx
            first = getattr(module, "offset", 0) if padding is None else padding + 1
            limits.append(module.num_embeddings - first)
    known = [int(limit) for limit in limits if isinstance(limit, int | float) and limit < NO_LIMIT]
    return min((limit for limit in known if limit > 0), default=None)


def _is_positions(name: str) -> bool:
    return name == "wpe" or ("position" in name and "rel" not in name)


def input_matrix(model: Any) -> torch.Tensor | None:
    """Return the matrix of a model's input embeddings, or None."""
    embeddings = getattr(model, "get_input_embeddings", lambda: None)()
    return getattr(embeddings, "weight", None)
