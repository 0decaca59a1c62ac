"""Compute some linear layers of the last block only for the positions that are read.

After the attention of the last block, positions no longer depend on each other. Training reads only
the focal word, so most products there are useless: with six blocks, a tenth of the time. A trial
finds these layers: whatever they return for other positions, the positions that are read keep their
last hidden state.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import torch

# The relative distance at which two outputs for one position count as equal.
ROUNDING = 1e-6
# The output for other positions in the trial: large, so that any dependence on them shows.
FAR_OFF = 1e4
# The largest share of read positions in a batch for which the selection saves time.
MOST_READ = 0.5


class Needed(threading.local):
    """The positions to read in the batch that a thread runs.

    Attributes
    ----------
    positions : int
        The number of positions of the batch, padding included.
    rows : int tensor or None
        The positions to read, counted through all sentences; None for all.
    fill : float
        The output of the layers for the other positions.
    """

    positions = 0
    rows: torch.Tensor | None = None
    fill = 0.0

    @contextmanager
    def only(self, positions: int, rows: torch.Tensor | None, fill: float = 0.0) -> Iterator[None]:
        """Read only some positions, in this thread, until the block ends."""
        self.positions, self.rows, self.fill = positions, rows, fill
        try:
            yield
        finally:
            self.rows = None

    def reading(self, select: torch.Tensor) -> AbstractContextManager[None]:
        """Read only the positions with weights in a selection (sentences, views, pieces).

        All positions are computed if the selection has many of them.
        """
        read = select.any(dim=1).flatten().nonzero().flatten()
        positions = select.shape[0] * select.shape[2]
        return self.only(positions, read if len(read) <= MOST_READ * positions else None)


class NeededRows(torch.nn.Module):
    """A linear layer that computes only the positions that are read."""

    def __init__(self, linear: torch.nn.Module, needed: Needed) -> None:
        super().__init__()
        self.linear, self.needed = linear, needed

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the output, of shape (…, features), right only for positions that are read."""
        positions, rows = self.needed.positions, self.needed.rows
        if rows is None or x.numel() != positions * x.shape[-1]:
            return self.linear(x)
        computed = self.linear(x.reshape(positions, -1)[rows])
        output = computed.new_full((positions, computed.shape[1]), self.needed.fill)
        output[rows] = computed
        return output.view(*x.shape[:-1], -1)


def spare(block: torch.nn.Module, run: Callable[[], torch.Tensor]) -> Needed | None:
    """Make a model's last block compute only the positions that are read, if they stay the same.

    Parameters
    ----------
    block : torch.nn.Module
        The last block, in evaluation mode. Its linear layers are replaced.
    run : callable
        Runs the model on two sentences of a few pieces and returns its last hidden state, of shape
        (2, pieces, width).

    Returns
    -------
    Needed or None
        None if no layer can be replaced.
    """
    needed, spared = Needed(), False
    expected = run().flatten(end_dim=1)
    # Tried with the last position of the first sentence, which depends on all of it even if the
    # model reads from left to right, and with the first position of the second sentence.
    tried = (len(expected) // 2 - 1, len(expected) // 2)
    for parent, name, child in _children(block, torch.nn.Linear):
        setattr(parent, name, NeededRows(child, needed))
        if all(_stays(needed, run, row, expected) for row in tried):
            spared = True
        else:
            setattr(parent, name, child)
    return needed if spared else None


def restore(block: torch.nn.Module) -> None:
    """Undo :func:`spare`: the linear layers compute every position again."""
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
    needed: Needed, run: Callable[[], torch.Tensor], row: int, expected: torch.Tensor
) -> bool:
    try:
        with needed.only(len(expected), torch.tensor([row]), FAR_OFF):
            state = run().flatten(end_dim=1)[row]
    except AttributeError:  # the model reads the weights of the layer
        return False
    return bool((state - expected[row]).norm() <= ROUNDING * expected[row].norm())
