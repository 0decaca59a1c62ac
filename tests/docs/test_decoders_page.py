"""The inputs of the page on decoders are valid, and its commands run."""

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from checkout import REPOSITORY, Checkout

from wsd.cli import main
from wsd.run.schema import ModelEntry

PAGE = (REPOSITORY / "docs/how-to/decoders.md").read_text(encoding="utf-8")


def test_the_configs_of_the_page() -> None:
    blocks = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]
    values = [ModelEntry(**entry).input_value for block in blocks for entry in block["models"]]
    prompt = 'In the sentence "{sentence}", the word "{word}" means'
    assert values == [
        "plain",
        "echo",
        {"template": prompt, "read": "last"},
        {"template": "{sentence}", "read": "word", "prefix": "none"},
        {"template": "{sentence}", "mark": ["<t>", "</t>"], "read": "word"},
    ]


@pytest.mark.slow
def test_the_config_of_the_page_runs(built: Callable[..., Path], tmp_path: Path) -> None:
    folder = built("gpt2")
    shape = json.loads((folder / "config.json").read_text())
    (_, block, _) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    (entry,) = yaml.safe_load(block)["models"]
    entry |= {"path": str(folder), "blocks": shape["n_layer"], "width": shape["n_embd"]}
    checkout = Checkout.create(tmp_path / "wsd")
    checkout.one_word("one")
    own = checkout.configure("own", models=[entry])
    checkout.run("--cores", "2", "--configfile", "config/one.yaml", own)
    page = (checkout.root / "results/quickstart/report/index.html").read_text()
    assert "No token comes before a text" in page


@pytest.mark.slow
def test_the_commands_of_the_page(
    built: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(built("gpt2"))
    text = PAGE.replace("/data/models/gpt2", folder).replace("\\\n", " ")
    read = []
    for line in re.findall(r"^wsd (inspect .*)$", text, re.MULTILINE):
        assert main([*shlex.split(line), "--json", "--device", "cpu"]) == 0
        (shown,) = json.loads(capsys.readouterr().out)["sentences"]
        (focal,) = shown["focal"]
        read.append((focal > len(shown["pieces"]) / 2, focal == len(shown["pieces"]) - 1))
    assert read == [(True, False), (True, True)]
