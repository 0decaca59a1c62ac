"""Predictions of other systems: each instance once, all or none, and errors that name the line."""

import json
import math
from collections.abc import Callable
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from builders import MakeCorpus
from call_step import call_step

from wsd.artifacts import predictions
from wsd.artifacts.corpus_table import Corpus, write
from wsd.artifacts.run_json import write_listing, write_map
from wsd.errors import CorpusError
from wsd.storage.checksums import noted_checksum
from wsd.storage.file_names import file_name
from wsd.studies.systems import score

ROWS = [("train", 0), ("train", 1), ("test", 0), ("test", 1), ("test", 0), ("outofdomain", 1)]
Line = dict[str, Any]


@pytest.fixture
def corpora(make_corpus: MakeCorpus) -> dict[str, Corpus]:
    return {word: make_corpus(ROWS, word=word) for word in ("mint", "Schloß")}


def lines_of(corpora: dict[str, Corpus], *splits: str) -> list[Line]:
    """Always right, with scores that say so."""
    return [
        {
            "word": word,
            "split": split,
            "id": int(index),
            "sense": corpus.senses[gold],
            "scores": {sense: float(i == gold) for i, sense in enumerate(corpus.senses)},
        }
        for word, corpus in corpora.items()
        for split, index, gold in zip(corpus.split, corpus.index, corpus.gold, strict=True)
        if split in splits
    ]


def put(path: Path, lines: list[Any]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def build(path: Path, corpora: dict[str, Corpus]) -> list[predictions.WordPredictions]:
    score.score_outputs(path, "mine", corpora, path.with_suffix(".parquet"))
    return predictions.read_predictions(path.with_suffix(".parquet"))[0]


@pytest.mark.parametrize(("with_scores", "further"), [(True, True), (False, False)])
def test_lines_in_any_order(
    corpora: dict[str, Corpus], tmp_path: Path, further: bool, with_scores: bool
) -> None:
    splits = ["test", "outofdomain"][: 1 + further]
    lines = lines_of(corpora, *splits)
    for line in lines:
        if line["split"] == "test":
            del line["split"]  # it is the default
        # In the order of some other program.
        scores = dict(reversed(line.pop("scores").items()))
        line |= {"scores": scores} if with_scores else {}
    lines.append({"word": "not asked for", "id": 3, "sense": "x", "key": 1})
    Random(1).shuffle(lines)
    # As editors leave them.
    text = "".join(json.dumps(line) + "\r\n" for line in lines)
    (tmp_path / "o.jsonl").write_text(f"\ufeff{text}\r\n", newline="")
    actual = build(tmp_path / "o.jsonl", corpora)
    assert {(own.word, own.split) for own in actual} == {*product(corpora, splits)}
    for own in actual:
        corpus = corpora[own.word]
        rows = corpus.split == own.split
        assert own.index.tolist() == corpus.index[rows].tolist()
        assert own.predicted.tolist() == own.gold.tolist() == corpus.gold[rows].tolist()
        expected = np.eye(2)[own.gold] if with_scores else np.full((len(own.gold), 2), np.nan)
        np.testing.assert_array_equal(own.scores, expected)


def change(**values: Any) -> Callable[[Line], Any]:
    return lambda line: {k: v for k, v in {**line, **values}.items() if v != "gone"}


WRONG: dict[str, tuple[Callable[[Line], Any], str]] = {
    "id": (change(id=3), "'mint' has no test instance 3"),
    "no word, no sense": (change(word="gone", sense="gone"), "word: Field required"),
    "sense": (change(sense="c"), "'c' is not a sense of 'mint'"),
    "train": (change(split="train"), "'mint' has no train instance 1"),
    "list": (lambda line: [line], "not a JSON object"),
    "score nan": (change(scores={"a": math.nan, "b": 0.0}), "scores.a nan: "),
    "a sense less": (change(scores={"b": 1.0}), "the scores are of b, not of each of a, b"),
    "not the best": (change(scores={"a": 1.0, "b": 0.5}), "does not have the highest score"),
    "twice": (change(id=0), "the test instance 0 of 'mint' has an output already"),
}


@pytest.mark.parametrize(("wrong", "says"), WRONG.values(), ids=WRONG)
def test_an_invalid_line_is_named(
    corpora: dict[str, Corpus], tmp_path: Path, wrong: Callable[[Line], Any], says: str
) -> None:
    lines = lines_of(corpora, "test")
    assert (lines[1]["id"], lines[1]["sense"]) == (1, "b")
    path = put(tmp_path / "o.jsonl", [lines[0], wrong(lines[1]), *lines[2:]])
    with pytest.raises(CorpusError) as caught:
        build(path, corpora)
    assert says in caught.value.problem
    assert caught.value.where == f"{path}:2"
    assert not path.with_suffix(".parquet").exists()


@pytest.mark.parametrize(
    "text", ["", "[" * 100_000, '{"word": "mint", "id": 0, "sense": "b", "sense": "a"}']
)
def test_an_invalid_file(corpora: dict[str, Corpus], tmp_path: Path, text: str) -> None:
    (tmp_path / "o.jsonl").write_text(text)
    with pytest.raises(CorpusError):
        build(tmp_path / "o.jsonl", corpora)


@pytest.mark.parametrize(
    ("splits", "gone", "says"),
    [
        (("test",), 5, "1 of 6 test instances have no output: Schloß 2"),
        (("test", "outofdomain"), 3, "1 of 2 outofdomain instances have no output: mint 0"),
    ],
)
def test_some_instances_are_not_enough(
    corpora: dict[str, Corpus], tmp_path: Path, splits: tuple[str, ...], gone: int, says: str
) -> None:
    lines = [line for i, line in enumerate(lines_of(corpora, *splits)) if i != gone]
    lines.append({"word": "MINT", "id": 0, "sense": "a"})
    with pytest.raises(CorpusError, match="ignored words: MINT") as caught:
        build(put(tmp_path / "o.jsonl", lines), corpora)
    assert caught.value.problem.startswith(says)
    assert caught.value.where == str(tmp_path / "o.jsonl")


def test_without_words_those_of_the_run(corpora: dict[str, Corpus], tmp_path: Path) -> None:
    """Its map says which those are, and where their tables lie."""
    results, about = tmp_path / "results/q", {"config": {}, "command": "", "digests": {}}
    table = results / "store/corpus@0000000001/mint.parquet"
    write(table, corpora["mint"])
    write_listing(table.with_name("words.json"), {table: noted_checksum(table)})
    write_map(results / "run.json", [str(table.with_name("words.json"))], str(results), about)
    # A table of the user's own lies beside; without a run, all of a folder are read.
    for folder in (results, tmp_path / "other"):
        for word, corpus in corpora.items():
            write(folder / f"corpus/{file_name(word)}.parquet", corpus)
    path = put(tmp_path / "outputs.jsonl", lines_of({"mint": corpora["mint"]}, "test"))
    how = {"file": path, "name": "mine", "out": tmp_path / "x.parquet"}
    call_step(score, corpus=results / "corpus", **how)
    (word,) = predictions.read_predictions(how["out"])[0]
    assert word.word == "mint"
    with pytest.raises(CorpusError, match="Schlo"):
        call_step(score, corpus=tmp_path / "other/corpus", **how)
