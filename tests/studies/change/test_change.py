"""The command: planted change, gold, judgments, and bad input."""

import logging
from collections.abc import Sequence
from pathlib import Path

import made_change
import numpy as np
import pandas as pd
import pytest
from call_step import call_step
from made_change import SHIFTS, made_corpus, made_words, write_all, write_gold
from scipy.stats import spearmanr
from sklearn.metrics import average_precision_score

from wsd.artifacts.corpus_table import Corpus
from wsd.errors import ConfigError, CorpusError, ResultError
from wsd.metrics.nearest import unit_vectors
from wsd.storage.csv import read_csv
from wsd.studies.change import change, gold
from wsd.studies.change.change import TEXT_COLUMNS
from wsd.studies.change.gold import average_precision, precision_set

LAYERS = ["0", "1", "2", "mean-all"]


def run(
    folder: Path, words: dict[str, Corpus], layers: Sequence[str] = LAYERS, **options: object
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return the tables of the change, of the words and of the agreement with gold."""
    options = {"source": folder, "group": "period", "permutations": 199, "seed": 1, **options}
    embeddings = write_all(folder / "vectors", words)
    out = folder / "out"
    out.mkdir(exist_ok=True)
    call_step(change, words, embeddings=embeddings, layers=layers, out=out, **options)
    return (
        read_csv(out / "change.csv"),
        read_csv(out / "change-words.csv", TEXT_COLUMNS),
        read_csv(out / "change-gold.csv"),
    )


@pytest.fixture(scope="module")
def planted(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    folder = tmp_path_factory.mktemp("planted")
    write_gold(folder)
    return run(folder, made_words())


def test_planted_change_is_found_in_its_layer_only(planted: tuple[pd.DataFrame, ...]) -> None:
    rows = planted[0].query("measure == 'prototype'")
    significant = rows[rows["p_holm"] <= 0.05]
    assert {*significant["layers"]} == {"1", "mean-all"}
    detected = {*significant.query("layers == '1'")["word"]}
    assert {"rock", "seal", "spring"} <= detected <= {w for w, shift in SHIFTS.items() if shift}
    tops = rows.query("layers == '1'").sort_values("value")["word"].tolist()
    assert {*tops[-3:]} == {"rock", "seal", "spring"}


def test_agreement_with_gold_is_best_in_the_planted_layer(
    planted: tuple[pd.DataFrame, ...],
) -> None:
    changes, _, agreement = planted
    rows = agreement.query("measure == 'prototype' and gold == 'change_graded'")
    assert rows["layers"].tolist() == LAYERS  # the baselines do not vary
    by_layer = rows.set_index("layers")
    assert by_layer.loc["1", "value"] > 0.8 > by_layer.loc[["0", "2"], "value"].max()
    assert bool(by_layer.loc["1", "within"])
    values = changes.query("measure == 'prototype' and layers == '2'").set_index("word")["value"]
    expected = spearmanr(values.loc[[*SHIFTS]], [*SHIFTS.values()]).statistic
    assert rows.set_index("layers").loc["2", "value"] == pytest.approx(expected, abs=1e-5)
    assert (rows["low"] <= rows["value"]).all()
    assert (rows["value"] <= rows["high"]).all()
    # COMPARE is the similarity across the groups, which falls with change.
    reversed_ = agreement.query("measure == 'prototype' and gold == 'COMPARE'")
    assert reversed_["value"].tolist() == rows["value"].tolist()
    binary = agreement.query("measure == 'prototype' and gold == 'change_binary'")
    assert binary.set_index("layers").loc["1", "value"] == pytest.approx(1)


def test_holm_adjusts_over_the_words_of_a_layer(planted: tuple[pd.DataFrame, ...]) -> None:
    for _, rows in planted[0].groupby(["layers", "measure"]):
        assert len(rows) == len(SHIFTS)
        lowest = rows.loc[rows["p"].idxmin()]
        assert lowest["p_holm"] == pytest.approx(min(1, len(SHIFTS) * lowest["p"]))


def test_average_precision_is_scikit_learns() -> None:
    random = np.random.default_rng(1)
    values = random.integers(0, 6, size=(40, 12)).astype(float)
    positive = np.arange(12) % 3 == 0
    weights = random.integers(0, 3, size=(40, 12)).astype(float)
    weights[:, 0] = 1
    for own, counts in ((None, np.ones_like(weights)), (weights, weights)):
        expected = [
            average_precision_score(positive, row, sample_weight=count)
            for row, count in zip(values, counts, strict=True)
        ]
        assert average_precision(values, positive, own) == pytest.approx(expected)


def test_predictors_without_information_stay_in_the_set() -> None:
    """The best predictor is in the set in at least 95% of random tables."""
    positive = np.arange(24) < 8
    kept = []
    for seed in range(40):
        predictors = np.random.default_rng(seed).normal(size=(3, 24))
        best = precision_set(predictors, positive, seed)
        assert best.within[best.estimate.argmax()]
        kept.append(best.within)
    assert np.mean(kept) > 0.9


def test_a_clearly_better_predictor_leaves_the_others_out() -> None:
    positive = np.arange(30) < 10
    random = np.random.default_rng(1)
    predictors = np.stack([positive + random.normal(0, 0.1, 30), random.normal(size=30)])
    assert precision_set(predictors, positive).within.tolist() == [True, False]


# --- judgments ----------------------------------------------------------------------------------


def write_judgments(folder: Path, lines: Sequence[str]) -> None:
    text = "word\tidentifier1\tidentifier2\tannotator\tjudgment\n" + "\n".join(lines) + "\n"
    (folder / "judgments.tsv").write_text(text, encoding="utf-8")


def test_cosines_agree_with_medians_of_judgments(tmp_path: Path) -> None:
    words = made_words()
    vectors = write_all(tmp_path / "vectors", words)
    lines, cosines = [], []
    random = np.random.default_rng(0)
    for word, corpus in words.items():
        units = unit_vectors(
            change.Embeddings(vectors / word / "focal.safetensors", corpus).layer(1)
        )
        for _ in range(20):
            i, j = random.choice(len(corpus), 2, replace=False)
            cosine = units[i] @ units[j]
            cosines.append((word, min(i, j), max(i, j), cosine))
            # A pair in both orders; a third annotator who cannot decide.
            first, second, rating = f"{word}-{i}", f"{word}-{j}", round(4 * cosine, 2)
            lines += [f"{word}\t{first}\t{second}\ta\t{rating - 0.1}"]
            lines += [f"{word}\t{second}\t{first}\tb\t{rating + 0.1}"]
            lines += [f"{word}\t{second}\t{first}\tc\t0.0"]
    write_judgments(tmp_path, lines)
    rows = run(tmp_path, words)[2]
    assert {*rows["gold"]} == {"judgments"}
    assert {*rows["n"]} == {len(set(cosines))}
    by_layer = rows.set_index("layers")
    assert by_layer.loc["1", "value"] > 0.99
    assert by_layer["within"].to_dict() == {"0": False, "1": True, "2": False, "mean-all": False}


def test_judgments_of_unknown_identifiers_are_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    words = {"crane": made_corpus("crane", ["1", "2"] * 3)}
    lines = ["crane\tcrane-0\tcrane-1\ta\t3", "crane\tcrane-0\tother\ta\t3", "bird\tx\ty\ta\t3"]
    write_judgments(tmp_path, lines)
    with caplog.at_level(logging.WARNING):
        judged = gold.read_judgments(tmp_path, words, "identifier")
    assert judged.to_numpy().tolist() == [["crane", 0, 1, 3.0]]
    assert "1 judgments of unknown identifiers are left out" in caplog.text
    write_judgments(tmp_path, lines[1:])
    with pytest.raises(CorpusError, match="no judgment has a known identifier"):
        gold.read_judgments(tmp_path, words, "identifier")
    (tmp_path / "judgments.tsv").write_text("word\tjudgment\n", encoding="utf-8")
    with pytest.raises(ResultError, match="identifier1"):
        gold.read_judgments(tmp_path, words, "identifier")


@pytest.mark.parametrize(
    ("line", "reason"), [("{}\t1\t1\t1", "all alike"), ("{}\t\t\t", "fewer than 6")]
)
def test_gold_that_does_not_vary_has_no_agreement(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, line: str, reason: str
) -> None:
    write_gold(tmp_path, line.format)
    with caplog.at_level(logging.WARNING):
        assert run(tmp_path, made_words(), ["1"])[2].empty
    assert f"no agreement with change_graded: the ratings are {reason}" in caplog.text


def test_ratings_that_do_not_vary_have_no_agreement(tmp_path: Path) -> None:
    words = {"crane": made_corpus("crane", ["1", "2"] * 3)}
    write_judgments(
        tmp_path, [f"crane\tcrane-{i}\tcrane-{i + j}\ta\t3" for i in range(3) for j in (1, 2)]
    )
    assert run(tmp_path, words, ["1"])[2].empty


def test_a_change_table_with_text_is_refused(tmp_path: Path) -> None:
    write_gold(tmp_path, "{}\tmuch\t1\t1".format)
    with pytest.raises(ResultError, match="much"):
        gold.read_change(tmp_path)


def test_gold_change_from_a_column_of_clusters(tmp_path: Path) -> None:
    """Of the clusters, -1 is noise; the shares are (.5, .5) and (0, 1)."""
    clusters = ["0", "1", "1", "1", "-1", ""]
    words = {"crane": made_corpus("crane", ["1", "1", "2", "2", "1", "2"], clusters)}
    words["bow"] = made_corpus("bow", ["3"])  # in neither group
    about = run(tmp_path, words, ["1"], clusters="cluster", groups=["1", "2"])[1]
    divergence = (0.5 * np.log2(2) + 0.5 * np.log2(2 / 3) + np.log2(4 / 3)) / 2
    graded = about.set_index("word")["change_graded"]
    assert graded["crane"] == pytest.approx(np.sqrt(divergence), abs=1e-6)
    assert np.isnan(graded["bow"])


# --- groups and confounds -----------------------------------------------------------------------


def test_words_without_two_groups_are_left_out_with_the_reason(tmp_path: Path) -> None:
    words = {
        "crane": made_corpus("crane", ["1", "2", "3"] * 4),
        "bank": made_corpus("bank", ["1"] * 4),
        "mint": made_corpus("mint", ["1", "1", "1", "2"]),
        "rock": made_corpus("rock", ["", "3"]),
    }
    changes, about, _ = run(tmp_path, words, ["1"], groups=["1", "2"])
    assert {*changes["word"]} == {"crane"}
    reasons = ["-", "in one group only", "fewer than 2 uses in a group", "in neither group"]
    assert about["left_out"].tolist() == reasons
    assert about[["n_first", "n_second"]].to_numpy().tolist() == [[4, 4], [4, 0], [3, 1], [0, 0]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"group": "age"}, "no column 'age' .*identifier, period, cluster"),
        ({}, "3 values where two groups are needed .*1, 2, 3"),
        ({"groups": ["1", "4"]}, "no use is in the group '4'"),
        ({"groups": ["2", "3"]}, "no word has 2 or more uses in both '2' and '3'"),
        ({"groups": ["1", "2"], "clusters": "sense"}, "no column 'sense'"),
    ],
)
def test_wrong_groups_are_refused(tmp_path: Path, options: dict[str, object], message: str) -> None:
    words = {"crane": made_corpus("crane", ["1", "2", "1", "2", "3"])}
    with pytest.raises(ConfigError, match=message):
        run(tmp_path, words, ["1"], **options)


def test_confounds_of_length_and_form(tmp_path: Path) -> None:
    corpus = made_corpus("crane", ["1", "2"] * 6)
    tokens = [("the", "crane") if i % 2 else ("Cranes", "that", "flew") for i in range(12)]
    changed = made_change.replace(
        corpus, tokens=tuple(tokens), position=np.array([1 if i % 2 else 0 for i in range(12)])
    )
    changes, about, _ = run(tmp_path, {"crane": changed}, ["1"])
    assert about[["length_first", "length_second"]].to_numpy().tolist() == [[3, 2]]
    forms = changes.query("layers == 'word-forms'").set_index("measure")
    assert forms.loc["jsd", "value"] == pytest.approx(1)
    assert forms.loc["jsd", "p"] < 0.05


def test_centring_removes_the_form(tmp_path: Path) -> None:
    corpus = made_corpus("spring", ["1", "2"] * 20)
    tokens = tuple(("the", "springs" if i % 2 else "spring") for i in range(40))
    words = {"spring": made_change.replace(corpus, tokens=tokens)}
    plain = run(tmp_path, words, ["1"])[0].query("layers == '1' and measure == 'prototype'")
    centred = run(tmp_path, words, ["1"], centre="form")[0]
    centred = centred.query("layers == '1' and measure == 'prototype'")
    assert plain["p"].item() < 0.05
    assert centred["value"].item() == pytest.approx(0, abs=1e-6)
