"""The examples of a page of the documentation: files, and the commands that read them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from wsd.cli import main

FENCE = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


def sections(page: Path) -> dict[str, str]:
    """Return the text of each format, by its heading."""
    parts = re.split(r"^##+ (.+)\n", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    texts = dict(zip(parts[1::2], parts[2::2], strict=True))
    return {name: text for name, text in texts.items() if "```" in text}


def follow(
    fences: list[tuple[str, str, str]], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> list[int]:
    """Write the files of a page and run its commands; return the exit codes."""
    monkeypatch.chdir(folder)
    codes = []
    for kind, title, content in fences:
        if title:
            path = folder / title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        else:
            assert kind == "console"
            for command in content.splitlines():
                program, *arguments = command.split()
                assert program in ("python", "wsd")
                script = [sys.executable, *arguments]
                codes.append(main(arguments) if program == "wsd" else subprocess.call(script))
    return codes
