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


def test_plain_values_are_read(tmp_path: Path) -> None:
    values = ["10", "-3", "+3", ".5", "1.", "1.0e-4", "False", "~", "", "crane", "1.2.3", "12e4abc"]
    for value in (*values, "y", "no-one", "0123456789" * 4, "1234567e89" * 4):
        assert load(tmp_path, f"b: {value}\n") == {"b": yaml.safe_load(value)}


@pytest.mark.parametrize("write", [yaml.safe_dump, json.dumps])
def test_numbers_that_python_writes_are_read(tmp_path: Path, write: Any) -> None:
    numbers = [1e-5, 1e-4, 0.1, 1e16, -2.5e-300, 7, 2**40]
    assert load(tmp_path, write({"b": numbers})) == {"b": numbers}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("seed: 1\nwords: all\nseed: 2\n", "has the key 'seed' twice"),
        ("models:\n  - {name: a, path: b, name: c}\n", "has the key 'name' twice"),
        ('{"a": 1, "a": 2}', "has the key 'a' twice"),
        ("__use_yte__: true\nseed: ?1+1\n", "Snakemake runs code in the config"),
    ],
)
def test_a_file_with_lost_values_is_refused(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, text)
    assert says in caught.value.problem and caught.value.where == str(tmp_path / "my.yaml")
