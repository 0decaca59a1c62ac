"""JSON files of one step for another: sorted, indented, checked when they are read."""

import json
from pathlib import Path
from typing import Any

from wsd.storage.atomic import write_text
from wsd.storage.result_files import reading_result


def write_json(path: Path, value: Any) -> None:
    """Write ``value`` as sorted, indented JSON, whole or not at all."""
    write_text(path, json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


def read_json(path: Path) -> Any:
    """Read a JSON file that an earlier step wrote."""
    with reading_result(path, "not valid JSON", (RecursionError, ValueError)):
        return json.loads(path.read_text(encoding="utf-8"))
