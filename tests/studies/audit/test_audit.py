"""Audits: exact on constructed sentences, on files of a run, and on the corpus."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from call_step import call_step
from steps import rows as read

from wsd.artifacts import predictions
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.predictions import WordPredictions
from wsd.errors import ConfigError, ResultError
from wsd.evaluation.most_similar_sentences import find_most_similar
from wsd.studies.audit import audit
from wsd.studies.audit.audit import KEYS, count_duplicates, judge_word

# Split, sense, and the sentence. Of the test sentences, the first shares three of five trigrams
# with the second training sentence, 3 / (6 + 5 - 3), and the next equals that except for a digit,
# with another sense. The third shares two of four trigrams with the third, 2 / (5 + 4 - 2).
TEXTS = {
    "mint": """train herb she grew mint beside the kitchen door in 1998
train coins the mint struck 4000 coins for the king
train herb crush the mint with sugar and lime
test coins the mint struck 5000 coins in spring
test herb the mint struck 7000 coins for the king
test herb crush the mint with a spoon
test coins + mint - see bank
outofdomain herb crush the mint with a spoon""",
    "bow": """train ship waves broke over the bow all night
test ship waves broke over the bow all night""",
}
HERB, COINS = 0, 1


def corpus_of(word: str) -> Corpus:
    splits, gold, texts = zip(*(t.split(" ", 2) for t in TEXTS[word].split("\n")), strict=True)
    tokens, senses = tuple(tuple(text.split()) for text in texts), tuple(dict.fromkeys(gold))
    return Corpus(
        word=word,
        senses=senses,
        split=np.array(splits),
        index=np.array([splits[:i].count(s) for i, s in enumerate(splits)], dtype=np.int32),
        tokens=tokens,
        position=np.array([sentence.index(word) for sentence in tokens], dtype=np.int32),
        gold=np.array([*map(senses.index, gold)], dtype=np.int32),
    )


@pytest.fixture
def corpora() -> dict[str, Corpus]:
    return {word: corpus_of(word) for word in TEXTS}


def judged(corpus: Corpus, given: Sequence[float], split: str = "test") -> WordPredictions:
    """Predictions in which each test row gives its second sense (if there is one) so much."""
    rows, second = corpus.split == split, np.array(given, dtype=float)
    scores = np.column_stack([1 - second, second])[:, : len(corpus.senses)]
    predicted = scores.argmax(axis=1).astype(np.int32)
    own = (corpus.index[rows], corpus.gold[rows], predicted, scores)
    return WordPredictions(corpus.word, corpus.senses, 3, *own, split=split)


@pytest.fixture
def store(tmp_path: Path, corpora: dict[str, Corpus]) -> Callable[..., Path]:
    """Write predictions like `wsd classify`, with given probabilities of `coins` in mint's rows."""

    def write(
        layers: str, given: Sequence[float], classifier: str = "logistic", **more: Any
    ) -> Path:
        path = tmp_path / "predictions" / f"{layers}.{classifier}.{len(more)}.parquet"
        source = {
            **{"train": "full", "view": "focal", "layers": layers, "classifier": classifier},
            "encoder": {"model": {"name": "toy", "blocks": 2}},
            "corpus": {word: corpus.digest for word, corpus in corpora.items()},
            **more,
        }
        # Another order than the corpora's, with a split that is not audited.
        mint = judged(corpora["mint"], given)
        further = judged(corpora["mint"], [1.0], "outofdomain")
        predictions.write_predictions(path, [judged(corpora["bow"], [0.0]), mint, further], source)
        return path

    return write


def test_near_is_at_its_threshold_and_unlike_is_below_it(
    corpora: dict[str, Corpus], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of mint one is near, of another sense."""
    similar = find_most_similar(corpora)
    table = count_duplicates(corpora, similar)
    assert [*table] == ["word", "n_test", "near_duplicates", "same_sense", "without"]
    assert table.to_numpy().tolist() == [["mint", 4, 1, 0, 3], ["bow", 1, 1, 1, 0]]
    for limit, near in ((3 / 8, 2), (3 / 8 + 1e-9, 1)):
        monkeypatch.setattr(sys.modules[count_duplicates.__module__], "THRESHOLD", limit)
        mint = count_duplicates(corpora, similar).loc[0]
        assert (mint["near_duplicates"], mint["without"]) == (near, 4 - near)


@pytest.mark.parametrize(
    ("given", "sense", "confidence", "suspected"),
    [
        ([0.95, 0.99], COINS, 0.97, True),
        ([0.9, 0.9], COINS, 0.9, True),
        ([0.99, 0.89], COINS, 0.94, False),
        ([0.99, 0.2], -1, np.nan, False),
        ([0.01, 0.02], -1, np.nan, False),
    ],
)
def test_gold_is_suspected_if_every_layer_is_sure_of_another_sense(
    corpora: dict[str, Corpus], given: list[float], sense: int, confidence: float, suspected: bool
) -> None:
    corpus = corpora["mint"].take(np.arange(8) == 4)
    actual = judge_word([judged(corpus, [p]) for p in given])
    assert actual.sense.tolist() == [sense]
    assert actual.confidence.tolist() == pytest.approx([confidence], nan_ok=True)
    assert actual.suspected.tolist() == [suspected]


def test_layers_that_contradict_gold_by_different_senses_do_not_agree(
    corpora: dict[str, Corpus],
) -> None:
    corpus = replace(corpora["mint"].take(np.arange(8) == 4), senses=("herb", "coins", "sweet"))
    words = [
        replace(judged(corpus, [1.0]), predicted=np.array([sense]), scores=np.eye(3)[[sense]])
        for sense in (1, 2)
    ]
    assert judge_word(words).sense.tolist() == [-1] and not judge_word(words).suspected.any()
    assert judge_word(words[1:]).sense.tolist() == [2]


# What each test row of mint (coins, herb, herb, coins) gives `coins`.
RIGHT = [0.9, 0.1, 0.1, 0.9]
LAYERS = {
    "0": [0.9, 0.1, 0.9, 0.2],
    "1": [0.9, 0.95, 0.8, 0.1],
    "2": [0.9, 0.97, 0.3, 0.05],
    "mean-all": [0.9, 0.1, 0.9, 0.2],
}


def test_instances(corpora: dict[str, Corpus], store: Callable[..., Path], tmp_path: Path) -> None:
    """Layer 0, combinations and other classifiers do not decide which rows are suspected."""
    paths = [store(layers, given) for layers, given in LAYERS.items()]
    paths.append(store("1", [0.9, 0.2, 0.9, 0.4], "centroid"))
    call_step(audit, corpora, predictions=paths, judge="logistic", out=tmp_path / "audit")
    rows = read(tmp_path / "audit" / "instances.csv")
    columns = "word index gold similarity most_similar most_similar_sense n_right n_predictions"
    columns += " all_missed contradicting confidence suspected_gold left focal right"
    assert " ".join(rows[0]) == columns
    assert [" ".join([*row.values()][:12]) for row in rows] == [
        "mint 0 coins 0.375000 1 coins 5 5 False   False",
        "mint 1 herb 1.000000 1 coins 3 5 False coins 0.960000 True",
        "mint 2 herb 0.285714 2 herb 1 5 False   False",
        "mint 3 coins 0.000000   0 5 True herb 0.925000 True",
        "bow 0 ship 1.000000 0 ship 5 5 False   False",
    ]
    assert [rows[i][side] for i in (2, 3) for side in ("left", "focal", "right")] == [
        *("crush the", "mint", "with a spoon"),
        *("'+", "mint", "'- see bank"),
    ]


def test_without_a_judge_nothing_is_suspected_and_extra_columns_follow(
    corpora: dict[str, Corpus], store: Callable[..., Path], tmp_path: Path
) -> None:
    paths = [store(layers, given) for layers, given in LAYERS.items()]
    mint = corpora["mint"]
    named = replace(mint, extra={"left": tuple(f"use-{i}" for i in range(len(mint)))})
    call_step(audit, {**corpora, "mint": named}, predictions=paths, judge=None, out=tmp_path)
    rows = read(tmp_path / "instances.csv")
    assert {(row["contradicting"], row["suspected_gold"]) for row in rows} == {("", "False")}
    assert [row["input_left"] for row in rows] == ["use-3", "use-4", "use-5", "use-6", ""]


def test_confusions(corpora: dict[str, Corpus], store: Callable[..., Path], tmp_path: Path) -> None:
    paths = [store("2", LAYERS["2"]), store("1", LAYERS["1"], "centroid")]
    call_step(audit, corpora, predictions=paths, judge=None, out=tmp_path)
    header, *lines = (tmp_path / "confusions.csv").read_text().splitlines()
    assert header.split(",") == [*KEYS, "word", "gold", "predicted", "n"]
    second, first = "toy,full,focal,2,logistic", "toy,full,focal,1,centroid"
    pairs = ["mint,herb,herb,1", "mint,herb,coins,1", "mint,coins,herb,1", "mint,coins,coins,1"]
    expected = [f"{second},{pair}" for pair in (*pairs, "bow,ship,ship,1")]
    pairs = ["mint,herb,coins,2", *pairs[2:], "bow,ship,ship,1"]
    assert lines == expected + [f"{first},{pair}" for pair in pairs]


def test_files_that_do_not_belong_together_or_have_no_judge(
    corpora: dict[str, Corpus], store: Callable[..., Path], tmp_path: Path
) -> None:
    paths = [store("0", RIGHT), store("mean-all", RIGHT), store("1", RIGHT, "centroid")]
    with pytest.raises(ConfigError, match=r"'logistic' on a single layer from 1 up"):
        call_step(audit, corpora, predictions=paths, judge="logistic", out=tmp_path / "out")
    paths.append(store("1", RIGHT, corpus={"mint": "0" * 64}))
    with pytest.raises(ResultError, match="other instances of 'mint'"):
        call_step(audit, corpora, predictions=paths, judge=None, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_the_duplicates_of_coarsewsd20(real_corpora: dict[str, Corpus]) -> None:
    actual = count_duplicates(real_corpora, find_most_similar(real_corpora)).set_index("word")
    assert actual.loc["pitcher"].tolist() == [2_819, 774, 774, 2_045]
    assert actual.sum().tolist() == [10_196, 1_075, 1_075, 9_121]
