"""Linear layers of the last block that compute the positions that are read, and no others.

After the last block's attention no position has a part in another. Where one of forty is read, most
of that block's products are for nothing: of six blocks, a tenth of the time. A trial tells which
layers those are: whatever such a layer gives for the other positions, what is read of the last
hidden state stays the same.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import torch

# Relative distance of two outputs for one position.
ROUNDING = 1e-6
# What the others are given in the trial: so much that whatever hangs on them is far off.
FAR_OFF = 1e4
# The share of a batch's positions up to which it pays to pick them.
LITTLE = 0.5


class Needed(threading.local):
    """Which positions of the batch that a thread runs are read.

    Attributes
    ----------
    positions : int
        Of the batch, padding included.
    rows : int tensor or None
        Among those, counted from the first of the first sentence. None: all.
    fill : float
        What the layers give for the others.
    """

    positions = 0
    rows: torch.Tensor | None = None
    fill = 0.0

    @contextmanager
    def only(self, positions: int, rows: torch.Tensor | None, fill: float = 0.0) -> Iterator[None]:
        """For as long as it is open, in this thread."""
        self.positions, self.rows, self.fill = positions, rows, fill
        try:
            yield
        finally:
            self.rows = None

    def reading(self, select: torch.Tensor) -> AbstractContextManager[None]:
        """The same, of the positions that a selection (sentences, views, pieces) has weights for;
        of many of a batch, all.
        """
        read = select.any(dim=1).flatten().nonzero().flatten()
        positions = select.shape[0] * select.shape[2]
        return self.only(positions, read if len(read) <= LITTLE * positions else None)


class NeededRows(torch.nn.Module):
    """A linear layer of which only some positions are read."""

    def __init__(self, linear: torch.nn.Module, needed: Needed) -> None:
        super().__init__()
        self.linear, self.needed = linear, needed

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Of shape (…, features), as the layer gives it in the rows that are read."""
        positions, rows = self.needed.positions, self.needed.rows
        if rows is None or x.numel() != positions * x.shape[-1]:
            return self.linear(x)
        found = self.linear(x.reshape(positions, -1)[rows])
        every = found.new_full((positions, found.shape[1]), self.needed.fill)
        every[rows] = found
        return every.view(*x.shape[:-1], -1)


def spare(block: torch.nn.Module, run: Callable[[], torch.Tensor]) -> Needed | None:
    """Have a model's last block compute only what is read, where that changes nothing of it.

    Parameters
    ----------
    block : torch.nn.Module
        The last one, in evaluation mode. Its linear layers are replaced.
    run : callable
        Runs the model on two sentences of a few pieces and gives its last hidden state, of shape
        (2, pieces, width).

    Returns
    -------
    Needed or None
        None if there is no such layer.
    """
    needed, spared = Needed(), False
    whole = run()
    positions = 2 * whole.shape[1]
    whole = whole.reshape(positions, -1)
    places = _children(block, torch.nn.Linear)
    # The last of the first sentence, which sees all of it where a model looks back alone, and the
    # first of the second.
    read = (positions // 2 - 1, positions // 2)
    for parent, name, child in places:
        setattr(parent, name, NeededRows(child, needed))
        if all(_stays(needed, run, positions, row, whole[row]) for row in read):
            spared = True
        else:
            setattr(parent, name, child)
    return needed if spared else None


def restore(block: torch.nn.Module) -> None:
    """Have the linear layers compute every position again, under the names that they had."""
    for parent, name, child in _children(block, NeededRows):
        setattr(parent, name, child.linear)


def _children(block: torch.nn.Module, kind: type) -> list[tuple[torch.nn.Module, str, Any]]:
    return [
        (parent, name, child)
        for parent in block.modules()
        for name, child in parent._modules.items()
        if isinstance(child, kind)
    ]


def _stays(
    needed: Needed, run: Callable[[], torch.Tensor], positions: int, row: int, whole: torch.Tensor
) -> bool:
    """Whether the last hidden state of a position does not tell that it alone is computed."""
    try:
        with needed.only(positions, torch.tensor([row]), FAR_OFF):
            found = run().reshape(positions, -1)[row]
    except AttributeError:  # this model asks the layer for its weights
        return False
    return bool((found - whole).norm() <= ROUNDING * whole.norm())
