"""Online code length, with exact answers."""

import math
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from builders import make_corpus, write_folds, write_vectors
from call_step import call_step
from scipy.stats import ttest_1samp, ttest_rel

from wsd.artifacts.column_names import TOGETHER
from wsd.artifacts.training_set import WordFolds
from wsd.errors import CorpusError
from wsd.storage.parquet import write_table
from wsd.studies.code_length import code_length
from wsd.studies.code_length.code_length import (
    OVER_WORDS,
    CodeLength,
    FitPredict,
    compare_layers,
    label_bits,
    online_code_length,
)


def gives(*rows: list[float]) -> FitPredict:
    """A model with given probabilities per block, which must be requested in order."""
    answers = iter(rows)

    def fit_predict(known: np.ndarray, block: np.ndarray) -> np.ndarray:
        return np.array([next(answers) for _ in block])

    return fit_predict


def test_powers_of_two() -> None:
    """Four senses; two rows uniform at 2 bits each, then 1 + 3 bits, then 1 bit."""
    gold = np.array([3, 0, 1, 2, 0])
    sets = [np.array([0, 1]), np.array([0, 1, 2, 3]), np.array([4, 0, 2, 3, 1])]
    asked = []

    def fit_predict(known: np.ndarray, block: np.ndarray) -> np.ndarray:
        asked.append((known.tolist(), block.tolist()))
        return {
            2: np.array([[0.25, 0.5, 0.25, 0.0], [0.5, 0.25, 0.125, 0.125]]),
            4: np.array([[0.5, 0.5, 0.0, 0.0]]),
        }[len(known)]

    actual = online_code_length(gold, 4, sets, fit_predict, escape=0.0)
    assert asked == [([0, 1], [2, 3]), ([0, 1, 2, 3], [4])]
    assert actual == CodeLength(bits=2 * 2 + 1 + 3 + 1, uniform_bits=5 * 2)
    assert actual.compression == 10 / 9


def test_the_escape_is_a_share_of_the_uniform_distribution() -> None:
    probabilities = np.array([[1.0, 0.0], [1.0, 0.0], [np.nan, 1.0]])
    bits = label_bits(probabilities, np.array([0, 1, 0]), escape=0.5)
    assert bits.tolist() == [-math.log2(0.75), 2, 2]
    # By default, an impossible label costs 11 bits instead of infinity.
    assert label_bits(probabilities, np.array([0, 1, 0]))[1] == pytest.approx(10.97, abs=0.01)


def test_special_cases() -> None:
    """Gold is looked up by row; one sense, and a set that adds nothing."""
    gold, sets = np.array([9, 9, 9, 1, 0]), [np.array([3]), np.array([3, 4])]
    assert online_code_length(gold, 2, sets, gives([0.25, 0.75]), escape=0.0).bits == 1 + 2
    none = np.zeros(3, int)
    actual = online_code_length(none, 1, [np.arange(1), np.arange(3)], gives([1], [1]))
    assert (actual.bits, actual.uniform_bits, actual.compression) == (0, 0, 1)
    assert online_code_length(none, 2, [np.arange(3), np.arange(3)], gives()).bits == 3


@pytest.mark.parametrize(
    ("sets", "message"),
    [([[0, 1], [1, 2]], "does not contain the one before"), ([[0, 1], [0, 1, 1, 2]], "twice")],
)
def test_sets_that_are_not_nested_are_refused(sets: list[list[int]], message: str) -> None:
    with pytest.raises(CorpusError, match=message) as error:
        online_code_length(np.zeros(3, int), 2, [np.array(rows) for rows in sets], gives())
    assert "set 2 of 2" in str(error.value)


def test_layers_are_compared_by_paired_t_tests() -> None:
    rng = np.random.default_rng(5)
    shares = rng.uniform(0.2, 0.6, size=12) + rng.normal(0, 0.02, size=(4, 12))
    shares[2] += 0.05
    actual = compare_layers(shares)
    within = []
    for i, layer in enumerate(shares):
        alone = ttest_1samp(layer, 0).confidence_interval(0.95)
        expected = layer.mean(), alone.low, alone.high
        assert actual.iloc[i, :3].tolist() == pytest.approx(expected)
        others = np.delete(shares, i, axis=0)
        difference = layer.mean() - others.mean(axis=1).min()
        assert actual.loc[i, "difference"] == pytest.approx(difference)
        # Bonferroni's method over three tests.
        tests = [ttest_rel(layer, other) for other in others]
        ends = [test.confidence_interval(1 - 0.05 / 3) for test in tests]
        low, high = max(end.low for end in ends), max(end.high for end in ends)
        assert actual.iloc[i, 4:6].tolist() == pytest.approx([low, high])
        within.append(all(test.pvalue >= 0.05 / 3 or test.statistic < 0 for test in tests))
    assert actual["in_confidence_set"].tolist() == within and not all(within)


def test_equal_layers_are_all_in_the_set_and_a_single_one_has_no_difference() -> None:
    actual = compare_layers(np.tile(np.linspace(0.1, 0.5, 6), (3, 1)))
    assert actual["in_confidence_set"].all()
    assert (actual.loc[:, "difference":"difference_high_over_words"] == 0).all(axis=None)
    single = compare_layers(np.linspace(0.1, 0.5, 6)[None])
    assert single.loc[0, "mean_share"] == pytest.approx(0.3) and single["in_confidence_set"].all()
    assert single.filter(like="difference").isna().all(axis=None)


def test_layers_are_compared_with_those_of_the_same_classifier(tmp_path: Path) -> None:
    random, corpora = np.random.default_rng(0), {}
    for word in "abcde":
        corpora[word] = make_corpus([("train", i % 2) for i in range(12)], word=word)
        vectors = random.normal(size=(3, 12, 4)) + corpora[word].gold[:, None]
        write_vectors(tmp_path / word / "focal.safetensors", corpora[word], vectors)
    few = WordFolds(np.arange(4), np.arange(4), None)
    folds = [tmp_path / "few.parquet", tmp_path / "full.parquet"]
    write_folds(folds[0], corpora, name="few", **dict.fromkeys(corpora, few))
    write_folds(folds[1], corpora)
    source = {"view": "focal", "train": "few", "untuned": [], "parameters": {}}
    files = []
    for name, layers in product(("lda", "logistic"), ("1", "2")):
        files.append(tmp_path / f"{layers}.{name}.parquet")
        names = {"layers": layers, "classifier": name, "estimator": name}
        write_table(files[-1], pa.table({}), {**source, **names})
    out = tmp_path / "bits.csv"
    call_step(code_length, corpora, embeddings=tmp_path, predictions=files, folds=folds, out=out)
    table = pd.read_csv(out)
    for _, rows in table.groupby("classifier"):
        together = rows["word"] == TOGETHER
        shares = 1 / rows.loc[~together, "compression"].to_numpy().reshape(2, 5)
        actual = rows.loc[together, [*OVER_WORDS]].astype(float)
        assert actual.to_numpy() == pytest.approx(compare_layers(shares).astype(float), abs=1e-4)
