"""The command: help, exit codes, and errors with one message and no traceback."""

import argparse
import errno
import json
import os
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
from wsd.cli import main, parser
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


def refused(capsys: Capture, *arguments: str) -> str:
    """Return the only error line of a call with bad arguments."""
    with pytest.raises(SystemExit) as ended:
        main([*arguments])
    assert ended.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    _, *errors = err.partition("wsd")[2].split(": error: ")
    (error,) = errors
    assert error.count("\n") == 1
    return error


@pytest.mark.parametrize("command", sorted({*COMMANDS} - {"run", "quickstart"}))
def test_every_command_refuses_an_unknown_option(capsys: Capture, command: str) -> None:
    required = {
        action.option_strings[0] if action.option_strings else action.dest: action
        for action in parsed(command)._actions
        if action.required and action.nargs != 0
    }
    arguments = []
    for name, action in required.items():
        value = str(next(iter(action.choices))) if action.choices else "1"
        arguments += [name, value] if name.startswith("-") else [value]
    error = refused(capsys, command, *arguments, "--no-such-option", "x")
    assert "--no-such-option" in error or "one of the arguments" in error
    if required:
        assert any(name.lstrip("-") in refused(capsys, command).lower() for name in required)


def parsed(command: str) -> argparse.ArgumentParser:
    of_command = parser()[1][command]
    of_command.fill()
    return of_command


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("", "COMMAND"),
        ("embedd", "'embedd'"),
        ("model --name n --blocks 6 --width 3 --out o", "--hub --package --path"),
        ("model --name n --hub h --path p --blocks 6 --width 3 --out o", "not allowed with"),
        ("model --name n --path p --blocks six --width 3 --out o", "'six'"),
        ("model --name n --path p --blocks 6 --width 3 --out o --sha256 vocab.txt=", "--sha256"),
        ("model --name n --path p --blocks 6 --width 3 --out o --sha256 =abc", "--sha256"),
        ("embed --model m --corpus c --words w --out o --views focus", "'focus'"),
        ("embed --model m --corpus c --words w --out o --pooling max", "'max'"),
        ("embed --model m --corpus c --words w --out o --device gpu", "'gpu'"),
        (f"classify {LEARN} --estimator logistic --objective accuracy", "'accuracy'"),
        (f"classify {LEARN} --estimator mixed_logistic", "'mixed_logistic'"),
        ("classify --corpus c --words --embeddings e", "--words"),
        ("folds --corpus c --words w --out o --k 0", "'0'"),
        ("folds --corpus c --words w --out f.parquet.csv --k 2 --repeats 1", ".parquet"),
        ("alignment --model m --words w --embeddings e --out t.parquet", ".csv"),
        ("project --corpus c --words w --embeddings e --layers 1 --out o --method umap", "'umap'"),
        ("leaderboard s --top few", "'few'"),
        ("leaderboard s --top=-1", "'-1'"),
        ("plan --cores 0", "'0'"),
    ],
)
def test_bad_arguments(capsys: Capture, arguments: str, says: str) -> None:
    assert says in refused(capsys, *arguments.split())


def test_an_invalid_search_space(tmp_path: Path, capsys: Capture) -> None:
    corpus_table.write(
        tmp_path / "apple.parquet", text_format.read_text(QUICKSTART / "apple", "apple")
    )
    arguments = ["classify", "--corpus", str(tmp_path), "--words", "apple", "--embeddings", "e"]
    arguments += ["--layers", "1", "--estimator", "logistic", "--folds", "f", "--searches", "s"]
    for text in ("[1]", "metric", "null", "", "{'metric': 1}"):
        assert main([*arguments, "--out", "o", "--space", text]) == 2
        error = capsys.readouterr().err
        assert repr(text) in error and "where: --space" in error


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


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (WsdError("something"), 1, "error: something\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (OSError(errno.ENOSPC, "no space"), 1, "error: [Errno 28] no space\n"),
        (FileNotFoundError(2, "none", "x.csv"), 1, "error: [Errno 2] none: 'x.csv'\n"),
    ],
    ids=repr,
)
def test_other_errors_are_one_line(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: Capture,
    error: BaseException,
    code: int,
    says: str,
) -> None:
    log = tmp_path / "command.log"
    assert main(["--log", str(log), *failing(monkeypatch, error)]) == code
    assert capsys.readouterr().err == says
    # The log has the traceback of an error of the system.
    *details, last = map(json.loads, log.read_text().splitlines())
    assert f"{last['message']}\n" == says
    assert ["raise error" in line["traceback"] for line in details] == (
        [True] if isinstance(error, OSError) else []
    )


def test_a_bug_in_the_program(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture
) -> None:
    log = tmp_path / "command.log"
    assert main(["--log", str(log), *failing(monkeypatch, ZeroDivisionError("a slip"))]) == 70
    (line,) = map(json.loads, log.read_text().splitlines())
    assert capsys.readouterr().err == f"{line['message']}\n{line['traceback']}\n"
    assert "report" in line["message"]
    assert line["traceback"].endswith("ZeroDivisionError: a slip")


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
    assert f"{folder / 'test.gold.txt'}:3\n" in err and "Traceback" not in err
    assert list(tmp_path.glob("out/**/*")) == []

    (folder / "test.gold.txt").write_bytes((QUICKSTART / "apple/test.gold.txt").read_bytes())
    assert main(arguments) == 0
    made = sorted(path.name for path in out.parent.iterdir())
    assert made == [".sums", "apple.parquet", "words.json"]
    before = out.read_bytes()
    (folder / "train.data.txt").unlink()
    assert main(arguments) == 3
    assert out.read_bytes() == before
    assert "train.data.txt" in capsys.readouterr().err


def test_an_output_that_cannot_be_written_is_one_error(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "file"
    file.write_text("in the way")
    arguments = ["corpus", "--source", str(QUICKSTART), "--word", "apple", "--out"]
    folder = tmp_path / "folder"
    (folder / "apple.parquet").mkdir(parents=True)
    for out in (file, file / "deep", folder):
        assert main([*arguments, str(out)]) == 7
        err = capsys.readouterr().err
        assert err.startswith(f"error: {out}") and "Traceback" not in err
    assert sorted(path.name for path in tmp_path.rglob("*")) == [
        "apple.parquet", "file", "folder",
    ]  # fmt: skip


# Every step from the corpus on


def test_from_the_corpus_to_the_leaderboard(
    tmp_path: Path, capsys: Capture, write_vectors: WriteVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Layer 0 has no information, layer 1 separates every sense."""
    monkeypatch.chdir(tmp_path)
    for word in ("bank", "spring"):
        assert main(["corpus", "--source", str(QUICKSTART), "--word", word, "--out", "c"]) == 0
        table = corpus_table.read(Path(f"c/{word}.parquet"))
        vectors = np.stack([np.ones((len(table), 3)), np.eye(3)[table.gold]]).astype(np.float32)
        write_vectors(tmp_path / "embeddings" / word / "focal.safetensors", table, vectors)
    corpus = "--corpus c --words bank spring"
    near = "--embeddings embeddings --folds folds.parquet --estimator nearest_centroid"
    for command in (
        f"folds {corpus} --out folds.parquet",
        *(
            f"classify {corpus} {near} --layers {layer} --name {name} --searches s{layer}.parquet "
            f'--out p{layer}.parquet --space {{"metric":"euclidean"}}'
            for layer, name in ((0, "far"), (1, "near"))
        ),
        "select --searches s0.parquet s1.parquet --table selection.csv --out selection.json",
        "evaluate --predictions p0.parquet p1.parquet --dataset quickstart --scores scores.csv "
        '--summary summary.csv --provenance p.json --config {"seed":3} --reproduce make',
        "leaderboard summary.csv",
    ):
        capsys.readouterr()
        assert main(command.split()) == 0
    noted = json.loads(Path("p.json").read_text())
    assert (noted["config"], noted["command"]) == ({"seed": 3}, "make")
    # At layer 0 all distances are equal, so the first sense is predicted: 13 of 25 and 13 of 38.
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[2] == lines[6] == ["toy", "focal", "1", "near", *["100.00"] * 5]
    (second,) = (line for line in lines if "far" in line)
    f1 = (26 / 38 / 2 + 26 / 51 / 3) / 2
    accuracy, balanced, micro = (13 / 25 + 13 / 38) / 2, (1 / 2 + 1 / 3) / 2, 26 / 63
    figures = [f"{100 * figure:.2f}" for figure in (f1, balanced, accuracy, micro)]
    assert second[:4] + second[5:] == ["toy", "focal", "0", "far", *figures]
    assert main(["leaderboard", "summary.csv", "--top", "1"]) == 0
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


@pytest.mark.parametrize(
    "content",
    [None, b"words: [bank", b"seed: -1", b"words: [bank]\n\tlayers: []", b"- a list", b"\xff\xfe"],
)
def test_plan_refuses_a_wrong_config(
    capsys: Capture, tmp_path: Path, content: bytes | None
) -> None:
    own = tmp_path / "own.yaml"
    if content is not None:
        own.write_bytes(content)
    assert plan(REPOSITORY / "config" / "config.yaml", own) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert ("config key seed" if content == b"seed: -1" else str(own)) in err
    assert "Traceback" not in err


# As a separate program


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


# Streams, folder and memory of a process


def ended(arguments: list[str], **how: Any) -> subprocess.CompletedProcess[str]:
    """Return the output of a command, without Python's switches for streams."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    call = [sys.executable, "-m", "wsd.cli", *arguments]
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **how}
    return subprocess.run(call, env=environment, timeout=120, check=False, **how)


SAYS = [["--help"], ["plan"], ["check", "results"]]


@pytest.fixture
def of_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Return a folder with a run, so that `wsd check` has output."""
    folder = tmp_path / "results/mine"
    write_text(folder / "store/summary.csv", "model\nm\n")
    about = {"config": {}, "command": "snakemake", "digests": {}}
    write_map(folder / "run.json", ["results/mine/store/summary.csv"], "results/mine", about)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("of_results")
def test_the_program_flushes_its_output_and_ends_with_the_exit_code() -> None:
    """The program ends without the interpreter's cleanup, so it must flush its buffers."""
    shown, refused = ended(["plan", "--help"]), ended(["leaderboard", "none.csv"])
    assert (shown.returncode, refused.returncode) == (0, 6)
    assert shown.stdout.startswith("usage") and shown.stdout.endswith("\n")
    assert refused.stderr.startswith("error: ") and refused.stderr.endswith("\n")


@pytest.mark.usefixtures("of_results")
@pytest.mark.parametrize("arguments", SAYS)
def test_a_reader_who_has_gone_ends_a_command_quietly(arguments: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        actual = ended(arguments, stdout=write)
    finally:
        os.close(write)
    assert (actual.returncode, actual.stderr) == (141, "")


@pytest.mark.usefixtures("of_results")
@pytest.mark.parametrize("arguments", SAYS[1:])
def test_an_output_on_a_full_disk_is_one_error(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        actual = ended(arguments, stdout=full)
    assert actual.returncode not in (0, 70)
    assert actual.stderr.count("error: ") == 1 and "No space left on device" in actual.stderr
    assert "Traceback" not in actual.stderr and "Exception" not in actual.stderr
