"""The inputs of the page on decoders are valid, and its commands run."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from checkout import REPOSITORY, Checkout

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
def test_the_configs_run(built: Callable[..., Path], tmp_path: Path) -> None:
    folder = built("gpt2")
    shape = json.loads((folder / "config.json").read_text())
    own_model = {"path": str(folder), "blocks": shape["n_layer"], "width": shape["n_embd"]}
    entries = [entry | own_model for entry in [*models(CONFIG), *of_the_page()[:1]]]
    checkout = Checkout.create(tmp_path / "wsd")
    checkout.one_word("one")
    own = checkout.configure("own", models=entries)
    checkout.run("--cores", "2", "--configfile", "config/one.yaml", own)
    page = (checkout.root / "results/quickstart/report/index.html").read_text()
    assert page.count("No token comes before a text") == 1
    assert page.count("Every text begins with") == 3
