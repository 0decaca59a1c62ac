"""Two principal components: of the training rows, shown with the test rows."""

from pathlib import Path

import numpy as np
import pytest
from conftest import MakeCorpus, WriteVectors
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.decomposition import PCA

from wsd import corpus, projection
from wsd.errors import ConfigError, ResultError
from wsd.projection import align_signs, pca


def upright(points: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """``points`` with each axis flipped to the sign of ``reference``."""
    return points * np.sign((points * reference).sum(axis=0))


def test_points_on_a_line() -> None:
    along = np.array([-2.0, 0, 1, 5, 10, -7])
    vectors = np.array([100.0, 50]) + along[:, None] * np.array([3, 4]) / 5
    train = np.array([True, True, True, True, False, False])
    found = pca(vectors, train)
    # The training rows' mean lies at 1.
    expected = np.column_stack([along - 1, np.zeros(6)])
    assert found.points.dtype == np.float32
    assert_allclose(upright(found.points, expected)[:, 0], expected[:, 0], atol=1e-5)
    assert_allclose(found.points[:, 1], 0, atol=1e-5)
    assert_allclose(found.explained, (1, 0), atol=1e-12)


def test_a_rectangle() -> None:
    """Corners (+-3, +-1): the variances are 9 : 1."""
    vectors = np.array([[3.0, 1], [3, -1], [-3, 1], [-3, -1], [0, 0.5]])
    train = np.array([True] * 4 + [False])
    found = pca(vectors, train)
    assert_allclose(upright(found.points, vectors), vectors, atol=1e-6)
    assert_allclose(found.explained, (0.9, 0.1), rtol=1e-12)


@pytest.mark.parametrize(("rows", "width"), [(60, 8), (20, 40), (9, 8), (8, 8)])
def test_equals_scikit_learn(rows: int, width: int) -> None:
    random = np.random.default_rng(rows)
    vectors = random.normal(size=(2 * rows, width)) * np.arange(1, width + 1)
    train = np.arange(2 * rows) % 2 == 0
    model = PCA(n_components=2, svd_solver="full").fit(vectors[train])
    expected = model.transform(vectors)
    found = pca(vectors.astype(np.float32), train)
    assert_allclose(upright(found.points, expected), expected, atol=1e-4)
    assert_allclose(found.explained, model.explained_variance_ratio_, rtol=1e-5)


def test_fitted_on_the_training_rows_alone() -> None:
    random = np.random.default_rng(2)
    vectors = random.normal(size=(30, 5))
    train = np.arange(30) < 20
    moved = vectors.copy()
    moved[~train] *= 1000
    before, after = pca(vectors, train), pca(moved, train)
    assert_array_equal(before.points[train], after.points[train])
    assert before.explained == after.explained
    assert (before.points[~train] != after.points[~train]).all()


@pytest.mark.parametrize("rows", [1, 4])
def test_training_rows_that_are_all_equal_have_no_axes(rows: int) -> None:
    vectors = np.vstack([np.full((rows, 3), 0.1), [[1.0, 2, 3]]])
    train = np.array([True] * rows + [False])
    found = pca(vectors, train)
    assert_array_equal(found.points, np.zeros((rows + 1, 2)))
    assert found.explained == (0.0, 0.0)


def test_two_training_rows_have_one_axis() -> None:
    vectors = np.array([[0.0, 0, 0], [0, 0, 4], [0, 0, 3]])
    found = pca(vectors, np.array([True, True, False]))
    assert_allclose(np.abs(found.points[:, 0]), [2, 2, 1], atol=1e-6)
    assert_allclose(found.points[:2, 1], 0, atol=1e-6)
    assert_allclose(found.explained, (1, 0), atol=1e-12)


def test_one_feature_has_one_axis() -> None:
    found = pca(np.array([[0.0], [2], [7]]), np.array([True, True, False]))
    assert_allclose(np.abs(found.points), [[1, 0], [1, 0], [6, 0]])
    assert found.explained == (1.0, 0.0)


# Signs


def test_signs_are_aligned_axis_by_axis() -> None:
    first = np.array([[1.0, 2], [-3, 1], [0, -4]], dtype=np.float32)
    flips = [(1, 1), (-1, 1), (1, -1), (-1, -1)]
    pictures = [first * np.array(flip, dtype=np.float32) for flip in flips]
    originals = [picture.copy() for picture in pictures]
    for aligned in align_signs(pictures):
        assert_array_equal(aligned, first)
        assert aligned.dtype == np.float32
    for picture, original in zip(pictures, originals, strict=True):
        assert_array_equal(picture, original)


def test_each_picture_is_aligned_with_the_one_before_it() -> None:
    """Turned step by step by 60 degrees, the third would be flipped if held to the first."""
    turn = np.radians(60)
    steps = [np.array([[np.cos(k * turn), np.sin(k * turn)]]).T for k in range(3)]
    pictures = [np.hstack([step, step]) for step in steps]
    pictures[1] = pictures[1] * [-1, 1]
    first, second, third = align_signs(pictures)
    assert_allclose(first, np.hstack([steps[0]] * 2))
    assert_allclose(second, np.hstack([steps[1]] * 2))
    assert_allclose(third, np.hstack([steps[2]] * 2))


def test_an_axis_without_a_sign_is_left_alone() -> None:
    pictures = [np.array([[1.0, 0], [1, 0]]), np.array([[1.0, 2], [-1, 3]])]
    assert_array_equal(align_signs(pictures)[1], pictures[1])
    assert align_signs([]) == []


# Files


def test_project(tmp_path: Path, make_corpus: MakeCorpus, write_vectors: WriteVectors) -> None:
    random = np.random.default_rng(3)
    rows = [("train", 0), ("train", 1), ("test", 0), ("train", 0), ("test", 1)]
    corpora = {word: make_corpus(rows, word=word) for word in ("sage", "mint")}
    vectors = {word: random.normal(size=(3, 5, 4)).astype(np.float32) for word in corpora}
    for word, table in corpora.items():
        write_vectors(tmp_path / word / "focal.safetensors", table, vectors[word])
    out = tmp_path / "out" / "2.parquet"
    projection.project(corpora, tmp_path, view="focal", layers="-1", out=out)
    pictures, provenance = projection.read(out)

    assert set(pictures) == set(corpora)
    for word, table in corpora.items():
        expected = pca(vectors[word][2], table.split == "train")
        assert_array_equal(pictures[word].points, expected.points)
        assert pictures[word].explained == expected.explained
    assert (provenance["view"], provenance["layers"]) == ("focal", "2")
    assert provenance["corpus"] == {word: corpus.digest for word, corpus in corpora.items()}
    assert provenance["encoder"]["model"] == {"name": "toy", "blocks": 2, "width": 4}


def test_project_refuses_what_does_not_belong_together(
    tmp_path: Path, make_corpus: MakeCorpus, write_vectors: WriteVectors
) -> None:
    corpora = {word: make_corpus([("train", 0), ("test", 0)], word=word) for word in ("a", "b")}
    vectors = np.ones((2, 2, 3), dtype=np.float32)
    write_vectors(tmp_path / "a" / "cls.safetensors", corpora["a"], vectors)
    write_vectors(tmp_path / "b" / "cls.safetensors", corpora["b"], vectors, pooling="first")
    out = tmp_path / "out.parquet"
    with pytest.raises(ResultError, match="'a' and 'b' were made with another pooling"):
        projection.project(corpora, tmp_path, view="cls", layers="1", out=out)
    with pytest.raises(ConfigError, match="'2': there is no such layer"):
        projection.project(corpora, tmp_path, view="cls", layers="2", out=out)
    with pytest.raises(ResultError, match="missing"):
        projection.project(corpora, tmp_path, view="focal", layers="1", out=out)
    assert not out.exists()


def test_write_and_read(tmp_path: Path, make_corpus: MakeCorpus) -> None:
    corpora = {
        "zinc": make_corpus([("train", 0), ("test", 0)], word="zinc"),
        "arm": make_corpus([("test", 0), ("train", 0), ("train", 1)], word="arm"),
    }
    pictures = {
        word: projection.Projection(
            np.arange(2 * len(corpus), dtype=np.float32).reshape(-1, 2) / 3, (0.5, 0.25)
        )
        for word, corpus in corpora.items()
    }
    path = tmp_path / "0.parquet"
    projection.write(path, corpora, pictures, {"layers": "0"})
    again, provenance = projection.read(path)
    assert provenance["layers"] == "0"
    assert set(again) == set(corpora)
    for word in corpora:
        assert_array_equal(again[word].points, pictures[word].points)
        assert again[word].explained == (0.5, 0.25)


def test_two_training_rows_leave_the_second_axis_zero() -> None:
    vectors = np.array([[0.0, 0, 0], [0, 0, 4], [1, 2, 3]])
    found = pca(vectors, np.array([True, True, False]))
    assert found.points[2, 1] == 0
    assert found.explained[1] == 0


def test_another_table_is_refused(tmp_path: Path, make_corpus: MakeCorpus) -> None:
    path = tmp_path / "corpus.parquet"
    corpus.write(path, make_corpus([("train", 0), ("test", 1)]))
    with pytest.raises(ResultError, match="does not hold what it should"):
        projection.read(path)
