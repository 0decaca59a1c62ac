"""Projections by PCA, t-SNE and LDA: where points are, what is fitted on what, and scores."""

import os
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import make_corpus, turns, write_folds, write_vectors
from call_step import call_step
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import eigh
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import f1_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from wsd.analysis import project
from wsd.analysis.project import SHRINKAGE, discriminants, obstacle, pca, place, tsne
from wsd.artifacts import instance_tables
from wsd.artifacts.corpus_table import Corpus, write
from wsd.artifacts.training_set import WordFolds

SENSES = ("a", "b", "c", "d")


def made_word(
    vectors: np.ndarray, gold: np.ndarray, k: int = 5
) -> tuple[Corpus, WordFolds, np.ndarray]:
    """Return a word with alternating training and test rows, its folds, and the training rows."""
    splits = np.where(np.arange(len(gold)) % 2, "test", "train")
    rows = list(zip(splits.tolist(), gold.tolist(), strict=True))
    corpus = make_corpus(rows, senses=SENSES[: gold.max() + 1])
    return corpus, turns(corpus, k=k), splits == "train"


def simplex(n: int, width: int, senses: int, apart: float) -> tuple[np.ndarray, np.ndarray]:
    """Return vectors around the corners of a simplex, so that no axis dominates."""
    random = np.random.default_rng(n + width)
    gold = random.integers(0, senses, size=n)
    turn = np.linalg.qr(random.normal(size=(width, width)))[0][:senses]
    return apart * turn[gold] + random.normal(size=(n, width)), gold


@pytest.mark.parametrize(("rows", "width"), [(60, 8), (20, 40), (9, 8), (8, 8)])
def test_equals_scikit_learn(rows: int, width: int) -> None:
    random = np.random.default_rng(rows)
    vectors = random.normal(size=(2 * rows, width)) * np.arange(1, width + 1)
    train = np.arange(2 * rows) % 2 == 0
    model = PCA(n_components=2, svd_solver="full").fit(vectors[train])
    expected = model.transform(vectors)
    points, explained = pca(vectors.astype(np.float32), train)
    assert_allclose(points * np.sign((points * expected).sum(axis=0)), expected, atol=1e-4)
    assert_allclose(explained, model.explained_variance_ratio_, rtol=1e-5)


def test_equal_vectors_have_no_components() -> None:
    points, explained = pca(np.array([[0.1, 0.1], [0.1, 0.1], [1, 2]]), np.arange(3) < 2)
    assert_allclose(points, np.zeros((3, 2)), atol=1e-6)
    assert_allclose(explained, (0, 0), atol=1e-12)


# t-SNE


def two_clouds(n: int, apart: float, width: int = 10) -> tuple[np.ndarray, np.ndarray]:
    """Return alternating vectors around two directions, and their directions."""
    random = np.random.default_rng(n)
    side = np.arange(n) % 2
    centres = np.zeros((2, width))
    centres[:, 0], centres[1, 1] = 1, apart
    return (centres[side] + random.normal(size=(n, width)) / 20).astype(np.float32), side


@pytest.mark.filterwarnings("error")
def test_rows_that_tsne_cannot_place_are_zero() -> None:
    random = np.random.default_rng(4)
    for shape in ((0, 4), (3, 4), (9, 1)):
        vectors = random.normal(size=shape).astype(np.float32)
        assert_array_equal(tsne(vectors, 1), np.zeros((shape[0], 2)))
    assert_array_equal(tsne(np.full((9, 3), 0.1, dtype=np.float32), 1), np.zeros((9, 2)))


def test_tsne_separates_directions_and_ignores_lengths() -> None:
    vectors, side = two_clouds(40, apart=3)
    points = tsne(vectors, 1)
    between = points[side == 0].mean(axis=0) - points[side == 1].mean(axis=0)
    along = points @ between
    assert along[side == 0].min() > along[side == 1].max()
    # A cloud of vectors three times as long is the same cloud.
    vectors, _ = two_clouds(40, apart=0)
    longer = np.arange(40) < 20
    vectors[longer] *= 3
    points = tsne(vectors, 1)
    model = KNeighborsClassifier(1).fit(points[::2], longer[::2])
    assert model.score(points[1::2], longer[1::2]) < 0.9


def test_out_of_domain_rows_take_no_part_in_tsne() -> None:
    vectors, side = two_clouds(30, apart=1)
    splits = ["train", "test", "train", "test", "outofdomain"] * 6
    table = make_corpus(list(zip(splits, side.tolist(), strict=True)))
    further = table.split == "outofdomain"
    actual = place(table, vectors, "tsne", 5)
    assert np.isnan(actual.points[further]).all()
    assert_array_equal(actual.points[~further], tsne(vectors[~further], 5))
    assert actual.score == 1
    # On the principal components they are placed like all other rows.
    assert np.isfinite(place(table, vectors, "pca", 5).points).all()


def test_the_score_cv_asks_the_training_points_of_other_folds() -> None:
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


def test_the_score_is_that_of_a_vote_in_the_plane() -> None:
    """With two senses, five votes cannot tie."""
    vectors, side = two_clouds(120, apart=0.05)
    splits = ["train", "train", "test", "train", "test"] * 24
    table = make_corpus(list(zip(splits, side.tolist(), strict=True)))
    actual = place(table, vectors, "pca", 1)
    train, test = table.split == "train", table.split == "test"
    theirs = KNeighborsClassifier(5).fit(actual.points[train], table.gold[train])
    predicted = theirs.predict(actual.points[test])
    expected = f1_score(table.gold[test], predicted, average="macro")
    assert 0.5 < expected < 1
    assert actual.score == pytest.approx(expected, rel=1e-12)


# LDA


@pytest.mark.parametrize("senses", [2, 3, 4])
@pytest.mark.parametrize(("n", "width"), [(400, 12), (120, 90)])
def test_test_points_are_on_the_axes_of_scikit_learns_covariance(
    n: int, width: int, senses: int
) -> None:
    """With features fewer than the training rows, and more. Its own axes are of another scatter
    between senses, which it shrinks too.
    """
    vectors, gold = simplex(n, width, senses, apart=3)
    vectors = vectors * np.arange(1, width + 1)
    corpus, folds, train = made_word(vectors, gold)
    scaler = StandardScaler().fit(vectors[train])
    model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=SHRINKAGE)
    theirs = model.fit(scaler.transform(vectors[train]), gold[train])
    between = np.cov(theirs.means_.T, aweights=theirs.priors_, ddof=0)
    values, axes = eigh(between, theirs.covariance_)
    first = slice(None, -1 - min(2, senses - 1), -1)
    expected = scaler.transform(vectors[~train]) @ axes[:, first]
    points, explained = discriminants(vectors.astype(np.float32), corpus, folds)
    actual = points[~train, : expected.shape[1]]
    assert points.dtype == np.float32
    assert_allclose(actual * np.sign((actual * expected).sum(axis=0)), expected, atol=1e-3)
    if senses == 2:
        # One axis has all of the variance between two senses, so its share says nothing.
        assert explained is None
        return
    shares = values[first] / values.sum()
    assert_allclose(explained[: len(shares)], shares, atol=1e-4)
    assert sum(explained) == pytest.approx(1) if senses < 4 else sum(explained) < 1


def test_with_two_senses_the_second_axis_is_the_first_residual_component() -> None:
    """Ten features move together, whatever the sense, which is told by one that moves with them."""
    random = np.random.default_rng(3)
    gold = np.arange(600) % 2
    gold = random.permutation(gold)
    common = random.normal(size=600)
    vectors = random.normal(size=(600, 20)) / 3
    vectors[:, :10] += common[:, None]
    vectors[:, 0] += 3 * gold
    corpus, folds, train = made_word(vectors, gold)
    points, explained = discriminants(vectors, corpus, folds)
    first, second = points[~train].T
    assert abs(np.corrcoef(first, gold[~train])[0, 1]) > 0.8
    assert abs(np.corrcoef(second, common[~train])[0, 1]) > 0.9
    assert abs(np.corrcoef(second, gold[~train])[0, 1]) < 0.2
    assert explained is None


def test_training_points_are_projected_out_of_fold() -> None:
    """A distant row moves the fits of all folds except its own."""
    vectors, gold = simplex(100, 6, 2, apart=3)
    corpus, folds, train = made_word(vectors, gold)
    held = folds.held[0]
    moved = vectors.copy()
    moved[np.flatnonzero(train)[held == 2][0]] += [0, 0, 0, 0, 0, 30]
    (before, _), (after, _) = (discriminants(rows, corpus, folds) for rows in (vectors, moved))
    change = np.abs(before - after)[train][:, 0]
    others = change[held == 2][1:]
    # Its own fold's fit is the same; only the alignment (a reflection) may move the points.
    assert others.max() < 1e-6 < change[held != 2].min()


@pytest.mark.parametrize("senses", [2, 4])
def test_the_projections_of_all_folds_are_aligned(senses: int) -> None:
    """Each sense's training points are near its test points, in every fold."""
    vectors, gold = simplex(1200, 8, senses, apart=8)
    corpus, folds, train = made_word(vectors, gold)
    points, _ = discriminants(vectors, corpus, folds)
    places = np.flatnonzero(train)
    for fold, sense in product(range(5), range(senses)):
        here = places[(folds.held[0] == fold) & (gold[places] == sense)]
        there = points[~train & (gold == sense)]
        assert np.abs(points[here].mean(axis=0) - there.mean(axis=0)).max() < 0.8


def test_words_without_a_projection_have_a_reason() -> None:
    corpus = make_corpus([*[("train", 0)] * 9, ("train", 1), ("test", 1)])
    for folds in (turns(corpus, untuned=True), None):
        assert "the sense 'b' has 1 training instance" in obstacle(corpus, folds)
    # Any folds would leave a fit with none or one of its rows.
    for few in (1, 2):
        corpus = make_corpus([("train", 0)] * 9 + [("train", 1)] * few)
        assert "near-duplicates" in obstacle(corpus, turns(corpus))
    alone = make_corpus([("train", 0)] * 9)
    assert "one sense" in obstacle(alone, turns(alone))


# The step


@pytest.mark.parametrize("method", instance_tables.METHODS)
def test_project(tmp_path: Path, method: str) -> None:
    vectors, side = two_clouds(20, apart=1)
    splits = ["train", "train", "test", "test", "outofdomain"] * 4
    rows = list(zip(splits, side.tolist(), strict=True))
    corpora = {word: make_corpus(rows, word=word) for word in ("mint", "sage")}
    for word, table in corpora.items():
        layers = np.stack([vectors[::-1], vectors])
        write_vectors(tmp_path / word / "focal.safetensors", table, layers)
    folds = {"mint": turns(corpora["mint"], k=4), "sage": turns(corpora["sage"], untuned=True)}
    write_folds(tmp_path / "f.parquet", corpora, **folds)
    out = tmp_path / "out.parquet"
    names: dict[str, Any] = {"embeddings": tmp_path, "folds": tmp_path / "f.parquet", "out": out}
    names |= {"view": "focal", "layers": "-1", "method": method, "seed": 7}
    call_step(project, corpora, **names)
    actual, provenance = instance_tables.read_projections(out)
    for word, table in corpora.items():
        expected = place(table, vectors, method, 7, folds[word])
        for name in ("points", "score", "score_cv"):
            assert_array_equal(getattr(actual[word], name), getattr(expected, name))
        assert actual[word].explained == expected.explained
        # A word that cannot be folded has a reason instead of an LDA.
        assert actual[word].missing == expected.missing
        assert bool(expected.missing) == (method == "discriminant" and word == "sage")
    about = [provenance.get(key) for key in ("view", "layers", "method", "seed")]
    assert about == ["focal", "1", method, 7 if method == "tsne" else None]
    assert provenance["corpus"] == {word: corpus.digest for word, corpus in corpora.items()}


@pytest.mark.slow
@pytest.mark.parametrize("method", instance_tables.METHODS)
def test_any_number_of_threads_writes_the_same_bytes(tmp_path: Path, method: str) -> None:
    """Use other processes, because an earlier limit does not apply to libraries that load later."""
    table = make_corpus([("train", 0), ("test", 1), ("train", 1)] * 200)
    write_folds(tmp_path / "f.parquet", {"mint": table})
    vectors = np.random.default_rng(8).normal(size=(1, 600, 1024)).astype(np.float32)
    write_vectors(tmp_path / "e" / "mint" / "focal.safetensors", table, vectors)
    write(tmp_path / "c" / "mint.parquet", table)
    given = ["--corpus", "c", "--words", "mint", "--embeddings", "e", "--layers", "0"]
    project_by = ["project", *given, "--folds", "f.parquet", "--method", method]
    for command in (["neighbours", *given], project_by):
        for threads in ("1", "3"):
            limits = {"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
            code = [sys.executable, "-m", "wsd.cli", *command, "--out", threads]
            subprocess.run(code, cwd=tmp_path, env={**os.environ, **limits}, check=True)
        assert (tmp_path / "1").read_bytes() == (tmp_path / "3").read_bytes()
