"""Batches: every way of batching covers all instances, and a device may run out of memory."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from wsd.encoder.batches import GPU_MOST, fitting, fixed, in_flight, longest_first, one_ahead
from wsd.errors import ModelError

LENGTHS = st.lists(st.integers(1, 40), max_size=60)


class Device:
    """A device with limited memory, of which a batch takes some bytes per padded position."""

    def __init__(self, total: int, each: int, lengths: list[int]) -> None:
        self.total, self.each, self.lengths = total, each, lengths
        self.most, self.tidied = 0, 0
        self.batches: list[list[int]] = []
        self.refused: list[list[int]] = []

    def run(self, rows: list[int]) -> list[int]:
        need = self.each * len(rows) * max(self.lengths[i] for i in rows)
        if need > self.total:
            self.refused.append(rows)
            raise torch.OutOfMemoryError(f"tried to allocate {need} bytes")
        self.most = max(self.most, need)
        self.batches.append(rows)
        return rows

    def tidy(self) -> None:
        self.tidied += 1

    def all(self, **limits: int) -> list[list[int]]:
        return list(
            fitting(
                self.lengths,
                self.run,
                free=lambda: self.total,
                peak=lambda: self.most,
                tidy=self.tidy,
                **limits,
            )
        )


@given(LENGTHS, st.integers(1, 200))
def test_fixed_batches_hold_every_row_once_within_the_budget(
    lengths: list[int], budget: int
) -> None:
    batches = list(fixed(lengths, budget))
    assert [row for rows in batches for row in rows] == longest_first(lengths)
    for rows in batches:
        positions = len(rows) * max(lengths[i] for i in rows)
        assert positions <= budget or len(rows) == 1


def test_a_batch_is_filled_as_far_as_the_budget_goes() -> None:
    assert list(fixed([3, 5, 5, 2, 3, 3], 10)) == [[1, 2], [0, 4, 5], [3]]
    assert list(fixed([30, 1], 10)) == [[0], [1]]
    assert list(fixed([], 10)) == []


@given(LENGTHS, st.integers(1, 2000), st.integers(1, 9), st.integers(1, 200))
def test_whatever_the_memory_every_row_runs_once_or_one_is_named(
    lengths: list[int], total: int, each: int, first: int
) -> None:
    device = Device(total, each, lengths)
    if lengths and each * max(lengths) > total:
        with pytest.raises(ModelError, match=rf"(?s)sentence of {max(lengths)} pieces.*cpu"):
            device.all(first=first, most=10 * first)
        return
    batches = device.all(first=first, most=10 * first)
    assert [row for rows in batches for row in rows] == longest_first(lengths)


def test_the_budget_grows_to_what_the_memory_holds() -> None:
    device = Device(100_000, 10, [8] * 4000)
    device.all(first=64, most=10**6)
    assert not device.refused
    # 64 positions took 640 bytes; 0.6 of 100,000 bytes are 6,000 positions of 10.
    assert [len(rows) for rows in device.batches[:3]] == [8, 750, 750]


def test_the_budget_has_a_maximum() -> None:
    device = Device(10**12, 1, [1] * (3 * GPU_MOST))
    assert max(map(len, device.all())) == GPU_MOST


def test_a_batch_that_does_not_fit_is_halved_until_it_does() -> None:
    device = Device(1000, 10, [10] * 100)
    device.all(first=400)
    # 400 and 200 positions are too many. 100 fit and stay: a failed size is not tried again.
    assert [len(rows) for rows in device.refused] == [40, 20]
    assert [len(rows) for rows in device.batches] == [10] * 10
    assert device.tidied == 2


def test_a_late_failure_is_handled() -> None:
    """Another program takes the rest of the memory."""
    device = Device(100_000, 10, [10] * 3000)
    run: Callable[[list[int]], list[int]] = device.run
    results = fitting(
        device.lengths, run, free=lambda: 100_000, peak=lambda: device.most, tidy=device.tidy
    )
    rows = [*next(results), *next(results)]
    device.total = 20_000
    rows += [row for batch in results for row in batch]
    assert rows == list(range(3000))
    assert device.refused


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_order_and_few_are_ahead(threads: int) -> None:
    started: list[int] = []

    def run(task: int) -> int:
        started.append(task)
        return 10 * task

    with ThreadPoolExecutor(max_workers=threads) as pool:
        for i, result in enumerate(in_flight(pool, run, range(30), 2 * threads)):
            assert result == 10 * i
            assert len(started) <= i + 1 + 2 * threads


def test_the_next_result_is_made_while_one_is_used() -> None:
    made: list[int] = []

    def results():
        for i in range(5):
            made.append(i)
            yield i

    with ThreadPoolExecutor(max_workers=1) as pool:
        got = []
        for i in one_ahead(pool, results()):
            got.append(i)
            assert len(made) <= i + 2
    assert got == list(range(5))


def test_an_error_on_the_other_thread_comes_through() -> None:
    def results():
        yield 1
        raise ModelError("no room")

    with ThreadPoolExecutor(max_workers=1) as pool, pytest.raises(ModelError, match="no room"):
        list(one_ahead(pool, results()))
