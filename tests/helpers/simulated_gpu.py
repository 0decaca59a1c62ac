"""Simulate a GPU: batches are as large as on a GPU, and large ones run out of memory."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import torch

from wsd.encoder import batches


def run_all(
    run: Callable[[Any, list[int]], Any],
    works: Iterable[tuple[Any, Sequence[int]]],
    **_: Any,
) -> Iterator[tuple[Any, Any]]:
    """Replace :func:`wsd.encoder.batches.run_all`."""
    yield from batches.run_all(run, works, device=torch.device("cpu"), budget=batches.GPU_BUDGET)


def holding(most: int, own: Callable[..., Any], size: Callable[..., int]) -> Callable[..., Any]:
    """Wrap a function to run out of memory with more than ``most`` sentences."""

    def limited(*args: Any, **kwargs: Any) -> Any:
        if size(*args, **kwargs) > most:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return own(*args, **kwargs)

    return limited
