"""Config files are read as YAML and as JSON."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from wsd.errors import ConfigError
from wsd.run.config_files import read_configs


def load(tmp_path: Path, text: str) -> Any:
    file = tmp_path / "my.yaml"
    file.write_text(text)
    return read_configs([file])


@pytest.mark.parametrize(
    "value",
    ["0", "10", "-3", "+3", "0.5", ".5", "1.", "1.0e-4", "true", "False", "null", "~", "", "crane",
     "1.2.3", "12e4abc", "y", "no-one", "0123456789" * 4, "1234567e89" * 4],
)  # fmt: skip
def test_plain_values_are_read(tmp_path: Path, value: str) -> None:
    assert load(tmp_path, f"b: {value}\n") == {"b": yaml.safe_load(value)}


@pytest.mark.parametrize("number", [1e-5, 1e-4, 0.1, 1e16, -2.5e-300, 7, 2**40])
def test_numbers_that_python_writes_are_read(tmp_path: Path, number: float) -> None:
    assert load(tmp_path, yaml.safe_dump({"b": number})) == {"b": number}
    assert load(tmp_path, json.dumps({"b": number})) == {"b": number}


def test_duplicate_keys_in_json(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="has the key 'a' twice"):
        load(tmp_path, '{"a": 1, "a": 2}')
