"""Which instances run together, and how many: instances of similar length, within a budget.

The budget is in padded positions. On a CPU it is fixed, so that the batches, and with them every
bit of the vectors, depend on the corpus alone. On a GPU it is found: from the memory that the
first batch took, and halved whenever the memory does not suffice after all.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, partial
from typing import TYPE_CHECKING, TypeVar

import torch
from torch.nn.utils.rnn import pad_sequence

from wsd.errors import ModelError

if TYPE_CHECKING:
    from wsd.encoder.encoder import Encoder

_R = TypeVar("_R")
_T = TypeVar("_T")
_W = TypeVar("_W")


def model_inputs(
    encoder: "Encoder",
    batch: Sequence[Sequence[int]],
    segments: Sequence[Sequence[int] | None] = (),
) -> dict[str, torch.Tensor]:
    """A model's arguments for a batch, padded on the right whatever side the tokenizer prefers.

    Positions then are those of each sentence alone. Segment ids are given only where they are not
    0: models without them would refuse them, and GPT-2 would add its first word to every piece.
    """
    pad = encoder.tokenizer.pad_token_id
    # GPT-2 has nothing of its own to stand behind the shorter sentences.
    pad = 0 if pad is None or pad >= encoder.known else pad
    ids = _stacked(batch, pad)
    lengths = torch.tensor([len(one) for one in batch])
    mask = (torch.arange(ids.shape[1]) < lengths[:, None]).long()
    inputs = {"input_ids": ids, "attention_mask": mask}
    if any(one is not None for one in segments):
        kinds = [one or [0] * len(ids) for ids, one in zip(batch, segments, strict=True)]
        inputs["token_type_ids"] = _stacked(kinds, 0)
    if encoder.device.type == "cuda":
        # From pinned memory the copy runs beside what the GPU is doing.
        return {k: v.pin_memory().to(encoder.device, non_blocking=True) for k, v in inputs.items()}
    return {key: value.to(encoder.device) for key, value in inputs.items()}


def to_host(found: torch.Tensor) -> torch.Tensor:
    """The same on the CPU; from a GPU by pinned memory, which is ten times as fast and is kept."""
    if found.device.type != "cuda":
        return found.cpu()
    return torch.empty(found.shape, dtype=found.dtype, pin_memory=True).copy_(found)


def _stacked(rows: Sequence[Sequence[int]], behind: int) -> torch.Tensor:
    return pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=behind)


# With MiniLM, 768 takes the least time, 512 and 1,024 some 3% more and 8,192 a third: what a batch
# touches should fit in the processor's cache.
CPU_BUDGET = 768
# A GPU starts with the one and goes up to the other.
GPU_FIRST = 4096
GPU_MOST = 65536
# Of the free memory: the share that may be planned with. Attention grows with the square of the
# length, but the longest sentences come first, so that the first batch shows the worst of it.
SHARE = 0.6


def run_all(
    run: Callable[[_W, list[int]], _R],
    works: Iterable[tuple[_W, Sequence[int]]],
    *,
    device: torch.device,
    threads: int = 1,
    budget: int | None = None,
) -> Iterator[tuple[_W, _R]]:
    """Run batches on as many threads as may be, or as large as a GPU allows.

    Parameters
    ----------
    run : callable
        Runs a batch of rows of one piece of work, such as a word.
    works : iterable
        Per piece of work, the positions of every instance. On a CPU the next piece is taken while
        batches of the last still run.
    device : torch.device
    threads : int
        Batches that run at the same time, on a CPU.
    budget : int, optional
        Positions of a batch, on a CPU, if not ``CPU_BUDGET``.

    Yields
    ------
    The piece of work, and what ``run`` returns, batch by batch.
    """
    if device.type == "cpu":
        torch.set_num_threads(1)
        tasks = (
            (work, rows) for work, lengths in works for rows in fixed(lengths, budget or CPU_BUDGET)
        )
        with ThreadPoolExecutor(max_workers=threads) as pool:
            yield from in_flight(pool, lambda task: (task[0], run(*task)), tasks, 2 * threads)
        return
    # cuDNN's attention is prepared anew for each shape, a tenth of a second for each batch.
    torch.backends.cuda.enable_cudnn_sdp(False)
    for work, lengths in works:
        for result in _on_gpu(partial(run, work), lengths, device):
            yield work, result


def _on_gpu(
    run: Callable[[list[int]], _R], lengths: Sequence[int], device: torch.device
) -> Iterator[_R]:
    torch.cuda.reset_peak_memory_stats(device)
    held = torch.cuda.memory_allocated(device)
    results = fitting(
        lengths,
        run,
        free=lambda: torch.cuda.mem_get_info(device)[0],
        peak=lambda: torch.cuda.max_memory_allocated(device) - held,
        tidy=torch.cuda.empty_cache,
    )
    yield from one_ahead(_gpu_thread(), results)


@cache
def _gpu_thread() -> ThreadPoolExecutor:
    """One for all words: each further thread would have the GPU's libraries set up anew."""
    return ThreadPoolExecutor(max_workers=1)


def longest_first(lengths: Sequence[int]) -> list[int]:
    """Rows in the order in which they run."""
    return sorted(range(len(lengths)), key=lambda i: (-lengths[i], i))


def take(order: Sequence[int], start: int, lengths: Sequence[int], budget: int) -> list[int]:
    """The rows of a batch: those from ``start`` on that fit, padded to the first; at least one."""
    fit = max(1, budget // lengths[order[start]])
    return list(order[start : start + fit])


def fixed(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """All batches of a fixed budget."""
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
                what = f"the GPU has no room for one sentence of {positions} pieces"
                fix = "end what else runs on it, or use `device: cpu`"
                raise ModelError(what, fix=fix) from error
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
    """Results in the tasks' order, with at most ``limit`` of them computed but not yet taken."""
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
    """The same results, each next one being made while the last is used."""
    waiting = pool.submit(next, results, None)
    while (result := waiting.result()) is not None:
        waiting = pool.submit(next, results, None)
        yield result
