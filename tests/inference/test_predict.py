"""`wsd predict`: which run or file answers, what is read, and what is written."""

import csv
import io
import json
import os
import pty
import select
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import small_results
from checkout import REPOSITORY
from importing import import_corpus
from log_state import logs_as_before
from numpy.testing import assert_allclose
from require import needs
from tiny import tiny_bert

from wsd.artifacts import corpus_table
from wsd.artifacts.dataset import DATA
from wsd.artifacts.predictions import read_predictions
from wsd.artifacts.run_json import list_folders, write_listing
from wsd.artifacts.senses import SenseText
from wsd.artifacts.vectors import vectors_checksum
from wsd.cli import main
from wsd.errors import ConfigError, CorpusError, ResultError
from wsd.fitted.selected_results import Results
from wsd.fitted.wsd_file import WsdFile
from wsd.storage.csv import read_csv, write_csv
from wsd.storage.json import read_json, write_json

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
    lines += ["an apple\r", "a [[tall]] [[crane]]", "a [[ ]] crane", "see [[cranes]] by a crane"]
    rows = answers("--file", text_file(tmp_path / "in.txt", *lines), *MODEL, code=3)
    assert [(r["line"], r["status"], r["word"], r["form"], r["start"]) for r in rows] == [
        (1, "ok", "crane", "Crane", 4),
        (1, "ok", "crane", "cranes", 26),
        (2, "unreadable", None, None, None),
        (3, "not found", None, None, None),
        (4, "ok", "apple", "apple", 3),
        (5, "unreadable", None, None, None),
        (6, "unreadable", None, None, None),
        (7, "ok", "crane", "cranes", 6),
    ]
    assert "[[crane]] or *crane*" in rows[5]["message"]
    assert rows[4]["text"] == "an apple" and rows[5]["sense"] is None


def test_columns_of_a_table_decide_and_go_into_the_answers(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "a crane, an apple"
    table = f"id;text;lemma;line\nu1;{text};crane;x\nu2;{text};apple;y\nu3;{text};bank;z\nu4"
    file = text_file(tmp_path / "uses.CSV", table)
    call = ["predict", "--file", file, *MODEL, "--format", "csv"]
    assert main(call) == CorpusError.exit_code
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    # The name `line` is taken.
    shown = [
        (r["line"], r["status"], r["form"], r["start"], r["id"], r["input_line"]) for r in rows
    ]
    assert shown == [
        ("2", "ok", "crane", "2", "u1", "x"),
        ("3", "ok", "apple", "12", "u2", "y"),
        ("4", "unreadable", "", "", "u3", "z"),
        ("5", "unreadable", "", "", "", ""),
    ]
    assert "no word 'bank' is known here: choose among apple, crane" in rows[2]["message"]
    (tmp_path / "other.csv").write_bytes("sentence\n\u00fcber crane\n".encode("cp1252"))
    encoded = ["--file", str(tmp_path / "other.csv"), *MODEL]
    assert "--encoding" in failed(capsys, *encoded)
    assert main(["predict", *encoded, "--encoding", "cp1252"]) == 0


def test_the_fields_of_all_json_rows_go_into_the_answers(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = ['{"id": "a"', '{"text": "a crane", "id": "b"}']
    rows += ['{"text": "a crane", "start": 3, "end": 5, "id": "c"}', '{"text": "x", "year": 1990}']
    file = text_file(tmp_path / "rows.jsonl", *rows)
    assert main(["predict", "--file", file, *MODEL, "--format", "csv"]) == CorpusError.exit_code
    answered = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(r["status"], r["id"], r["year"]) for r in answered] == [
        ("unreadable", "", ""),
        ("ok", "b", ""),
        ("unreadable", "c", ""),
        ("not found", "", "1990"),
    ]


def test_standard_input_and_a_word_with_another_capital(
    root: Path, answers: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = io.TextIOWrapper(io.BytesIO("\ufeffcrane\nno".encode()))
    monkeypatch.setattr(sys, "stdin", text)
    rows = answers(*MODEL, "--word", "Crane")
    assert [(row["status"], row["form"], row["start"]) for row in rows] == [
        ("ok", "crane", 0),
        ("not found", None, None),
    ]
    (row,) = answers("an apple", "--word", "crane", *MODEL, code=3)
    assert row["message"] == "no form of crane here"


def run_wsd(*arguments: str, shell: str = "{}", **options: Any) -> subprocess.CompletedProcess[str]:
    command = " ".join([sys.executable, "-m", "wsd.cli", "predict", *arguments])
    asked = ["bash", "-o", "pipefail", "-c", shell.format(command)]
    options["env"] = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    return subprocess.run(asked, capture_output=True, text=True, check=False, **options)


@pytest.mark.slow
def test_each_typed_line_is_answered_at_once(root: Path) -> None:
    terminal, typed = pty.openpty()
    call = [sys.executable, "-m", "wsd.cli", "predict", *MODEL]
    # What a terminal gets it gets at once; here it is a pipe.
    env = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": str(REPOSITORY)}
    with subprocess.Popen(call, stdin=typed, stdout=subprocess.PIPE, text=True, env=env) as run:
        os.close(typed)
        assert run.stdout is not None
        try:
            assert run.stdout.readline().split()[:2] == ["line", "form"]
            for number, text in enumerate(["a crane", "two cranes"], start=1):
                os.write(terminal, f"{text}\n".encode())
                assert select.select([run.stdout], [], [], 60)[0], "no answer while more may follow"
                assert run.stdout.readline().split()[:2] == [str(number), text.split()[1]]
            os.write(terminal, b"\x04")
            assert run.wait(60) == 0
        finally:
            run.kill()
    os.close(terminal)


@pytest.mark.slow
def test_streams_that_are_closed_and_another_working_directory(root: Path, tmp_path: Path) -> None:
    for closed in ("{} <&-", "{} >&-"):
        done = run_wsd(*MODEL, shell=closed, stdin=subprocess.DEVNULL)
        assert done.returncode == ConfigError.exit_code, done.stderr
        assert done.stderr.startswith("error: standard ") and "Traceback" not in done.stderr
    # A reader that leaves early is no error; the exit code is the one after SIGPIPE.
    file = text_file(tmp_path / "in.txt", *["a crane"] * 3000)
    done = run_wsd("--file", file, *MODEL, "--format jsonl", shell="{} | head -n 1")
    assert done.returncode == 141, done.stderr
    assert len(done.stdout.splitlines()) == 1 and "rror" not in done.stderr
    moved = tmp_path / "else where"
    moved.mkdir()
    shutil.copy("model.wsd", moved / "renamed.wsd")
    done = run_wsd("'a crane'", "--model-file renamed.wsd --format jsonl", cwd=moved)
    assert json.loads(done.stdout)["word"] == "crane"


# Outputs


@pytest.mark.parametrize(
    ("name", "asked", "start"),
    [
        ("o.CSV", None, "line,status,word"),
        ("o.jsonl", None, '{"line": 1'),
        ("o.txt", None, "  line  form"),
        ("o", None, "  line  form"),
        ("o.out", "csv", "line,status,word"),
        ("o.csv", "jsonl", '{"line": 1'),
        ("o.tsv", None, "without a format"),
        ("o.json", None, "without a format"),
    ],
)
def test_the_format_follows_the_suffix(
    root: Path, tmp_path: Path, name: str, asked: str | None, start: str,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    out, more = tmp_path / name, ["--format", asked] if asked else []
    file = text_file(tmp_path / "in.JSONL", '{"text": "a crane", "word": "crane"}')
    call = ["--file", file, *MODEL, "--out", str(out), *more]
    if start == "without a format":
        assert start in failed(capsys, *call) and not out.exists()
        return
    assert main(["predict", *call]) == 0
    assert out.read_text().startswith(start)


def test_files_that_must_not_be_overwritten(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, model, pipe = (
        text_file(tmp_path / "in.txt", "a crane"),
        tmp_path / "m.wsd",
        tmp_path / "p",
    )
    shutil.copy("model.wsd", model)
    os.mkfifo(pipe)
    call = ["--file", file, "--model-file", str(model), "--out"]
    before = model.read_bytes()
    for out, says in ((file, "is an input"), (model, "is an input"), (pipe, "a device or a pipe"),
                      (tmp_path, "a folder")):  # fmt: skip
        assert says in failed(capsys, *call, str(out))
    assert pipe.is_fifo() and Path(file).read_text() == "a crane\n"
    assert model.read_bytes() == before
    call[1] = str(tmp_path / "none.txt")
    failed(capsys, *call, str(tmp_path / "out.csv"))
    assert not (tmp_path / "out.csv").exists()


# Which run answers


def test_by_default_the_selected_configuration_predicts(root: Path, answers: Call) -> None:
    best = read_json(Path(RESULTS) / "selection.json")["chosen"]["tiny"]["full"]["all"]
    names = ("view", "layers", "classifier")
    (row,) = answers("the crane flew")
    assert {k: row[k] for k in names} == {k: best[k] for k in names} and row["model"] == "tiny"
    results = Results(Path(RESULTS))
    assert results.choose(classifier="knn").view == "focal+sentence"
    assert results.choose(view="focal", layers=-1, classifier="logistic").layers == "2"
    # People read names of senses; files have the label and the name.
    (row,) = answers("A crane flew over the marsh.", *MODEL)
    assert row["sense"] == f"crane_{row['sense_name']}"
    assert set(row["scores"]) == {"crane_bird", "crane_machine"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a crane", "--word", "bank"], "no word 'bank' is known"),
        (["a crane", "--run", "../quickstart"], "no run '../quickstart'"),
        (["a crane", "--run", ""], "no run ''"),
        (["a crane", "--layers", "9"], "no predictions with the layers '9'"),
        (["a crane", "--results", "nowhere"], "no run of this version is finished"),
        (["a crane", "--results", "results/"], "name one of results/quickstart"),
        (["a crane", "--language", "fr"], "the corpus decides"),
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
    [
        ["x", "--file", "y"],
        *(["a crane", *MODEL, *more] for more in (["--layers", "1"], ["--run", "a"], ["--show"])),
        ["a crane", "--senses", "x.tsv", "--results", "results"],
        ["a crane", "--senses", "x.tsv", "--show"],
    ],
)
def test_options_that_exclude_each_other(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(["predict", *arguments])
    assert end.value.code == 2 and "not allowed with" in capsys.readouterr().err


def run_of(name: str, classifier: str) -> None:
    """Add a run whose selection has one classifier as its only candidate."""
    selection = Path(RESULTS) / "store" / f"selection@{name * 10}.csv"
    table = read_csv(Path(RESULTS) / "selection.csv")
    write_csv(selection, table[table["classifier"] == classifier])
    small_results.map_files(Path(RESULTS), name, [selection])


def test_each_run_uses_its_own_selection(
    copied: Path, answers: Call, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, classifier in (("a", "nearest_centroid"), ("b", "knn")):
        (Path(RESULTS) / "runs" / name).mkdir(parents=True)
        run_of(name, classifier)
    text = ["a crane lifted it", "--word", "crane"]
    used = {}
    for name in ("a", "b"):
        (row,) = answers(*text, "--run", name)
        used[name] = row["classifier"]
        for given in (f"{RESULTS}/runs/{name}", f"{RESULTS}/runs/{name}/run.json"):
            assert answers(*text, "--results", given) == [row]
    assert used == {"a": "nearest_centroid", "b": "knn"}
    (nameless,) = answers(*text)
    assert nameless["classifier"] not in used.values()
    # Without unnamed results, several runs need --run; a single run is used and reported.
    Path(RESULTS, "run.json").unlink()
    assert "choose among a, b" in failed(capsys, *text, "--results", RESULTS)
    shutil.rmtree(f"{RESULTS}/runs/b")
    assert main(["predict", *text, "--results", RESULTS]) == 0
    assert "run a, the only run" in capsys.readouterr().err


def test_without_results_or_with_several_one_has_to_be_named(
    copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: Call,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    shutil.copytree(RESULTS, "runs/mine")  # a folder that is called runs
    (row,) = answers("a crane lifted it", "--results", "runs/mine")
    assert row["word"] == "crane"
    (Path(RESULTS) / "run.json").unlink()
    assert "no run of this version is finished" in failed(capsys, "a crane")
    for folder, names in (("empty", ()), ("full", ("one", "two"))):
        for name in names:
            (tmp_path / folder / "results" / name).mkdir(parents=True)
            (tmp_path / folder / "results" / name / "selection.csv").touch()
        (tmp_path / folder).mkdir(exist_ok=True)
        monkeypatch.chdir(tmp_path / folder)
        error = failed(capsys, "a crane")
        assert all(f"results/{name}" in error for name in names) and f"{len(names)} data" in error


COMMANDS = {
    "predict": ["a crane lifted it", "--results", RESULTS, "--out", "other.jsonl"],
    "fit": ["--results", RESULTS, "--out", "other.wsd"],
    "calibration": ["--results", RESULTS, "--model", "tiny", "--out", "other"],
}


def written() -> dict[str, bytes]:
    """Run the commands; return their outputs, and delete them."""
    for command, arguments in COMMANDS.items():
        assert main([command, *arguments]) == 0
    files = [path for path in Path().rglob("other*/**/*") if path.is_file()]
    files += Path().glob("other.*")
    results = {str(file): file.read_bytes() for file in files}
    for file in files:
        file.unlink()
    return results


def test_the_files_that_the_map_names_are_read(copied: Path) -> None:
    """Files at published paths do not matter."""
    before = written()
    folder, store = Path(RESULTS), Path(RESULTS) / "store"
    (folder / "run.json").unlink()
    keyed = {
        "corpus": "corpus@0123456789",
        "folds": "folds",
        "tiny": "tiny@0123456789",
        "selection.csv": "selection@0123456789.csv",
        "scores.csv": "scores@0123456789.csv",
    }
    (store / ".sums").mkdir(parents=True)
    for name, key in keyed.items():
        (folder / name).rename(store / key)
        if name.endswith(".csv"):
            (folder / ".sums" / name).rename(store / ".sums" / key)
    embeddings = store / "tiny@0123456789/embeddings"
    for word in WORDS:
        (embeddings / word).rename(embeddings / f"{word}@0123456789")
    for view in ("focal", "context", "sentence"):
        paths = embeddings.glob(f"*/{view}.safetensors")
        write_listing(embeddings / f"{view}.1.json", {p: vectors_checksum(p) for p in paths})
    # A user or another version may have written the file.
    (folder / "selection.csv").write_text("no table")
    for name in ("corpus/crane.parquet", "folds/full.parquet", "tiny/embeddings/crane"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).symlink_to("/nowhere")
    own = (file for file in store.rglob("*.*") if file.is_file() and ".sums" not in file.parts)
    small_results.map_files(folder, own=own)
    assert written() == before


@pytest.mark.parametrize("command", COMMANDS)
def test_a_missing_file_of_the_run_is_one_error(
    copied: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """The error names the step that makes the file."""
    for name in ("folds/full.parquet", "corpus/words.json", "selection.csv"):
        (Path(RESULTS) / name).rename("away")
        if name == "selection.csv":  # what people read is there
            shutil.copy("away", Path(RESULTS) / name)
            run = read_json(Path(RESULTS) / "run.json")
            files = {**run["files"], name: "store/selection@0123456789.csv"}
            write_json(Path(RESULTS) / "run.json", {**run, "files": files})
        assert main([command, *COMMANDS[command]]) == ResultError.exit_code
        message = capsys.readouterr().err
        assert f"this run has no {name}" in message and "run `snakemake again` again" in message
        assert message.count("error: ") == 1 and not list(Path().glob("other*"))
        Path("away").rename(Path(RESULTS) / name)


# An encoder that was trained on the labels, and a corpus that names its senses


def test_a_fine_tuned_encoder_is_named_in_full(
    copied: Path, answers: Call, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its temperatures and distances would be of sentences whose labels it has seen."""
    folder = Path(RESULTS)
    record, vectors = str(folder / "trained/model.json"), str(folder / "trained/embeddings")
    data = ["--corpus", str(folder / "corpus"), "--words", *WORDS]
    tiny_bert(copied / "further")
    small_results.run("model", "--name", "trained", "--path", "further", "--blocks", "2",
                      "--width", "32", "--finetuned-from", "tiny", "--out", record)  # fmt: skip
    small_results.run("embed", "--model", record, *data, "--out", vectors)
    outs = [str(folder / f"trained/predictions/full/focal/{n}.logistic.parquet") for n in "12"]
    small_results.run("classify", *data, "--embeddings", vectors, "--layers", "1", "2",
                      "--estimator", "logistic", "--space", '{"C": [1]}', "--folds",
                      str(folder / "folds/full.parquet"), "--out", *outs)  # fmt: skip
    small_results.map_files(folder)
    error = failed(capsys, "a crane", "--model", "trained")
    assert "none was selected" in error and "trained, focal, layers 2, logistic" in error
    named = ["--model", "trained", "--layers", "2"]
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
    table = "word\tsense\tname\tgloss\ncrane\tcrane_bird\ta wader\tlegs & <b>neck</b>\n"
    Path("senses.tsv").write_text(table)
    import_corpus([DATA / "quickstart"], out=Path("own"), name="mine", senses=Path("senses.tsv"))
    sentence = ["A crane flew over the marsh.", "--word", "crane"]
    chosen = ["--results", str(results), "--view", "focal", "--layers", "2"]
    # Results without a copy of the corpus still work.
    assert main(["predict", *sentence, *chosen]) == 0
    assert "bird" in capsys.readouterr().out
    (results / "source").mkdir()
    shutil.copy("own/dataset.json", results / "source")
    list_folders([results / "source.json"])
    small_results.map_files(results)
    assert main(["fit", *chosen, "--out", "named.wsd"]) == 0
    file = WsdFile(Path("named.wsd"))
    expected = (SenseText("machine"), SenseText("a wader", "legs & <b>neck</b>"))
    assert file.word("crane").called == expected and "machine, a wader" in file.card
    for words in (chosen, ["--model-file", "named.wsd"]):
        capsys.readouterr()
        assert main(["predict", *sentence, *words]) == 0
        text = [line.split() for line in capsys.readouterr().out.splitlines()]
        (line,) = [line for line in text if line[:2] == ["a", "wader"]]
        assert line[4:] == ["legs", "&", "<b>neck</b>"]
    (results / "source" / "dataset.json").write_text("{}")
    assert main(["predict", *sentence, *chosen]) == CorpusError.exit_code


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
        test = np.flatnonzero(table.split == stored.split)
        tokens = [[*table.tokens[row]] for row in test]
        for words_of_row, position in zip(tokens, table.position[test], strict=True):
            words_of_row[position] = f"[[{words_of_row[position]}]]"
        file = text_file(Path("lines.txt"), *map(" ".join, tokens))
        rows = dictionary("--senses", str(GLOSSES), "--layers", "mean-all", "--word", stored.word,
                          "--file", file)  # fmt: skip
        assert [row["sense"] for row in rows] == [stored.senses[i] for i in stored.predicted]
        scores = [[row["scores"][sense] for sense in stored.senses] for row in rows]
        assert_allclose(scores, stored.scores, atol=2e-6)
        assert {(r["classifier"], r["probability"], r["ood"]) for r in rows} == {
            ("gloss", None, None)
        }


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
    Path("senses.tsv").write_text("word\tsense\tgloss\nsouris\tanimal\tla souris mange\n")
    Path("forms.tsv").write_text("word\tform\nsouris\tsouriceau\n")
    options = ["--senses", "senses.tsv", "--language", "fr", "--forms", "forms.tsv"]
    file = text_file(Path("lines.txt"), "un souriceau", "une sourises", "d'souris")
    rows = dictionary("--file", file, *options)
    assert [row["status"] for row in rows] == ["ok", "not found", "ok"]
    Path("senses.tsv").write_text("word\tsense\tgloss\ncrane\tbird\tit wades\ncrane\tmachine\t \n")
    error = failed(capsys, "a crane", "--senses", "senses.tsv", "--model", "path:tiny")
    assert "senses.tsv:3" in error and "'machine' is empty" in error
    for arguments in (["--layers", "3"], ["--layers", "mix-all"], ["--word", "zebra"]):
        error = failed(capsys, "a crane", "--senses", str(GLOSSES), "--model", "path:tiny",
                       *arguments)  # fmt: skip
        assert arguments[1] in error
