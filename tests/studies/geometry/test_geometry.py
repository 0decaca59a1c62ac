"""Geometry: exact on cases by hand, naive loops as oracles, and the effect of centring."""

from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from builders import make_corpus, write_vectors
from call_step import call_step
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from wsd.metrics.nearest import unit_vectors
from wsd.studies.geometry import geometry
from wsd.studies.geometry.geometry import (
    COLUMNS,
    CORPUS,
    FEWEST,
    MEAN,
    MEASURES,
    NOTHING,
    WORD,
    anisotropy,
    gather,
    measure,
    sample,
    within_word,
)

ROWS = [("train", i % 2) for i in range(12)] + [("test", i % 2) for i in range(6)]


def drawn(n: int, seed: int, width: int = 4) -> np.ndarray:
    """Return vectors with a common direction, as an encoder's have."""
    return np.random.default_rng(seed).normal(size=(n, width)) + 2 * np.eye(width)[0]


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


@pytest.mark.filterwarnings("error")
def test_small_answers_by_hand() -> None:
    """Cosines of a with b 0 and 1, mean 1/2; of a with c -1; of b with c 0 and -1."""
    a = np.array([[1.0, 0]])
    b = np.array([[0, 1.0], [1, 0]])
    c = np.array([[-1.0, 0]])
    assert anisotropy({"a": a, "b": b, "c": c}).tolist() == [(0.5 - 1) / 2, 0, (-1 - 0.5) / 2]
    assert np.isnan(anisotropy({"a": a})).all()
    # Equal vectors tell nothing.
    assert within_word(np.tile([1.0, 0], (6, 1)), np.array([0, 1] * 3)) == (1, 0)


def test_measures_are_those_of_naive_loops() -> None:
    words = {str(n): unit_vectors(drawn(n, n)) for n in (3, 5, 15)}
    for own, actual in zip(words, anisotropy(words), strict=True):
        others = [words[other] for other in words if other != own]
        means = [np.mean([cosine(a, b) for a, b in product(words[own], o)]) for o in others]
        assert actual == pytest.approx(np.mean(means))
    directions, gold = words["15"], np.array([0] * 9 + [1] * 4 + [2] * 2)
    self_similarity, silhouette = within_word(directions, gold)
    similarities = [cosine(a, b) for a, b in combinations(directions, 2)]
    assert self_similarity == pytest.approx(np.mean(similarities))

    def distance(i: int, sense: int) -> float:
        rows = [j for j in range(15) if gold[j] == sense and j != i]
        return float(np.mean([1 - cosine(directions[i], directions[j]) for j in rows]))

    by_sense: dict[int, list[float]] = {0: [], 1: [], 2: []}
    for i, own in enumerate(gold):
        within, nearest = distance(i, own), min(distance(i, s) for s in by_sense if s != own)
        by_sense[own].append((nearest - within) / max(nearest, within))
    assert silhouette == pytest.approx(np.mean([np.mean(own) for own in by_sense.values()]))


def test_the_corpus_wide_mean_weighs_words_not_instances() -> None:
    """`corpus` is `none` on vectors from which the mean of the two means is already taken."""
    words = {
        "mint": (make_corpus(ROWS), drawn(18, 1)),
        "large": (make_corpus(ROWS * 3, word="large"), drawn(54, 2) - [9, 0, 0, 0]),
    }
    means = [vectors[corpus.split == "train"].mean(axis=0) for corpus, vectors in words.values()]
    mean = (means[0] + means[1]) / 2
    centred = {w: gather(corpus, v - mean, 1) for w, (corpus, v) in words.items()}
    actual = measure({w: gather(*value, 1) for w, value in words.items()}, "centre", CORPUS)
    expected = measure(centred, "none", NOTHING)
    pd.testing.assert_frame_equal(actual, expected, rtol=1e-9)


def test_centring_on_an_imbalanced_word_loses_its_majority_sense() -> None:
    """96 training rows of sense 0 and 4 of sense 1, by hand.

    The senses are at (10, ±1) with noise along the third axis alone, so the mean is (10, 0.92, 0)
    and the majority's centroid, less it, (0, 0.08, 0).
    """
    gold = [0] * 96 + [1] * 4
    corpus = make_corpus([(split, g) for split in ("train", "test") for g in gold])
    noise = np.tile([3.0, -3.0], 100)
    vectors = np.column_stack([np.full(200, 10), np.where(np.array(gold * 2) == 0, 1, -1), noise])
    words = {"toy": gather(corpus, vectors, 1)}
    plain, centred = (
        measure(words, name, on)["majority_norm"][0]
        for name, on in (("none", NOTHING), ("centre", WORD))
    )
    assert plain == pytest.approx(np.sqrt(101 / 110))
    typical = 0.96 * np.hypot(0.08, 3) + 0.04 * np.hypot(1.92, 3)
    assert centred == pytest.approx(0.08 / typical)


@given(
    counts=st.lists(st.integers(0, 300), min_size=1, max_size=4).filter(any),
    size=st.integers(10, 200),
    seed=st.integers(0, 9),
)
def test_a_sample_has_each_sense_in_its_share(counts: list[int], size: int, seed: int) -> None:
    gold = np.random.default_rng(0).permutation(np.repeat(range(len(counts)), counts))
    rows = sample(gold, seed, size)
    assert rows.tolist() == sorted(set(rows.tolist()))
    assert sample(gold, seed, size).tolist() == rows.tolist()
    taken = np.bincount(gold[rows], minlength=len(counts))
    for n, of_sense in zip(counts, taken, strict=True):
        share = size * n // sum(counts) if sum(counts) > size else n
        assert of_sense == max(share, min(n, FEWEST))


def test_the_table_has_a_row_per_choice_centring_and_word_and_their_means(tmp_path: Path) -> None:
    corpora, stored = {word: make_corpus(ROWS, word=word) for word in ("mint", "nan")}, {}
    for i, (word, corpus) in enumerate(corpora.items()):
        layers = [drawn(18, 10 * i + layer) for layer in range(3)]
        stored[word] = np.stack(layers).astype(np.float32)
        write_vectors(tmp_path / word / "cls.safetensors", corpus, stored[word])
    out = tmp_path / "out" / "geometry.csv"
    how = {"transforms": ["none", "centre"], "seed": 3, "view": "cls", "out": out}
    call_step(geometry, corpora, embeddings=tmp_path, layers=["mean-all", "all"], **how)
    table = pd.read_csv(out, keep_default_na=False, dtype={"layers": str})
    assert table.columns.tolist() == COLUMNS
    ways = [("none", "-"), ("centre", "corpus"), ("centre", "word")]
    choices = product(("0", "1", "2", "mean-all"), ways, [*corpora, MEAN])
    expected = [(choice, *way, word) for choice, way, word in choices]
    keys = ["layers", "transform", "fitted_on", "word"]
    assert list(table[keys].itertuples(index=False)) == expected
    assert set(table["model"]) == {"toy"} and set(table["view"]) == {"cls"}
    assert table["n"].tolist() == [12, 12, 24] * 12
    for layers, vectors in (("1", [1]), ("mean-all", [1, 2])):
        gathered = {w: gather(corpora[w], s[vectors].mean(axis=0), 3) for w, s in stored.items()}
        here = table[(table["layers"] == layers) & (table["fitted_on"] == "corpus")]
        assert_allclose(here[MEASURES], measure(gathered, "centre", CORPUS)[MEASURES], atol=2e-6)
    of_words = table[table["word"] != MEAN].groupby(keys[:3], sort=False)[MEASURES]
    assert_allclose(table.loc[table["word"] == MEAN, MEASURES], of_words.mean(), atol=2e-6)


def test_means_skip_missing_measures() -> None:
    words = {w: gather(make_corpus(ROWS), drawn(18, i), 1) for i, w in enumerate(("mint", "bow"))}
    words["spring"] = gather(make_corpus([(split, 0) for split, _ in ROWS]), drawn(18, 3), 1)
    table = measure(words, "none", NOTHING).set_index("word")
    assert np.isnan(table.loc["spring", "silhouette"]) and table.loc[MEAN, "n"] == 36
    assert table.loc[MEAN, "silhouette"] == np.mean(table["silhouette"].to_numpy()[:2])
    assert table.loc[MEAN, "anisotropy"] == np.mean(table["anisotropy"].to_numpy()[:3])


def test_only_the_training_rows_are_measured() -> None:
    """The splits in another order: out of domain first, then test, then training."""
    corpus = make_corpus([("outofdomain", 0), ("outofdomain", 1), *reversed(ROWS)])
    vectors = drawn(20, 1)

    def measured(moved: slice) -> pd.DataFrame:
        changed = vectors.copy()
        changed[moved] = -5 * changed[moved]
        return measure({"mint": gather(corpus, changed, 1)}, "centre", CORPUS)

    before = measured(slice(0, 0))
    pd.testing.assert_frame_equal(measured(slice(0, 8)), before)
    assert not measured(slice(8, 12)).equals(before)
