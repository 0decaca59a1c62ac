"""A model that has been tried, arranged for speed."""

from typing import TYPE_CHECKING

import torch

from wsd.encoder.architecture import ordinary_pieces
from wsd.encoder.batches import model_inputs
from wsd.encoder.hooks import StateHooks, find_blocks
from wsd.encoder.needed_rows import Needed, spare
from wsd.encoder.packed_linear import pack
from wsd.logs import log

if TYPE_CHECKING:
    from wsd.encoder.encoder import Encoder


def make_ready(encoder: "Encoder", precision: str) -> tuple[StateHooks | None, Needed | None]:
    """Bring an encoder's model to a precision, and lay it out for its device.

    Returns
    -------
    StateHooks or None
        None if its hidden states cannot be read as they pass.
    Needed or None
        None if its last block computes every position, whichever are read.
    """
    model, before, after = encoder.model, encoder.aligner.before, encoder.aligner.after
    ids = [*before, *(pieces := ordinary_pieces(encoder)), *after]
    inputs, passing, needed = model_inputs(encoder, [ids]), None, None
    with torch.inference_mode():
        blocks = find_blocks(model, inputs)
        if blocks is not None:
            passing = StateHooks(model, blocks)
        model.to(getattr(torch, precision))
        packed = pack(model, lambda: encoder.hidden_states(inputs)[-1])
        # In less than float32, rounding hides what a position has to do with another.
        exact = encoder.device.type == "cpu" and precision == "float32"
        if exact and blocks is not None and len(blocks) == encoder.blocks:
            two = model_inputs(encoder, [ids, [*before, *reversed(pieces), *after]])
            needed = spare(blocks[-1], lambda: model(**two).last_hidden_state)
    states = "kept until the end" if blocks is None else "read as they pass"
    weights = "laid out for the processor" if packed else "as they are"
    last = "whole" if needed is None else "where it is read"
    said = "%s: hidden states %s, weights %s, last block %s"
    log.debug(said, type(model).__name__, states, weights, last)
    return passing, needed
