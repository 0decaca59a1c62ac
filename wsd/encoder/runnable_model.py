"""A model that has been tried, arranged for speed."""

from collections.abc import Sequence
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
    model, inputs, passing, needed = encoder.model, trial_inputs(encoder), None, None
    with torch.inference_mode():
        blocks = find_blocks(model, inputs)
        if blocks is not None:
            passing = StateHooks(model, blocks)
        model.to(getattr(torch, precision))
        packed = pack(model, lambda: encoder.hidden_states(inputs)[-1])
        # In less than float32, rounding hides what a position has to do with another.
        if precision == "float32":
            needed = spare_last(encoder, blocks)
    states = "kept until the end" if blocks is None else "read as they pass"
    weights = "laid out for the processor" if packed else "as they are"
    last = "whole" if needed is None else "where it is read"
    said = "%s: hidden states %s, weights %s, last block %s"
    log.debug(said, type(model).__name__, states, weights, last)
    return passing, needed


def trial_inputs(encoder: "Encoder", *, twice: bool = False) -> dict[str, torch.Tensor]:
    """A model's arguments for a few pieces; ``twice``: in the other order, too."""
    before, after = encoder.aligner.before, encoder.aligner.after
    pieces = ordinary_pieces(encoder)
    orders = [pieces, pieces[::-1]] if twice else [pieces]
    return model_inputs(encoder, [[*before, *order, *after] for order in orders])


def spare_last(encoder: "Encoder", blocks: Sequence[torch.nn.Module] | None) -> Needed | None:
    """:func:`wsd.encoder.needed_rows.spare` of the last block, on a CPU; None without blocks."""
    if encoder.device.type != "cpu" or blocks is None or len(blocks) != encoder.blocks:
        return None
    inputs = trial_inputs(encoder, twice=True)
    with torch.no_grad():
        return spare(blocks[-1], lambda: encoder.model(**inputs).last_hidden_state)
