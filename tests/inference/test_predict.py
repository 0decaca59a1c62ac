"""`wsd predict`: which run or file answers, what is read, and what is written."""

import csv
import io
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import small_results
from importing import import_corpus
from log_state import logs_as_before
from numpy.testing import assert_allclose
from require import needs
from tiny import tiny_bert

from wsd.artifacts import corpus_table
from wsd.artifacts.dataset import DATA
from wsd.artifacts.predictions import read_predictions
from wsd.artifacts.run_json import list_folders
from wsd.artifacts.senses import SenseText
from wsd.cli import main
from wsd.errors import CorpusError
from wsd.fitted.selected_results import Results
from wsd.fitted.wsd_file import WsdFile
from wsd.storage.csv import read_csv, write_csv
from wsd.storage.json import read_json, write_json
from wsd.storage.parquet import read_table, write_table

RESULTS = "results/quickstart"
WORDS = small_results.WORDS
MODEL = ("--model-file", "model.wsd")
Call = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def root(small_once: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(small_once)
    with logs_as_before():
        yield small_once


@pytest.fixture
def copied(small_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Copy the results for a test that changes them."""
    monkeypatch.chdir(small_results.copy(small_once, tmp_path / "copy"))
    with logs_as_before():
        yield tmp_path / "copy"


@pytest.fixture
def answers(capsys: pytest.CaptureFixture[str]) -> Call:
    """Run `wsd predict` for JSON lines."""

    def call(*arguments: str, code: int = 0) -> list[dict[str, Any]]:
        capsys.readouterr()
        assert main(["predict", *arguments, "--format", "jsonl"]) == code
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return call


def failed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run `wsd predict`, which fails with one error and no answer; return the error."""
    capsys.readouterr()
    assert main(["predict", *arguments]) not in (0, 70)
    output = capsys.readouterr()
    assert not output.out and output.err.count("error: ") == 1
    return output.err


def text_file(path: Path, *lines: str | bytes) -> str:
    raw = [line if isinstance(line, bytes) else line.encode() for line in lines]
    path.write_bytes(b"".join(line + b"\n" for line in raw))
    return str(path)


# Lines and answers


def test_every_line_gets_a_row_and_bad_ones_are_counted(
    root: Path, tmp_path: Path, answers: Call
) -> None:
    lines = ["The Crane lifted a bank ; cranes flew .", b"caf\xe9 crane", "nothing here"]
    lines += ["an apple\r", "a [[tall]] [[crane]]", "see [[cranes]] by a crane"]
    rows = answers("--file", text_file(tmp_path / "in.txt", *lines), *MODEL, code=3)
    assert [(r["line"], r["status"], r["word"], r["form"], r["start"]) for r in rows] == [
        (1, "ok", "crane", "Crane", 4),
        (1, "ok", "crane", "cranes", 26),
        (2, "unreadable", None, None, None),
        (3, "not found", None, None, None),
        (4, "ok", "apple", "apple", 3),
        (5, "unreadable", None, None, None),
        (6, "ok", "crane", "cranes", 6),
    ]
    assert rows[4]["text"] == "an apple" and rows[5]["sense"] is None


def test_columns_of_a_table_decide_and_go_into_the_answers(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "a crane, an apple"
    table = f"id;text;lemma;line\nu1;{text};crane;x\nu2;{text};apple;y\nu3;{text};bank;z"
    call = ["predict", "--file", text_file(tmp_path / "uses.CSV", table), *MODEL]
    assert main([*call, "--format", "csv"]) == CorpusError.exit_code
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    shown = ("line", "status", "form", "start", "id", "input_line")  # the name `line` is taken
    assert [tuple(row[name] for name in shown) for row in rows] == [
        ("2", "ok", "crane", "2", "u1", "x"),
        ("3", "ok", "apple", "12", "u2", "y"),
        ("4", "unreadable", "", "", "u3", "z"),
    ]
    assert "choose among apple, crane" in rows[2]["message"]
    (tmp_path / "other.csv").write_bytes("sentence\n\u00fcber crane\n".encode("cp1252"))
    encoded = ["--file", str(tmp_path / "other.csv"), *MODEL]
    assert "--encoding" in failed(capsys, *encoded)
    assert main(["predict", *encoded, "--encoding", "cp1252"]) == 0


def test_standard_input_and_a_word_with_another_capital(
    root: Path, answers: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = io.TextIOWrapper(io.BytesIO("\ufeffcrane\nno".encode()))
    monkeypatch.setattr(sys, "stdin", text)
    rows = answers(*MODEL, "--word", "Crane")
    assert [(row["status"], row["start"]) for row in rows] == [("ok", 0), ("not found", None)]
    (row,) = answers("an apple", "--word", "crane", *MODEL, code=3)
    assert row["message"] == "no form of crane here"


# Outputs


def test_the_format_follows_the_suffix(root: Path, tmp_path: Path) -> None:
    file = text_file(tmp_path / "in.JSONL", '{"text": "a crane", "word": "crane"}')
    for name, start in (("o.CSV", "line,"), ("o.jsonl", '{"line": 1'), ("o.txt", "  line ")):
        assert main(["predict", "--file", file, *MODEL, "--out", str(tmp_path / name)]) == 0
        assert (tmp_path / name).read_text().startswith(start)


def test_files_that_must_not_be_overwritten(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, pipe, tsv = text_file(tmp_path / "in.txt", "a crane"), tmp_path / "p", tmp_path / "o.tsv"
    os.mkfifo(pipe)
    for out, says in ((file, "is an input"), (pipe, "a device or a pipe"), (tmp_path, "a folder"),
                      (tsv, "without a format")):  # fmt: skip
        assert says in failed(capsys, "--file", file, *MODEL, "--out", str(out))
    assert pipe.is_fifo() and not tsv.exists() and Path(file).read_text() == "a crane\n"
    failed(capsys, "--file", "none.txt", *MODEL, "--out", str(tmp_path / "out.csv"))
    assert not (tmp_path / "out.csv").exists()


# Which run answers


def test_by_default_the_selected_configuration_predicts(root: Path, answers: Call) -> None:
    best = read_json(Path(RESULTS) / "selection.json")["chosen"]["tiny"]["full"]["all"]
    (row,) = answers("the crane flew")
    names = ("view", "layers", "classifier")
    assert {k: row[k] for k in names} == {k: best[k] for k in names} and row["model"] == "tiny"
    results = Results(Path(RESULTS))
    assert results.choose(classifier="knn").view == "focal+sentence"
    assert results.choose(view="focal", layers=-1, classifier="logistic").layers == "2"
    # People read names of senses; files have the label and the name.
    (row,) = answers("A crane flew over the marsh.", *MODEL)
    assert row["sense"] == f"crane_{row['sense_name']}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a crane", "--run", "../quickstart"], "no run '../quickstart'"),
        (["a crane", "--layers", "9"], "layers '9'"),
        (["a crane", "--results", "results/"], "results/quickstart"),
        (["a crane", "--language", "fr"], "--language"),
        (["--file", "results", *MODEL], "Is a directory"),
        (["--file", "x.xlsx", *MODEL], "cannot read 'x.xlsx'"),
        (["a crane", *MODEL, "--encoder", "results"], "no whole model"),
    ],
)
def test_invalid_requests(
    root: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in failed(capsys, *arguments)


@pytest.mark.parametrize(
    "arguments",
    ["--file y", *(f"--model-file y {more}" for more in ("--layers 1", "--run a", "--show"))],
)
def test_options_that_exclude_each_other(arguments: str) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["predict", "a crane", *arguments.split()])


def test_each_run_uses_its_own_selection(
    copied: Path, answers: Call, capsys: pytest.CaptureFixture[str]
) -> None:
    results, table = Path(RESULTS), read_csv(Path(RESULTS) / "selection.csv")
    chosen = {"a": "nearest_centroid", "b": "knn"}
    for name, classifier in chosen.items():  # its only candidate
        (results / "runs" / name).mkdir(parents=True)
        selection = results / f"store/selection@{name * 10}.csv"
        write_csv(selection, table[table["classifier"] == classifier])
        small_results.map_files(results, name, [selection])
    text = ["a crane lifted it", "--word", "crane"]
    for name, classifier in chosen.items():
        (row,) = answers(*text, "--run", name)
        assert row["classifier"] == classifier
        for given in (f"{RESULTS}/runs/{name}", f"{RESULTS}/runs/{name}/run.json"):
            assert answers(*text, "--results", given) == [row]
    assert answers(*text)[0]["classifier"] not in chosen.values()
    # Without unnamed results, several runs need --run; a single run is used and reported.
    (results / "run.json").unlink()
    assert "choose among a, b" in failed(capsys, *text, "--results", RESULTS)
    shutil.rmtree(results / "runs/b")
    assert main(["predict", *text, "--results", RESULTS]) == 0
    assert "run a, the only run" in capsys.readouterr().err


def test_a_missing_file_of_the_run_is_one_error(
    copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error names the step that makes the file; what people read does not take its place."""
    results = Path(RESULTS)
    for name in ("folds/full.parquet", "corpus/words.json", "selection.csv"):
        run = read_json(results / "run.json")
        files = {**run["files"], name: f"store/{name}"}
        write_json(results / "run.json", {**run, "files": files})
        error = failed(capsys, "a crane lifted it", "--results", RESULTS, "--out", "other.jsonl")
        assert f"this run has no {name}" in error and "run `snakemake again` again" in error
        assert not Path("other.jsonl").exists()
        write_json(results / "run.json", run)


# An encoder that was trained on the labels, and a corpus that names its senses


def test_a_fine_tuned_encoder_is_named_in_full(
    copied: Path, answers: Call, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its temperatures and distances would be of sentences whose labels it has seen."""
    shutil.copytree(f"{RESULTS}/tiny", f"{RESULTS}/trained")
    record = f"{RESULTS}/trained/model.json"
    small_results.run("model", "--name", "trained", "--path", "tiny", "--finetuned-from", "tiny",
                      "--blocks", "2", "--width", "32", "--out", record)  # fmt: skip
    for path in Path(f"{RESULTS}/trained/predictions/full").glob("*/*.parquet"):
        table, source = read_table(path)
        source["encoder"]["model"] = read_json(Path(record))
        write_table(path, table, source)
    small_results.map_files(Path(RESULTS))
    error = failed(capsys, "a crane", "--model", "trained")
    assert "none was selected" in error and "trained, focal, layers 2, logistic" in error
    named = ["--model", "trained", "--view", "focal", "--layers", "2"]
    assert main(["fit", "--results", RESULTS, *named, "--out", "trained.wsd"]) == 0
    assert "not calibrated" in WsdFile(Path("trained.wsd")).card
    for arguments in (named, ["--model-file", "trained.wsd"]):
        (row,) = answers("a [[crane]] flew .", "--word", "crane", *arguments)
        assert (row["model"], row["layers"], row["ood"]) == ("trained", "2", None)
        assert_allclose(list(row["probabilities"].values()), list(row["scores"].values()))


def test_a_corpus_names_its_senses_in_predictions_and_in_the_file(
    copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = Path("results/mine")
    Path(RESULTS).rename(results)
    Path("senses.tsv").write_text("word\tsense\tname\tgloss\ncrane\tcrane_bird\ta wader\ta <b>\n")
    import_corpus([DATA / "quickstart"], out=Path("own"), name="mine", senses=Path("senses.tsv"))
    sentence = ["predict", "A crane flew over the marsh.", "--word", "crane"]
    chosen = ["--results", str(results), "--view", "focal", "--layers", "2"]
    (results / "source").mkdir()
    shutil.copy("own/dataset.json", results / "source")
    list_folders([results / "source.json"])
    small_results.map_files(results)
    assert main(["fit", *chosen, "--out", "named.wsd"]) == 0
    file = WsdFile(Path("named.wsd"))
    assert file.word("crane").called == (SenseText("machine"), SenseText("a wader", "a <b>"))
    assert "machine, a wader" in file.card
    for words in (chosen, ["--model-file", "named.wsd"]):
        capsys.readouterr()
        assert main([*sentence, *words]) == 0
        text = [line.split() for line in capsys.readouterr().out.splitlines()]
        assert [line[4:] for line in text if line[:2] == ["a", "wader"]] == [["a", "<b>"]]
    (results / "source" / "dataset.json").write_text("{}")
    assert main([*sentence, *chosen]) == CorpusError.exit_code


# A dictionary alone

GLOSSES = DATA / "glosses/quickstart-hard.tsv"


@pytest.fixture
def dictionary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: Call) -> Iterator[Call]:
    monkeypatch.chdir(tmp_path)
    tiny_bert(tmp_path / "tiny")
    with logs_as_before():
        yield lambda *arguments, **more: answers("--model", "path:tiny", *arguments, **more)


@needs("glosses")
def test_a_dictionary_gives_the_predictions_of_the_study(dictionary: Call) -> None:
    run, data = small_results.run, ["--corpus", "corpus", "--words", *WORDS]
    words = [f"--word={word}" for word in WORDS]
    run("corpus", "--source", str(DATA / "quickstart-hard"), *words, "--out", "corpus")
    run("glosses", *data, "--glosses", str(GLOSSES), "--out", "glosses")
    run("model", "--name", "tiny", "--path", "tiny", "--blocks", "2", "--width", "32",
        "--out", "model.json")  # fmt: skip
    run("embed", "--model", "model.json", *data, "--out", "vectors")
    run("embed", "--model", "model.json", "--corpus", "glosses", "--words", *WORDS,
        "--views", "focal", "sentence", "--out", "gloss-vectors")  # fmt: skip
    run("zero-shot", *data, "--embeddings", "vectors", "--layers", "mean-all",
        "--glosses", "glosses", "--gloss-vectors", "gloss-vectors",
        "--out", "gloss.parquet", "mean.parquet")  # fmt: skip
    for stored in read_predictions(Path("gloss.parquet"))[0]:
        table = corpus_table.read(Path("corpus") / f"{stored.word}.parquet")
        texts = []
        for row in np.flatnonzero(table.split == stored.split):
            tokens, at = [*table.tokens[row]], table.position[row]
            tokens[at] = f"[[{tokens[at]}]]"
            texts.append(" ".join(tokens))
        rows = dictionary("--senses", str(GLOSSES), "--layers", "mean-all", "--word", stored.word,
                          "--file", text_file(Path("lines.txt"), *texts))  # fmt: skip
        assert [row["sense"] for row in rows] == [stored.senses[i] for i in stored.predicted]
        scores = [[row["scores"][sense] for sense in stored.senses] for row in rows]
        assert_allclose(scores, stored.scores, atol=2e-6)
        used = {(row["classifier"], row["probability"], row["ood"]) for row in rows}
        assert used == {("gloss", None, None)}


def test_a_dictionary_has_senses_of_several_glosses_forms_and_a_language(
    dictionary: Call, capsys: pytest.CaptureFixture[str]
) -> None:
    table = "word\tsense\tgloss\nseal\tanimal\tthe seal ran\nseal\tanimal\ta seal swims\n"
    table += "seal\tclosure\tto seal a letter\nmouse.n\tanimal\tthe mouse ran\n"
    Path("senses.tsv").write_text(table)
    seals, mouse = dictionary("the [[seal]] ran", "Two mice ran .", "--senses", "senses.tsv")
    assert seals["sense"] == "animal" and seals["layers"] == "2"
    # The sentence is one of the two glosses: its nearest gloss has distance 0, its sense has not.
    assert seals["distance"] < 1e-6 and seals["scores"]["animal"] < 1 - 1e-6
    assert seals["neighbours"][0]["sentence"] == "the seal ran"
    assert (mouse["word"], mouse["form"], mouse["sense"]) == ("mouse.n", "mice", "animal")
    for arguments in (["--layers", "3"], ["--layers", "mix-all"], ["--word", "zebra"]):
        call = ["a crane", "--senses", "senses.tsv", "--model", "path:tiny", *arguments]
        assert arguments[1] in failed(capsys, *call)
    Path("senses.tsv").write_text("word\tsense\tgloss\nsouris\tanimal\tla souris mange\n")
    Path("forms.tsv").write_text("word\tform\nsouris\tsouriceau\n")
    options = ["--senses", "senses.tsv", "--language", "fr", "--forms", "forms.tsv"]
    file = text_file(Path("lines.txt"), "un souriceau", "une sourises", "d'souris")
    rows = dictionary("--file", file, *options)
    assert [row["status"] for row in rows] == ["ok", "not found", "ok"]
