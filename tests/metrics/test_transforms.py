"""Transformations: against scikit-learn and a naive loop, and with few or no rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.covariance import oas
from sklearn.decomposition import PCA

from wsd.metrics.nearest import unit_vectors
from wsd.metrics.transforms import fitted

NAMES = ("none", "centre", "remove-1", "remove-3", "whiten")
SHAPES = pytest.mark.parametrize("shape", [(60, 6), (7, 20), (6, 6)], ids=str)


def drawn(rows: int, width: int, seed: int = 0) -> np.ndarray:
    """Return vectors with a common mean and directions of different variance."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, width)) * np.geomspace(5, 0.5, width) + 2


def cosines(vectors: np.ndarray) -> np.ndarray:
    return unit_vectors(vectors) @ unit_vectors(vectors).T


@SHAPES
def test_whitened_as_by_scikit_learns_covariance(shape: tuple[int, int]) -> None:
    """Compare cosines and distances, because the map is unique only up to rotation and scale."""
    rows, others = drawn(*shape), drawn(9, shape[1], 1)
    actual = fitted("whiten", rows).apply(others)
    covariance, shrinkage = oas(rows)
    assert 0 < shrinkage < 1
    expected = (others - rows.mean(axis=0)) @ np.linalg.cholesky(np.linalg.inv(covariance))
    assert_allclose(cosines(actual), cosines(expected), rtol=1e-9, atol=1e-9)
    ratio = np.linalg.norm(actual, axis=1) / np.linalg.norm(expected, axis=1)
    assert_allclose(ratio, ratio[0], rtol=1e-9)


@SHAPES
def test_the_principal_directions_are_removed(shape: tuple[int, int]) -> None:
    rows, others = drawn(*shape), drawn(9, shape[1], 1)
    main = PCA().fit(rows)
    for k in (1, 3):
        centred = others - rows.mean(axis=0)
        expected = centred - (centred @ main.components_[:k].T) @ main.components_[:k]
        assert_allclose(fitted(f"remove-{k}", rows).apply(others), expected, atol=1e-9)


def test_rows_count_by_their_weights() -> None:
    """A weight of two eighths counts the row twice."""
    rows = drawn(7, 4)
    twice = np.concatenate([rows, rows[:1]])
    weights = np.array([2, 1, 1, 1, 1, 1, 1]) / 8
    for name in ("centre", "remove-2"):
        actual, expected = fitted(name, rows, weights), fitted(name, twice)
        assert_allclose(actual.apply(rows), expected.apply(rows), atol=1e-9)
    for name in ("centre", "remove-2", "whiten"):
        without = fitted(name, rows, np.array([0, 1, 1, 1, 1, 1, 1]) / 6)
        assert_allclose(without.apply(rows), fitted(name, rows[1:]).apply(rows), atol=1e-9)


def test_none_changes_nothing_and_a_known_mean_is_taken() -> None:
    rows = drawn(7, 4)
    assert fitted("none", rows).apply(rows) is rows
    assert_allclose(fitted("centre", rows, mean=np.ones(4)).apply(rows), rows - 1)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("error")
def test_few_rows_and_equal_rows(name: str) -> None:
    """The results are finite, and two rows keep a direction that separates them."""
    for rows in (1, 2, 3):
        vectors = drawn(rows, 5)
        actual = fitted(name, vectors).apply(vectors)
        assert np.isfinite(actual).all()
        assert rows == 1 or np.linalg.norm(actual[0] - actual[1]) > 1e-3
    if name != "none":
        # Equal except for the last bit of a float32, as in batches of two shapes: all become zero.
        vectors = np.tile(np.float32([0.1, 0.7, 1e-3]), (7, 1))
        vectors[::2, 1] = np.nextafter(vectors[0, 1], np.float32(1))
        assert not fitted(name, vectors).apply(vectors).any()
        assert not fitted(name, np.zeros((2, 3))).apply(np.zeros((2, 3))).any()
