"""Every argument of every command with hostile values: one error, or a result.

The commands and their arguments are those of the parser, so that a new one is tried by itself.
"""

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


def commands() -> dict[str, argparse.ArgumentParser]:
    result = cli.parser()[1]
    for command in result.values():
        command.fill()
    return result


def arguments(command: argparse.ArgumentParser) -> list[argparse.Action]:
    return [a for a in command._actions if not isinstance(a, argparse._HelpAction)]


def of_kind(action: argparse.Action) -> list[str]:
    """Hostile values for an argument."""
    if action.choices is not None:
        return ["nonesuch", "", ESCAPE]
    return PATHS if action.type is Path else NUMBERS if action.type in NUMERIC else TEXTS


def plain(action: argparse.Action) -> list[str]:
    """Return an argument with a value of its type."""
    if action.nargs == 0:
        return []
    if action.choices is not None:
        value = str(next(iter(action.choices)))
    else:
        value = "folder" if action.type is Path else "1" if action.type in NUMERIC else "a"
    return given(action, value)


def given(action: argparse.Action, value: str) -> list[str]:
    if not action.option_strings:
        return [value]
    # After an equals sign a value may begin with a hyphen.
    return [f"{action.option_strings[-1]}={value}"]


def tries(name: str, base: list[str] | None = None) -> Iterator[list[str]]:
    """Return a command with each argument in turn left out or given each hostile value."""
    command = commands()[name]
    needed = [a for a in arguments(command) if a.required]
    # Use one of several exclusive arguments.
    groups = [group._group_actions[:1] for group in command._mutually_exclusive_groups]
    usual = [part for a in [*needed, *(a for group in groups for a in group)] for part in plain(a)]
    yield [name]
    yield [name, *usual, "--nonesuch", ESCAPE]
    for action in arguments(command):
        without = [
            part
            for a in [*needed, *(a for group in groups for a in group)]
            if a is not action
            for part in plain(a)
        ]
        yield [name, *without]
        if action.nargs == 0:
            yield [name, *usual, action.option_strings[-1]]
            continue
        for value in of_kind(action):
            yield [name, *without, *given(action, value)]
            if base is not None and action.option_strings:
                # The last value counts.
                yield [name, *base, *given(action, value)]


def outcome(argv: list[str], capsys: pytest.CaptureFixture[str]) -> int:
    """Return the exit code, and check that the output is one error or a result."""
    try:
        with limited(60), contextlib.chdir("."):
            code = cli.main(argv)
    except SystemExit as ended:
        code = int(ended.code or 0)
        assert code == 2, argv
    shown = capsys.readouterr()
    assert code in range(8), (argv, code, shown.err[-1500:])
    for text in (shown.err, shown.out):
        assert visible(text, "\n") == text, (argv, text)
    assert "Traceback" not in shown.err, (argv, shown.err)
    errors = [line for line in shown.err.splitlines() if "error: " in line]
    assert len(errors) == (code != 0), (argv, shown.err)
    return code


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path
    (root / "folder").mkdir()
    (root / "empty").write_bytes(b"")
    (root / "text.txt").write_text("no table\n")
    (root / "1.json").write_text("1\n")
    (root / "tiny.json").write_text('{"name": "tiny"}\n')
    (root / "noise.parquet").write_bytes(Random(1).randbytes(500))
    return root


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(folder)
    for corpus in ("COARSEWSD20", "NOAD", "DWUG_EN"):
        monkeypatch.setenv(f"WSD_{corpus}_ARCHIVE", "no-archive")  # nothing is fetched
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(os, "execv", lambda program, arguments: None)  # `wsd quickstart`
    with logs_as_before():
        yield folder


@pytest.mark.slow
# `wsd run` has no arguments of its own.
@pytest.mark.parametrize("name", [name for name in commands() if name != "run"])
def test_every_argument_of_a_command(
    here: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    codes = [outcome(argv, capsys) for argv in tries(name)]
    assert len(codes) > 10 and 2 in codes


def test_an_unknown_command(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for argv in ([], ["nonesuch"], [ESCAPE], ["--log"], ["--log", "folder", "leaderboard", "none"]):
        assert outcome(argv, capsys) in (1, 2)
