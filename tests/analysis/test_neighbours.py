"""The five nearest neighbours in the full space, against a naive loop."""

from pathlib import Path

import numpy as np
import pytest
from builders import make_corpus, write_vectors
from call_step import call_step
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import f1_score
from sklearn.neighbors import KNeighborsClassifier

from wsd.analysis import neighbours
from wsd.analysis.neighbours import find_neighbours, find_neighbours_of_new
from wsd.artifacts import instance_tables as neighbours_artifacts
from wsd.artifacts.corpus_table import Corpus
from wsd.metrics import nearest


def naive(table: Corpus, vectors: np.ndarray) -> list[list[int]]:
    """Compare every pair; sort by similarity in float32, then by row."""
    results = []
    for i, a in enumerate(vectors.astype(float)):
        alike = []
        for j, b in enumerate(vectors.astype(float)):
            if i != j and table.split[j] != "outofdomain":
                lengths = np.sqrt((a * a).sum()) * np.sqrt((b * b).sum())
                alike.append((-np.float32((a * b).sum() / lengths), j))
        results.append([j for _, j in sorted(alike)[:5]])
    return results


def clouds(seed: int, n: int = 60, width: int = 6, senses: int = 3) -> tuple[np.ndarray, list]:
    """Return vectors of overlapping senses, and rows for a corpus of all three splits."""
    random = np.random.default_rng(seed)
    gold = random.integers(senses, size=n)
    centres = random.normal(size=(senses, width))
    vectors = (centres[gold] + random.normal(size=(n, width))).astype(np.float32)
    splits = random.choice(["train", "train", "test", "outofdomain"], size=n)
    return vectors, list(zip(splits.tolist(), gold.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(2))
def test_a_naive_loop_finds_the_same(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    vectors, rows = clouds(seed)
    table = make_corpus(rows, senses=("a", "b", "c"))
    whole = find_neighbours(table, vectors)
    assert whole.rows.tolist() == naive(table, vectors)
    assert whole.rows.dtype == np.int32 and whole.similarity.dtype == np.float32
    # Blocks of one, seven, and all but one of the 60 rows.
    for size in (1, 7 * 60, 59 * 60):
        monkeypatch.setattr(nearest, "BLOCK", size)
        actual = find_neighbours(table, vectors)
        assert_array_equal(actual.rows, whole.rows)
        assert_array_equal(actual.similarity, whole.similarity)
        assert actual.score == whole.score


def test_the_first_of_equally_near_rows_counts() -> None:
    """Eight equal vectors and their multiples among others; the product rounds arbitrarily."""
    random = np.random.default_rng(5)
    vector = random.normal(size=384).astype(np.float32)
    vectors = random.normal(size=(40, 384)).astype(np.float32)
    equal = [3, 8, 11, 17, 20, 29, 33, 38]
    for k, row in enumerate(equal):
        vectors[row] = vector * 2.0 ** (k - 3)
    actual = find_neighbours(make_corpus([("train", 0), ("test", 0)] * 20), vectors)
    for row in equal:
        assert actual.rows[row].tolist() == [other for other in equal if other != row][:5]
        assert_array_equal(actual.similarity[row], np.ones(5, dtype=np.float32))


def test_new_instances_have_the_known_ones_as_neighbours() -> None:
    vectors, _ = clouds(2)
    whole = find_neighbours(make_corpus([("train", 0)] * 60), vectors)
    # A known instance given as a new one is its own first neighbour.
    actual = find_neighbours_of_new(vectors, vectors[20:23])
    assert_array_equal(actual.rows[:, 0], [20, 21, 22])
    assert_array_equal(actual.rows[:, 1:], whole.rows[20:23, :4])
    assert_allclose(actual.similarity[:, 0], 1, rtol=1e-6)


def test_the_score_is_that_of_scikit_learn() -> None:
    """With two senses, five votes cannot tie."""
    vectors, rows = clouds(0, n=150, senses=2)
    table = make_corpus(rows)
    train, test = table.split == "train", table.split == "test"
    theirs = KNeighborsClassifier(5, metric="cosine").fit(vectors[train], table.gold[train])
    expected = f1_score(table.gold[test], theirs.predict(vectors[test]), average="macro")
    assert 0.5 < expected < 1
    assert find_neighbours(table, vectors).score == pytest.approx(expected, rel=1e-12)


def test_neighbours(tmp_path: Path) -> None:
    corpora, vectors, out = {}, {}, tmp_path / "out" / "1.parquet"
    for seed, word in enumerate(("sage", "mint")):
        first, rows = clouds(seed, n=30 + seed)
        corpora[word] = make_corpus(rows, word=word, senses=("a", "b", "c"))
        vectors[word] = np.stack([first, first[::-1], 1 - first])
        write_vectors(tmp_path / word / "focal.safetensors", corpora[word], vectors[word])
    call_step(neighbours, corpora, embeddings=tmp_path, view="focal", layers="-2", out=out)
    words, provenance = neighbours_artifacts.read_neighbours(out)
    assert set(words) == set(corpora)
    for word, table in corpora.items():
        expected = find_neighbours(table, vectors[word][1])
        for name in ("rows", "similarity"):
            assert_array_equal(getattr(words[word], name), getattr(expected, name))
        assert words[word].score == expected.score
    assert (provenance["view"], provenance["layers"]) == ("focal", "1")
    assert provenance["corpus"] == {word: table.digest for word, table in corpora.items()}
    assert provenance["encoder"]["model"] == {"name": "toy", "blocks": 2, "width": 6}
