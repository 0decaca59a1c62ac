"""The uses of a word: planted clusters are found, senses have no effect, scores by hand."""

from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from builders import write_vectors
from call_step import call_step
from made_uses import GROUP
from sklearn.cluster import AgglomerativeClustering
from tiny import corpus_of

from wsd.artifacts.corpus_table import UNLABELLED, Corpus
from wsd.metrics.clusterings import best_by_silhouette, by_size, centred, clusterings
from wsd.metrics.nearest import unit_vectors
from wsd.studies.unlabelled import use_table, uses
from wsd.studies.unlabelled.use_table import FORM, FORM_EXPLAINS, read_uses, shown
from wsd.studies.unlabelled.uses import (
    MEASURES,
    agreement,
    bcubed_scores,
    find_uses,
    normalised_information,
    paired_scores,
)


def planted() -> np.ndarray:
    """Return three clouds around three axes; the first row of each lies on its axis."""
    vectors = 10 * np.eye(3, 8)[GROUP]
    vectors += np.random.default_rng(0).normal(scale=0.3, size=vectors.shape)
    for group in range(3):
        rows = np.flatnonzero(group == GROUP)
        vectors[rows[0]] = vectors[rows[1:]].mean(axis=0)
    return vectors.astype(np.float32)


def corpus(*, labelled: bool = True, n: int = len(GROUP)) -> Corpus:
    made = corpus_of(*((f"the crane {i}", 1) for i in range(n)), n_train=n)
    senses = ("a", "b", "c") if labelled else UNLABELLED
    return replace(made, senses=senses, gold=GROUP.astype(np.int32)[:n] * labelled)


def test_planted_clusters_are_found_and_senses_take_no_part() -> None:
    known, unknown = (
        find_uses(corpus(labelled=labelled), planted(), 6, seed=1) for labelled in (True, False)
    )
    assert [(partition.method, partition.k) for partition in known.partitions] == [
        (method, k) for method in ("k-means", "agglomerative") for k in range(1, 7)
    ]
    for i, partition in enumerate(known.partitions):
        assert partition.chosen == (partition.k == 3)
        if partition.chosen:
            assert known.labels[:, i].tolist() == GROUP.tolist()  # the largest is 0
            assert [rows[0] for rows in partition.typical] == [0, 12, 20]
            assert partition.agreement["ari"] == 1 and partition.agreement["bcubed_f"] == 1
    single_cluster = known.partitions[0]
    assert single_cluster.silhouette is None and single_cluster.agreement["paired_recall"] == 1
    # The nearest neighbours of each row are in its own cloud.
    assert (GROUP[known.near.rows[:20, :4]] == GROUP[:20, None]).all()
    for own, other in zip(known.partitions, unknown.partitions, strict=True):
        assert asdict(other) == asdict(replace(own, agreement={}))
    assert np.array_equal(known.labels, unknown.labels)
    # As many clusters as senses are tried too.
    few = find_uses(corpus(), planted(), 2, seed=1).partitions
    assert [partition.k for partition in few][:3] == [1, 2, 3]


def test_clusters_by_form_are_flagged_and_centring_removes_the_form() -> None:
    """Every second focal word is in the plural, and far from the others."""
    made, plural = corpus(labelled=False), np.arange(len(GROUP)) % 2
    tokens = tuple(("the", ("Crane", "cranes")[i % 2], f"{i}") for i in range(len(GROUP)))
    made, vectors = replace(made, tokens=tokens), planted() + 30 * np.eye(8)[5 + plural]
    raw, without = (find_uses(made, vectors, 4, seed=1, centre=how) for how in (None, FORM))
    for i, (partition, moved) in enumerate(zip(raw.partitions, without.partitions, strict=True)):
        if partition.k == 1:
            assert partition.form_nmi is None
        if partition.chosen:
            assert partition.k == 2 and partition.form_nmi == pytest.approx(1)
        if moved.chosen:
            assert moved.k == 3 and moved.form_nmi is not None
            assert moved.form_nmi < 0.1 < FORM_EXPLAINS
            assert without.labels[:, i].tolist() == GROUP.tolist()


def test_centred_by_hand() -> None:
    # The mean is 4, that of a 2, that of b 6. Rows of c and d, which are rare, stay apart.
    vectors = np.array([[1.0, 1, 2, 3, 3, 5, 5, 6, 7, 7, 3, 5]]).T
    moved = centred(vectors, [*"aaaaabbbbbcd"])
    assert moved.ravel() == pytest.approx([3, 3, 4, 5, 5, 3, 3, 4, 5, 5, 3, 5])
    assert vectors[0] == 1


@pytest.mark.parametrize(("rows", "most"), [([0] * 5, 1), ([0, 0, 1, 1, 2, 2, 3], 3)])
def test_no_more_clusters_than_vectors(rows: list[int], most: int) -> None:
    found = find_uses(corpus(labelled=False, n=len(rows)), np.eye(4)[rows], 10, seed=1)
    assert [entry.k for entry in found.partitions] == [*range(1, most + 1)] * 2
    assert sum(entry.chosen for entry in found.partitions) == 2


def test_the_tree_is_scikit_learns() -> None:
    vectors = np.random.default_rng(0).normal(size=(40, 4))
    actual = clusterings(vectors, [1, 2, 5], seed=1, methods=["agglomerative"])
    for k, clustering in zip((1, 2, 5), actual, strict=True):
        theirs = AgglomerativeClustering(k).fit_predict(vectors)
        assert np.array_equal(clustering.labels, by_size(theirs))


def test_of_equal_silhouettes_the_fewest_clusters_are_chosen() -> None:
    actual = clusterings(unit_vectors(planted().astype(float)), [3, 2, 1], seed=1)
    alike = [replace(own, silhouette=0.5 if own.k > 1 else np.nan) for own in actual]
    assert best_by_silhouette(alike, "agglomerative").k == 2


def test_a_large_word_is_sampled_with_its_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(use_table, "MOST", 15)
    large = corpus(labelled=False)
    taken = shown(large, seed=3)
    assert taken.sum() == 15 and not np.array_equal(taken, shown(large, seed=4))
    write_vectors(tmp_path / "crane/focal.safetensors", large, planted()[None])
    corpora, out = {"crane": large}, tmp_path / "0.parquet"
    call_step(uses, corpora, embeddings=tmp_path, view="focal", layers="0", seed=3, out=out)
    actual = read_uses(out, {"crane": large.take(taken)})[0]["crane"]
    expected = find_uses(large.take(taken), planted()[taken], 10, seed=3)
    assert np.array_equal(actual.labels, expected.labels)
    np.testing.assert_allclose(actual.points, expected.points, atol=1e-5)


# --- agreement with senses ----------------------------------------------------------------------

GOLD = np.array([0, 0, 0, 1, 1])
FOUND = np.array([0, 0, 1, 1, 1])
ONE, EACH = np.zeros(5, int), np.arange(5)


def test_bcubed_and_pairs_by_hand() -> None:
    # Precision of each: 1, 1, 1/3, 2/3, 2/3; recall: 2/3, 2/3, 1/3, 1, 1.
    assert bcubed_scores(GOLD, FOUND) == pytest.approx((11 / 15, 11 / 15))
    # All in one: precision 9/25 + 4/25, recall 1; each alone: the other way round.
    assert bcubed_scores(GOLD, ONE) == pytest.approx((13 / 25, 1))
    assert bcubed_scores(GOLD, EACH) == pytest.approx((1, (3 / 3 + 2 / 2) / 5))
    # Found 1 + 3 pairs, gold 3 + 1; both have that of 0 and 1, and that of 3 and 4.
    assert paired_scores(GOLD, FOUND) == (0.5, 0.5)
    assert paired_scores(GOLD, ONE) == (0.4, 1)
    assert paired_scores(GOLD, EACH) == (0, 0)


def test_every_measure() -> None:
    actual, one, each = (agreement(GOLD, found) for found in (FOUND, ONE, EACH))
    assert tuple(actual) == MEASURES
    # Of 10 pairs 4, 4 and 2: (2 - 1.6) / (4 - 1.6).
    assert actual["ari"] == pytest.approx(0.4 / 2.4)
    assert actual["bcubed_f"] == pytest.approx(11 / 15) and actual["paired_f"] == 0.5
    assert one["ari"] == each["ari"] == one["v_measure"] == each["paired_f"] == 0
    assert one["paired_f"] == pytest.approx(0.8 / 1.4) and one["paired_precision"] == 0.4
    assert one["completeness"] == each["homogeneity"] == 1 > each["completeness"]
    renamed = agreement(GOLD, np.array([3, 1])[GOLD])
    assert renamed == pytest.approx(dict.fromkeys(MEASURES, 1.0))


def test_normalised_information_by_hand() -> None:
    forms = ["spring", "spring", "springs", "springs"]
    # What they share is ln 2; the mean of ln 2 and ln 4 is 1.5 ln 2.
    assert normalised_information(forms, np.arange(4)) == pytest.approx(2 / 3)
    # Nothing follows of a single group.
    assert normalised_information(["a", "a"], np.array([0, 1])) is None
    assert normalised_information(["a", "b"], np.array([0, 0])) is None
