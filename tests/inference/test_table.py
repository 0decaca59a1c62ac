"""`wsd table`: predictions, vectors and scores for other programs."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from log_state import logs_as_before

from wsd.artifacts.feature_set import read_features
from wsd.artifacts.predictions import read_predictions
from wsd.cli import main
from wsd.errors import ConfigError
from wsd.fitted.selected_results import Configuration, Results
from wsd.inference.finished_run import open_run
from wsd.storage.csv import read_csv

FOLDER = "results/quickstart"
LOGISTIC = ("--view", "focal", "--layers", "2")
CONFIGURATION = Configuration("tiny", "focal", "2", "logistic")


@pytest.fixture(autouse=True)
def here(small_once: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(small_once)
    with logs_as_before():
        yield


def table(out: Path, *arguments: str, code: int = 0) -> Path:
    assert main(["table", "--results", FOLDER, *arguments, "--out", str(out)]) == code
    return out


def test_predictions_are_those_of_the_run_in_every_format(tmp_path: Path) -> None:
    frame = pd.read_parquet(table(tmp_path / "a.parquet", *LOGISTIC))
    results = Results(Path(FOLDER))
    stored, _ = read_predictions(results.predictions(CONFIGURATION))
    assert len(frame) == sum(len(word.gold) for word in stored)
    for word in stored:
        rows, corpus = frame[frame["word"] == word.word], results.corpus(word.word)
        assert rows["index"].tolist() == word.index.tolist()
        assert rows["gold"].tolist() == [word.senses[k] for k in word.gold]
        assert rows["predicted"].tolist() == [word.senses[k] for k in word.predicted]
        assert rows["correct"].tolist() == (word.gold == word.predicted).tolist()
        scores = [[entry["score"] for entry in row] for row in rows["scores"]]
        np.testing.assert_array_equal(np.array(scores, float), word.scores)
        assert rows["score"].tolist() == np.nanmax(word.scores, axis=1).tolist()
        test = np.flatnonzero(corpus.split == "test")
        assert rows["sentence"].tolist() == [" ".join(corpus.tokens[row]) for row in test]
        places = rows[["sentence", "start", "end"]].itertuples(index=False)
        forms = [corpus.tokens[row][corpus.position[row]] for row in test]
        assert [s[a:b] for s, a, b in places] == [form.strip(".,") for form in forms]
    assert set(frame["classifier"]) == {"logistic"} and set(frame["layers"]) == {"2"}
    about = json.loads(pq.read_schema(tmp_path / "a.parquet").metadata[b"wsd"])
    assert about["what"] == "predictions" and about["model"] == "tiny"
    crane = [*LOGISTIC, "--words", "crane"]
    expected = pq.read_table(table(tmp_path / "b.parquet", *crane)).to_pylist()
    lines = table(tmp_path / "b.jsonl", *crane).read_text().splitlines()
    assert [json.loads(line) for line in lines] == expected
    again = read_csv(table(tmp_path / "b.csv", *crane))
    assert list(again.columns) == [*expected[0]] and {*again["word"]} == {"crane"}
    assert again["sentence"].tolist() == [row["sentence"] for row in expected]
    assert json.loads(again["scores"][0]) == expected[0]["scores"]


def test_vectors_are_those_of_the_run(tmp_path: Path) -> None:
    asked = ["--what", "vectors", "--layers", "concat-0-2", "--words", "crane"]
    frame, results = pd.read_parquet(table(tmp_path / "a.parquet", *asked)), Results(Path(FOLDER))
    corpus = results.corpus("crane")
    _, expected, _ = read_features(results.vectors(CONFIGURATION), corpus, "focal", "concat-0-2")
    np.testing.assert_array_equal(np.stack(frame["vector"]), expected)
    assert frame["split"].tolist() == corpus.split.tolist()
    # Without names, the selected configuration decides.
    chosen = results.choose()
    frame = pd.read_parquet(table(tmp_path / "b.parquet", "--what", "vectors"))
    assert {*frame["view"]} == {chosen.view} and {*frame["layers"]} == {chosen.layers}
    assert {*frame["word"]} == {"apple", "crane"}


def test_extra_columns_and_documents_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = Results(Path(FOLDER)).corpus("crane")
    texts = tuple(f"t{i}" for i in range(len(corpus)))
    changed = replace(corpus, extra={"year": texts, "word": texts})
    monkeypatch.setattr(Results, "corpus", lambda *_: changed)
    rows = open_run(FOLDER).predictions(word="crane", layers="2")
    test = np.flatnonzero(corpus.split == "test")
    assert rows["year"].tolist() == rows["input_word"].tolist() == [f"t{i}" for i in test]
    assert rows["document"].isna().all()


@pytest.mark.parametrize(
    ("name", "arguments", "problem"),
    [
        ("a.xlsx", "", "cannot be written as .xlsx"),
        ("a", "", "without a suffix"),
        ("a.csv", "--what vectors", "vectors cannot be written as .csv"),
        ("a.parquet", "--words bank", "no word 'bank'"),
        ("a.parquet", "--what vectors --layers 7", "7"),
        ("a.parquet", "--what vectors --model x --layers 1", "no model 'x'"),
        ("a.parquet", "--what scores --classifier x", "classifier 'x'"),
    ],
)
def test_what_cannot_be_written_is_one_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, arguments: str, problem: str
) -> None:
    table(tmp_path / name, *arguments.split(), code=ConfigError.exit_code)
    assert problem in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
