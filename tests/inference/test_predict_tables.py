"""`wsd predict` on tables: further columns go into the answers."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from log_state import logs_as_before
from tiny import tiny_bert

from wsd.cli import main

SENSES = "word\tsense\tgloss\nmouse.n\tanimal\tthe mouse ran\nmouse.n\tdevice\ta mouse of plastic\n"
TABLE = """id;text;line;lemma
u1;The mouse ran, and a mouse slept.;x;mouse
u2;"A [[mouse]] squeaked; it ran.";y;mouse
u3;No such word.;z;mouse
u4
u5;A mouse ran.;;
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    tiny_bert(tmp_path / "tiny")
    Path("senses.tsv").write_text(SENSES)
    with logs_as_before():
        yield tmp_path


def predict(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    capsys.readouterr()
    options = ["--senses", "senses.tsv", "--model", "path:tiny"]
    assert main(["predict", *options, *arguments]) == code
    return capsys.readouterr().out


def test_a_parquet_table(capsys: pytest.CaptureFixture[str]) -> None:
    texts = {"text": ["The mouse ran.", None], "lemma": "mouse", "id": ["u1", "u2"]}
    pd.DataFrame(texts).to_parquet("uses.parquet")
    text = predict(capsys, "--file", "uses.parquet", "--format", "jsonl", code=3)
    rows = [json.loads(line) for line in text.splitlines()]
    shown = [(row["line"], row["status"], row["start"], row["id"]) for row in rows]
    assert shown == [(1, "ok", 4, "u1"), (2, "unreadable", None, "u2")]


def test_further_columns_are_in_the_answers(capsys: pytest.CaptureFixture[str]) -> None:
    Path("uses.csv").write_text(TABLE)
    text = predict(capsys, "--file", "uses.csv", "--format", "csv", code=3)
    rows = list(csv.DictReader(io.StringIO(text)))
    # The name `line` is taken; two occurrences are two answers.
    shown = [(r["line"], r["status"], r["start"], r["id"], r["input_line"]) for r in rows]
    assert shown == [
        ("2", "ok", "4", "u1", "x"),
        ("2", "ok", "21", "u1", "x"),
        ("3", "ok", "4", "u2", "y"),
        ("4", "not found", "", "u3", "z"),
        ("5", "unreadable", "", "", ""),
        ("6", "unreadable", "", "u5", ""),
    ]
    assert "1 columns, but the header has 4" in rows[4]["message"]
    assert "nothing for the word" in rows[5]["message"]
    text = predict(capsys, "--file", "uses.csv", "--format", "jsonl", code=3)
    objects = [json.loads(line) for line in text.splitlines()]
    assert [(o["line"], o.get("id"), o.get("input_line")) for o in objects[:3]] == [
        (2, "u1", "x"), (2, "u1", "x"), (3, "u2", "y"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("kwic.tsv", "File\tLeft Context\tHit\tRight Context\na.txt\tThe\tmouse\tran .\n", []),
        ("span.tsv", "File\tcontext\tindexes_target_token\na.txt\tThe mouse ran .\t4:9\n", []),
        ("place.csv", "File,satz,start,end\na.txt,The mouse ran .,4,9\n", ["sentence=satz"]),
        ("token.csv", "File,sentence,position\na.txt,The mouse ran .,1\n", []),
        ("mark.csv", "File,sentence\na.txt,The *mouse* ran .\n", []),
    ],
)
def test_the_place_of_the_word_is_given_in_any_way_of_an_import(
    name: str, text: str, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path(name).write_text(text)
    arguments = ["--columns", *options] if options else []
    output = predict(capsys, "--file", name, "--format", "csv", "--word", "mouse", *arguments)
    (row,) = csv.DictReader(io.StringIO(output))
    assert (row["form"], row["File"]) == ("mouse", "a.txt")
    assert row["text"][int(row["start"]) :].startswith("mouse")
    assert float(row["distance"]) < 0.5


def test_other_encodings_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    Path("uses.csv").write_bytes("id,sentence\n\u00fc1,The mouse ran .\n".encode("cp1252"))
    arguments = ["--file", "uses.csv", "--format", "csv"]
    assert "\u00fc1" in predict(capsys, *arguments, "--encoding", "cp1252")
    assert main(["predict", "--senses", "senses.tsv", "--model", "path:tiny", *arguments]) != 0
    assert "--encoding" in capsys.readouterr().err
