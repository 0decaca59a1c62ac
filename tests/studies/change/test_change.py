"""The command: planted change, agreement with gold and judgments, groups, confounds, imports."""

from dataclasses import replace
from pathlib import Path

import pytest
import small_dwug
from call_step import call_step
from importing import import_corpus
from made_change import SHIFTS, Tables, made_corpus, read_tables, run, write_all
from scipy.stats import spearmanr

from wsd.corpora.text_format import read_unlabelled
from wsd.errors import ConfigError
from wsd.storage.file_names import file_name
from wsd.studies.change import change

N_JUDGED = 20  # pairs of each word


@pytest.fixture(scope="module")
def tables(planted: Path) -> Tables:
    return read_tables(planted / "tables")


def test_planted_change_is_found_in_its_layer_only(tables: Tables) -> None:
    rows = tables[0].query("measure == 'prototype'")
    significant = rows[rows["p_holm"] <= 0.05]
    assert {*significant["layers"]} == {"1", "mean-all"}
    detected = {*significant.query("layers == '1'")["word"]}
    assert {"rock", "seal", "spring"} <= detected <= {w for w, shift in SHIFTS.items() if shift}


def test_agreement_with_gold_is_best_in_the_planted_layer(tables: Tables) -> None:
    changes, _, agreement = tables
    rows = agreement.query("measure == 'prototype' and gold == 'change_graded'")
    assert rows["layers"].tolist() == ["0", "1", "mean-all"]  # the baselines do not vary
    by_layer = rows.set_index("layers")
    assert by_layer.loc["1", "value"] > 0.8 > by_layer.loc["0", "value"]
    assert bool(by_layer.loc["1", "within"])
    values = changes.query("measure == 'prototype' and layers == '0'").set_index("word")["value"]
    expected = spearmanr(values.loc[[*SHIFTS]], [*SHIFTS.values()]).statistic
    assert by_layer.loc["0", "value"] == pytest.approx(expected, abs=1e-5)
    # COMPARE is the similarity across the groups, which falls with change.
    compared = agreement.query("measure == 'prototype' and gold == 'COMPARE'")
    assert compared["value"].tolist() == rows["value"].tolist()
    binary = agreement.query("measure == 'prototype' and gold == 'change_binary'")
    assert binary.set_index("layers").loc["1", "value"] == pytest.approx(1)


def test_cosines_agree_with_medians_of_judgments(tables: Tables) -> None:
    rows = tables[2].query("gold == 'judgments'").set_index("layers")
    assert {*rows["n"]} == {N_JUDGED * len(SHIFTS)} and {*rows["words"]} == {len(SHIFTS)}
    assert rows.loc["1", "value"] > 0.99
    assert rows["within"].to_dict() == {"0": False, "1": True, "mean-all": False}


def test_holm_adjusts_over_the_words_of_a_layer(tables: Tables) -> None:
    for _, rows in tables[0].groupby(["layers", "measure"]):
        assert len(rows) == len(SHIFTS)
        lowest = rows.loc[rows["p"].idxmin()]
        assert lowest["p_holm"] == pytest.approx(min(1, len(SHIFTS) * lowest["p"]))


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
        ({"group": "age"}, "column 'age' .*identifier, period, cluster"),
        ({}, "two groups .*1, 2, 3"),
        ({"groups": ["1", "4"]}, "'4'"),
        ({"groups": ["2", "3"]}, "no word has 2 or more uses in both"),
        ({"groups": ["1", "2"], "clusters": "sense"}, "column 'sense'"),
    ],
)
def test_wrong_groups_are_refused(tmp_path: Path, options: dict[str, object], message: str) -> None:
    words = {"crane": made_corpus("crane", ["1", "2", "1", "2", "3"])}
    with pytest.raises(ConfigError, match=message):
        run(tmp_path, words, ["1"], **options)


def test_confounds_of_length_and_form_and_centring(tmp_path: Path) -> None:
    """One group has the plural, in a longer sentence; the vectors follow the form."""
    corpus = made_corpus("bank", ["1", "2"] * 20)
    tokens = tuple(("the", "banks", "too") if i % 2 else ("the", "bank") for i in range(40))
    words = {"bank": replace(corpus, tokens=tokens)}
    changes, about, _ = run(tmp_path, words, ["1"])
    assert about[["length_first", "length_second"]].to_numpy().tolist() == [[2, 3]]
    forms = changes.query("layers == 'word-forms'").set_index("measure")
    assert forms.loc["jsd", "value"] == pytest.approx(1) and forms.loc["jsd", "p"] < 0.05
    plain, centred = (
        table.query("layers == '1' and measure == 'prototype'").iloc[0]
        for table in (changes, run(tmp_path, words, ["1"], centre="form")[0])
    )
    assert plain["p"] < 0.05 and centred["value"] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("options", [{}, {"clusters": "cluster"}])
def test_gold_of_word_usage_graphs_is_published_or_computed_from_clusters(
    options: dict[str, str], tmp_path: Path
) -> None:
    """Import the small data set, and measure change of random vectors."""
    source = tmp_path / "corpus"
    import_corpus([small_dwug.write(tmp_path / "dwug")], out=source, name="small")
    corpora = {word: read_unlabelled(source / file_name(word), word) for word in small_dwug.CHANGE}
    embeddings = write_all(tmp_path / "vectors", corpora, by="grouping")
    if options:
        (source / "change.tsv").unlink()
    how = {"group": "grouping", "permutations": 19, "source": source, "out": tmp_path, **options}
    call_step(change, corpora, embeddings=embeddings, **how)
    words = read_tables(tmp_path)[1].set_index("word")
    expected = {word: float(value) for word, value in small_dwug.CHANGE.items()}
    assert words["change_graded"].to_dict() == pytest.approx(expected, abs=1e-6)
    assert words[["n_first", "n_second"]].eq(4).all(axis=None)
