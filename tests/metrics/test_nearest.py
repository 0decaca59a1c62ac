"""Nearest neighbours, their vote, and the threshold of out-of-distribution."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wsd.metrics import nearest
from wsd.metrics.nearest import (
    half_units,
    highest,
    nearest_trained,
    ood_threshold,
    vote,
)


@given(st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=7), min_size=1, max_size=4))
def test_most_votes_win_and_in_a_tie_the_nearest(rows: list[list[int]]) -> None:
    width = max(map(len, rows))
    padded = np.array([row + [-1] * (width - len(row)) for row in rows])
    # The first of the most common, in the order of the neighbours.
    expected = [Counter(row).most_common(1)[0][0] for row in rows]
    assert vote(padded, 5).tolist() == expected


def test_the_highest_five_and_the_first_of_equal_ones() -> None:
    rows = np.array([[1, 3, 3, 0, 2, 1, 9.0], [0, -np.inf, -np.inf, 1, -np.inf, -np.inf, -np.inf]])
    places, values = highest(rows)
    assert places.tolist() == [[6, 1, 2, 4, 0], [3, 0, -1, -1, -1]]
    assert values[0].tolist() == [9, 3, 3, 2, 1] and np.isnan(values[1, 2:]).all()


def test_the_nearest_come_first_whatever_the_length() -> None:
    train = half_units(np.eye(3)).astype(np.float32)
    rows, similarity = nearest_trained(np.array([[0.1, 5.0, 3.0], [0, 0, 0]]), train)
    assert rows.tolist() == [[1, 2, 0, -1, -1], [0, 1, 2, -1, -1]]
    assert similarity[0, 0] == pytest.approx(5 / np.sqrt(34.01), abs=1e-3)
    assert similarity[1, :3].tolist() == [0, 0, 0]


@pytest.mark.parametrize("block", [1, 2**23])
def test_the_threshold_ignores_near_duplicates(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "BLOCK", block)
    angles = np.deg2rad([0, 10, 30, 31])
    train = half_units(np.stack([np.cos(angles), np.sin(angles)], axis=1)).astype(np.float32)
    alone = ood_threshold(train, np.arange(4))
    assert alone == pytest.approx(1 - np.cos(np.deg2rad(10)), rel=0.05)
    # The last two are near-duplicates, so the second row is the nearest of both.
    grouped = ood_threshold(train, np.array([0, 1, 2, 2]))
    assert grouped == pytest.approx(1 - np.cos(np.deg2rad(21)), rel=0.05)
    assert ood_threshold(train, np.zeros(4, dtype=int)) is None


def test_the_rounding_of_kept_vectors_is_no_distance() -> None:
    """In the static view all vectors of a word are equal, and their cosine may exceed 1."""
    rows = np.tile(np.random.default_rng(3).normal(size=384), (5, 1))
    train = half_units(rows).astype(np.float16).astype(np.float32)
    limit = ood_threshold(train, np.arange(5))
    _, similarity = nearest_trained(rows, train)
    assert limit is not None and (np.clip(1 - similarity[:, 0], 0, None) <= limit).all()
