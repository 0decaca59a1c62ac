"""Simulate a GPU: batches run as on a GPU, and large batches run out of memory."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import torch

from wsd.encoder.batches import fitting


def run_all(
    run: Callable[[Any, list[int]], Any],
    works: Iterable[tuple[Any, Sequence[int]]],
    **_: Any,
) -> Iterator[tuple[Any, Any]]:
    """Replace :func:`wsd.encoder.batches.run_all`."""
    for work, lengths in works:
        memory = {"free": lambda: 10**9, "peak": lambda: 10**6, "tidy": lambda: None}
        for result in fitting(lengths, lambda rows, work=work: run(work, rows), **memory):
            yield work, result


def holding(most: int, own: Callable[..., Any], size: Callable[..., int]) -> Callable[..., Any]:
    """Wrap a function to run out of memory with more than ``most`` sentences."""

    def limited(*args: Any, **kwargs: Any) -> Any:
        if size(*args, **kwargs) > most:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return own(*args, **kwargs)

    return limited
