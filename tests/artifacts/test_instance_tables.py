"""Projections and neighbours of all words: their files, and the signs of axes."""

from pathlib import Path

import numpy as np
import pytest
from builders import MakeCorpus
from numpy.testing import assert_allclose, assert_array_equal

from wsd.artifacts import corpus_table
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.instance_tables import (
    Neighbours,
    Projection,
    align_signs,
    read_neighbours,
    read_projections,
    write_neighbours,
    write_projections,
)
from wsd.errors import ResultError

NAN = float("nan")


@pytest.fixture
def corpora(make_corpus: MakeCorpus) -> dict[str, Corpus]:
    return {
        "zinc": make_corpus([("train", 0), ("test", 0)], word="zinc"),
        "arm": make_corpus([("test", 0), ("train", 0), ("train", 1)], word="arm"),
    }


def test_projections_are_read_back(corpora: dict[str, Corpus], tmp_path: Path) -> None:
    gap = np.array([[0, 1], [np.nan, np.nan]], dtype=np.float32)
    points = np.arange(6, dtype=np.float32).reshape(3, 2) / 3
    written = {
        "arm": Projection(points, (0.5, 0.25), 0.75, score_cv=0.5),
        "zinc": Projection(gap, None, NAN, "too few"),
    }
    path = tmp_path / "0.parquet"
    write_projections(path, corpora, written, {"layers": "0"})
    again, provenance = read_projections(path)
    assert provenance["layers"] == "0" and provenance["scores"] == {"zinc": None, "arm": 0.75}
    for word, expected in written.items():
        for name in ("points", "score", "score_cv"):
            assert_array_equal(getattr(again[word], name), getattr(expected, name))
        assert again[word].explained == expected.explained
        assert again[word].missing == expected.missing


def test_neighbours_are_read_back(corpora: dict[str, Corpus], tmp_path: Path) -> None:
    rows = np.array([[1, -1, -1, -1, -1], [0, -1, -1, -1, -1]], dtype=np.int32)
    written = {
        "zinc": Neighbours(rows, np.where(rows < 0, np.nan, 0.1).astype(np.float32), NAN),
        "arm": Neighbours(
            np.arange(15, dtype=np.int32).reshape(3, 5) % 3,
            np.linspace(-1, 1, 15, dtype=np.float32).reshape(3, 5),
            1 / 3,
        ),
    }
    path = tmp_path / "0.parquet"
    write_neighbours(path, corpora, written, {"layers": "0"})
    again, provenance = read_neighbours(path)
    assert provenance["scores"] == {"zinc": None, "arm": 1 / 3}
    for word, expected in written.items():
        for name in ("rows", "similarity", "score"):
            assert_array_equal(getattr(again[word], name), getattr(expected, name))
    corpus_table.write(path, corpora["arm"])
    for read in (read_neighbours, read_projections):
        with pytest.raises(ResultError, match="a table of another kind"):
            read(path)


def test_signs_are_aligned_axis_by_axis_with_the_previous_projection() -> None:
    first = np.array([[1.0, 2], [-3, 1], [0, -4]], dtype=np.float32)
    flips = [(1, 1), (-1, 1), (1, -1), (-1, -1)]
    for aligned in align_signs([first * np.array(flip, dtype=np.float32) for flip in flips]):
        assert_array_equal(aligned, first)
        assert aligned.dtype == np.float32
    # Each is rotated by 60 degrees; compared with the first, the third would be flipped.
    angles = np.radians([0, 60, 120])
    steps = [np.array([[np.cos(angle)] * 2, [np.sin(angle)] * 2]) for angle in angles]
    for actual, expected in zip(align_signs([steps[0], steps[1] * [-1, 1], steps[2]]), steps,
                                strict=True):  # fmt: skip
        assert_allclose(actual, expected)
    # An axis without a sign is left alone.
    pictures = [np.array([[1.0, 0], [1, 0]]), np.array([[1.0, 2], [-1, 3]])]
    assert_array_equal(align_signs(pictures)[1], pictures[1])
    assert align_signs([]) == []
