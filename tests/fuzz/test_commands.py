"""Every argument of every command with hostile values: one error, or a result."""

import argparse
import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random

import huggingface_hub.constants
import pytest
from log_state import logs_as_before
from run import limited

from wsd import arguments as shared
from wsd import cli
from wsd.errors import visible

ESCAPE = "\x1b[31m"
NUMBERS = ["x", "-1", "0", "9" * 30, "1e3", "", "1.5", ESCAPE]
TEXTS = ["", "../x", ESCAPE, "{}", "[]", "NaN", '{"C": [0]}', "x" * 300, "\udcff", "*", "é", "a=b"]
PATHS = ["none", "folder", "empty", "text.txt", "tiny.json", "noise.parquet", "x" * 300,
         f"none/{ESCAPE}", "none/\udcff", "", "1.json"]  # fmt: skip

NUMERIC = (shared.count, shared.seed)


def hostile(action: argparse.Action) -> list[str]:
    """Return hostile values for an argument."""
    if action.choices is not None:
        return ["nonesuch", "", ESCAPE]
    return PATHS if action.type is Path else NUMBERS if action.type in NUMERIC else TEXTS


def usual(action: argparse.Action) -> str:
    """Return an argument with a value of its type."""
    kinds = {Path: "folder", **dict.fromkeys(NUMERIC, "1")}
    value = next(iter(action.choices)) if action.choices else kinds.get(action.type, "a")
    return given(action, str(value))


def given(action: argparse.Action, value: str) -> str:
    if action.nargs == 0:
        return action.option_strings[-1]
    # After an equals sign a value may begin with a hyphen.
    return f"{action.option_strings[-1]}={value}" if action.option_strings else value


def tries(name: str) -> Iterator[list[str]]:
    """Return a command with each argument in turn left out or given each hostile value."""
    command = cli.parser()[1][name]
    command.fill()
    each = [a for a in command._actions if not isinstance(a, argparse._HelpAction)]
    # One of several exclusive arguments is enough.
    groups = [group._group_actions[0] for group in command._mutually_exclusive_groups]
    needed = [*(a for a in each if a.required), *groups]
    yield [name]
    yield [name, *map(usual, needed), "--nonesuch", ESCAPE]
    for action in each:
        others = [usual(a) for a in needed if a is not action]
        yield [name, *others]
        values = [""] if action.nargs == 0 else hostile(action)
        yield from ([name, *others, given(action, value)] for value in values)


def outcome(argv: list[str], capsys: pytest.CaptureFixture[str]) -> int:
    """Return the exit code, and check that the output is one error or a result."""
    try:
        with limited(60), contextlib.chdir("."):
            code = cli.main(argv)
    except SystemExit as ended:
        code = int(ended.code or 0)
        assert code == 2, argv
    shown = capsys.readouterr()
    text = shown.err + shown.out
    assert visible(text, "\n") == text and "Traceback" not in text, (argv, text)
    errors = [line for line in shown.err.splitlines() if "error: " in line]
    assert len(errors) == (code != 0) and code < 8, (argv, shown.err)
    return code


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "folder").mkdir()
    files = {"empty": "", "text.txt": "no table\n", "1.json": "1\n", "tiny.json": '{"name": "x"}'}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "noise.parquet").write_bytes(Random(1).randbytes(500))
    monkeypatch.chdir(tmp_path)
    for corpus in ("COARSEWSD20", "NOAD", "DWUG_EN"):
        monkeypatch.setenv(f"WSD_{corpus}_ARCHIVE", "no-archive")  # nothing is fetched
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(os, "execv", lambda program, arguments: None)  # `wsd quickstart`
    with logs_as_before():
        yield tmp_path


@pytest.mark.slow
# `wsd run` has no arguments of its own.
@pytest.mark.parametrize("name", [name for name in cli.parser()[1] if name != "run"])
def test_every_argument_of_a_command(
    here: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    codes = [outcome(argv, capsys) for argv in tries(name)]
    assert len(codes) > 10 and 2 in codes
