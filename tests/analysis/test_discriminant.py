"""The LDA projection: positions of points, their fits, and words without one."""

import numpy as np
import pytest
from builders import MakeCorpus, turns
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import eigh
from scipy.spatial.distance import cdist
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.preprocessing import StandardScaler

from wsd.analysis.project import SHRINKAGE, discriminants, obstacle
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.training_set import WordFolds

SENSES = ("a", "b", "c", "d")


def made_word(
    make_corpus: MakeCorpus, vectors: np.ndarray, gold: np.ndarray, k: int = 5
) -> tuple[Corpus, WordFolds, np.ndarray]:
    """Return a word with alternating training and test rows, its folds, and the training rows."""
    splits = np.where(np.arange(len(gold)) % 2, "test", "train")
    rows = list(zip(splits.tolist(), gold.tolist(), strict=True))
    corpus = make_corpus(rows, senses=SENSES[: gold.max() + 1])
    return corpus, turns(corpus, k=k), splits == "train"


def clouds(n: int, width: int, senses: int, apart: float) -> tuple[np.ndarray, np.ndarray]:
    """Return vectors around the corners of a simplex, so that no axis dominates."""
    random = np.random.default_rng(n + width)
    gold = random.integers(0, senses, size=n)
    turn = np.linalg.qr(random.normal(size=(width, width)))[0][:senses]
    return apart * turn[gold] + random.normal(size=(n, width)), gold


@pytest.mark.parametrize("senses", [2, 3, 4])
@pytest.mark.parametrize(("n", "width"), [(400, 12), (120, 90)])
def test_test_points_are_on_the_axes_of_scikit_learns_covariance(
    make_corpus: MakeCorpus, n: int, width: int, senses: int
) -> None:
    """With features fewer than the training rows, and more. Its own axes are of another scatter
    between senses, which it shrinks too.
    """
    vectors, gold = clouds(n, width, senses, apart=3)
    vectors = vectors * np.arange(1, width + 1)
    corpus, folds, train = made_word(make_corpus, vectors, gold)
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


def test_with_two_senses_the_second_axis_is_the_first_residual_component(
    make_corpus: MakeCorpus,
) -> None:
    """Ten features move together, whatever the sense, which is told by one that moves with them."""
    random = np.random.default_rng(3)
    gold = np.arange(600) % 2
    gold = random.permutation(gold)
    common = random.normal(size=600)
    vectors = random.normal(size=(600, 20)) / 3
    vectors[:, :10] += common[:, None]
    vectors[:, 0] += 3 * gold
    corpus, folds, train = made_word(make_corpus, vectors, gold)
    points, explained = discriminants(vectors, corpus, folds)
    first, second = points[~train].T
    assert abs(np.corrcoef(first, gold[~train])[0, 1]) > 0.8
    assert abs(np.corrcoef(second, common[~train])[0, 1]) > 0.9
    assert abs(np.corrcoef(second, gold[~train])[0, 1]) < 0.2
    assert explained is None


@pytest.mark.parametrize("senses", [2, 3])
def test_axes_are_whitened_within_senses(make_corpus: MakeCorpus, senses: int) -> None:
    vectors, gold = clouds(400, 6, senses, apart=3)
    vectors = vectors @ np.random.default_rng(1).normal(size=(6, 6))
    corpus, folds, train = made_word(make_corpus, vectors, gold)
    scaled = StandardScaler().fit(vectors[train]).transform(vectors)
    model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=SHRINKAGE)
    spread = model.fit(scaled[train], gold[train]).covariance_
    points, _ = discriminants(vectors, corpus, folds)
    axes = np.linalg.lstsq(scaled[~train], points[~train])[0]
    assert_allclose(axes.T @ spread @ axes, np.eye(2), atol=1e-4)


def test_fitted_on_the_training_rows_alone(make_corpus: MakeCorpus) -> None:
    vectors, gold = clouds(100, 6, 3, apart=3)
    corpus, folds, train = made_word(make_corpus, vectors, gold)
    moved = vectors.copy()
    moved[~train] *= 1000
    (before, _), (after, _) = (discriminants(rows, corpus, folds) for rows in (vectors, moved))
    assert_array_equal(before[train], after[train])
    assert (before[~train] != after[~train]).all()


@pytest.mark.parametrize("senses", [2, 3])
def test_training_points_of_noise_look_no_better_separated_than_test_points(
    make_corpus: MakeCorpus, senses: int
) -> None:
    """With more features than rows, a fit separates any rows that it has seen."""
    vectors, gold = clouds(240, 300, senses, apart=0)
    corpus, folds, train = made_word(make_corpus, vectors, gold)
    points, _ = discriminants(vectors, corpus, folds)
    centres = np.stack([points[train & (gold == sense)].mean(axis=0) for sense in range(senses)])
    nearest = cdist(points[train], centres).argmin(axis=1)
    assert (nearest == gold[train]).mean() < 1 / senses + 0.2


def test_training_points_are_projected_out_of_fold(make_corpus: MakeCorpus) -> None:
    """A distant row moves the fits of all folds except its own."""
    vectors, gold = clouds(100, 6, 2, apart=3)
    corpus, folds, train = made_word(make_corpus, vectors, gold)
    held = folds.held[0]
    moved = vectors.copy()
    moved[np.flatnonzero(train)[held == 2][0]] += [0, 0, 0, 0, 0, 30]
    (before, _), (after, _) = (discriminants(rows, corpus, folds) for rows in (vectors, moved))
    change = np.abs(before - after)[train][:, 0]
    others = change[held == 2][1:]
    # Its own fold's fit is the same; only the alignment (a reflection) may move the points.
    assert others.max() < 1e-6 < change[held != 2].min()


@pytest.mark.parametrize("senses", [2, 3, 4])
def test_the_projections_of_all_folds_are_aligned(make_corpus: MakeCorpus, senses: int) -> None:
    """Each sense's training points are near its test points, in every fold."""
    vectors, gold = clouds(1200, 8, senses, apart=8)
    corpus, folds, train = made_word(make_corpus, vectors, gold)
    points, _ = discriminants(vectors, corpus, folds)
    places = np.flatnonzero(train)
    for fold in range(5):
        for sense in range(senses):
            here = places[(folds.held[0] == fold) & (gold[places] == sense)]
            there = points[~train & (gold == sense)]
            off = np.abs(points[here].mean(axis=0) - there.mean(axis=0))
            assert off.max() < 0.8, (fold, sense)


def test_the_residual_axis_has_one_sign_in_all_folds(make_corpus: MakeCorpus) -> None:
    """Ten features move together, half of them the other way: by the largest of its entries the
    axis would have one sign in one fold and another in the next.
    """
    random = np.random.default_rng(1)
    gold, common = random.integers(0, 2, size=1200), random.normal(size=1200)
    vectors = random.normal(size=(1200, 11))
    vectors[:, :10] += common[:, None] * ([3, -3] * 5)
    vectors[:, 10] += 5 * gold
    corpus, folds, train = made_word(make_corpus, vectors, gold)
    second = discriminants(vectors, corpus, folds)[0][train, 1]
    alike = [
        np.corrcoef(second[held], common[train][held])[0, 1]
        for held in (folds.held[0] == fold for fold in range(5))
    ]
    assert min(alike) > 0.9 or max(alike) < -0.9, alike


@pytest.mark.filterwarnings("error")
def test_without_axes_points_are_zero(make_corpus: MakeCorpus) -> None:
    gold = np.arange(40) // 2 % 2
    corpus, folds, train = made_word(make_corpus, gold[:, None], gold)
    same, explained = discriminants(np.full((40, 3), 0.1), corpus, folds)
    assert_array_equal(same, np.zeros((40, 2)))
    assert explained is None
    # One feature has one axis, and so have vectors that are equal within each sense.
    noise = np.random.default_rng(1).normal(size=40)
    for vectors in (gold[:, None] * 9 + noise[:, None], gold[:, None] * [0.1, 0.7, 0]):
        points, explained = discriminants(vectors, corpus, folds)
        assert_allclose(points[:, 1], 0, atol=1e-5)
        sides = [points[train & (gold == sense), 0] for sense in (0, 1)]
        assert max(side.min() for side in sides) > min(side.max() for side in sides)
        assert explained is None


def test_a_sense_that_no_training_row_has_is_no_obstacle(make_corpus: MakeCorpus) -> None:
    vectors, gold = clouds(80, 5, 2, apart=4)
    corpus, folds, _ = made_word(make_corpus, vectors, 2 * gold)
    assert obstacle(corpus, folds) == ""
    points, _ = discriminants(vectors, corpus, folds)
    assert_array_equal(
        points, discriminants(vectors, *made_word(make_corpus, vectors, gold)[:2])[0]
    )


def test_words_without_a_projection_have_a_reason(make_corpus: MakeCorpus) -> None:
    rows = [*[("train", 0)] * 9, ("train", 1), ("test", 1)]
    corpus = make_corpus(rows)
    output = "too few to fold: the sense 'b' has 1 training instance"
    assert obstacle(corpus, turns(corpus, untuned=True)) == output
    assert obstacle(corpus, None) == output
    # Any folds would leave a fit with none or one of its rows.
    for few in (1, 2):
        corpus = make_corpus([("train", 0)] * 9 + [("train", 1)] * few)
        output = "near-duplicates leave a fold's fit too few instances of the sense 'b'"
        assert obstacle(corpus, turns(corpus)) == output
    alone = make_corpus([("train", 0)] * 9)
    assert obstacle(alone, turns(alone)) == "all its training instances have one sense"
