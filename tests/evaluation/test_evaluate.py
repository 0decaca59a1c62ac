"""Scores: exact on cases worked out by hand, and the most frequent sense on real data."""

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from call_step import call_step

from wsd.artifacts import predictions
from wsd.artifacts.column_names import KEY_COLUMNS, SCORES_COLUMNS, SUMMARY_COLUMNS
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.predictions import WordPredictions
from wsd.errors import ResultError
from wsd.evaluation import evaluate
from wsd.evaluation.evaluate import score_word, summarise
from wsd.metrics.scores import MEAN_SCORES


def predicted(
    gold: list[int],
    guessed: list[int],
    *,
    word: str = "mint",
    n_senses: int = 3,
    n_train: int = 9,
    split: str = "test",
) -> WordPredictions:
    return WordPredictions(
        word=word,
        senses=tuple(f"{word}_{i}" for i in range(n_senses)),
        n_train=n_train,
        index=np.arange(len(gold), dtype=np.int32),
        gold=np.array(gold, dtype=np.int32),
        predicted=np.array(guessed, dtype=np.int32),
        scores=np.zeros((len(gold), n_senses)),
        split=split,
    )


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("gold", "guessed", "accuracy", "macro_f1", "balanced"),
    [
        pytest.param([0, 1, 2], [0, 1, 2], 1, 1, 1, id="all right"),
        pytest.param([0, 0, 1], [1, 1, 0], 0, 0, 0, id="all wrong"),
        # Sense 0: precision 1, recall 2/3, F1 4/5; sense 1: F1 1; sense 2, not in gold: F1 0.
        pytest.param([0, 0, 0, 1], [0, 0, 2, 1], 3 / 4, 3 / 5, 5 / 6, id="absent from gold"),
        # Sense 0: precision 2/3, recall 1, F1 4/5; sense 1: F1 0.
        pytest.param([0, 0, 1], [0, 0, 0], 2 / 3, 2 / 5, 1 / 2, id="never predicted"),
        pytest.param([2, 2], [2, 2], 1, 1, 1, id="one sense of three"),
        pytest.param([0], [2], 0, 0, 0, id="one instance"),
        # F1: 2*2/(3+4), 2*1/(3+3), 2*2/(4+3); recalls 2/3, 1/3, 2/4.
        pytest.param(
            [0, 0, 0, 1, 1, 1, 2, 2, 2, 2],
            [0, 0, 1, 1, 0, 2, 2, 2, 0, 1],
            5 / 10,
            (4 / 7 + 1 / 3 + 4 / 7) / 3,
            (2 / 3 + 1 / 3 + 1 / 2) / 3,
            id="three senses",
        ),
    ],
)
def test_one_word_by_hand(
    gold: list[int], guessed: list[int], accuracy: float, macro_f1: float, balanced: float
) -> None:
    actual = score_word(predicted(gold, guessed))
    assert actual == {
        "n_senses": 3,
        "n_train": 9,
        "n_test": len(gold),
        "accuracy": pytest.approx(accuracy, abs=1e-12),
        "macro_f1": pytest.approx(macro_f1, abs=1e-12),
        "balanced_accuracy": pytest.approx(balanced, abs=1e-12),
    }


def scores_of(words: list[WordPredictions], **key: str) -> list[dict[str, Any]]:
    keys = {"model": "m", "train": "full", "draw": "", "test": "test", "view": "focal"}
    keys |= {"layers": "1", "classifier": "c", **key}
    return [{**keys, "word": word.word, **score_word(word)} for word in words]


def test_summary_by_hand() -> None:
    words = [
        predicted([0, 0, 0, 1], [0, 0, 2, 1]),
        predicted([0], [0], word="sage"),
        predicted([0, 0, 1], [0, 0, 0], word="thyme"),
    ]
    other = [predicted([0, 1], [0, 0], word="sage")]
    table = pd.DataFrame(
        scores_of(words, layers="6") + scores_of(other, layers="2"), columns=SCORES_COLUMNS
    )
    actual = summarise(table)
    assert list(actual.columns) == SUMMARY_COLUMNS
    assert actual["layers"].tolist() == ["6", "2"]
    assert actual.iloc[0, :7].tolist() == ["m", "full", "", "test", "focal", "6", "c"]
    expected = [6 / 8, (3 / 4 + 1 + 2 / 3) / 3, (3 / 5 + 1 + 2 / 5) / 3, (5 / 6 + 1 + 1 / 2) / 3]
    assert actual.iloc[0, 7:].tolist() == pytest.approx(expected, abs=1e-12)
    assert actual.iloc[1, 7:].tolist() == pytest.approx([1 / 2, 1 / 2, 1 / 3, 1 / 2], abs=1e-12)


@pytest.mark.parametrize("key", KEY_COLUMNS)
def test_every_key_has_its_own_row(key: str) -> None:
    words = [predicted([0, 1], [0, 1])]
    rows = scores_of(words) + scores_of(words, **{key: "9"})
    assert len(summarise(pd.DataFrame(rows, columns=SCORES_COLUMNS))) == 2


def test_out_of_domain_has_no_macro_f1() -> None:
    actual = score_word(predicted([0, 0, 1], [0, 2, 1], split="outofdomain"))
    assert np.isnan(actual["macro_f1"])
    assert actual["accuracy"] == pytest.approx(2 / 3)
    assert actual["balanced_accuracy"] == pytest.approx(3 / 4)


# Files


def write(folder: Path, words: list[WordPredictions], **changes: Any) -> Path:
    """Write a file of predictions as `wsd classify` does."""
    model = {"name": changes.pop("model", "toy"), "blocks": changes.pop("blocks", 6)}
    provenance = {
        "train": "full",
        "view": "focal",
        "layers": "6",
        "classifier": "near",
        "estimator": "nearest_centroid",
        "parameters": {"metric": "cosine"},
        "space": {"metric": "cosine"},
        "encoder": {"model": model, "pooling": "mean"},
        "corpus": {word.word: f"digest of {word.word}" for word in words},
        "versions": {"wsd": "0"},
        **changes,
    }
    path = folder / f"{len(list(folder.glob('*.parquet')))}.parquet"
    predictions.write_predictions(path, words, provenance)
    return path


def run(folder: Path, files: list[Path]) -> tuple[str, str, dict[str, Any]]:
    """Return the two tables as text, and the provenance."""
    names = ("scores.csv", "summary.csv", "provenance.json")
    scores, summary, out = (folder / "out" / name for name in names)
    call_step(
        evaluate,
        predictions=files,
        dataset="herbs",
        config='{"seed": 1}',
        reproduce="snakemake",
        scores=scores,
        summary=summary,
        provenance=out,
    )
    return scores.read_text(), summary.read_text(), json.loads(out.read_text())


WORDS = [
    predicted([0, 0, 0, 1], [0, 0, 2, 1], word="sage", n_train=5),
    predicted([0, 0, 1], [0, 0, 0], n_senses=2),
]


def test_the_tables_exactly(tmp_path: Path) -> None:
    scores, summary, provenance = run(tmp_path, [write(tmp_path, WORDS)])
    assert scores == (
        "model,train,draw,test,view,layers,classifier,word,n_senses,n_train,n_test,"
        "accuracy,macro_f1,balanced_accuracy\n"
        "toy,full,,test,focal,6,near,mint,2,9,3,0.666667,0.400000,0.500000\n"
        "toy,full,,test,focal,6,near,sage,3,5,4,0.750000,0.600000,0.833333\n"
    )
    assert summary == (
        "model,train,draw,test,view,layers,classifier,"
        "micro_accuracy,mean_word_accuracy,mean_macro_f1,mean_balanced_accuracy\n"
        "toy,full,,test,focal,6,near,0.714286,0.708333,0.500000,0.666667\n"
    )
    assert provenance == {
        "dataset": "herbs",
        "config": {"seed": 1},
        "folds": {},
        "systems": {},
        "command": "snakemake",
        "corpus": {"mint": "digest of mint", "sage": "digest of sage"},
        "models": {"toy": {"model": {"name": "toy", "blocks": 6}, "pooling": "mean"}},
        "classifiers": {"near": {"estimator": "nearest_centroid", "space": {"metric": "cosine"}}},
        "layers": {"toy": ["6"]},
        "trains": ["full"],
        "views": ["focal"],
        "versions": {"wsd": "0"},
    }


def test_the_order_of_the_files_does_not_matter(tmp_path: Path) -> None:
    logistic = {"classifier": "log", "estimator": "logistic", "space": {}}
    files = [
        write(tmp_path, WORDS, model=model, blocks=12, view=view, layers=layers, **classifier)
        for model in ("tiny", "huge")
        for view in ("focal", "context")
        for layers in ("mean-last-2", "10", "2", "concat-last-4", "0")
        for classifier in ({}, logistic)
    ]
    before = run(tmp_path, files)
    random.Random(1).shuffle(files)
    assert run(tmp_path, files) == before

    rows = [line.split(",")[:7] for line in before[1].splitlines()[1:]]
    assert rows == [
        [model, "full", "", "test", view, layers, classifier]
        for model in ("huge", "tiny")
        for layers in ("0", "2", "10", "mean-last-2", "concat-last-4")
        for view in ("context", "focal")
        for classifier in ("log", "near")
    ]
    # The table of words has mint before sage, although the files have sage first.
    words = [line.split(",")[7] for line in before[0].splitlines()[1:]]
    assert words == ["mint", "sage"] * len(rows)


def test_every_training_set_and_test_set_has_its_own_rows(tmp_path: Path) -> None:
    both = [*WORDS, predicted([0, 0], [0, 1], n_senses=2, split="outofdomain")]
    files = [
        write(tmp_path, both, train=train)
        for train in ("nshot-3.set2", "full", "nshot-3.set1", "balanced")
    ]
    scores, summary, provenance = run(tmp_path, files)
    assert provenance["trains"] == ["balanced", "full", "nshot-3.set1", "nshot-3.set2"]
    keys = [line.split(",")[1:4] for line in summary.splitlines()[1:]]
    assert keys == [
        [train, draw, test]
        for train, draw in (("balanced", ""), ("full", ""), ("nshot-3", "1"), ("nshot-3", "2"))
        for test in ("test", "outofdomain")
    ]
    assert "toy,full,,outofdomain,focal,6,near,0.500000,0.500000,,0.500000\n" in summary
    assert "toy,full,,outofdomain,focal,6,near,mint,2,9,2,0.500000,,0.500000\n" in scores
    # The scores of the test split do not depend on other test sets.
    alone = run(tmp_path, [write(tmp_path, WORDS)])
    assert set(alone[1].splitlines()) <= set(summary.splitlines())


def test_feature_sets_of_several_views_follow_and_per_word_choices_are_last(tmp_path: Path) -> None:
    several = [
        write(tmp_path, WORDS, view=view, layers=layers)
        for view, layers in (
            ("per-word", "per-word"),
            ("focal+context", "mean-last-2+2"),
            ("focal+context", "2+2"),
            ("focal", "mix-all"),
            ("context", "2"),
        )
    ]
    _, summary, provenance = run(tmp_path, several)
    rows = [line.split(",")[4:6] for line in summary.splitlines()[1:]]
    assert rows == [
        ["context", "2"],
        ["focal", "mix-all"],
        ["focal+context", "2+2"],
        ["focal+context", "mean-last-2+2"],
        ["per-word", "per-word"],
    ]
    assert provenance["views"] == ["context", "focal", "focal+context", "per-word"]
    assert provenance["layers"]["toy"] == [layers for _, layers in rows]


def test_words_of_one_classifier_in_two_files(tmp_path: Path) -> None:
    sage, mint = (write(tmp_path, [word]) for word in WORDS)
    assert run(tmp_path, [sage, mint]) == run(tmp_path, [mint, sage])
    assert run(tmp_path, [sage, mint]) == run(tmp_path, [write(tmp_path, WORDS)])


@pytest.mark.parametrize("guessed", [[0, 0, 2, 1], [0, 0, 0, 1]], ids=["the same", "another"])
def test_duplicate_rows_are_refused(tmp_path: Path, guessed: list[int]) -> None:
    again = predicted([0, 0, 0, 1], guessed, word="sage", n_train=5)
    files = [write(tmp_path, WORDS), write(tmp_path, [again])]
    with pytest.raises(ResultError, match=r"two files hold toy, .* sage"):
        run(tmp_path, files)
    assert not (tmp_path / "out").exists()


def test_selected_points_may_differ(tmp_path: Path) -> None:
    """A classifier's name denotes its search space, not the selected point."""
    files = [
        write(tmp_path, WORDS, layers=str(i), space={"C": [1, 2]}, parameters={"C": i})
        for i in (1, 2)
    ]
    assert run(tmp_path, files)[2]["classifiers"]["near"]["space"] == {"C": [1, 2]}


# The real dataset; test_published.py tests the published outputs

MOST_FREQUENT = (73.43, 66.48, 33.23, 41.00)


def scores(words: list[WordPredictions]) -> tuple[float, ...]:
    """Return the four scores of the summary, in percent with two decimals."""
    (row,) = summarise(pd.DataFrame(scores_of(words), columns=SCORES_COLUMNS)).to_dict("records")
    return tuple(round(100 * row[name], 2) for name in MEAN_SCORES)


def test_the_most_frequent_sense(real_corpora: dict[str, Corpus]) -> None:
    words = []
    for word, corpus in real_corpora.items():
        ((sense, _),) = Counter(corpus.gold[corpus.split == "train"].tolist()).most_common(1)
        gold = corpus.gold[corpus.split == "test"].tolist()
        words.append(predicted(gold, [sense] * len(gold), word=word, n_senses=len(corpus.senses)))
    assert scores(words) == MOST_FREQUENT


def test_versions_do_not_depend_on_the_order_of_files(tmp_path: Path) -> None:
    files = [
        write(tmp_path, WORDS, versions={"wsd": "2"}),
        write(tmp_path, WORDS, layers="5", versions={"wsd": "1"}),
    ]
    assert run(tmp_path, files) == run(tmp_path, files[::-1])
