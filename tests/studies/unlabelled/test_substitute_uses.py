"""Clusters by substitutes: they use no labels, and have the scores of clusters by vectors."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from call_step import call_step
from substitute_tables import write_made
from tiny import corpus_of

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.substitute_table import read_substitutes, write_substitutes
from wsd.errors import ConfigError
from wsd.studies.unlabelled import substitute_uses
from wsd.studies.unlabelled.substitute_uses import bags
from wsd.studies.unlabelled.use_table import WordUses, read_uses
from wsd.studies.unlabelled.uses_page import AS_SENSES, score_table

GOLD = np.repeat([0, 1, 2], [12, 8, 5]).astype(np.int32)


def corpora(gold: np.ndarray = GOLD) -> dict[str, Corpus]:
    made = corpus_of(*((f"the crane {i}", 1) for i in range(len(gold))), n_train=len(gold))
    return {"crane": replace(made, senses=("a", "b", "c"), gold=gold)}


def find_uses(folder: Path, made: dict[str, Corpus], **arguments: object) -> WordUses:
    call_step(substitute_uses, made, substitutes=folder / "s", out=folder / "u", **arguments)
    words, source = read_uses(folder / "u", made)
    assert (source["view"], source["layers"]) == ("substitutes", "masked")
    return words["crane"]


def test_instances_that_share_substitutes_are_one_cluster(tmp_path: Path) -> None:
    write_made(tmp_path / "s", corpora())
    uses = find_uses(tmp_path, corpora(), clusters=4)
    for i, partition in enumerate(uses.partitions):
        if partition.k == 3:
            assert partition.chosen and partition.agreement["ari"] == 1
            assert uses.labels[:, i].tolist() == GOLD.tolist()
    table = score_table({"tiny": {}}, corpora(), {"tiny": {"crane": uses}, "other": {}})
    known = table[table["number"] == AS_SENSES]
    assert set(known["layers"]) == {"substitutes"} and len(known) == 2
    assert (known[["ari", "v_measure", "bcubed_f", "paired_f"]] == 1).all(axis=None)
    pd.testing.assert_series_equal(known["clusters"], known["clusters"] * 0 + 3)


def test_labels_take_no_part(tmp_path: Path) -> None:
    """With other senses of the same instances and substitutes."""
    write_made(tmp_path / "s", corpora())
    first = find_uses(tmp_path, corpora())
    other = corpora(np.roll(GOLD, 3))
    words, source = read_substitutes(tmp_path / "s", corpora())
    content = {**source, "corpus": other["crane"].digest}
    write_substitutes(tmp_path / "s/crane.parquet", other["crane"], words["crane"], content)
    assert np.array_equal(find_uses(tmp_path, other).labels, first.labels)


def test_bags_have_length_one_and_weight_rare_substitutes() -> None:
    vectors = bags([("all", "one"), ("all", "two"), ("all", "two")])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)
    assert vectors[0].max() > vectors[1].max() > vectors[1][vectors[1] > 0].min()
    assert bags([(), ()]).tolist() == [[0], [0]]
    assert bags([("A b",), ("a",)]).shape == (2, 2)  # pieces as they are


def test_more_clusters_than_sentences_are_refused(tmp_path: Path) -> None:
    write_made(tmp_path / "s", corpora())
    with pytest.raises(ConfigError, match="25 clusters"):
        find_uses(tmp_path, corpora(), clusters=25)
