"""The command: help, exit codes, and errors with one message and no traceback."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from checkout import REPOSITORY
from log_state import logs_as_before

from wsd.artifacts.dataset import DATA
from wsd.cli import main
from wsd.commands import COMMANDS, GROUPS
from wsd.errors import CorpusError, WsdError
from wsd.report import leaderboard

QUICKSTART = DATA / "quickstart-hard"

LEARN = "--corpus c --words w --embeddings e --layers 1 --folds f --searches s --out o"

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    with logs_as_before():
        yield


def printed(capsys: Capture, *arguments: str, code: int = 0) -> tuple[str, str]:
    """Return what a call prints that argparse ends."""
    with pytest.raises(SystemExit) as ended:
        main([*arguments])
    assert ended.value.code == code
    return capsys.readouterr()


def test_help_names_every_command(capsys: Capture) -> None:
    text, _ = printed(capsys, "--help")
    for group, commands in GROUPS.items():
        listed = text.partition(f"\n{group}:\n")[2].partition("\n\n")[0].splitlines()
        assert [line.split()[0] for line in listed] == list(commands)
    assert "{" not in text


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command(capsys: Capture, command: str) -> None:
    out, err = printed(capsys, command, "--help")
    assert out.startswith(f"usage: wsd {command} ") and err == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("", "COMMAND"),
        ("embedd", "'embedd'"),
        ("leaderboard s --no-such-option", "--no-such-option"),
        ("model --name n --blocks 6 --width 3 --out o", "--hub --package --path"),
        ("model --name n --hub h --path p --blocks 6 --width 3 --out o", "not allowed with"),
        ("model --name n --path p --blocks six --width 3 --out o", "'six'"),
        ("model --name n --path p --blocks 6 --width 3 --out o --sha256 =abc", "--sha256"),
        ("embed --model m --corpus c --words w --out o --views focus", "'focus'"),
        (f"classify {LEARN} --estimator mixed_logistic", "'mixed_logistic'"),
        ("classify --corpus c --words --embeddings e", "--words"),
        ("folds --corpus c --words w --out f.parquet.csv --k 2 --repeats 1", ".parquet"),
        ("leaderboard s --top=-1", "'-1'"),
        ("plan --cores 0", "'0'"),
    ],
)
def test_bad_arguments(capsys: Capture, arguments: str, says: str) -> None:
    out, err = printed(capsys, *arguments.split(), code=2)
    _, *errors = err.partition("wsd")[2].split(": error: ")
    (error,) = errors
    assert out == "" and says in error and error.count("\n") == 1


def test_every_kind_of_error_has_its_own_exit_code() -> None:
    # A check that fails defines its own, with the exit code of a failure.
    defined = [kind for kind in WsdError.__subclasses__() if kind.__module__ == "wsd.errors"]
    names = "Config Corpus Download Model Result Storage"
    assert {kind.__name__: kind.exit_code for kind in defined} == {
        f"{name}Error": code for code, name in enumerate(names.split(), 2)
    }


def failed(
    monkeypatch: pytest.MonkeyPatch, folder: Path, error: BaseException
) -> tuple[int, list[dict[str, str]]]:
    """Return the exit code and the log of a command that raises an error."""

    def command(args: object) -> None:
        raise error

    monkeypatch.setattr(leaderboard, "run", command)
    log = folder / "logs/command.log"
    code = main(["--log", str(log), "leaderboard", "summary.csv"])
    return code, [json.loads(line) for line in log.read_text().splitlines()]


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (CorpusError("x", where="a:3", fix="do"), 3, "error: x\n  where: a:3\n  what to do: do\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (FileNotFoundError(2, "none", "x.csv"), 1, "error: [Errno 2] none: 'x.csv'\n"),
    ],
    ids=repr,
)
def test_an_error_is_one_message(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: Capture,
    error: BaseException,
    code: int,
    says: str,
) -> None:
    actual, (*details, last) = failed(monkeypatch, tmp_path, error)
    assert actual == code and capsys.readouterr() == ("", says)
    assert f"{last['message']}\n" == says
    # The log has the traceback of an error of the system.
    assert ["raise error" in line["traceback"] for line in details] == (
        [True] if isinstance(error, OSError) else []
    )


def test_a_bug_in_the_program(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture
) -> None:
    code, (line,) = failed(monkeypatch, tmp_path, ZeroDivisionError("a slip"))
    assert code == 70 and "report" in line["message"]
    assert capsys.readouterr().err == f"{line['message']}\n{line['traceback']}\n"
    assert line["traceback"].endswith("ZeroDivisionError: a slip")


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


@pytest.mark.parametrize("content", [None, b"words: [bank", b"seed: -1", b"- a list", b"\xff\xfe"])
def test_plan_refuses_a_wrong_config(
    capsys: Capture, tmp_path: Path, content: bytes | None
) -> None:
    own = tmp_path / "own.yaml"
    if content is not None:
        own.write_bytes(content)
    configs = [str(REPOSITORY / "config/config.yaml"), str(own)]
    assert main(["plan", *configs, "--results", "none"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert ("config key seed" if content == b"seed: -1" else str(own)) in err
    assert "Traceback" not in err


def test_the_leaderboard_and_the_help_load_no_library(tmp_path: Path) -> None:
    """They print at once; importing torch takes seconds."""
    for arguments in (["leaderboard", "none.csv"], ["--help"]):
        call = [sys.executable, "-X", "importtime", "-m", "wsd.cli", *arguments]
        ran = subprocess.run(call, capture_output=True, text=True, cwd=tmp_path, check=False)
        imported = {line.rpartition("|")[2].strip() for line in ran.stderr.splitlines()}
        assert "wsd.errors" in imported and not imported & {"numpy", "pandas", "pyarrow", "torch"}


def test_a_log_that_cannot_be_written_is_one_line(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "file").write_text("")
    log = tmp_path / "file" / "x.log"
    assert main(["--log", str(log), "leaderboard", "summary.csv"]) == 1
    assert "Traceback" not in capsys.readouterr().err


def ended(arguments: list[str], **how: Any) -> subprocess.CompletedProcess[str]:
    """Return the output of a command, without Python's switches for streams."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    call = [sys.executable, "-m", "wsd.cli", *arguments]
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **how}
    return subprocess.run(call, env=environment, timeout=120, check=False, **how)


def test_the_program_flushes_its_output_and_ends_with_the_exit_code() -> None:
    """The program ends without the interpreter's cleanup, so it must flush its buffers."""
    shown, refused = ended(["plan", "--help"]), ended(["leaderboard", "none.csv"])
    assert (shown.returncode, refused.returncode) == (0, 6)
    assert shown.stdout.startswith("usage") and shown.stdout.endswith("\n")
    assert refused.stderr.startswith("error: ") and refused.stderr.endswith("\n")


@pytest.mark.parametrize("argument", ["--help", "plan"])
def test_a_reader_who_has_gone_ends_a_command_quietly(argument: str, tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write):
        actual = ended([argument], stdout=write, cwd=tmp_path)
    assert (actual.returncode, actual.stderr) == (141, "")


def test_an_output_on_a_full_disk_is_one_error(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        actual = ended(["plan"], stdout=full, cwd=tmp_path)
    assert actual.returncode not in (0, 70)
    assert actual.stderr.count("error: ") == 1 and "No space left on device" in actual.stderr
    assert "Traceback" not in actual.stderr and "Exception" not in actual.stderr
