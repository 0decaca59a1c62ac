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
    (first, second, _) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    for name, block in (("decoders", first), ("no-prefix", second)):
        own = block.replace("/data/models/gpt2", str(folder))
        own = own.replace("blocks: 12", f"blocks: {shape['n_layer']}")
        own = own.replace("width: 768", f"width: {shape['n_embd']}")
        checkout = Checkout.create(tmp_path / name)
        (checkout.root / f"{name}.yaml").write_text(own)
        config = ("--configfile", "config/quickstart.yaml", f"{name}.yaml")
        checkout.run("--cores", "2", *config, "--config", "words=[crane]", "layers=[all]")
        page = (checkout.root / "results/quickstart/report/index.html").read_text()
        assert ("No token comes before a text" in page) == (name == "no-prefix")


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
