"""Run instances in batches of similar lengths, of a fixed number of padded positions.

The batches depend only on the corpus, and so do all bits of the vectors on a CPU. A batch that
does not fit into the memory of a GPU is halved.

Weights average the word pieces of each view.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import torch

from wsd.artifacts.corpus_table import Corpus, instance_name
from wsd.encoder.match_word_pieces import Aligned
from wsd.errors import ModelError

_R = TypeVar("_R")
_T = TypeVar("_T")
_W = TypeVar("_W")
# For each instance and view, the positions of the pieces whose mean is the view.
Places = Sequence[Sequence[Sequence[int]]]

# A batch should fit in the processor's cache. With MiniLM, 768 is fastest; 512 and 1,024 take 3%
# more time, and 8,192 takes a third more.
CPU_BUDGET = 768
GPU_BUDGET = 16384


def to_host(values: torch.Tensor) -> torch.Tensor:
    """Copy values to the CPU; from a GPU through pinned memory, which is ten times as fast."""
    if values.device.type != "cuda":
        return values.cpu()
    return torch.empty(values.shape, dtype=values.dtype, pin_memory=True).copy_(values)


def run_all(
    run: Callable[[_W, list[int]], _R],
    works: Iterable[tuple[_W, Sequence[int]]],
    *,
    device: torch.device,
    threads: int = 1,
    budget: int | None = None,
) -> Iterator[tuple[_W, _R]]:
    """Run batches, several at the same time on a CPU, one at a time on a GPU.

    Parameters
    ----------
    run : callable
        Runs a batch of rows of one piece of work, such as a word.
    works : iterable
        Pieces of work with the lengths of their instances. The next one starts while batches of
        the previous one still run.
    device : torch.device
    threads : int
        The number of batches that run at the same time on a CPU.
    budget : int, optional
        The positions of a batch; the default is ``CPU_BUDGET`` or ``GPU_BUDGET``.

    Yields
    ------
    The piece of work and the result of ``run``, batch by batch.

    Raises
    ------
    ModelError
        If a single instance does not fit into the memory of the GPU.
    """
    on_cpu = device.type == "cpu"
    threads, budget = (threads, budget or CPU_BUDGET) if on_cpu else (1, budget or GPU_BUDGET)
    tasks = ((work, lengths, rows) for work, lengths in works for rows in fixed(lengths, budget))

    def run_task(task: tuple[_W, Sequence[int], list[int]]) -> tuple[_W, list[_R]]:
        work, lengths, rows = task
        return work, halving(lambda part: run(work, part), rows, lengths)

    with _torch_settings(device), ThreadPoolExecutor(max_workers=threads) as pool:
        for work, results in in_flight(pool, run_task, tasks, 2 * threads):
            for result in results:
                yield work, result


@contextmanager
def _torch_settings(device: torch.device) -> Iterator[None]:
    """Set what the batches need of torch for a while: the caller may use torch too."""
    threads, cudnn = torch.get_num_threads(), torch.backends.cuda.cudnn_sdp_enabled()
    try:
        if device.type == "cpu":
            torch.set_num_threads(1)
        else:
            # cuDNN prepares its attention for each new shape, which takes 0.1 s per batch.
            torch.backends.cuda.enable_cudnn_sdp(False)
        yield
    finally:
        torch.set_num_threads(threads)
        torch.backends.cuda.enable_cudnn_sdp(cudnn)


def fixed(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Yield the rows of all batches, each padded to its first row; the longest rows come first.

    A batch has at least one row, and otherwise at most ``budget`` positions.
    """
    order = sorted(range(len(lengths)), key=lambda i: (-lengths[i], i))
    while order:
        rows = max(1, budget // lengths[order[0]])
        yield order[:rows]
        order = order[rows:]


def halving(run: Callable[[list[int]], _R], rows: list[int], lengths: Sequence[int]) -> list[_R]:
    """Run a batch, or its halves if the GPU runs out of memory, and return every result."""
    try:
        return [run(rows)]
    except torch.OutOfMemoryError as error:
        if len(rows) == 1:
            problem = f"the GPU has no room for one sentence of {lengths[rows[0]]} pieces"
            fix = "end other programs on it, or use `device: cpu`"
            raise ModelError(problem, fix=fix) from error
    # Only now, without the error, are the tensors of the failed batch free.
    torch.cuda.empty_cache()
    half = len(rows) // 2
    return [*halving(run, rows[:half], lengths), *halving(run, rows[half:], lengths)]


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


@dataclass
class Sentences:
    """The sentences and views of a word that the model runs on.

    Attributes
    ----------
    corpus : Corpus
    aligned : sequence of Aligned
        The result of :meth:`wsd.encoder.encoder.Encoder.align`.
    views : sequence of str
    """

    corpus: Corpus
    aligned: Sequence[Aligned]
    views: Sequence[str]

    def places(self, pooling: str) -> Places:
        """Return the places of every instance and view."""
        return [self._view_places(row, pooling) for row in range(len(self.aligned))]

    def _view_places(self, row: int, pooling: str) -> list[list[int]]:
        instance = self.aligned[row]
        if "cls" in self.views and instance.cls is None:
            problem, fix = "this tokenizer has no [CLS] token", "leave `cls` out of the views"
            raise ModelError(problem, where=instance_name(self.corpus, row), fix=fix)
        places = {
            "focal": instance.pooled(pooling),
            "context": instance.others,
            "sentence": instance.sentence,
            "cls": [] if instance.cls is None else [instance.cls],
        }
        return [places[view] for view in self.views]


def selection(places: Places, longest: int) -> torch.Tensor:
    """Return the weight of each position for each view and instance of a batch.

    A product with a hidden state then gives all views. Padding and unused positions have weight 0.

    Returns
    -------
    float32 tensor of shape (instances, views, longest)
    """
    flat = [positions for views in places for positions in views]
    counts = torch.tensor([len(positions) for positions in flat])
    lines = torch.arange(len(flat)).repeat_interleave(counts)
    weights = torch.zeros((len(flat), longest))
    columns = torch.tensor([place for positions in flat for place in positions], dtype=torch.long)
    weights[lines, columns] = (1 / counts.double()).float()[lines]
    return weights.view(len(places), -1, longest)
