"""Every test that a table of faults names is there."""

import ast
import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
ROW = re.compile(r"^\|(?: [^|]*\|){2} (tests/[\w/]+\.py::\w+) \|$")


def rows(path: Path) -> list[str]:
    lines = [line for line in path.read_text().splitlines() if line.startswith("|")]
    return lines[2:]


@pytest.mark.parametrize("table", ["faults-input.md"])
def test_every_row_names_a_test_that_exists(table: str) -> None:
    found = rows(REPOSITORY / "docs" / table)
    assert len(found) >= 20
    for line in found:
        named = ROW.match(line)
        assert named, f"no fault, outcome and test: {line}"
        file, _, test = named[1].partition("::")
        tree = ast.parse((REPOSITORY / file).read_text())
        names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert test in names, named[1]
