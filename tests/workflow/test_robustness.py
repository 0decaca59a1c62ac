"""Every row of docs/reference/faults.md names a test that exists."""

import re

from checkout import REPOSITORY

TEST = re.compile(r"`((?:\w+/)?test_\w+\.py)::(test_\w+)`")
ROW = re.compile(rf"^\|.*\| {TEST.pattern}(?:, {TEST.pattern})* \|$", re.MULTILINE)


def test_every_row_names_a_test_that_exists() -> None:
    text = (REPOSITORY / "docs/reference/faults.md").read_text()
    table = text[text.index("| fault | outcome | test |") :].split("\n\n")[0]
    rows = ROW.findall(table)
    assert len(rows) == len(table.splitlines()) - 2, "a row without a test"
    assert len(rows) >= 35
    for file, name in TEST.findall(table):
        source = (REPOSITORY / "tests" / file).read_text()
        assert re.search(rf"^def {name}\(", source, re.MULTILINE), (file, name)
