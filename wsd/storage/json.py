"""Read and write the JSON files of steps: sorted, indented, with a checksum."""

import json
from pathlib import Path
from typing import Any

from wsd.storage.atomic import write_text
from wsd.storage.result_files import reading_result


def write_json(path: Path, value: Any) -> None:
    """Write ``value`` atomically as sorted, indented JSON."""
    write_text(path, json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


def read_json(path: Path) -> Any:
    """Read a JSON file that an earlier step wrote."""
    with reading_result(path, "not valid JSON", (RecursionError, ValueError)):
        return json.loads(path.read_text(encoding="utf-8"))
