"""Batches: every row runs once, within the budget, and a GPU may run out of memory."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from wsd.encoder.batches import fixed, in_flight, run_all
from wsd.errors import ModelError

CPU = torch.device("cpu")
LENGTHS = st.lists(st.integers(1, 40), max_size=60)


def test_a_batch_is_filled_as_far_as_the_budget_goes() -> None:
    assert list(fixed([3, 5, 5, 2, 3, 3], 10)) == [[1, 2], [0, 4, 5], [3]]
    assert list(fixed([30, 1], 10)) == [[0], [1]]
    assert list(fixed([], 10)) == []


@given(LENGTHS, st.integers(1, 300), st.integers(1, 200))
def test_whatever_the_memory_every_row_runs_once_or_one_is_named(
    lengths: list[int], room: int, budget: int
) -> None:
    def run(_: str, rows: list[int]) -> list[int]:
        positions = len(rows) * max(lengths[i] for i in rows)
        assert positions <= budget or len(rows) == 1
        if positions > room:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return rows

    results = run_all(run, [("crane", lengths)], device=CPU, threads=2, budget=budget)
    if lengths and max(lengths) > room:
        with pytest.raises(ModelError, match=f"sentence of {max(lengths)} pieces"):
            list(results)
        return
    longest_first = sorted(range(len(lengths)), key=lambda i: (-lengths[i], i))
    assert [row for _, rows in results for row in rows] == longest_first


@pytest.mark.parametrize("threads", [1, 5])
def test_results_come_in_order_and_few_are_ahead(threads: int) -> None:
    started: list[int] = []

    def run(task: int) -> int:
        started.append(task)
        return 10 * task

    done = []
    with ThreadPoolExecutor(max_workers=threads) as pool:
        for i, result in enumerate(in_flight(pool, run, range(30), 2 * threads)):
            done.append(result)
            assert len(started) <= i + 1 + 2 * threads
    assert done == [10 * i for i in range(30)]
