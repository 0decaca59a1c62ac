"""Scores: exact on cases worked out by hand, and the most frequent sense of the real dataset."""

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from wsd import predictions
from wsd.corpus import Corpus
from wsd.errors import ResultError
from wsd.evaluation import SCORES, SUMMARY, evaluate, score_word, summarise
from wsd.predictions import WordPredictions


def predicted(
    gold: list[int], guessed: list[int], *, word: str = "mint", n_senses: int = 3, n_train: int = 9
) -> WordPredictions:
    return WordPredictions(
        word=word,
        senses=tuple(f"{word}_{i}" for i in range(n_senses)),
        n_train=n_train,
        index=np.arange(len(gold), dtype=np.int32),
        gold=np.array(gold, dtype=np.int32),
        predicted=np.array(guessed, dtype=np.int32),
        scores=np.zeros((len(gold), n_senses)),
    )


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("gold", "guessed", "accuracy", "macro_f1", "balanced"),
    [
        pytest.param([0, 1, 2], [0, 1, 2], 1, 1, 1, id="all right"),
        pytest.param([0, 0, 1], [1, 1, 0], 0, 0, 0, id="all wrong"),
        # Of sense 0: precision 1, recall 2/3, F1 4/5; of 1: 1; of 2, not in gold: F1 0.
        pytest.param([0, 0, 0, 1], [0, 0, 2, 1], 3 / 4, 3 / 5, 5 / 6, id="absent from gold"),
        # Of sense 0: precision 2/3, recall 1, F1 4/5; of 1: 0.
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
    found = score_word(predicted(gold, guessed))
    assert found == {
        "n_senses": 3,
        "n_train": 9,
        "n_test": len(gold),
        "accuracy": pytest.approx(accuracy, abs=1e-12),
        "macro_f1": pytest.approx(macro_f1, abs=1e-12),
        "balanced_accuracy": pytest.approx(balanced, abs=1e-12),
    }


def scores_of(words: list[WordPredictions], **key: str) -> list[dict[str, Any]]:
    keys = {"model": "m", "train": "full", "view": "focal", "layers": "1", "classifier": "c", **key}
    return [{**keys, "word": word.word, **score_word(word)} for word in words]


def test_summary_by_hand() -> None:
    words = [
        predicted([0, 0, 0, 1], [0, 0, 2, 1]),
        predicted([0], [0], word="sage"),
        predicted([0, 0, 1], [0, 0, 0], word="thyme"),
    ]
    other = [predicted([0, 1], [0, 0], word="sage")]
    table = pd.DataFrame(
        scores_of(words, layers="6") + scores_of(other, layers="2"), columns=SCORES
    )
    found = summarise(table)
    assert list(found.columns) == SUMMARY
    assert found["layers"].tolist() == ["6", "2"]
    assert found.iloc[0, :5].tolist() == ["m", "full", "focal", "6", "c"]
    expected = [6 / 8, (3 / 4 + 1 + 2 / 3) / 3, (3 / 5 + 1 + 2 / 5) / 3, (5 / 6 + 1 + 1 / 2) / 3]
    assert found.iloc[0, 5:].tolist() == pytest.approx(expected, abs=1e-12)
    assert found.iloc[1, 5:].tolist() == pytest.approx([1 / 2, 1 / 2, 1 / 3, 1 / 2], abs=1e-12)


@pytest.mark.parametrize("key", ["model", "train", "view", "layers", "classifier"])
def test_every_key_has_its_own_row(key: str) -> None:
    words = [predicted([0, 1], [0, 1])]
    rows = scores_of(words) + scores_of(words, **{key: "9"})
    assert len(summarise(pd.DataFrame(rows, columns=SCORES))) == 2


# Files


def write(folder: Path, words: list[WordPredictions], **changes: Any) -> Path:
    """A file of predictions as `wsd classify` writes it."""
    model = {"name": changes.pop("model", "toy"), "blocks": changes.pop("blocks", 6)}
    provenance = {
        "train": "full",
        "view": "focal",
        "layers": "6",
        "classifier": "near",
        "estimator": "nearest_centroid",
        "parameters": {"metric": "cosine"},
        "encoder": {"model": model, "seed": 1},
        "corpus": {word.word: f"digest of {word.word}" for word in words},
        "versions": {"wsd": "0"},
        **changes,
    }
    path = folder / f"{len(list(folder.glob('*.parquet')))}.parquet"
    predictions.write(path, words, provenance)
    return path


def run(folder: Path, files: list[Path]) -> tuple[str, str, dict[str, Any]]:
    """The two tables as text, and the provenance."""
    names = ("scores.csv", "summary.csv", "provenance.json")
    scores, summary, out = (folder / "out" / name for name in names)
    evaluate(
        files,
        dataset="herbs",
        config={"seed": 1},
        command="snakemake",
        scores=scores,
        summary=summary,
        out=out,
    )
    return scores.read_text(), summary.read_text(), json.loads(out.read_text())


WORDS = [
    predicted([0, 0, 0, 1], [0, 0, 2, 1], word="sage", n_train=5),
    predicted([0, 0, 1], [0, 0, 0], n_senses=2),
]


def test_the_tables_exactly(tmp_path: Path) -> None:
    scores, summary, provenance = run(tmp_path, [write(tmp_path, WORDS)])
    assert scores == (
        "model,train,view,layers,classifier,word,n_senses,n_train,n_test,"
        "accuracy,macro_f1,balanced_accuracy\n"
        "toy,full,focal,6,near,mint,2,9,3,0.666667,0.400000,0.500000\n"
        "toy,full,focal,6,near,sage,3,5,4,0.750000,0.600000,0.833333\n"
    )
    assert summary == (
        "model,train,view,layers,classifier,"
        "micro_accuracy,mean_word_accuracy,mean_macro_f1,mean_balanced_accuracy\n"
        "toy,full,focal,6,near,0.714286,0.708333,0.500000,0.666667\n"
    )
    assert provenance == {
        "dataset": "herbs",
        "config": {"seed": 1},
        "command": "snakemake",
        "corpus": {"mint": "digest of mint", "sage": "digest of sage"},
        "models": {"toy": {"model": {"name": "toy", "blocks": 6}, "seed": 1}},
        "classifiers": {
            "near": {"estimator": "nearest_centroid", "parameters": {"metric": "cosine"}}
        },
        "layers": {"toy": ["6"]},
        "trains": ["full"],
        "views": ["focal"],
        "versions": {"wsd": "0"},
    }


def test_the_order_of_the_files_does_not_matter(tmp_path: Path) -> None:
    logistic = {"classifier": "log", "estimator": "logistic", "parameters": {}}
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

    rows = [line.split(",")[:5] for line in before[1].splitlines()[1:]]
    assert rows == [
        [model, "full", view, layers, classifier]
        for model in ("huge", "tiny")
        for view in ("context", "focal")
        for layers in ("0", "2", "10", "mean-last-2", "concat-last-4")
        for classifier in ("log", "near")
    ]
    # In the table per word, mint stands before sage although the files hold sage first.
    words = [line.split(",")[5] for line in before[0].splitlines()[1:]]
    assert words == ["mint", "sage"] * len(rows)


def test_words_of_one_classifier_in_two_files(tmp_path: Path) -> None:
    sage, mint = (write(tmp_path, [word]) for word in WORDS)
    assert run(tmp_path, [sage, mint]) == run(tmp_path, [mint, sage])
    assert run(tmp_path, [sage, mint]) == run(tmp_path, [write(tmp_path, WORDS)])


@pytest.mark.parametrize("guessed", [[0, 0, 2, 1], [0, 0, 0, 1]], ids=["the same", "another"])
def test_a_row_twice_is_refused(tmp_path: Path, guessed: list[int]) -> None:
    again = predicted([0, 0, 0, 1], guessed, word="sage", n_train=5)
    files = [write(tmp_path, WORDS), write(tmp_path, [again])]
    with pytest.raises(ResultError, match=r"two files hold the row .*'word': 'sage'"):
        run(tmp_path, files)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"corpus": {"mint": "other", "sage": "digest of sage"}}, "different corpus called 'mint'"),
        ({"encoder": {"model": {"name": "toy", "blocks": 6}, "seed": 2}}, "models called 'toy'"),
        ({"parameters": {"metric": "euclidean"}}, "different classifiers called 'near'"),
        ({"estimator": "logistic"}, "different classifiers called 'near'"),
    ],
)
def test_rows_that_do_not_belong_together_are_refused(
    tmp_path: Path, changes: dict[str, Any], says: str
) -> None:
    files = [write(tmp_path, WORDS), write(tmp_path, WORDS, layers="5", **changes)]
    with pytest.raises(ResultError, match=says):
        run(tmp_path, files)


# The real dataset; the published outputs are in test_published.py

MOST_FREQUENT = (73.43, 66.48, 33.23, 41.00)


def figures(words: list[WordPredictions]) -> tuple[float, ...]:
    """The four figures of the summary, in percent to two decimals."""
    (row,) = summarise(pd.DataFrame(scores_of(words), columns=SCORES)).to_dict("records")
    return tuple(round(100 * row[name], 2) for name in SUMMARY[5:])


def test_the_most_frequent_sense(real_corpora: dict[str, Corpus]) -> None:
    words = []
    for word, corpus in real_corpora.items():
        ((sense, _),) = Counter(corpus.gold[corpus.split == "train"].tolist()).most_common(1)
        gold = corpus.gold[corpus.split == "test"].tolist()
        words.append(predicted(gold, [sense] * len(gold), word=word, n_senses=len(corpus.senses)))
    assert figures(words) == MOST_FREQUENT


def test_versions_do_not_depend_on_the_order_of_files(tmp_path: Path) -> None:
    files = [
        write(tmp_path, WORDS, versions={"wsd": "2"}),
        write(tmp_path, WORDS, layers="5", versions={"wsd": "1"}),
    ]
    assert run(tmp_path, files) == run(tmp_path, files[::-1])


def test_one_model_name_with_two_block_counts_is_refused(tmp_path: Path) -> None:
    files = [write(tmp_path, WORDS), write(tmp_path, WORDS, layers="1", blocks=2)]
    with pytest.raises(ResultError, match="different models"):
        run(tmp_path, files)
