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
from wsd.artifacts.column_names import KEY_COLUMNS, SCORES_COLUMNS
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
    codes = [np.array(values, dtype=np.int32) for values in (range(len(gold)), gold, guessed)]
    senses, scores = tuple(f"{word}_{i}" for i in range(n_senses)), np.zeros((len(gold), n_senses))
    return WordPredictions(word, senses, n_train, *codes, scores, split)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("gold", "guessed", "accuracy", "macro_f1", "balanced"),
    [
        pytest.param([0, 0, 1], [1, 1, 0], 0, 0, 0, id="all wrong"),
        # Sense 0: precision 1, recall 2/3, F1 4/5; sense 1: F1 1; sense 2, not in gold: F1 0.
        pytest.param([0, 0, 0, 1], [0, 0, 2, 1], 3 / 4, 3 / 5, 5 / 6, id="absent from gold"),
        # Sense 0: precision 2/3, recall 1, F1 4/5; sense 1: F1 0.
        pytest.param([0, 0, 1], [0, 0, 0], 2 / 3, 2 / 5, 1 / 2, id="never predicted"),
        pytest.param([2, 2], [2, 2], 1, 1, 1, id="one sense of three"),
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
    sizes = {"n_senses": 3, "n_train": 9, "n_test": len(gold)}
    expected = {"accuracy": accuracy, "macro_f1": macro_f1, "balanced_accuracy": balanced}
    assert score_word(predicted(gold, guessed)) == pytest.approx(sizes | expected, abs=1e-12)
    # Out of domain, there is no macro-F1.
    actual = score_word(predicted(gold, guessed, split="outofdomain"))
    assert np.isnan(actual.pop("macro_f1"))
    expected.pop("macro_f1")
    assert actual == pytest.approx(sizes | expected, abs=1e-12)


def scores_of(words: list[WordPredictions], **key: str) -> list[dict[str, Any]]:
    keys = {"model": "m", "train": "full", "draw": "", "test": "test", "view": "focal"}
    keys |= {"layers": "1", "classifier": "c", **key}
    return [{**keys, "word": word.word, **score_word(word)} for word in words]


@pytest.mark.parametrize("key", KEY_COLUMNS)
def test_every_key_has_its_own_row(key: str) -> None:
    words = [predicted([0, 1], [0, 1])]
    rows = scores_of(words) + scores_of(words, **{key: "9"})
    assert len(summarise(pd.DataFrame(rows, columns=SCORES_COLUMNS))) == 2


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
        # A classifier's name denotes its search space, not the selected point.
        "parameters": {"metric": str(len(list(folder.glob("*.parquet"))))},
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
    # The words of one classifier may be in two files.
    apart = [write(tmp_path, [word], versions={"wsd": str(i)}) for i, word in enumerate(WORDS)]
    expected = scores, summary, {**provenance, "versions": {"wsd": "0, 1"}}
    assert run(tmp_path, apart) == run(tmp_path, apart[::-1]) == expected


def test_rows_have_an_order_whatever_the_order_of_the_files(tmp_path: Path) -> None:
    """Single layers first; several views follow, and choices per word are last."""
    features = [
        *(("context", layers) for layers in ("0", "2", "10", "mean-last-2")),
        *(("focal", layers) for layers in ("2", "mix-all")),
        *(("focal+context", layers) for layers in ("2+2", "mean-last-2+2")),
        ("per-word", "per-word"),
    ]
    logistic = {"classifier": "log", "estimator": "logistic", "space": {}}
    files = [
        write(tmp_path, WORDS, model=model, blocks=12, view=view, layers=layers, **classifier)
        for view, layers in features
        for model, classifier in (("tiny", {}), ("huge", {}), ("huge", logistic))
    ]
    random.Random(1).shuffle(files)
    scores, summary, provenance = run(tmp_path, files)
    ordered = [
        ("context", "0"),
        ("context", "2"),
        ("focal", "2"),
        ("context", "10"),
        ("context", "mean-last-2"),
        ("focal", "mix-all"),
        *features[-3:],
    ]
    rows = [tuple(line.split(",")) for line in summary.splitlines()[1:]]
    assert [(row[0], row[4], row[5], row[6]) for row in rows] == [
        *(("huge", *names, classifier) for names in ordered for classifier in ("log", "near")),
        *(("tiny", *names, "near") for names in ordered),
    ]
    assert provenance["views"] == ["context", "focal", "focal+context", "per-word"]
    assert provenance["layers"]["tiny"] == [layers for _, layers in ordered]
    # The table of words has mint before sage, although the files have sage first.
    words = [line.split(",")[7] for line in scores.splitlines()[1:]]
    assert words == ["mint", "sage"] * len(rows)


def test_every_training_set_and_test_set_has_its_own_rows(tmp_path: Path) -> None:
    both = [*WORDS, predicted([0, 0], [0, 1], n_senses=2, split="outofdomain")]
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
    # The scores of the test split do not depend on other test sets.
    alone = run(tmp_path, [write(tmp_path, WORDS)])
    assert set(alone[1].splitlines()) <= set(summary.splitlines())


@pytest.mark.parametrize("guessed", [[0, 0, 2, 1], [0, 0, 0, 1]], ids=["the same", "another"])
def test_duplicate_rows_are_refused(tmp_path: Path, guessed: list[int]) -> None:
    again = predicted([0, 0, 0, 1], guessed, word="sage", n_train=5)
    files = [write(tmp_path, WORDS), write(tmp_path, [again])]
    with pytest.raises(ResultError, match=r"toy, .* sage"):
        run(tmp_path, files)
    assert not (tmp_path / "out").exists()


def test_predictions_of_the_control_task_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match="control task"):
        run(tmp_path, [write(tmp_path, WORDS, task="control")])


@pytest.mark.slow
def test_the_most_frequent_sense(real_corpora: dict[str, Corpus]) -> None:
    """The published scores of the real dataset, in percent."""
    words = []
    for word, corpus in real_corpora.items():
        ((sense, _),) = Counter(corpus.gold[corpus.split == "train"].tolist()).most_common(1)
        gold = corpus.gold[corpus.split == "test"].tolist()
        words.append(predicted(gold, [sense] * len(gold), word=word, n_senses=len(corpus.senses)))
    (row,) = summarise(pd.DataFrame(scores_of(words), columns=SCORES_COLUMNS)).to_dict("records")
    assert [round(100 * row[name], 2) for name in MEAN_SCORES] == [73.43, 66.48, 33.23, 41.00]
