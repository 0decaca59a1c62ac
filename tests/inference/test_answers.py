"""The output formats of the answers: what a cell may hold, and that no row is broken."""

import csv
import io
import json
from typing import Any

import pytest

from wsd.artifacts.senses import SenseText
from wsd.inference.answers import COLUMNS, Answer, Neighbour, write
from wsd.inference.sentences import Line

USED = {"model": "tiny", "view": "focal", "layers": "2", "classifier": "logistic"}
EXTRA = {"id": "=1+1", "line": "x"}


def line(text: str, number: int = 1) -> Line:
    return Line(number, text, extra=EXTRA)


def ok(text: str, form: str = "crane", number: int = 1, **changes: Any) -> Answer:
    return Answer(
        line(text, number), "ok", "crane", form, 2,
        **{"sense": "crane_bird", "sense_name": "bird", "probability": 0.25, "distance": 0.5,
           "scores": {"crane_bird": 0.125, "crane_machine": None, "crane_new": 0.5},
           "probabilities": {"crane_bird": 0.25, "crane_machine": 0.0, "crane_new": 0.75},
           "ood": False,
           "neighbours": (Neighbour(4, "crane_new", 0.5, "a crane"),
                          Neighbour(0, "crane_bird", 0.25, None)),
           "called": {"crane_bird": SenseText("bird", "it flies"),
                      "crane_machine": SenseText("machine", ""),
                      "crane_new": SenseText("n", "")}, **changes},
    )  # fmt: skip


NONE = Answer(line("-1 no", 2), "not found", "crane", message="no form of crane here")


def written(*answers: Answer, form: str, details: bool = False, used: Any = USED) -> str:
    return "".join(write(answers, form, used, details=details))


def test_csv_rows_are_whole_and_no_formulas() -> None:
    texts = ['=HYPERLINK("x") crane', '"quoted", apple', "the crane\r=1+1", "a \u2028 crane"]
    text = written(*map(ok, texts), NONE, form="csv")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert list(rows[0]) == [*COLUMNS, "id", "input_line"]
    assert [row["text"] for row in rows] == [f"'{texts[0]}", *texts[1:], "'-1 no"]
    first, *_, last = rows
    assert (first["line"], first["ood"], first["probability"]) == ("1", "false", "0.250000")
    assert first["scores"] == "crane_bird=0.125000; crane_new=0.500000"
    without = written(ok("a", probabilities={"crane_bird": None}), form="csv")
    assert next(csv.DictReader(io.StringIO(without)))["probabilities"] == ""
    assert (first["model"], first["id"], first["input_line"]) == ("tiny", "'=1+1", "x")
    assert (last["status"], last["sense"], last["ood"], last["start"]) == ("not found", "", "", "")
    assert written(form="csv").strip().split(",") == list(COLUMNS)


def test_json_lines_have_numbers_and_neighbours() -> None:
    text = written(ok("a \u2028 crane"), NONE, form="jsonl")
    assert text.isascii() and len(text.splitlines()) == 2
    first, second = map(json.loads, text.splitlines())
    assert first["text"] == "a \u2028 crane" and first["scores"]["crane_machine"] is None
    assert (first["sense"], first["sense_name"], first["start"]) == ("crane_bird", "bird", 2)
    neighbour = {"line": 4, "sense": "crane_new", "similarity": 0.5, "sentence": "a crane"}
    assert first["neighbours"][0] == neighbour and "called" not in first
    assert (second["line"], second["sense"], second["neighbours"]) == (2, None, [])
    assert {"id": "=1+1", "input_line": "x", **USED}.items() <= first.items()


def test_a_table_has_a_line_per_answer_and_moves_no_cursor() -> None:
    odd = ok("a \x1b[2J crane", form="\x9b31m", sense_name="bi\nrd", message="un\rcertain")
    text = written(odd, NONE, form="table")
    assert not {"\x1b", "\x9b", "\r"} & {*text}
    header, first, second = text.splitlines()
    assert header.split() == ["line", "form", "sense", "probability", "note"]
    assert first.split()[0] == "1" and "25.0%" in first
    assert second.split()[:4] == ["2", "-", "-", "-"] and "not found: no form" in second


@pytest.mark.parametrize(("classifier", "place"), [("logistic", "line 5"), ("gloss", "gloss 5")])
def test_details_show_every_sense_and_the_neighbours(classifier: str, place: str) -> None:
    used = {**USED, "classifier": classifier}
    text = written(ok("\x1b[2J crane"), NONE, form="table", details=True, used=used)
    lines = [row.split() for row in text.splitlines()]
    assert ["bird", "0.125000", "25.0%", "it", "flies"] in lines
    assert ["machine", "-", "0.0%"] in lines
    assert "crane (character 2): bird, 25.0%" in text and place in text and "\x1b" not in text
    assert "(the corpus is not at hand)" in text and "not found: no form of crane here" in text
    assert f"classifier {classifier}" in text.splitlines()[-1]
