"""The uses of a word: planted clusters are found, senses have no effect, scores by hand."""

from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from builders import write_vectors
from call_step import call_step
from sklearn.cluster import AgglomerativeClustering
from tiny import corpus_of

from wsd.artifacts.corpus_table import UNLABELLED, Corpus
from wsd.metrics.clusterings import (
    best_by_silhouette,
    by_size,
    centred,
    clusterings,
    numbers_of_clusters,
)
from wsd.metrics.nearest import unit_vectors
from wsd.studies.unlabelled import use_table, uses
from wsd.studies.unlabelled.use_table import FORM, FORM_EXPLAINS, read_uses, shown
from wsd.studies.unlabelled.uses import (
    MEASURES,
    agreement,
    bcubed_scores,
    find_uses,
    harmonic_mean,
    normalised_information,
    paired_scores,
)

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
    both = zip(raw.partitions, taken_out.partitions, strict=True)
    for i, (partition, without) in enumerate(both):
        if partition.k == 1:
            assert partition.form_nmi is None
        if partition.chosen:
            assert partition.k == 2 and partition.form_nmi == pytest.approx(1)
        if without.chosen:
            assert without.k == 3 and without.form_nmi is not None
            assert without.form_nmi < 0.1 < FORM_EXPLAINS
            assert taken_out.labels[:, i].tolist() == GROUP.tolist()


def test_centred_by_hand() -> None:
    # The mean is 4, that of a 2, that of b 6. Rows of c and d, which are rare, stay apart.
    vectors = np.array([[1.0, 1, 2, 3, 3, 5, 5, 6, 7, 7, 3, 5]]).T
    moved = centred(vectors, [*"aaaaabbbbbcd"])
    assert moved.ravel() == pytest.approx([3, 3, 4, 5, 5, 3, 3, 4, 5, 5, 3, 5])
    assert vectors[0] == 1


def test_no_more_clusters_than_vectors() -> None:
    units = np.eye(4)[[0, 0, 1, 1, 2, 2, 3]]
    assert numbers_of_clusters(units, 10) == [1, 2, 3]
    assert numbers_of_clusters(units[:2], 10) == [1]
    equal = find_uses(corpus(labelled=False, n=5), np.ones((5, 3), np.float32), 10, seed=1)
    assert [(entry.k, entry.chosen) for entry in equal.partitions] == [(1, True)] * 2


def test_the_tree_is_scikit_learns() -> None:
    vectors = np.random.default_rng(0).normal(size=(40, 4))
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
    single = [partition for partition in actual if partition.k == 1]
    assert best_by_silhouette(single, "k-means").k == 1


def test_a_large_word_is_sampled_with_its_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(use_table, "MOST", 15)
    large = corpus(labelled=False)
    taken = shown(large, seed=3)
    assert taken.sum() == 15 and np.array_equal(taken, shown(large, seed=3))
    assert not np.array_equal(taken, shown(large, seed=4))
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
    actual = agreement(GOLD, FOUND)
    assert tuple(actual) == MEASURES
    # Of 10 pairs 4, 4 and 2: (2 - 1.6) / (4 - 1.6).
    assert actual["ari"] == pytest.approx(0.4 / 2.4)
    assert actual["bcubed_f"] == pytest.approx(11 / 15) and actual["paired_f"] == 0.5
    # Entropy of 3 and 2; left over once the cluster is known, 3/5 of that of 1 and 2.
    entropy = -(0.6 * np.log(0.6) + 0.4 * np.log(0.4))
    left = 0.6 * -(np.log(1 / 3) / 3 + 2 * np.log(2 / 3) / 3)
    assert actual["homogeneity"] == pytest.approx(1 - left / entropy)
    assert actual["v_measure"] == pytest.approx(1 - left / entropy)
    for names in ([1, 0], [3, 7]):
        renamed = agreement(GOLD, np.array(names)[GOLD])
        assert renamed == pytest.approx(dict.fromkeys(MEASURES, 1.0))
    one, each = agreement(GOLD, ONE), agreement(GOLD, EACH)
    assert one["ari"] == each["ari"] == one["v_measure"] == each["paired_f"] == 0
    assert one["paired_f"] == harmonic_mean(0.4, 1) and each["homogeneity"] == 1


def test_normalised_information_by_hand() -> None:
    forms = ["spring", "spring", "springs", "springs"]
    assert normalised_information(forms, np.array([1, 1, 0, 0])) == pytest.approx(1)
    assert normalised_information(forms, np.array([0, 1, 0, 1])) == pytest.approx(0, abs=1e-12)
    # What they share is ln 2; the mean of ln 2 and ln 4 is 1.5 ln 2.
    assert normalised_information(forms, np.arange(4)) == pytest.approx(2 / 3)
    # Nothing follows of a single group.
    assert normalised_information(["a", "a"], np.array([0, 1])) is None
    assert normalised_information(["a", "b"], np.array([0, 0])) is None
