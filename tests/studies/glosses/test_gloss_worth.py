"""The value of a gloss: the drawn sentences, and agreement with nearest centroid."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from builders import make_corpus, write_vectors
from call_step import call_step

from wsd.artifacts import corpus_table as corpus_files
from wsd.classification.estimators.nearest_centroid import NearestCentroid
from wsd.metrics.confidence_intervals import mean_intervals
from wsd.metrics.counts import Counts
from wsd.metrics.intervals_over_runs import scores_over_runs
from wsd.metrics.scores import confusion, mean_scores
from wsd.studies.glosses import gloss_worth
from wsd.studies.glosses.gloss_names import KINDS
from wsd.studies.glosses.gloss_vectors import SenseVectors
from wsd.studies.glosses.gloss_worth import (
    ALONE,
    DRAWS,
    SHOTS,
    as_many_alone,
    drawn_rows,
    predict,
    table,
)

# The third sense has five training sentences.
ROWS = [("train", sense) for sense in [0] * 30 + [1] * 20 + [2] * 5]
ROWS += [("test", i % 3) for i in range(60)]
CORPUS = make_corpus(ROWS, senses=("a", "b", "c"))
TRAIN = CORPUS.split == "train"
rng = np.random.default_rng(3)
CENTRES = rng.normal(size=(3, 8))
VECTORS = (CENTRES[CORPUS.gold] + 1.5 * rng.normal(size=(len(CORPUS), 8))).astype(np.float32)
GOLD = np.array([0, 1, 1, 2])
GLOSSES = {
    kind: SenseVectors((CENTRES[GOLD] + rng.normal(size=(4, 8))).astype(np.float32), GOLD)
    for kind in KINDS
}


def matrix_of(counts: Counts, draw: int) -> np.ndarray:
    """The confusion matrix of a draw."""
    matrix = np.zeros((counts.n_senses, counts.n_senses), dtype=int)
    np.add.at(matrix, (counts.kinds[:, 0], counts.kinds[:, 1 + draw]), counts.numbers)
    return matrix


def test_sentences_are_drawn_of_their_sense_and_for_training() -> None:
    drawn = drawn_rows(CORPUS, 1)
    assert len(drawn) == DRAWS
    for rows in drawn:
        assert [len(entry) for entry in rows] == [30, 20, 5]
        for sense, entry in enumerate(rows):
            assert TRAIN[entry].all() and (CORPUS.gold[entry] == sense).all()
            assert len(set(entry.tolist())) == len(entry)
    assert len({tuple(rows[0][:4].tolist()) for rows in drawn}) > 15
    # The draw depends only on seed and word.
    again, other = drawn_rows(CORPUS, 1), drawn_rows(CORPUS, 2)
    assert all(np.array_equal(*pair) for pair in zip(drawn[3], again[3], strict=True))
    assert not np.array_equal(drawn[3][0], other[3][0])
    assert not np.array_equal(drawn[3][0], drawn_rows(replace(CORPUS, word="thyme"), 1)[3][0])


def test_it_is_nearest_centroid_on_glosses_and_the_first_sentences() -> None:
    drawn = drawn_rows(CORPUS, 1)
    actual = predict(CORPUS, VECTORS, GLOSSES, drawn)
    assert set(actual) == {(s, n) for s in (ALONE, *KINDS) for n in SHOTS} - {(ALONE, 0)}
    for (start, n), counts in actual.items():
        draws = counts.kinds.shape[1] - 1
        assert draws == (DRAWS if n else 1)
        for draw in (0, draws - 1):
            rows = np.concatenate([entry[:n] for entry in drawn[draw]])
            X, y = VECTORS[rows], CORPUS.gold[rows]
            if start in KINDS:
                given = GLOSSES[start]
                X, y = np.concatenate([X, given.vectors]), np.concatenate([y, given.gold])
            predicted = NearestCentroid().fit(X, y).predict(VECTORS[~TRAIN])
            expected = confusion(CORPUS.gold[~TRAIN], predicted, 3)
            assert np.array_equal(matrix_of(counts, draw), expected), (start, n, draw)


def test_labels_and_vectors_of_test_rows_change_nothing_but_the_score() -> None:
    """All test vectors are of one sense: a centroid that used one would differ."""
    far = VECTORS.copy()
    far[~TRAIN] = 100 * CENTRES[0]
    actual = predict(CORPUS, far, GLOSSES, drawn_rows(CORPUS, 1))
    for counts in actual.values():
        assert (counts.kinds[:, 1:] == counts.kinds[0, 1:]).all()
    relabelled = replace(CORPUS, gold=np.where(TRAIN, CORPUS.gold, 0).astype(np.int32))
    of_other = predict(relabelled, VECTORS, GLOSSES, drawn_rows(relabelled, 1))
    usual = predict(CORPUS, VECTORS, GLOSSES, drawn_rows(CORPUS, 1))
    for key, counts in usual.items():
        draws = range(counts.kinds.shape[1] - 1)
        numbers = [
            [matrix_of(c, draw).sum(axis=0) for draw in draws] for c in (counts, of_other[key])
        ]
        assert np.array_equal(*numbers)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.5, 4), (0.2, 1), (0.99, 64), (0.45, 2**1.5), (0.4, 2), (0.9, 64)],
)
def test_as_many_sentences_alone(value: float, expected: float) -> None:
    # It falls behind 8, by chance: 0.6 is reached with 8 already.
    alone = [0.3, 0.4, 0.5, 0.6, 0.55, 0.7, 0.9]
    assert as_many_alone(value, alone) == pytest.approx(expected)
    assert as_many_alone(0.6 - 1e-9, alone) == pytest.approx(8, rel=1e-6)


def test_the_table_and_its_intervals() -> None:
    drawn = [drawn_rows(CORPUS, seed) for seed in (1, 2)]
    words = [predict(CORPUS, VECTORS, GLOSSES, rows) for rows in drawn]
    lines = table("6", words, dict.fromkeys(SHOTS, 7), 1)
    rows = {(line["start"], line["n"]): line for line in lines}
    for (start, n), line in rows.items():
        both = [word[start, n] for word in words]
        draws = range(both[0].kinds.shape[1] - 1)
        runs = [mean_scores([matrix_of(word, draw) for word in both]) for draw in draws]
        expected = np.mean([run["mean_macro_f1"] for run in runs])
        assert line["mean_macro_f1"] == pytest.approx(expected, rel=1e-12)
        score = scores_over_runs(both, draws, rng=1)["mean_macro_f1"]
        assert (line["mean_macro_f1_low"], line["mean_macro_f1_high"]) == (score.low, score.high)
        assert line["draws"] == len(runs)
        assert ("as_many_alone" in line) == (start != ALONE)
    # One draw has the usual interval.
    usual = mean_intervals([word["gloss", 0] for word in words], rng=1)
    line = rows["gloss", 0]
    assert (line["mean_macro_f1_low"], line["mean_macro_f1_high"]) == usual["mean_macro_f1"]


def test_the_step(tmp_path: Path) -> None:
    """In layer 1 the glosses match the senses, in layer 0 they match another sense."""
    glosses = make_corpus([("gloss", i) for i in range(3)], senses=CORPUS.senses)
    corpus_files.write(tmp_path / "glosses/mint.parquet", glosses)
    axes = np.eye(3, dtype=np.float32)
    both = np.stack([axes[CORPUS.gold]] * 2)
    write_vectors(tmp_path / "e/mint/focal.safetensors", CORPUS, both)
    for view in KINDS.values():
        path = tmp_path / f"g/mint/{view}.safetensors"
        write_vectors(path, glosses, np.stack([axes[[1, 2, 0]], axes]))
    call_step(
        gloss_worth,
        {"mint": CORPUS},
        embeddings=tmp_path / "e",
        layers=["0", "1"],
        glosses=tmp_path / "glosses",
        gloss_vectors=tmp_path / "g",
        out=tmp_path / "o.csv",
    )
    actual = pd.read_csv(tmp_path / "o.csv", dtype={"layers": str})
    macro_f1 = actual.set_index(["layers", "start", "n"])["mean_macro_f1"]
    assert macro_f1["0", "gloss", 0] == 0 and macro_f1["1", "gloss", 0] == 1
    assert (macro_f1[:, ALONE] == 1).all()
    # Two sentences outvote a gloss of the wrong sense, one does not.
    assert macro_f1["0", "gloss", 1] < 1 and macro_f1["0", "gloss", 2] == 1
    n_train = actual[(actual["layers"] == "1") & (actual["start"] == "gloss")]
    assert dict(zip(n_train["n"], n_train["n_train"], strict=True)) == {
        0: 0,
        1: 3,
        2: 6,
        4: 12,
        8: 21,
        16: 37,
        32: 55,
        64: 55,
    }
