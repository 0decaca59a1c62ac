"""Which instances run together, and how many: instances of similar length, within a budget.

The budget is in padded positions. On a CPU it is fixed, so that the batches, and with them every
bit of the vectors, depend on the corpus alone. On a GPU it is found: from the memory that the
first batch took, and halved whenever the memory does not suffice after all.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

import torch

from wsd.errors import ModelError

# With MiniLM, 768 takes the least time, 512 and 1,024 some 3% more and 8,192 a third: what a batch
# touches should fit in the processor's cache.
CPU_BUDGET = 768
# A GPU starts with the one and goes up to the other; neither has been measured.
GPU_FIRST = 4096
GPU_MOST = 65536
# Of the free memory: the share that may be planned with. Attention grows with the square of the
# length, but the longest sentences come first, so that the first batch shows the worst of it.
SHARE = 0.6

_T = TypeVar("_T")
_R = TypeVar("_R")


def longest_first(lengths: Sequence[int]) -> list[int]:
    """Rows in the order in which they run."""
    return sorted(range(len(lengths)), key=lambda i: (-lengths[i], i))


def take(order: Sequence[int], start: int, lengths: Sequence[int], budget: int) -> list[int]:
    """The rows of a batch: those from ``start`` on that fit, padded to the first; at least one."""
    fit = max(1, budget // lengths[order[start]])
    return list(order[start : start + fit])


def fixed(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """All batches of a fixed budget."""
    order = longest_first(lengths)
    batches: list[list[int]] = []
    done = 0
    while done < len(order):
        batches.append(take(order, done, lengths, budget))
        done += len(batches[-1])
    return batches


def fitting(
    lengths: Sequence[int],
    run: Callable[[list[int]], _R],
    *,
    free: Callable[[], int],
    peak: Callable[[], int],
    tidy: Callable[[], None],
    first: int = GPU_FIRST,
    most: int = GPU_MOST,
) -> Iterator[_R]:
    """Run batches as large as a device's memory allows, and smaller ones where it does not.

    Parameters
    ----------
    lengths : sequence of int
        Positions of every instance.
    run : callable
        Runs a batch of rows; raises ``torch.OutOfMemoryError`` if it does not fit.
    free, peak : callable
        Bytes of the device that are free, and the most that the batches so far took at a time.
    tidy : callable
        Gives back what a failed batch left behind.
    first, most : int
        The first budget and the largest.

    Yields
    ------
    What ``run`` returns, batch by batch.

    Raises
    ------
    ModelError
        If one instance alone does not fit.
    """
    order = longest_first(lengths)
    budget, planned, done = first, False, 0
    while done < len(order):
        rows = take(order, done, lengths, budget)
        positions = len(rows) * lengths[rows[0]]
        try:
            result = run(rows)
        except torch.OutOfMemoryError as error:
            tidy()
            if len(rows) == 1:
                raise ModelError(
                    f"the GPU has no room for one sentence of {positions} pieces",
                    fix="end what else runs on it, or use `device: cpu`",
                ) from error
            budget, planned = max(1, min(budget, positions) // 2), True
            continue
        yield result
        done += len(rows)
        if not planned:
            each = max(1, peak()) / positions
            budget = int(min(most, max(budget, SHARE * free() / each)))
            planned = True


def in_flight(
    pool: ThreadPoolExecutor, run: Callable[[_T], _R], tasks: Sequence[_T], limit: int
) -> Iterator[_R]:
    """Results in the tasks' order, with at most ``limit`` of them computed but not yet taken."""
    waiting = deque(pool.submit(run, task) for task in tasks[:limit])
    ahead = iter(tasks[limit:])
    try:
        while waiting:
            yield waiting.popleft().result()
            for task in islice(ahead, 1):
                waiting.append(pool.submit(run, task))
    finally:
        for future in waiting:
            future.cancel()


def one_ahead(pool: ThreadPoolExecutor, results: Iterator[_R]) -> Iterator[_R]:
    """The same results, each next one being made while the last is used."""
    waiting = pool.submit(next, results, None)
    while (result := waiting.result()) is not None:
        waiting = pool.submit(next, results, None)
        yield result
