"""`wsd predict --senses`: a dictionary alone answers, as the study of glosses does."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from log_state import logs_as_before
from numpy.testing import assert_allclose
from require import needs
from tiny import tiny_bert

from wsd.artifacts import corpus_table
from wsd.artifacts.dataset import DATA
from wsd.artifacts.predictions import read_predictions
from wsd.cli import main

GLOSSES = DATA / "glosses/quickstart-hard.tsv"
WORDS = ("apple", "crane")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    tiny_bert(tmp_path / "tiny")
    with logs_as_before():
        yield tmp_path


def predict(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, str]]:
    capsys.readouterr()
    assert main(["predict", "--model", "path:tiny", "--format", "csv", *arguments]) == 0
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def run(*arguments: str) -> None:
    assert main([*map(str, arguments)]) == 0


@needs("glosses")
def test_test_sentences_get_the_predictions_of_the_study(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [f"--word={word}" for word in WORDS]
    run("corpus", "--source", str(DATA / "quickstart-hard"), *words, "--out", "corpus")
    data = ["--corpus", "corpus", "--words", *WORDS]
    run("glosses", *data, "--glosses", str(GLOSSES), "--out", "glosses")
    run("model", "--name", "tiny", "--path", "tiny", "--blocks", "2", "--width", "32",
        "--out", "model.json")  # fmt: skip
    run("embed", "--model", "model.json", *data, "--views", "focal", "--out", "vectors")
    run("embed", "--model", "model.json", "--corpus", "glosses", "--words", *WORDS,
        "--views", "focal", "sentence", "--out", "gloss-vectors")  # fmt: skip
    run("zero-shot", *data, "--embeddings", "vectors", "--layers", "mean-all",
        "--glosses", "glosses", "--gloss-vectors", "gloss-vectors",
        "--out", "gloss.parquet", "mean.parquet")  # fmt: skip
    for stored in read_predictions(Path("gloss.parquet"))[0]:
        table = corpus_table.read(Path("corpus") / f"{stored.word}.parquet")
        test = np.flatnonzero(table.split == stored.split)
        tokens = [[*table.tokens[row]] for row in test]
        for words_of_row, position in zip(tokens, table.position[test], strict=True):
            words_of_row[position] = f"[[{words_of_row[position]}]]"
        Path("lines.txt").write_text("\n".join(map(" ".join, tokens)) + "\n")
        rows = predict(capsys, "--senses", str(GLOSSES), "--layers", "mean-all", "--word",
                       stored.word, "--file", "lines.txt")  # fmt: skip
        assert [row["sense"] for row in rows] == [stored.senses[i] for i in stored.predicted]
        for row, expected in zip(rows, stored.scores, strict=True):
            scores = dict(pair.split("=") for pair in row["scores"].split("; "))
            assert_allclose([float(scores[s]) for s in stored.senses], expected, atol=2e-6)
            assert row["classifier"] == "gloss" and not row["probability"] and not row["ood"]


def test_a_dictionary_needs_no_corpus_and_no_results(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A sense with two glosses has their mean; a word may have a single sense."""
    table = "word\tsense\tgloss\nseal\tanimal\tthe seal ran\nseal\tanimal\ta seal swims\n"
    table += "seal\tclosure\tto seal a letter\nmouse.n\tanimal\tthe mouse ran\n"
    Path("senses.tsv").write_text(table)
    seals, mouse = predict(capsys, "the [[seal]] ran", "Two mice ran .", "--senses", "senses.tsv")
    assert seals["sense"] == "animal" and seals["layers"] == "2"
    # The sentence is one of the two glosses: its nearest gloss has distance 0, its sense has not.
    scores = dict(pair.split("=") for pair in seals["scores"].split("; "))
    assert float(seals["distance"]) < 1e-6 and float(scores["animal"]) < 1 - 1e-6
    assert (mouse["word"], mouse["form"], mouse["sense"]) == ("mouse.n", "mice", "animal")


def test_forms_and_language_of_a_dictionary(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("senses.tsv").write_text("word\tsense\tgloss\nsouris\tanimal\tla souris mange\n")
    Path("forms.tsv").write_text("word\tform\nsouris\tsouriceau\n")
    options = ["--senses", "senses.tsv", "--language", "fr", "--forms", "forms.tsv"]
    Path("lines.txt").write_text("un souriceau\nune sourises\nd'souris\n")
    rows = predict(capsys, "--file", "lines.txt", *options)
    assert [row["status"] for row in rows] == ["ok", "not found", "ok"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--layers", "3"], "layer choice '3': there is no such layer"),
        (["--layers", "mix-all"], "mix-all"),
        (["--word", "zebra"], "no word 'zebra' is known here"),
    ],
)
def test_wrong_options_are_refused(
    arguments: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--senses", str(GLOSSES), "--model", "path:tiny", *arguments]
    assert main(["predict", "a crane", *options]) != 0
    assert problem in capsys.readouterr().err


def test_a_faulty_dictionary_is_refused_with_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    Path("senses.tsv").write_text("word\tsense\tgloss\ncrane\tbird\tit wades\ncrane\tmachine\t \n")
    assert main(["predict", "a crane", "--senses", "senses.tsv", "--model", "path:tiny"]) != 0
    error = capsys.readouterr().err
    assert "senses.tsv:3" in error and "the gloss of 'machine' is empty" in error
