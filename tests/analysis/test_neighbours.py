"""The five nearest neighbours in the full space, by hand and against a naive loop."""

from pathlib import Path

import numpy as np
import pytest
from builders import MakeCorpus, WriteVectors
from call_step import call_step
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import f1_score
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from threadpoolctl import threadpool_limits

from wsd.analysis import neighbours
from wsd.analysis.neighbours import find_neighbours
from wsd.artifacts import corpus_table
from wsd.artifacts import instance_tables as neighbours_artifacts
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.instance_tables import Neighbours
from wsd.errors import ConfigError, ResultError
from wsd.metrics import nearest
from wsd.metrics.nearest import highest, vote, vote_macro_f1


def fan(*degrees: float) -> np.ndarray:
    """Return vectors at some angles with different lengths, which cosine ignores."""
    angles = np.radians(degrees)
    lengths = 1 + np.arange(len(angles))[:, None] % 3
    return (lengths * np.column_stack([np.cos(angles), np.sin(angles)])).astype(np.float32)


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


# The neighbours


def test_a_fan(make_corpus: MakeCorpus) -> None:
    table = make_corpus([("train", 0)] * 4 + [("test", 0)] * 3)
    actual = find_neighbours(table, fan(0, 10, 32, 60, 100, 150, 180))
    assert actual.rows.dtype == np.int32 and actual.similarity.dtype == np.float32
    assert actual.rows.tolist() == [
        [1, 2, 3, 4, 5],
        [0, 2, 3, 4, 5],
        [1, 3, 0, 4, 5],
        [2, 4, 1, 0, 5],
        [3, 5, 2, 6, 1],
        [6, 4, 3, 2, 1],
        [5, 4, 3, 2, 1],
    ]
    assert_allclose(actual.similarity[0], np.cos(np.radians([10, 32, 60, 100, 150])), rtol=1e-6)
    assert_allclose(actual.similarity[6], np.cos(np.radians([30, 80, 120, 148, 170])), rtol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_a_naive_loop_finds_the_same(
    make_corpus: MakeCorpus, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    vectors, rows = clouds(seed)
    table = make_corpus(rows, senses=("a", "b", "c"))
    whole = find_neighbours(table, vectors)
    assert whole.rows.tolist() == naive(table, vectors)
    # Blocks of one, seven, and all but one of the 60 rows.
    for size in (1, 7 * 60, 59 * 60):
        monkeypatch.setattr(nearest, "BLOCK", size)
        actual = find_neighbours(table, vectors)
        assert_array_equal(actual.rows, whole.rows)
        assert_array_equal(actual.similarity, whole.similarity)
        assert actual.score == whole.score


def test_scikit_learn_finds_the_same(make_corpus: MakeCorpus) -> None:
    vectors, _ = clouds(7, n=200, width=20)
    theirs = NearestNeighbors(n_neighbors=5, metric="cosine").fit(vectors)
    distances, rows = theirs.kneighbors()
    actual = find_neighbours(make_corpus([("train", 0), ("test", 0)] * 100), vectors)
    assert_array_equal(actual.rows, rows)
    assert_allclose(actual.similarity, 1 - distances, atol=1e-6)


def test_the_first_of_equally_near_rows_counts(make_corpus: MakeCorpus) -> None:
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
    # Other vectors find them equally near too.
    vectors[0] = vector + vectors[0] / 9
    actual = find_neighbours(make_corpus([("train", 0), ("test", 0)] * 20), vectors)
    assert actual.rows[0].tolist() == equal[:5]
    assert len(set(actual.similarity[0].tolist())) == 1


def test_equal_vectors(make_corpus: MakeCorpus) -> None:
    actual = find_neighbours(
        make_corpus([("train", 0)] * 7), np.full((7, 9), 0.1, dtype=np.float32)
    )
    assert actual.rows[[0, 3, 6]].tolist() == [[1, 2, 3, 4, 5], [0, 1, 2, 4, 5], [0, 1, 2, 3, 4]]
    assert_array_equal(actual.similarity, np.ones((7, 5)))


@pytest.mark.filterwarnings("error")
def test_a_vector_of_zeros_is_like_no_other(make_corpus: MakeCorpus) -> None:
    vectors = np.vstack([np.zeros((1, 2)), fan(0, 10, 80), np.zeros((1, 2))])
    actual = find_neighbours(make_corpus([("train", 0)] * 4 + [("test", 0)]), vectors)
    assert actual.rows[0].tolist() == [1, 2, 3, 4, -1]
    assert_array_equal(actual.similarity[0], [0, 0, 0, 0, np.nan])
    assert actual.rows[1].tolist() == [2, 3, 0, 4, -1]
    assert_array_equal(actual.similarity[1, 2:], [0, 0, np.nan])


def test_fewer_than_six_instances(make_corpus: MakeCorpus) -> None:
    actual = find_neighbours(make_corpus([("train", 0)] * 2 + [("test", 0)]), fan(0, 30, 50))
    assert actual.rows.tolist() == [[1, 2, -1, -1, -1], [2, 0, -1, -1, -1], [1, 0, -1, -1, -1]]
    assert_array_equal(np.isnan(actual.similarity), actual.rows < 0)
    (alone,) = find_neighbours(make_corpus([("train", 0)]), fan(20)).rows
    assert alone.tolist() == [-1] * 5


def test_out_of_domain_rows_have_neighbours_but_are_not_neighbours(make_corpus: MakeCorpus) -> None:
    rows = [("train", 0), ("outofdomain", 0), ("test", 1), ("outofdomain", 1), ("train", 1)]
    actual = find_neighbours(make_corpus(rows), fan(0, 1, 20, 21, 50))
    assert actual.rows.tolist() == [
        [2, 4, -1, -1, -1],
        [0, 2, 4, -1, -1],
        [0, 4, -1, -1, -1],
        [2, 0, 4, -1, -1],
        [2, 0, -1, -1, -1],
    ]


# The vote of the neighbours


@pytest.mark.parametrize(
    ("senses", "chosen"),
    [
        ([1, 0, 0, 0, 1], 0),
        ([2, 0, 1, 1, 0], 0),
        ([2, 1, 0, 0, 1], 1),
        ([0, 1, 2, 3, 3], 3),
        ([3, 1, 2, 0, -1], 3),
        ([3, 1, 1, -1, -1], 1),
        ([0, 3, -1, -1, -1], 0),
        ([1, -1, -1, -1, -1], 1),
    ],
)
def test_votes_by_hand(senses: list[int], chosen: int) -> None:
    assert vote(np.array([senses]), 4).tolist() == [chosen]


def test_the_score_by_hand() -> None:
    """Training rows 0 a, 1 b, 2 b; of three tests (a, a, b) the second is taken for b."""
    voters = np.array([[0, 1, -1], [0, 1, 2], [2, -1, -1]])
    score = vote_macro_f1(voters, np.array([0, 1, 1]), np.array([0, 0, 1]), 2)
    assert score == pytest.approx((2 / 3 + 2 / 3) / 2)


@pytest.mark.parametrize("seed", range(3))
def test_the_score_is_that_of_scikit_learn(make_corpus: MakeCorpus, seed: int) -> None:
    """With two senses, five votes cannot tie."""
    vectors, rows = clouds(seed, n=150, senses=2)
    table = make_corpus(rows)
    train, test = table.split == "train", table.split == "test"
    theirs = KNeighborsClassifier(5, metric="cosine").fit(vectors[train], table.gold[train])
    expected = f1_score(table.gold[test], theirs.predict(vectors[test]), average="macro")
    assert 0.5 < expected < 1
    assert find_neighbours(table, vectors).score == pytest.approx(expected, rel=1e-12)


def test_only_training_instances_vote(make_corpus: MakeCorpus) -> None:
    """The test instances are close together, far from the training instance of their sense."""
    rows = [("train", 0), ("train", 1), *[("test", 1)] * 6, ("outofdomain", 1)]
    actual = find_neighbours(make_corpus(rows), fan(40, 90, *range(10, 16), 10))
    # Two voters with one vote each: the nearer one wins, and is wrong.
    assert actual.score == 0


def test_one_sense(make_corpus: MakeCorpus) -> None:
    table = make_corpus([("train", 0)] * 3 + [("test", 0)] * 2, senses=("a",))
    assert find_neighbours(table, fan(0, 10, 20, 30, 40)).score == 1


@pytest.mark.parametrize("split", ["train", "test", "outofdomain"])
def test_without_tests_or_without_training_there_is_no_score(
    make_corpus: MakeCorpus, split: str
) -> None:
    assert np.isnan(find_neighbours(make_corpus([(split, 0)] * 7), fan(*range(7))).score)


def test_fewer_columns_than_five() -> None:
    rows, values = highest(np.array([[0.5, 0.7, -np.inf]]))
    assert rows.tolist() == [[1, 0, -1, -1, -1]]
    assert_array_equal(values, [[0.7, 0.5, np.nan, np.nan, np.nan]])
    rows, _ = highest(np.empty((2, 0)))
    assert rows.tolist() == [[-1] * 5] * 2


# Files


def write_words(
    folder: Path, make_corpus: MakeCorpus, write_vectors: WriteVectors
) -> tuple[dict[str, Corpus], dict[str, np.ndarray]]:
    corpora, vectors = {}, {}
    for seed, word in enumerate(("sage", "mint")):
        first, rows = clouds(seed, n=30 + seed)
        corpora[word] = make_corpus(rows, word=word, senses=("a", "b", "c"))
        vectors[word] = np.stack([first, first[::-1], 1 - first])
        write_vectors(folder / word / "focal.safetensors", corpora[word], vectors[word])
    return corpora, vectors


def test_neighbours(tmp_path: Path, make_corpus: MakeCorpus, write_vectors: WriteVectors) -> None:
    corpora, vectors = write_words(tmp_path, make_corpus, write_vectors)
    out = tmp_path / "out" / "1.parquet"
    call_step(neighbours, corpora, embeddings=tmp_path, view="focal", layers="-2", out=out)
    words, provenance = neighbours_artifacts.read_neighbours(out)
    assert set(words) == set(corpora)
    for word, table in corpora.items():
        expected = find_neighbours(table, vectors[word][1])
        assert_array_equal(words[word].rows, expected.rows)
        assert_array_equal(words[word].similarity, expected.similarity)
        assert words[word].rows.dtype == np.int32
        assert words[word].similarity.dtype == np.float32
        assert words[word].score == expected.score
    assert (provenance["view"], provenance["layers"]) == ("focal", "1")
    assert provenance["corpus"] == {word: table.digest for word, table in corpora.items()}
    assert provenance["encoder"]["model"] == {"name": "toy", "blocks": 2, "width": 6}


def test_any_number_of_threads_writes_the_same_bytes(
    tmp_path: Path, make_corpus: MakeCorpus, write_vectors: WriteVectors
) -> None:
    table = make_corpus([("train", 0), ("test", 1)] * 300)
    vectors = np.random.default_rng(8).normal(size=(1, 600, 384)).astype(np.float32)
    write_vectors(tmp_path / "mint" / "focal.safetensors", table, vectors)
    written = []
    for threads in (1, 2):
        out = tmp_path / f"{threads}.parquet"
        with threadpool_limits(threads):
            call_step(neighbours, {"mint": table}, embeddings=tmp_path, layers="0", out=out)
        written.append(out.read_bytes())
    assert written[0] == written[1]


def test_neighbours_refuses_what_does_not_belong_together(
    tmp_path: Path, make_corpus: MakeCorpus, write_vectors: WriteVectors
) -> None:
    corpora = {word: make_corpus([("train", 0), ("test", 0)], word=word) for word in ("a", "b")}
    vectors = np.ones((2, 2, 3), dtype=np.float32)
    write_vectors(tmp_path / "a" / "cls.safetensors", corpora["a"], vectors)
    write_vectors(tmp_path / "b" / "cls.safetensors", corpora["b"], vectors)
    out = tmp_path / "out.parquet"
    with pytest.raises(ConfigError, match="'2': there is no such layer"):
        call_step(neighbours, corpora, embeddings=tmp_path, view="cls", layers="2", out=out)
    with pytest.raises(ResultError, match="missing"):
        call_step(neighbours, corpora, embeddings=tmp_path, view="focal", layers="1", out=out)
    assert not out.exists()


def test_write_and_read(tmp_path: Path, make_corpus: MakeCorpus) -> None:
    corpora = {
        "zinc": make_corpus([("train", 0), ("test", 0)], word="zinc"),
        "arm": make_corpus([("test", 0), ("train", 0), ("train", 1)], word="arm"),
    }
    gap = np.array([[1, -1, -1, -1, -1], [0, -1, -1, -1, -1]], dtype=np.int32)
    written = {
        "zinc": Neighbours(gap, np.where(gap < 0, np.nan, 0.1).astype(np.float32), float("nan")),
        "arm": Neighbours(
            np.arange(15, dtype=np.int32).reshape(3, 5) % 3,
            np.linspace(-1, 1, 15, dtype=np.float32).reshape(3, 5),
            1 / 3,
        ),
    }
    path = tmp_path / "0.parquet"
    neighbours_artifacts.write_neighbours(path, corpora, written, {"layers": "0"})
    again, provenance = neighbours_artifacts.read_neighbours(path)
    assert provenance["layers"] == "0"
    assert provenance["scores"] == {"zinc": None, "arm": 1 / 3}
    for word, expected in written.items():
        assert_array_equal(again[word].rows, expected.rows)
        assert_array_equal(again[word].similarity, expected.similarity)
        assert_array_equal(again[word].score, expected.score)


def test_another_table_is_refused(tmp_path: Path, make_corpus: MakeCorpus) -> None:
    path = tmp_path / "corpus.parquet"
    corpus_table.write(path, make_corpus([("train", 0), ("test", 1)]))
    with pytest.raises(ResultError, match="a table of another kind"):
        neighbours_artifacts.read_neighbours(path)
