"""Linear layers whose weights are laid out once for the processor, not anew for every product.

On a CPU a matrix product first copies its weights into the order in which the processor reads
them. With batches small enough for the cache that is a tenth and more of an encoder's time, and
the copy is the same each time: oneDNN, which torch carries, can make it beforehand.
"""

from collections.abc import Callable
from typing import Any

import torch

# The rows for which oneDNN chooses the order; other numbers of rows are computed from it as well.
ROWS = 512
# Relative distance of two outputs of one model: rounding, where sums run in another order.
ROUNDING = {torch.float32: 1e-4, torch.bfloat16: 0.1}


class PackedLinear(torch.nn.Module):
    """A linear layer with its weights in oneDNN's order, for inference alone."""

    def __init__(self, linear: torch.nn.Linear) -> None:
        super().__init__()
        self.in_features, self.out_features = linear.in_features, linear.out_features
        weight = linear.weight.detach()
        self.packed = torch.ops.mkldnn._reorder_linear_weight(weight, ROWS)
        self.bias = None if linear.bias is None else linear.bias.detach()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The product, of shape (…, ``out_features``), as ``torch.nn.Linear`` gives it."""
        return torch.ops.mkldnn._linear_pointwise(x, self.packed, self.bias, "none", [], "")


def pack(model: Any, run: Callable[[], torch.Tensor]) -> bool:
    """Lay out the weights of a model's linear layers, if its output then stays the same.

    Parameters
    ----------
    model : torch.nn.Module
        In evaluation mode. Its linear layers are replaced, each by a :class:`PackedLinear`.
    run : callable
        Runs the model on a few pieces and gives its last hidden state.

    Returns
    -------
    bool
        Whether it was done. Without oneDNN, on other devices, for other types of number, and for
        models that read the weights of a layer without calling it, nothing is changed.
    """
    places = [
        (parent, name, child)
        for parent in model.modules()
        # Not named_children(), which leaves out the further places of a layer.
        for name, child in parent._modules.items()
        # Subclasses do more than the product.
        if type(child) is torch.nn.Linear
    ]
    kinds = {(child.weight.device.type, child.weight.dtype) for _, _, child in places}
    if not places or not torch.backends.mkldnn.is_available():
        return False
    if not all(device == "cpu" and dtype in ROUNDING for device, dtype in kinds):
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
        # This model asks a layer for its weights, or this build of torch has no such product.
        done = False
    if not done:
        for parent, name, child in places:
            setattr(parent, name, child)
    return done
