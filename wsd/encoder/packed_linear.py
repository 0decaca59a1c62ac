"""Reorder the weights of linear layers for the processor once, not for every product.

On a CPU, a matrix product first copies its weights into the order in which the processor reads
them. With small batches the copies take a tenth of an encoder's time or more. oneDNN, a part of
torch, can copy the weights in advance.
"""

from collections.abc import Callable
from typing import Any

import torch

# oneDNN chooses the order for this number of rows. Products of other sizes can use it too.
ROWS = 512
# The relative distance of two outputs that rounding can cause, because sums run in another order.
ROUNDING = {torch.float32: 1e-4, torch.bfloat16: 0.1}
# Copies of larger weights would take too much memory, for 15% of the time in float32 and 6% in
# bfloat16. The linear layers of BERT-large have 1.2 GB in float32.
MOST_BYTES = 1_500_000_000


class PackedLinear(torch.nn.Module):
    """A linear layer with its weights in oneDNN's order; it is for inference only."""

    def __init__(self, linear: torch.nn.Linear) -> None:
        super().__init__()
        self.in_features, self.out_features = linear.in_features, linear.out_features
        weight = linear.weight.detach()
        self.packed = torch.ops.mkldnn._reorder_linear_weight(weight, ROWS)
        self.bias = None if linear.bias is None else linear.bias.detach()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the product as ``torch.nn.Linear``, of shape (…, ``out_features``)."""
        return torch.ops.mkldnn._linear_pointwise(x, self.packed, self.bias, "none", [], "")


def pack(model: Any, run: Callable[[], torch.Tensor]) -> bool:
    """Reorder the weights of a model's linear layers, if its output stays the same.

    Parameters
    ----------
    model : torch.nn.Module
        In evaluation mode. Each of its linear layers is replaced by a :class:`PackedLinear`.
    run : callable
        Runs the model on a few pieces and returns its last hidden state.

    Returns
    -------
    bool
        Whether the layers were replaced. Nothing is changed without oneDNN, on a GPU, for other
        types of numbers, for more than ``MOST_BYTES`` of weights, and for a model that reads the
        weights of a layer without calling it.
    """
    places = [
        (parent, name, child)
        for parent in model.modules()
        # named_children() would name a shared layer only once.
        for name, child in parent._modules.items()
        # Subclasses may compute more than the product.
        if type(child) is torch.nn.Linear
    ]
    kinds = {(child.weight.device.type, child.weight.dtype) for _, _, child in places}
    if not places or not torch.backends.mkldnn.is_available():
        return False
    if not all(device == "cpu" and dtype in ROUNDING for device, dtype in kinds):
        return False
    if sum(child.weight.nbytes for child in {child for _, _, child in places}) > MOST_BYTES:
        return False
    before = run().float()
    packed: dict[torch.nn.Linear, PackedLinear] = {}
    try:
        for parent, name, child in places:
            if child not in packed:
                packed[child] = PackedLinear(child)
            setattr(parent, name, packed[child])
        after = run().float()
        rounding = max(ROUNDING[dtype] for _, dtype in kinds)
        done = bool((after - before).norm() <= rounding * before.norm())
    except (AttributeError, NotImplementedError, RuntimeError):
        # The model reads the weights of a layer, or this build of torch lacks the product.
        done = False
    if not done:
        for parent, name, child in places:
            setattr(parent, name, child)
    return done
