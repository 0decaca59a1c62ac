"""The command: help, exit codes, and errors with one message and no traceback."""

import errno
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import WriteVectors
from checkout import REPOSITORY
from log_state import logs_as_before

from wsd import __version__
from wsd.artifacts import corpus_table
from wsd.artifacts.dataset import DATA
from wsd.artifacts.run_json import write_map
from wsd.cli import main
from wsd.commands import COMMANDS, GROUPS
from wsd.corpora import text_format
from wsd.errors import (
    ConfigError,
    CorpusError,
    DownloadError,
    ModelError,
    ResultError,
    StorageError,
    WsdError,
)
from wsd.report import leaderboard
from wsd.storage.atomic import write_text

QUICKSTART = DATA / "quickstart-hard"

LEARN = "--corpus c --words w --embeddings e --layers 1 --folds f --searches s --out o"

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    with logs_as_before():
        yield


def failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> list[str]:
    """Return arguments of a command that raises ``error``."""

    def command(args: object) -> None:
        raise error

    monkeypatch.setattr(leaderboard, "run", command)
    return ["leaderboard", "summary.csv"]


# Arguments


def test_help_names_every_command(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    for group, commands in GROUPS.items():
        listed = text.partition(f"\n{group}:\n")[2].partition("\n\n")[0].splitlines()
        assert [line.split()[0] for line in listed] == list(commands)
    assert "{" not in text


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command(capsys: Capture, command: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    out, err = capsys.readouterr()
    assert out.startswith(f"usage: wsd {command} ")
    assert err == ""


def test_version(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"wsd {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("", "COMMAND"),
        ("embedd", "'embedd'"),
        ("corpus", "--source, --word, --out"),
        ("corpus --source a --word b --out c d", "unrecognized arguments: d"),
        ("model --name n --blocks 6 --width 3 --out o", "--hub --package --path"),
        ("model --name n --hub h --path p --blocks 6 --width 3 --out o", "not allowed with"),
        ("model --name n --path p --blocks six --width 3 --out o", "'six'"),
        ("embed --model m --corpus c --words w --out o --views focus", "'focus'"),
        ("embed --model m --corpus c --words w --out o --pooling max", "'max'"),
        ("embed --model m --corpus c --words w --out o --device gpu", "'gpu'"),
        (f"classify {LEARN} --estimator svm", "'svm'"),
        (f"classify {LEARN} --estimator logistic --objective accuracy", "'accuracy'"),
        (f"classify {LEARN}", "--estimator"),
        (f"classify {LEARN} --estimator mixed_logistic", "'mixed_logistic'"),
        ("classify --corpus c --words --embeddings e", "--words: expected at least one"),
        ("folds --corpus c --words w --out o --k 0", "'0'"),
        ("folds --corpus c --words w --out o --repeats -1", "'-1'"),
        ("select --searches --table t --out o", "--searches: expected at least one"),
        ("select --table t --out o", "--searches"),
        ("classify-selected --corpus c --words w --embeddings e --out o", "--model, --selection"),
        (
            "classify --corpus c --words w --layers - --folds f --out o --estimator oracle",
            "'oracle'",
        ),
        ("training-sets --corpus c --words w --source s --out o", "--trains"),
        ("model --name n --path p --blocks 6 --width 3 --out o --random-weights x", "'x'"),
        ("project --corpus c --words w --embeddings e --out o", "--layers"),
        ("project --corpus c --words w --embeddings e --layers 1 --out o --method umap", "'umap'"),
        ("neighbours --corpus c --words w --embeddings e --out o", "--layers"),
        ("evaluate --dataset d --scores s --summary t --provenance p", "--predictions"),
        ("import x.tsv --out o", "--name"),
        ("import x.tsv --out o --name n --at-least 0", "'0'"),
        ("copy-corpus d --name n", "--out"),
        ("report --dataset semcor", "--corpus"),
        ("leaderboard", "summary"),
        ("leaderboard s --top few", "'few'"),
        ("plan --cores many", "'many'"),
    ],
)
def test_bad_arguments(capsys: Capture, arguments: str, says: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments.split())
    assert ended.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    usage, *errors = err.partition("wsd")[2].split(": error: ")
    assert len(errors) == 1
    assert errors[0].count("\n") == 1
    assert says in errors[0]
    assert "Traceback" not in usage


@pytest.mark.parametrize("text", ["[1]", "metric", '"x"', "null", "", "{'metric': 1}"])
def test_an_invalid_search_space(tmp_path: Path, capsys: Capture, text: str) -> None:
    corpus_table.write(
        tmp_path / "apple.parquet", text_format.read_text(QUICKSTART / "apple", "apple")
    )
    arguments = ["classify", "--corpus", str(tmp_path), "--words", "apple", "--embeddings", "e"]
    arguments += ["--layers", "1", "--estimator", "logistic", "--folds", "f", "--searches", "s"]
    assert main([*arguments, "--out", "o", "--space", text]) == 2
    assert f"error: {text!r} is not a JSON object\n  where: --space" in capsys.readouterr().err


@pytest.mark.parametrize("pair", ["vocab.txt", "vocab.txt=", "=abc"])
def test_a_checksum_without_a_file_name(capsys: Capture, pair: str) -> None:
    arguments = f"model --name n --path p --blocks 6 --width 3 --out o --sha256 {pair}"
    with pytest.raises(SystemExit) as ended:
        main(arguments.split())
    assert ended.value.code == 2
    assert "argument --sha256: " in (err := capsys.readouterr().err) and "FILE=SHA256" in err


# Errors

KINDS: dict[type[WsdError], int] = {
    WsdError: 1,
    ConfigError: 2,
    CorpusError: 3,
    DownloadError: 4,
    ModelError: 5,
    ResultError: 6,
    StorageError: 7,
}


def test_every_kind_of_error_has_its_own_exit_code() -> None:
    # A check that fails defines its own, with the exit code of a failure.
    defined = [kind for kind in WsdError.__subclasses__() if kind.__module__ == "wsd.errors"]
    kinds: list[type[WsdError]] = [WsdError, *defined]
    assert {kind: kind.exit_code for kind in kinds} == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_of_the_user(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture, kind: type[WsdError]
) -> None:
    arguments = failing(monkeypatch, kind("no such thing as 'x'", where="here:3", fix="do that"))
    log = tmp_path / "logs" / "command.log"
    assert main(["--log", str(log), *arguments]) == KINDS[kind]
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "error: no such thing as 'x'\n  where: here:3\n  what to do: do that\n"
    (line,) = map(json.loads, log.read_text().splitlines())
    assert f"{line['message']}\n" == err


def test_an_error_without_a_place_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    assert main(failing(monkeypatch, WsdError("something"))) == 1
    assert capsys.readouterr().err == "error: something\n"


def test_a_bug_in_the_program(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture
) -> None:
    arguments = failing(monkeypatch, ZeroDivisionError("a slip"))
    log = tmp_path / "command.log"
    assert main(["--log", str(log), *arguments]) == 70
    err = capsys.readouterr().err
    (line,) = map(json.loads, log.read_text().splitlines())
    assert err == f"{line['message']}\n{line['traceback']}\n"
    assert line["message"].startswith("a fault in the program; please report it")
    assert line["traceback"].startswith("Traceback (most recent call last)")
    assert line["traceback"].endswith("ZeroDivisionError: a slip")


def test_interrupted(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    assert main(failing(monkeypatch, KeyboardInterrupt())) == 130
    assert capsys.readouterr().err == "interrupted\n"


@pytest.mark.parametrize(
    ("command", "name", "own"),
    [
        ("alignment --model m --words w --embeddings e", "t.parquet", ".csv"),
        ("folds --corpus c --words w --k 2 --repeats 1", "f.CSV", ".parquet"),
    ],
)
def test_an_output_with_the_suffix_of_another_format_is_refused(
    command: str, name: str, own: str, capsys: Capture
) -> None:
    with pytest.raises(SystemExit):
        main([*command.split(), "--out", name])
    assert f"{name!r} needs the suffix {own}" in capsys.readouterr().err


def test_a_corpus_that_is_broken_leaves_no_output(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "source" / "apple"
    folder.mkdir(parents=True)
    for file in (QUICKSTART / "apple").iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    out = tmp_path / "out" / "apple.parquet"
    arguments = ["corpus", "--source", str(folder.parent), "--word", "apple"]
    arguments += ["--out", str(out.parent)]

    (folder / "test.gold.txt").write_text("0\n7\n")
    assert main(arguments) == 3
    err = capsys.readouterr().err
    assert err.startswith("error: 25 sentences but 2 gold classes\n  where: ")
    assert f"{folder / 'test.gold.txt'}:3\n" in err
    assert "Traceback" not in err
    assert list(tmp_path.glob("out/**/*")) == []

    (folder / "test.gold.txt").write_bytes((QUICKSTART / "apple/test.gold.txt").read_bytes())
    assert main(arguments) == 0
    made = sorted(path.name for path in out.parent.iterdir())
    assert made == [".sums", "apple.parquet", "words.json"]
    before = out.read_bytes()
    (folder / "train.data.txt").unlink()
    assert main(arguments) == 3
    assert out.read_bytes() == before
    assert capsys.readouterr().err.startswith("error: a corpus file is missing\n")


def test_an_output_that_cannot_be_written_is_one_error(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "file"
    file.write_text("in the way")
    arguments = ["corpus", "--source", str(QUICKSTART), "--word", "apple", "--out"]
    folder = tmp_path / "folder"
    (folder / "apple.parquet").mkdir(parents=True)
    for out in (file, file / "deep", folder):
        assert main([*arguments, str(out)]) == 7
        err = capsys.readouterr().err
        assert err.startswith(f"error: {out}") and " could not be written: " in err
        assert "what to do: " in err
        assert "Traceback" not in err
    assert sorted(path.name for path in tmp_path.rglob("*")) == [
        "apple.parquet", "file", "folder",
    ]  # fmt: skip


def test_a_missing_table_is_named(tmp_path: Path, capsys: Capture) -> None:
    arguments = ["project", "--corpus", str(tmp_path), "--words", "apple", "--embeddings", "e"]
    assert main([*arguments, "--layers", "1", "--out", str(tmp_path / "o")]) == 6
    err = capsys.readouterr().err
    assert f"where: {tmp_path / 'apple.parquet'}" in err
    assert "Traceback" not in err


# Every step from the corpus on


def test_from_the_corpus_to_the_leaderboard(
    tmp_path: Path, capsys: Capture, write_vectors: WriteVectors
) -> None:
    """Layer 0 has no information, layer 1 separates every sense."""
    words = ["bank", "spring"]
    for word in words:
        path = tmp_path / "corpus" / f"{word}.parquet"
        source = ["--source", str(QUICKSTART), "--word", word, "--out", str(path.parent)]
        assert main(["corpus", *source]) == 0
        table = corpus_table.read(path)
        vectors = np.ones((2, len(table), 3), dtype=np.float32)
        vectors[1] = np.eye(3)[table.gold]
        write_vectors(tmp_path / "embeddings" / word / "focal.safetensors", table, vectors)
    shared = ["--corpus", str(tmp_path / "corpus"), "--words", *words]
    shared += ["--embeddings", str(tmp_path / "embeddings")]

    files = [tmp_path / f"{layer}.parquet" for layer in (0, 1)]
    searches = [str(tmp_path / f"{layer}.search.parquet") for layer in (0, 1)]
    folds = str(tmp_path / "folds.parquet")
    assert main(["folds", *shared[:5], "--out", folds]) == 0
    for layer, file, search in zip(("0", "-1"), files, searches, strict=True):
        named = ["--name", "near"] if layer == "0" else []
        asked = ["--estimator", "nearest_centroid", "--space", '{"metric": "euclidean"}']
        arguments = ["classify", *shared, "--layers", layer, *asked, *named, "--folds", folds]
        assert main([*arguments, "--searches", search, "--out", str(file)]) == 0
    table, chosen = tmp_path / "selection.csv", tmp_path / "selection.json"
    select = ["select", "--searches", *searches, "--table", str(table), "--out", str(chosen)]
    assert main(select) == 0
    assert main(["project", *shared, "--layers", "1", "--out", str(tmp_path / "p.parquet")]) == 0

    tables = [tmp_path / name for name in ("scores.csv", "summary.csv", "provenance.json")]
    scores, summary, provenance = map(str, tables)
    arguments = ["evaluate", "--predictions", *map(str, files), "--dataset", "quickstart"]
    arguments += ["--scores", scores, "--summary", summary, "--provenance", provenance]
    assert main([*arguments, "--config", '{"seed": 3}', "--reproduce", "make it"]) == 0
    noted = json.loads(tables[2].read_text())
    assert (noted["config"], noted["command"]) == ({"seed": 3}, "make it")

    capsys.readouterr()
    assert main(["leaderboard", summary]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    # At layer 0 all distances are equal, so the first sense is predicted: 13 of 25 and 13 of 38.
    lines = [line.split() for line in out.splitlines()]
    right = ["toy", "focal", "1", "nearest_centroid", *["100.00"] * 5]
    assert lines[2] == lines[6] == right
    (second,) = (line for line in lines if "near" in line)
    f1 = (26 / 38 / 2 + 26 / 51 / 3) / 2
    accuracy, balanced, micro = (13 / 25 + 13 / 38) / 2, (1 / 2 + 1 / 3) / 2, 26 / 63
    figures = [f"{100 * figure:.2f}" for figure in (f1, balanced, accuracy, micro)]
    assert second[:4] + second[5:] == ["toy", "focal", "0", "near", *figures]
    assert main(["leaderboard", summary, "--top", "1"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(lines) - 1


# The plan


def plan(*configs: str | Path) -> int:
    return main(["plan", *map(str, configs), "--results", "none"])


def test_plan_lays_one_config_over_the_other(capsys: Capture, tmp_path: Path) -> None:
    shipped = REPOSITORY / "config"
    assert plan(shipped / "config.yaml") == 0
    assert "bert-base-uncased: 33,905 sentences of 20 words" in capsys.readouterr().out
    own = tmp_path / "own.yaml"
    own.write_text("words: [bank]\nlayers: [all]\n")
    assert plan(shipped / "config.yaml", shipped / "quickstart.yaml", own) == 0
    out = capsys.readouterr().out
    assert "all-MiniLM-L6-v2: 124 sentences of 1 words" in out and "14 combinations" in out
    own.write_text("# nothing\n")
    assert plan(shipped / "config.yaml", own) == 0


@pytest.mark.parametrize("text", [None, "words: [bank", "seed: -1", "words: [bank]\n\tlayers: []"])
def test_plan_refuses_a_wrong_config(capsys: Capture, tmp_path: Path, text: str | None) -> None:
    own = tmp_path / "own.yaml"
    if text is not None:
        own.write_text(text)
    assert plan(REPOSITORY / "config" / "config.yaml", own) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert ("config key seed" if text == "seed: -1" else str(own)) in err
    assert "Traceback" not in err


# As a separate program


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "wsd.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_the_program_ends_with_the_exit_code(tmp_path: Path) -> None:
    ended = run("leaderboard", str(tmp_path / "none.csv"))
    assert (ended.returncode, ended.stdout) == (6, "")
    assert ended.stderr.startswith("error: there is no summary yet\n")
    assert "Traceback" not in ended.stderr


def test_the_leaderboard_and_the_help_load_no_library(tmp_path: Path) -> None:
    """They print at once; importing torch takes seconds."""
    heavy = "{'numpy', 'pandas', 'pyarrow', 'scipy', 'sklearn', 'torch', 'transformers', 'bokeh'}"
    for arguments in ("['leaderboard', 'none.csv']", "['--help']"):
        code = (
            "import sys; from wsd.cli import main\n"
            f"try: main({arguments})\n"
            "except SystemExit: pass\n"
            f"sys.exit(str({heavy} & set(sys.modules)))"
        )
        ended = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False
        )
        assert ended.stderr.splitlines()[-1] == "set()"


def test_a_log_that_cannot_be_written_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    log = tmp_path / "file" / "x.log"
    assert main(["--log", str(log), "leaderboard", "summary.csv"]) == 1
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"- a list\n", b"\xff\xfe", b"a: ["])
def test_an_invalid_config(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    path = tmp_path / "config.yaml"
    path.write_bytes(content)
    assert main(["plan", str(path)]) == 2
    error = capsys.readouterr().err
    assert str(path) in error
    assert "Traceback" not in error


@pytest.mark.parametrize("arguments", [["plan", "--cores", "0"], ["leaderboard", "x", "--top=-1"]])
def test_counts_start_at_one(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert "invalid count value" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code"), [(["plan", "none.yaml"], 1), (["plan", "--help"], 0)]
)
def test_the_program_flushes_its_output(arguments: list[str], code: int) -> None:
    """The program ends without the interpreter's cleanup, so it must flush its buffers."""
    run = subprocess.run(
        [sys.executable, "-m", "wsd.cli", *arguments], capture_output=True, text=True, check=False
    )
    assert run.returncode != 70
    assert (run.returncode == 0) == (code == 0)
    assert (run.stdout if code == 0 else run.stderr).endswith("\n")


def test_a_reader_who_leaves_early_is_no_traceback() -> None:
    run = subprocess.run(
        f"{sys.executable} -m wsd.cli --help | head -1", shell=True, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert run.stdout.startswith("usage")
    assert "Traceback" not in run.stderr


# Streams, folder and memory of a process


def ended(
    *arguments: str, redirected: str = "", before: str = "", **how: Any
) -> subprocess.CompletedProcess[str]:
    """Return the output of a shell command, without Python's switches for streams."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    program = shlex.join([sys.executable, "-m", "wsd.cli", *arguments])
    call = ["bash", "-c", f"{before} {program} {redirected}"]
    how = {"stdout": subprocess.PIPE, "env": environment, **how}
    return subprocess.run(call, stderr=subprocess.PIPE, text=True, timeout=120, check=False, **how)


SAYS = [["--help"], ["check", "--help"], ["plan"], ["check", "results"]]


@pytest.fixture
def of_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Return a folder with a run, so that `wsd check` has output."""
    folder = tmp_path / "results/mine"
    write_text(folder / "store/summary.csv", "model\nm\n")
    about = {"config": {}, "command": "snakemake", "digests": {}}
    write_map(folder / "run.json", ["results/mine/store/summary.csv"], "results/mine", about)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("of_results")
@pytest.mark.parametrize("arguments", SAYS)
def test_a_reader_who_has_gone_ends_a_command_quietly(arguments: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        actual = ended(*arguments, stdout=write)
    finally:
        os.close(write)
    assert (actual.returncode, actual.stderr) == (141, "")


@pytest.mark.usefixtures("of_results")
@pytest.mark.parametrize("arguments", SAYS[2:])
def test_an_output_on_a_full_disk_is_one_error(arguments: list[str]) -> None:
    actual = ended(*arguments, redirected="> /dev/full")
    assert actual.returncode not in (0, 70)
    assert actual.stderr.count("error: ") == 1 and "No space left on device" in actual.stderr
    assert "Traceback" not in actual.stderr and "Exception" not in actual.stderr


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "no space"), FileNotFoundError(errno.ENOENT, "none", "x.csv")]
)
def test_an_error_of_the_system_is_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture, error: OSError
) -> None:
    log = tmp_path / "command.log"
    assert main(["--log", str(log), *failing(monkeypatch, error)]) == 1
    err = capsys.readouterr().err
    assert err == f"error: {error}\n"
    # The log has the traceback.
    traceback, last = map(json.loads, log.read_text().splitlines())
    assert traceback["level"] == "DEBUG" and "raise error" in traceback["traceback"]
    assert f"{last['message']}\n" == err
