"""Run instances in batches of similar lengths, within a budget of padded positions.

On a CPU the budget is fixed, so that the batches, and so all bits of the vectors, depend only on
the corpus. On a GPU the budget follows from the memory that the first batch takes. It is halved
whenever a batch does not fit.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, partial
from typing import TypeVar

import torch

from wsd.errors import ModelError

_R = TypeVar("_R")
_T = TypeVar("_T")
_W = TypeVar("_W")


def to_host(values: torch.Tensor) -> torch.Tensor:
    """Copy values to the CPU; from a GPU through pinned memory, which is ten times as fast."""
    if values.device.type != "cuda":
        return values.cpu()
    return torch.empty(values.shape, dtype=values.dtype, pin_memory=True).copy_(values)


# A batch should fit in the processor's cache. With MiniLM, 768 is fastest; 512 and 1,024 take 3%
# more time, and 8,192 takes a third more.
CPU_BUDGET = 768
# The first and the largest budget of a GPU.
GPU_FIRST = 4096
GPU_MOST = 65536
# The share of the free memory to use. Attention grows with the square of the length, but the
# longest sentences come first, so that the first batch is the worst case.
SHARE = 0.6


def run_all(
    run: Callable[[_W, list[int]], _R],
    works: Iterable[tuple[_W, Sequence[int]]],
    *,
    device: torch.device,
    threads: int = 1,
    budget: int | None = None,
) -> Iterator[tuple[_W, _R]]:
    """Run batches on several threads of a CPU, or as large as a GPU allows.

    Parameters
    ----------
    run : callable
        Runs a batch of rows of one piece of work, such as a word.
    works : iterable
        Pieces of work with the lengths of their instances. On a CPU the next one starts while
        batches of the previous one still run.
    device : torch.device
    threads : int
        The number of batches that run at the same time on a CPU.
    budget : int, optional
        The positions of a batch on a CPU; the default is ``CPU_BUDGET``.

    Yields
    ------
    The piece of work and the result of ``run``, batch by batch.
    """
    if device.type == "cpu":
        torch.set_num_threads(1)
        tasks = (
            (work, rows) for work, lengths in works for rows in fixed(lengths, budget or CPU_BUDGET)
        )
        with ThreadPoolExecutor(max_workers=threads) as pool:
            yield from in_flight(pool, lambda task: (task[0], run(*task)), tasks, 2 * threads)
        return
    # cuDNN prepares its attention for each new shape, which takes 0.1 s per batch.
    torch.backends.cuda.enable_cudnn_sdp(False)
    for work, lengths in works:
        for result in _on_gpu(partial(run, work), lengths, device):
            yield work, result


def _on_gpu(
    run: Callable[[list[int]], _R], lengths: Sequence[int], device: torch.device
) -> Iterator[_R]:
    torch.cuda.reset_peak_memory_stats(device)
    allocated = torch.cuda.memory_allocated(device)
    results = fitting(
        lengths,
        run,
        free=lambda: torch.cuda.mem_get_info(device)[0],
        peak=lambda: torch.cuda.max_memory_allocated(device) - allocated,
        tidy=torch.cuda.empty_cache,
    )
    yield from one_ahead(_gpu_thread(), results)


@cache
def _gpu_thread() -> ThreadPoolExecutor:
    # One thread for all words: each new thread would initialise the GPU's libraries.
    return ThreadPoolExecutor(max_workers=1)


def longest_first(lengths: Sequence[int]) -> list[int]:
    """Return the rows in the order in which they run."""
    return sorted(range(len(lengths)), key=lambda i: (-lengths[i], i))


def take(order: Sequence[int], start: int, lengths: Sequence[int], budget: int) -> list[int]:
    """Return the rows of a batch from ``start`` on, padded to the first row; at least one row."""
    fit = max(1, budget // lengths[order[start]])
    return list(order[start : start + fit])


def fixed(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Yield all batches of a fixed budget."""
    order = longest_first(lengths)
    done = 0
    while done < len(order):
        rows = take(order, done, lengths, budget)
        yield rows
        done += len(rows)


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
    """Run batches as large as the memory of a device allows.

    Parameters
    ----------
    lengths : sequence of int
        The number of positions of every instance.
    run : callable
        Runs a batch of rows; raises ``torch.OutOfMemoryError`` if it does not fit.
    free, peak : callable
        Return the free memory of the device, and the most that a batch has taken, in bytes.
    tidy : callable
        Frees the memory of a failed batch.
    first, most : int
        The first budget and the largest.

    Yields
    ------
    The result of ``run``, batch by batch.

    Raises
    ------
    ModelError
        If a single instance does not fit.
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
                problem = f"the GPU has no room for one sentence of {positions} pieces"
                fix = "end other programs on it, or use `device: cpu`"
                raise ModelError(problem, fix=fix) from error
            budget, planned = max(1, min(budget, positions) // 2), True
            continue
        yield result
        done += len(rows)
        if not planned:
            each = max(1, peak()) / positions
            budget = int(min(most, max(budget, SHARE * free() / each)))
            planned = True


def in_flight(
    pool: ThreadPoolExecutor, run: Callable[[_T], _R], tasks: Iterable[_T], limit: int
) -> Iterator[_R]:
    """Yield results in the order of the tasks; at most ``limit`` of them wait to be taken."""
    waiting: deque[Future[_R]] = deque()
    try:
        for task in tasks:
            if len(waiting) == limit:
                yield waiting.popleft().result()
            waiting.append(pool.submit(run, task))
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()


def one_ahead(pool: ThreadPoolExecutor, results: Iterator[_R]) -> Iterator[_R]:
    """Yield the same results, computing the next one while the last one is used."""
    waiting = pool.submit(next, results, None)
    while (result := waiting.result()) is not None:
        waiting = pool.submit(next, results, None)
        yield result
