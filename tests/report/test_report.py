"""The report's folder: complete, replaced as a whole, and without text if asked."""

import json
import re
from importlib.resources import files as package_files
from pathlib import Path

import pytest
from read_pages import files_in
from report_builder import MODEL, Page, Run, build_report

from wsd.errors import ResultError
from wsd.report.tables import TABLES
from wsd.storage.file_names import file_name


def test_folders_hold_exactly_the_pages_of_this_run(run: Run, built: Path) -> None:
    own = {file.name for file in (package_files("wsd.report") / "assets").iterdir()}
    tables = set(TABLES) - {"model-layers"}
    assert set(files_in(built)) == (
        {f"report/{name}.html" for name in ("index", "layers")}
        | {f"report/assets/{name}" for name in ("bokeh.min.js", *own)}
        | {f"report/data/{folder}{name}.csv" for name in tables for folder in ("", ".sums/")}
        | {f"report/words/{file_name(word)}.html" for word in run.corpora}
    )


def test_failing_build_leaves_the_old_report(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "report").mkdir()
    (tmp_path / "report/index.html").write_text("old")
    before = files_in(tmp_path)

    def fail(*_: object) -> None:
        raise ResultError("no")

    monkeypatch.setattr("wsd.report.report.write_index", fail)
    with pytest.raises(ResultError):
        build_report(**run.arguments(tmp_path))
    assert files_in(tmp_path) == before
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.slow
def test_without_text_no_sentence_is_anywhere(run: Run, tmp_path: Path) -> None:
    build_report(**run.arguments(tmp_path) | {"text": False})
    tokens = {token for c in run.corpora.values() for sentence in c.tokens for token in sentence}
    words = {token for token in tokens if token[1:].isdigit()} | {"שלום"}
    assert len(words) > 40
    for path in (p for p in tmp_path.rglob("*") if p.suffix in (".html", ".csv")):
        source = path.read_text(encoding="utf-8").replace("\\n", " ")  # a line end in JSON
        if path.parent.name in ("words", MODEL):
            page = Page(path)
            data = page.packed()["data"]
            assert not {"left", "focal", "right"} & {*data} and data["text"] is False
            # Numbers are base64 and may contain any letters.
            apart = ("choices", "train", "index", "gold", "extra")
            rest = {key: value for key, value in data.items() if key not in apart}
            source = page.text + json.dumps(rest, ensure_ascii=False)
        assert not [word for word in words if re.search(rf"\b{word}\b", source)], path
