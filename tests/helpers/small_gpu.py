"""A GPU that is none: batches of sentences run as there, and those of too many do not fit."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import torch

from wsd.encoder.batches import fitting


def run_all(
    run: Callable[[Any, list[int]], Any],
    works: Iterable[tuple[Any, Sequence[int]]],
    **_: Any,
) -> Iterator[tuple[Any, Any]]:
    """In place of :func:`wsd.encoder.batches.run_all`."""
    for work, lengths in works:
        memory = {"free": lambda: 10**9, "peak": lambda: 10**6, "tidy": lambda: None}
        for result in fitting(lengths, lambda rows, of=work: run(of, rows), **memory):
            yield work, result


def holding(most: int, own: Callable[..., Any], size: Callable[..., int]) -> Callable[..., Any]:
    """A function that runs out of memory with more than so many sentences."""

    def limited(*args: Any, **kwargs: Any) -> Any:
        if size(*args, **kwargs) > most:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return own(*args, **kwargs)

    return limited
