"""The inputs of the page on decoders are valid."""

import re
from typing import Any

import yaml
from checkout import REPOSITORY

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
