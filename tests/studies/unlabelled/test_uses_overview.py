"""The pages of uses in the list of all reports."""

import re
from pathlib import Path

from wsd.report.overview import write_overview
from wsd.studies.unlabelled import uses_page


def test_uses_of_words_are_listed_by_run(tmp_path: Path) -> None:
    for tables in ("mine", "mine/runs/a"):
        page = tmp_path / tables / "uses/index.html"
        page.parent.mkdir(parents=True)
        page.write_text("")
    text = write_overview(tmp_path, [uses_page]).read_text()
    assert re.findall('<li><a href="([^"]*)">', text) == [
        "mine/uses/index.html",
        "mine/runs/a/uses/index.html",
    ]
    assert "There is no report yet." not in text
