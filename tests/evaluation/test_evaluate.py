"""The tables of scores: exact, in order, and a row per key."""

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from call_step import call_step

from wsd.artifacts import predictions
from wsd.artifacts.column_names import KEY_COLUMNS, SCORES_COLUMNS
from wsd.artifacts.predictions import WordPredictions
from wsd.errors import ResultError
from wsd.evaluation import evaluate
from wsd.evaluation.evaluate import score_word, summarise


def predicted(
    gold: list[int], guessed: list[int], word: str = "mint", n_senses: int = 3, n_train: int = 9
) -> WordPredictions:
    codes = [np.array(values, dtype=np.int32) for values in (range(len(gold)), gold, guessed)]
    senses, scores = tuple(f"{word}_{i}" for i in range(n_senses)), np.zeros((len(gold), n_senses))
    return WordPredictions(word, senses, n_train, *codes, scores)


@pytest.mark.parametrize("key", KEY_COLUMNS)
def test_every_key_has_its_own_row(key: str) -> None:
    row = dict.fromkeys(KEY_COLUMNS, "1") | score_word(predicted([0, 1], [0, 1]))
    table = pd.DataFrame([row, {**row, key: "9"}], columns=SCORES_COLUMNS)
    assert len(summarise(table)) == 2


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
    about = {"dataset": "herbs", "config": '{"seed": 1}', "reproduce": "snakemake"}
    outputs = {"scores": scores, "summary": summary, "provenance": out}
    call_step(evaluate, predictions=files, **about, **outputs)
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
    # The words of one classifier may be in two files.
    apart = [write(tmp_path, [word], versions={"wsd": str(i)}) for i, word in enumerate(WORDS)]
    expected = scores, summary, {**provenance, "versions": {"wsd": "0, 1"}}
    assert run(tmp_path, apart) == run(tmp_path, apart[::-1]) == expected


def test_rows_have_an_order_whatever_the_order_of_the_files(tmp_path: Path) -> None:
    """Single layers first; several views follow, and choices per word are last."""
    names = "context 2|focal 2|context 10|context mean-last-2|focal mix-all|focal+context 2+2"
    ordered = [tuple(name.split()) for name in f"{names}|per-word per-word".split("|")]
    files = [
        write(tmp_path, WORDS, model=model, blocks=12, view=view, layers=layers)
        for view, layers in ordered
        for model in ("tiny", "huge")
    ]
    random.Random(1).shuffle(files)
    scores, summary, provenance = run(tmp_path, files)
    rows = [line.split(",") for line in summary.splitlines()[1:]]
    expected = [(model, *names) for model in ("huge", "tiny") for names in ordered]
    assert [(row[0], row[4], row[5]) for row in rows] == expected
    assert provenance["layers"]["tiny"] == [layers for _, layers in ordered]
    # The table of words has mint before sage, although the files have sage first.
    assert [line.split(",")[7] for line in scores.splitlines()[1:]] == ["mint", "sage"] * len(rows)


def test_every_training_set_and_test_set_has_its_own_rows(tmp_path: Path) -> None:
    both = [*WORDS, replace(predicted([0, 0], [0, 1], n_senses=2), split="outofdomain")]
    trains = ("nshot-3.set2", "full", "nshot-3.set1", "balanced")
    scores, summary, provenance = run(
        tmp_path, [write(tmp_path, both, train=train) for train in trains]
    )
    assert provenance["trains"] == sorted(trains)
    keys = [line.split(",")[1:4] for line in summary.splitlines()[1:]]
    assert keys == [
        [train, draw, test]
        for train, draw in (("balanced", ""), ("full", ""), ("nshot-3", "1"), ("nshot-3", "2"))
        for test in ("test", "outofdomain")
    ]
    assert "toy,full,,outofdomain,focal,6,near,0.500000,0.500000,,0.500000\n" in summary
    assert "toy,full,,outofdomain,focal,6,near,mint,2,9,2,0.500000,,0.500000\n" in scores


def test_duplicate_rows_are_refused(tmp_path: Path) -> None:
    again = predicted([0, 0, 0, 1], [0, 0, 0, 1], word="sage", n_train=5)
    files = [write(tmp_path, WORDS), write(tmp_path, [again])]
    with pytest.raises(ResultError, match=r"toy, .* sage"):
        run(tmp_path, files)
    assert not (tmp_path / "out").exists()


def test_predictions_of_the_control_task_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match="control task"):
        run(tmp_path, [write(tmp_path, WORDS, task="control")])
