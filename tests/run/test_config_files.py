"""Config files: ambiguous values are refused."""

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
    ("value", "says"),
    [
        *(
            (v, f"it is read as {yaml.safe_load(v)}")
            for v in ("010", "-010", "1:30", "0x1F", "0b11")
        ),
        *((v, f"it is read as {yaml.safe_load(v)}") for v in ("1_000", "1_0.5", "1:30.5", ".inf")),
        *((v, f"is read as {yaml.safe_load(v)}, and as text") for v in ("yes", "No", "ON", "off")),
        *((v, "is read as a date") for v in ("2020-01-01", "2020-01-01 10:00:00")),
        *((v, "is read as text, and as a number") for v in ("1e-4", "1.0e4", "08", "0o10")),
    ],
)
def test_ambiguous_values_are_refused(tmp_path: Path, value: str, says: str) -> None:
    for text in (f"a: 1\nb: {value}\n", f"a: 1\nb: [x, {value}]\n", f"a: 1\n{value} : x\n"):
        if ":" in value and text.endswith(" : x\n"):
            continue
        with pytest.raises(ConfigError) as error:
            load(tmp_path, text)
        assert error.value.problem.startswith(f"`{value}` ") and says in error.value.problem
        assert error.value.where == f"{tmp_path / 'my.yaml'}:2"
        assert "quotes" in str(error.value.fix)
    assert load(tmp_path, f"b: '{value}'\n") == load(tmp_path, f"b: !!str {value}\n")
    assert load(tmp_path, f"b: '{value}'\n") == {"b": value}


@pytest.mark.parametrize(
    "value",
    ["0", "10", "-3", "+3", "0.5", ".5", "1.", "1.0e-4", "true", "False", "null", "~", "", "crane",
     "1.2.3", "12e4abc", "y", "no-one", "0123456789" * 4, "1234567e89" * 4],
)  # fmt: skip
def test_unambiguous_values_are_read(tmp_path: Path, value: str) -> None:
    assert load(tmp_path, f"b: {value}\n") == {"b": yaml.safe_load(value)}


@pytest.mark.parametrize("number", [1e-5, 1e-4, 0.1, 1e16, -2.5e-300, 7, 2**40])
def test_numbers_that_python_writes_are_read(tmp_path: Path, number: float) -> None:
    assert load(tmp_path, yaml.safe_dump({"b": number})) == {"b": number}
    assert load(tmp_path, json.dumps({"b": number})) == {"b": number}


def test_duplicate_keys_in_json(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="has the key 'a' twice"):
        load(tmp_path, '{"a": 1, "a": 2}')
