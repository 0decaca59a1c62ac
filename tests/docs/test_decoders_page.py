"""The inputs of the page on decoders are valid, and its commands run."""

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from checkout import REPOSITORY

from wsd.cli import main
from wsd.run.schema import ModelEntry

CONFIG = (REPOSITORY / "config/decoder.yaml").read_text(encoding="utf-8")
PAGE = (REPOSITORY / "docs/how-to/decoders.md").read_text(encoding="utf-8")


def models(config: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = yaml.safe_load(config)["models"]
    return entries


def of_the_page() -> list[dict[str, Any]]:
    blocks = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    return [entry for block in blocks for entry in models(block)]


def test_the_configs_of_the_page() -> None:
    values = [ModelEntry(**entry).input_value for entry in [*models(CONFIG), *of_the_page()]]
    prompt = 'In the sentence "{sentence}", the word "{word}" means'
    assert values == [
        "plain",
        "echo",
        {"template": prompt, "read": "last"},
        {"template": "{sentence}", "read": "word", "prefix": "none"},
        {"template": "{sentence}", "mark": ["<t>", "</t>"], "read": "word"},
    ]


@pytest.mark.slow
def test_the_commands_of_the_page(
    built: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(built("gpt2"))
    text = PAGE.replace("weights/decoder", folder).replace("\\\n", " ")
    read = []
    for line in re.findall(r"^wsd (inspect .*)$", text, re.MULTILINE):
        assert main([*shlex.split(line), "--json", "--device", "cpu"]) == 0
        (shown,) = json.loads(capsys.readouterr().out)["sentences"]
        (focal,) = shown["focal"]
        read.append((focal > len(shown["pieces"]) / 2, focal == len(shown["pieces"]) - 1))
    assert read == [(True, False), (True, True)]
