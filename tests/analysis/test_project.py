"""Projections: PCA of the training rows, t-SNE, and the information they lose."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from builders import MakeCorpus, WriteFolds, WriteVectors, turns
from call_step import call_step
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.decomposition import PCA
from sklearn.metrics import f1_score
from sklearn.neighbors import KNeighborsClassifier

from wsd.analysis import neighbours, project
from wsd.analysis.project import pca, place, tsne
from wsd.artifacts import feature_set, instance_tables
from wsd.artifacts.corpus_table import write
from wsd.artifacts.instance_tables import align_signs
from wsd.errors import ConfigError, ResultError
from wsd.metrics import nearest


def upright(points: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Flip each axis of ``points`` to the sign of ``reference``."""
    return points * np.sign((points * reference).sum(axis=0))


def test_points_on_a_line() -> None:
    along = np.array([-2.0, 0, 1, 5, 10, -7])
    vectors = np.array([100.0, 50]) + along[:, None] * np.array([3, 4]) / 5
    train = np.array([True, True, True, True, False, False])
    points, explained = pca(vectors, train)
    # The mean of the training rows is 1.
    expected = np.column_stack([along - 1, np.zeros(6)])
    assert points.dtype == np.float32
    assert_allclose(upright(points, expected)[:, 0], expected[:, 0], atol=1e-5)
    assert_allclose(points[:, 1], 0, atol=1e-5)
    assert_allclose(explained, (1, 0), atol=1e-12)


def test_a_rectangle() -> None:
    """Corners (+-3, +-1): the variances are 9 : 1."""
    vectors = np.array([[3.0, 1], [3, -1], [-3, 1], [-3, -1], [0, 0.5]])
    train = np.array([True] * 4 + [False])
    points, explained = pca(vectors, train)
    assert_allclose(upright(points, vectors), vectors, atol=1e-6)
    assert_allclose(explained, (0.9, 0.1), rtol=1e-12)


@pytest.mark.parametrize(("rows", "width"), [(60, 8), (20, 40), (9, 8), (8, 8)])
def test_equals_scikit_learn(rows: int, width: int) -> None:
    random = np.random.default_rng(rows)
    vectors = random.normal(size=(2 * rows, width)) * np.arange(1, width + 1)
    train = np.arange(2 * rows) % 2 == 0
    model = PCA(n_components=2, svd_solver="full").fit(vectors[train])
    expected = model.transform(vectors)
    points, explained = pca(vectors.astype(np.float32), train)
    assert_allclose(upright(points, expected), expected, atol=1e-4)
    assert_allclose(explained, model.explained_variance_ratio_, rtol=1e-5)


def test_fitted_on_the_training_rows_alone() -> None:
    random = np.random.default_rng(2)
    vectors = random.normal(size=(30, 5))
    train = np.arange(30) < 20
    moved = vectors.copy()
    moved[~train] *= 1000
    (before, explained), (after, again) = pca(vectors, train), pca(moved, train)
    assert_array_equal(before[train], after[train])
    assert explained == again
    assert (before[~train] != after[~train]).all()


@pytest.mark.parametrize("rows", [1, 4])
def test_training_rows_that_are_all_equal_have_no_axes(rows: int) -> None:
    vectors = np.vstack([np.full((rows, 3), 0.1), [[1.0, 2, 3]]])
    train = np.array([True] * rows + [False])
    points, explained = pca(vectors, train)
    assert_array_equal(points, np.zeros((rows + 1, 2)))
    assert explained == (0.0, 0.0)


def test_two_training_rows_have_one_axis() -> None:
    vectors = np.array([[0.0, 0, 0], [0, 0, 4], [0, 0, 3]])
    points, explained = pca(vectors, np.array([True, True, False]))
    assert_allclose(np.abs(points[:, 0]), [2, 2, 1], atol=1e-6)
    assert_allclose(points[:2, 1], 0, atol=1e-6)
    assert_allclose(explained, (1, 0), atol=1e-12)


def test_one_feature_has_one_axis() -> None:
    points, explained = pca(np.array([[0.0], [2], [7]]), np.array([True, True, False]))
    assert_allclose(np.abs(points), [[1, 0], [1, 0], [6, 0]])
    assert explained == (1.0, 0.0)


# t-SNE


def two_clouds(n: int, apart: float, width: int = 10) -> tuple[np.ndarray, np.ndarray]:
    """Return alternating vectors around two directions, and their directions."""
    random = np.random.default_rng(n)
    side = np.arange(n) % 2
    centres = np.zeros((2, width))
    centres[:, 0], centres[1, 1] = 1, apart
    return (centres[side] + random.normal(size=(n, width)) / 20).astype(np.float32), side


def test_tsne_separates_two_far_clouds() -> None:
    vectors, side = two_clouds(60, apart=3)
    points = tsne(vectors, 1)
    assert points.shape == (60, 2) and points.dtype == np.float32
    between = points[side == 0].mean(axis=0) - points[side == 1].mean(axis=0)
    along = points @ between
    assert along[side == 0].min() > along[side == 1].max()
    # t-SNE starts from principal components, which are not random for so few rows.
    assert_array_equal(tsne(vectors, 2), points)


@pytest.mark.slow
def test_the_seed_is_passed_to_tsne() -> None:
    """The initial components are random only for matrices of this size."""
    vectors, _ = two_clouds(501, apart=0.1, width=60)
    assert (tsne(vectors, 1) != tsne(vectors, 2)).any()


def test_tsne_sees_directions_not_lengths() -> None:
    """Cosine ignores length: a cloud of vectors three times as long is the same cloud."""
    vectors, _ = two_clouds(40, apart=0)
    longer = np.arange(40) < 20
    vectors[longer] *= 3
    model = KNeighborsClassifier(1).fit(tsne(vectors, 1)[::2], longer[::2])
    assert model.score(tsne(vectors, 1)[1::2], longer[1::2]) < 0.9


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("shape", [(0, 4), (1, 4), (2, 4), (3, 4), (9, 1), (1, 1)])
def test_too_few_rows_for_tsne_are_zero(shape: tuple[int, int]) -> None:
    vectors = np.random.default_rng(4).normal(size=shape).astype(np.float32)
    assert_array_equal(tsne(vectors, 1), np.zeros((shape[0], 2)))


@pytest.mark.filterwarnings("error")
def test_rows_that_are_all_equal_are_zero_in_tsne() -> None:
    assert_array_equal(tsne(np.full((9, 3), 0.1, dtype=np.float32), 1), np.zeros((9, 2)))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n", [4, 5, 6, 91, 92])
def test_few_rows_and_many_equal_ones_are_placed_by_tsne(n: int) -> None:
    """The perplexity is a third of the other rows, at most 30; one row may differ from all."""
    vectors = np.full((n, 8), 0.1, dtype=np.float32)
    vectors[-1, 0] = 1
    vectors[-2] *= 2
    assert np.isfinite(tsne(vectors, 1)).all()
    assert np.isfinite(tsne(np.random.default_rng(n).normal(size=(n, 2)), 1)).all()


def test_out_of_domain_rows_take_no_part_in_tsne(make_corpus: MakeCorpus) -> None:
    vectors, side = two_clouds(30, apart=1)
    splits = ["train", "test", "train", "test", "outofdomain"] * 6
    table = make_corpus(list(zip(splits, side.tolist(), strict=True)))
    further = table.split == "outofdomain"
    actual = place(table, vectors, "tsne", 5)
    assert np.isnan(actual.points[further]).all()
    assert_array_equal(actual.points[~further], tsne(vectors[~further], 5))
    assert actual.explained is None
    assert actual.score == 1
    # On the principal components they are placed like all other rows.
    assert np.isfinite(place(table, vectors, "pca", 5).points).all()


# Lost information


@pytest.mark.parametrize("method", ["pca", "tsne"])
def test_the_score_is_that_of_a_vote_in_the_plane(make_corpus: MakeCorpus, method: str) -> None:
    """With two senses, five votes cannot tie."""
    vectors, side = two_clouds(120, apart=0.15)
    splits = ["train", "train", "test", "train", "test"] * 24
    table = make_corpus(list(zip(splits, side.tolist(), strict=True)))
    actual = place(table, vectors, method, 1)
    train, test = table.split == "train", table.split == "test"
    theirs = KNeighborsClassifier(5).fit(actual.points[train], table.gold[train])
    predicted = theirs.predict(actual.points[test])
    expected = f1_score(table.gold[test], predicted, average="macro")
    assert 0.5 < expected < 1
    assert actual.score == pytest.approx(expected, rel=1e-12)


def test_the_score_cv_asks_the_training_points_of_other_folds(
    make_corpus: MakeCorpus,
) -> None:
    vectors, side = two_clouds(31, apart=0.05, width=2)
    corpus = make_corpus([("train", sense) for sense in side.tolist()] + [("test", 0)])
    folds = turns(corpus, k=3)
    picture = place(corpus, np.vstack([vectors, [[99, 99]]]), "pca", 1, folds)
    points, gold = picture.points[:-1].astype(float), corpus.gold[:-1]
    text = np.empty_like(gold)
    for seen, held in folds.splits(0):
        model = KNeighborsClassifier(5).fit(points[seen], gold[seen])
        text[held] = model.predict(points[held])
    assert 0.5 < picture.score_cv < 1
    assert picture.score_cv == pytest.approx(f1_score(gold, text, average="macro"))
    # The test instance has no effect, and without folds there is no score.
    assert np.isnan(place(corpus, np.vstack([vectors, [[99, 99]]]), "pca", 1).score_cv)


def test_information_beyond_two_axes_is_lost(make_corpus: MakeCorpus) -> None:
    """The senses differ on the third axis, which varies least; on two axes all look like a."""
    places = [[4, 0], [-4, 0], [0, 3], [0, -3]]
    rows = [(at, gold) for _ in range(10) for at in places for gold in (0, 1)]
    vectors = np.array([[*at, 1 - 2 * gold] for at, gold in rows], dtype=np.float32)
    splits = ["train"] * 48 + ["test"] * 32
    table = make_corpus([(split, gold) for split, (_, gold) in zip(splits, rows, strict=True)])
    assert neighbours.find_neighbours(table, vectors).score == 1
    assert place(table, vectors, "pca", 1).score == pytest.approx((2 / 3 + 0) / 2)


def test_the_first_of_equally_near_points_votes(make_corpus: MakeCorpus) -> None:
    rows = [*[("train", 1)] * 3, *[("train", 0)] * 9, ("test", 1)]
    actual = place(make_corpus(rows), np.full((13, 3), 0.1, dtype=np.float32), "tsne", 1)
    assert_array_equal(actual.points, np.zeros((13, 2)))
    # All points are equal; three of the first five rows have the right sense.
    assert actual.score == 1


def test_a_projection_is_scored_in_blocks(
    make_corpus: MakeCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors, side = two_clouds(60, apart=0.15)
    table = make_corpus([("test" if i % 3 else "train", g) for i, g in enumerate(side.tolist())])
    whole = place(table, vectors, "pca", 1).score
    assert 0 < whole < 1
    for size in (1, 7 * 20, 39 * 20):
        monkeypatch.setattr(nearest, "BLOCK", size)
        assert place(table, vectors, "pca", 1).score == whole


@pytest.mark.parametrize("method", ["pca", "tsne"])
def test_without_tests_there_is_no_score(make_corpus: MakeCorpus, method: str) -> None:
    vectors, side = two_clouds(12, apart=1)
    table = make_corpus([("train", gold) for gold in side.tolist()])
    assert np.isnan(place(table, vectors, method, 1).score)


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


def test_each_projection_is_aligned_with_the_previous() -> None:
    """Each one is rotated by 60 degrees; compared with the first, the third would be flipped."""
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
    call_step(project, corpora, embeddings=tmp_path, view="focal", layers="-1", out=out)
    pictures, provenance = instance_tables.read_projections(out)

    assert set(pictures) == set(corpora)
    for word, table in corpora.items():
        points, explained = pca(vectors[word][2], table.split == "train")
        assert_array_equal(pictures[word].points, points)
        assert pictures[word].explained == explained
        assert pictures[word].score == place(table, vectors[word][2], "pca", 1).score
    assert (provenance["view"], provenance["layers"]) == ("focal", "2")
    assert provenance["method"] == "pca"
    assert "seed" not in provenance
    assert provenance["corpus"] == {word: corpus.digest for word, corpus in corpora.items()}
    assert provenance["encoder"]["model"] == {"name": "toy", "blocks": 2, "width": 4}


@pytest.mark.slow
@pytest.mark.parametrize("method", instance_tables.METHODS)
def test_any_number_of_threads_writes_the_same_bytes(
    tmp_path: Path,
    make_corpus: MakeCorpus,
    write_vectors: WriteVectors,
    write_folds: WriteFolds,
    method: str,
) -> None:
    """Use other processes, because an earlier limit does not apply to libraries that load later."""
    table = make_corpus([("train", 0), ("test", 1), ("train", 1)] * 200)
    write_folds(tmp_path / "f.parquet", {"mint": table})
    vectors = np.random.default_rng(8).normal(size=(1, 600, 1024)).astype(np.float32)
    write_vectors(tmp_path / "e" / "mint" / "focal.safetensors", table, vectors)
    write(tmp_path / "c" / "mint.parquet", table)
    arguments = ["--corpus", "c", "--words", "mint", "--embeddings", "e", "--layers", "0"]
    written = []
    for threads in ("1", "3"):
        out = tmp_path / threads
        subprocess.run(
            [
                sys.executable,
                "-m",
                "wsd.cli",
                "project",
                *arguments,
                *("--method", method, "--folds", "f.parquet"),
                "--out",
                out,
            ],
            cwd=tmp_path,
            env={**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads},
            check=True,
        )
        written.append(out.read_bytes())
    assert written[0] == written[1]


def test_project_by_tsne(
    tmp_path: Path, make_corpus: MakeCorpus, write_vectors: WriteVectors
) -> None:
    vectors, side = two_clouds(20, apart=1)
    splits = ["train", "test", "train", "test", "outofdomain"] * 4
    table = make_corpus(list(zip(splits, side.tolist(), strict=True)))
    write_vectors(tmp_path / "mint" / "focal.safetensors", table, vectors[None])
    out = tmp_path / "out.parquet"
    names = {"view": "focal", "layers": "0", "out": out, "method": "tsne", "seed": 7}
    call_step(project, {"mint": table}, embeddings=tmp_path, **names)
    pictures, provenance = instance_tables.read_projections(out)
    expected = place(table, feature_set.read_features(tmp_path, table, "focal", "0")[1], "tsne", 7)
    assert_array_equal(pictures["mint"].points, expected.points)
    assert pictures["mint"].explained is None
    assert pictures["mint"].score == expected.score
    assert (provenance["method"], provenance["seed"]) == ("tsne", 7)


def test_project_by_discriminants(
    tmp_path: Path, make_corpus: MakeCorpus, write_vectors: WriteVectors, write_folds: WriteFolds
) -> None:
    vectors, side = two_clouds(20, apart=1)
    splits = ["train", "train", "test", "test", "outofdomain"] * 4
    rows = list(zip(splits, side.tolist(), strict=True))
    corpora = {word: make_corpus(rows, word=word) for word in ("mint", "sage")}
    for word, table in corpora.items():
        write_vectors(tmp_path / word / "focal.safetensors", table, vectors[None])
    folds = {"mint": turns(corpora["mint"], k=4), "sage": turns(corpora["sage"], untuned=True)}
    write_folds(tmp_path / "f.parquet", corpora, **folds)
    out = tmp_path / "out.parquet"
    names = {"view": "focal", "layers": "0", "out": out, "method": "discriminant"}
    call_step(project, corpora, embeddings=tmp_path, folds=tmp_path / "f.parquet", **names)
    pictures, provenance = instance_tables.read_projections(out)
    read = feature_set.read_features(tmp_path, corpora["mint"], "focal", "0")[1]
    expected = place(corpora["mint"], read, "discriminant", 1, folds["mint"])
    assert_array_equal(pictures["mint"].points, expected.points)
    assert np.isfinite(expected.points).all()
    # Two senses have one axis with all of the variance between them, so there is no share.
    assert (pictures["mint"].explained, pictures["mint"].missing) == (None, "")
    assert pictures["mint"].score == expected.score
    assert pictures["mint"].score_cv == expected.score_cv
    assert np.isnan(pictures["sage"].score_cv)
    # A word that cannot be folded has a reason instead of a projection.
    assert np.isnan(pictures["sage"].points).all() and np.isnan(pictures["sage"].score)
    assert pictures["sage"].missing == "too few to fold: the sense 'a' has 4 training instances"
    assert provenance["method"] == "discriminant" and "seed" not in provenance


def test_discriminants_need_folds(
    tmp_path: Path, make_corpus: MakeCorpus, write_vectors: WriteVectors
) -> None:
    table = make_corpus([("train", 0), ("train", 1)])
    write_vectors(tmp_path / "mint" / "focal.safetensors", table, np.zeros((1, 2, 2), np.float32))
    names = {"layers": "0", "method": "discriminant", "out": tmp_path / "out.parquet"}
    with pytest.raises(ConfigError, match="needs the folds"):
        call_step(project, {"mint": table}, embeddings=tmp_path, folds=None, **names)
    assert not (tmp_path / "out.parquet").exists()


def test_project_refuses_what_does_not_belong_together(
    tmp_path: Path, make_corpus: MakeCorpus, write_vectors: WriteVectors
) -> None:
    corpora = {word: make_corpus([("train", 0), ("test", 0)], word=word) for word in ("a", "b")}
    vectors = np.ones((2, 2, 3), dtype=np.float32)
    write_vectors(tmp_path / "a" / "cls.safetensors", corpora["a"], vectors)
    write_vectors(tmp_path / "b" / "cls.safetensors", corpora["b"], vectors)
    out = tmp_path / "out.parquet"
    with pytest.raises(ConfigError, match="'2': there is no such layer"):
        call_step(project, corpora, embeddings=tmp_path, view="cls", layers="2", out=out)
    with pytest.raises(ResultError, match="missing"):
        call_step(project, corpora, embeddings=tmp_path, view="focal", layers="1", out=out)
    assert not out.exists()


def test_write_and_read(tmp_path: Path, make_corpus: MakeCorpus) -> None:
    corpora = {
        "zinc": make_corpus([("train", 0), ("test", 0)], word="zinc"),
        "arm": make_corpus([("test", 0), ("train", 0), ("train", 1)], word="arm"),
    }
    pictures = {
        word: instance_tables.Projection(
            np.arange(2 * len(corpus), dtype=np.float32).reshape(-1, 2) / 3,
            (0.5, 0.25),
            0.75,
            score_cv=0.5,
        )
        for word, corpus in corpora.items()
    }
    gap = np.array([[0, 1], [np.nan, np.nan]], dtype=np.float32)
    pictures["zinc"] = instance_tables.Projection(gap, None, float("nan"))
    path = tmp_path / "0.parquet"
    instance_tables.write_projections(path, corpora, pictures, {"layers": "0"})
    again, provenance = instance_tables.read_projections(path)
    assert provenance["layers"] == "0"
    assert set(again) == set(corpora)
    for word in corpora:
        assert_array_equal(again[word].points, pictures[word].points)
        assert again[word].explained == pictures[word].explained
        assert_array_equal(again[word].score, pictures[word].score)
        assert_array_equal(again[word].score_cv, pictures[word].score_cv)
    assert provenance["scores"] == {"zinc": None, "arm": 0.75}


def test_two_training_rows_leave_the_second_axis_zero() -> None:
    vectors = np.array([[0.0, 0, 0], [0, 0, 4], [1, 2, 3]])
    points, explained = pca(vectors, np.array([True, True, False]))
    assert points[2, 1] == 0
    assert explained[1] == 0


def test_another_table_is_refused(tmp_path: Path, make_corpus: MakeCorpus) -> None:
    path = tmp_path / "corpus.parquet"
    write(path, make_corpus([("train", 0), ("test", 1)]))
    with pytest.raises(ResultError, match="a table of another kind"):
        instance_tables.read_projections(path)
