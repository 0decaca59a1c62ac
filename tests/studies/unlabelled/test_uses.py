"""The uses of a word: planted clusters are found, labels have no effect, trees are cut right."""

from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering
from tiny import corpus_of

from wsd.artifacts.corpus_table import UNLABELLED, Corpus
from wsd.errors import ResultError
from wsd.metrics.clusterings import (
    best_by_silhouette,
    by_size,
    centred,
    clusterings,
    numbers_of_clusters,
)
from wsd.metrics.nearest import unit_vectors
from wsd.studies.unlabelled.use_table import (
    FORM,
    FORM_EXPLAINS,
    MOST,
    read_uses,
    shown,
    write_uses,
)
from wsd.studies.unlabelled.uses import find_uses

SIZES = (12, 8, 5)
GROUP = np.repeat(np.arange(3), SIZES)


def planted(seed: int = 0) -> np.ndarray:
    """Return three clouds around three axes; the first row of each lies on its axis."""
    random = np.random.default_rng(seed)
    vectors = 10 * np.eye(3, 8)[GROUP] + 0.3 * random.normal(size=(len(GROUP), 8))
    for group in range(3):
        rows = np.flatnonzero(group == GROUP)
        vectors[rows[0]] = vectors[rows[1:]].mean(axis=0)
    return vectors.astype(np.float32)


def corpus(*, labelled: bool = True, n: int = len(GROUP)) -> Corpus:
    made = corpus_of(*((f"the crane {i}", 1) for i in range(n)), n_train=n)
    if not labelled:
        return replace(made, senses=UNLABELLED, gold=np.zeros(n, dtype=np.int32))
    return replace(made, senses=("a", "b", "c"), gold=GROUP.astype(np.int32)[:n])


def test_planted_clusters_are_found() -> None:
    uses = find_uses(corpus(), planted(), 6, seed=1)
    assert [(partition.method, partition.k) for partition in uses.partitions] == [
        (method, k) for method in ("k-means", "agglomerative") for k in range(1, 7)
    ]
    for i, partition in enumerate(uses.partitions):
        assert partition.chosen == (partition.k == 3)
        if partition.chosen:
            assert uses.labels[:, i].tolist() == GROUP.tolist()  # the largest is 0
            assert [rows[0] for rows in partition.typical] == [0, 12, 20]
            assert partition.agreement["ari"] == 1 and partition.agreement["bcubed_f"] == 1
    single_cluster = uses.partitions[0]
    assert single_cluster.silhouette is None and single_cluster.agreement["paired_recall"] == 1
    # The nearest neighbours of each row are in its own cloud.
    assert (GROUP[uses.near.rows[:20, :4]] == GROUP[:20, None]).all()


def in_two_forms() -> tuple[Corpus, np.ndarray]:
    """The planted clusters, with every second focal word in the plural and far from the others."""
    made = corpus(labelled=False)
    tokens = tuple(
        (the, ("Crane", "cranes")[i % 2], number) for i, (the, _, number) in enumerate(made.tokens)
    )
    plural = np.arange(len(GROUP)) % 2
    return replace(made, tokens=tokens), planted() + 30 * np.eye(8, dtype=np.float32)[5 + plural]


def test_clusters_by_form_are_flagged_and_centring_removes_the_form() -> None:
    made, vectors = in_two_forms()
    assert {token.lower() for token in made.focal_tokens} == {"crane", "cranes"}
    raw = find_uses(made, vectors, 4, seed=1)
    taken_out = find_uses(made, vectors, 4, seed=1, centre=FORM)
    for i, (partition, without) in enumerate(
        zip(raw.partitions, taken_out.partitions, strict=True)
    ):
        if partition.k == 1:
            assert partition.form_nmi is None
        if partition.chosen:
            assert partition.k == 2 and partition.form_nmi == pytest.approx(1)
        if without.chosen:
            assert without.k == 3 and without.form_nmi is not None
            assert without.form_nmi < 0.1 < FORM_EXPLAINS
            assert taken_out.labels[:, i].tolist() == GROUP.tolist()


def test_one_form_says_nothing_and_is_not_moved() -> None:
    plain = find_uses(corpus(), planted(), 4, seed=1)
    assert {partition.form_nmi for partition in plain.partitions} == {None}
    vectors = planted().astype(np.float64)
    np.testing.assert_allclose(centred(vectors, ["crane"] * len(GROUP)), vectors, atol=1e-12)


def test_centred_by_hand() -> None:
    # The mean is 4, that of a 2, that of b 6. Rows of c and d, which are rare, stay apart.
    vectors = np.array([[1.0, 1, 2, 3, 3, 5, 5, 6, 7, 7, 3, 5]]).T
    moved = centred(vectors, [*"aaaaabbbbbcd"])
    assert moved.ravel() == pytest.approx([3, 3, 4, 5, 5, 3, 3, 4, 5, 5, 3, 5])
    assert vectors[0] == 1


def test_labels_take_no_part() -> None:
    known, unknown = (
        find_uses(corpus(labelled=labelled), planted(), 6, seed=1) for labelled in (True, False)
    )
    assert np.array_equal(known.labels, unknown.labels)
    assert not any(partition.agreement for partition in unknown.partitions)
    assert [partition.typical for partition in known.partitions] == [
        partition.typical for partition in unknown.partitions
    ]


def test_as_many_clusters_as_senses_are_tried_too() -> None:
    uses = find_uses(corpus(), planted(), 2, seed=1)
    assert [partition.k for partition in uses.partitions][:3] == [1, 2, 3]


def test_no_more_clusters_than_vectors() -> None:
    units = np.eye(4)[[0, 0, 1, 1, 2, 2, 3]]
    assert numbers_of_clusters(units, 10) == [1, 2, 3]
    assert numbers_of_clusters(units[:2], 10) == [1]
    equal = find_uses(corpus(labelled=False, n=5), np.ones((5, 3), np.float32), 10, seed=1)
    assert [(partition.k, partition.chosen) for partition in equal.partitions] == [
        (1, True),
        (1, True),
    ]


@pytest.mark.parametrize("seed", range(3))
def test_the_tree_is_scikit_learns(seed: int) -> None:
    vectors = np.random.default_rng(seed).normal(size=(40, 4))
    actual = [c for c in clusterings(vectors, [1, 2, 5], seed=1) if c.method == "agglomerative"]
    for k, clustering in zip((1, 2, 5), actual, strict=True):
        theirs = AgglomerativeClustering(k).fit_predict(vectors)
        assert np.array_equal(clustering.labels, by_size(theirs))


def test_the_highest_silhouette_chooses_and_of_equal_ones_the_fewest() -> None:
    actual = clusterings(unit_vectors(planted().astype(float)), [1, 2, 3, 4], seed=1)
    assert best_by_silhouette(actual, "k-means").k == 3
    alike = [
        replace(partition, silhouette=0.5 if partition.k > 1 else np.nan) for partition in actual
    ]
    assert best_by_silhouette(alike, "agglomerative").k == 2
    assert (
        best_by_silhouette([partition for partition in actual if partition.k == 1], "k-means").k
        == 1
    )


def test_a_large_word_is_sampled_the_same_way_each_time() -> None:
    large = corpus(labelled=False, n=MOST + 7)
    taken = shown(large, seed=3)
    assert taken.sum() == MOST and np.array_equal(taken, shown(large, seed=3))
    assert not np.array_equal(taken, shown(large, seed=4))
    assert shown(corpus(), seed=3).all()


def test_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "6.parquet"
    corpora = {"crane": corpus()}
    uses = find_uses(corpora["crane"], planted(), 4, seed=1)
    write_uses(path, corpora, {"crane": uses}, {"seed": 1, "centre": None})
    read, provenance = read_uses(path, corpora)
    assert provenance["seed"] == 1
    assert list(map(asdict, read["crane"].partitions)) == list(map(asdict, uses.partitions))
    assert np.array_equal(read["crane"].labels, uses.labels)
    assert np.array_equal(read["crane"].near.rows, uses.near.rows)
    with pytest.raises(ResultError, match="other words or sentences"):
        read_uses(path, {"crane": corpus(labelled=False)})
