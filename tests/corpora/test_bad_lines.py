"""Bad lines of imports are listed together, or left out and counted."""

from pathlib import Path
from typing import Any

import pytest
from importing import import_corpus

from wsd.artifacts.dataset import MANIFEST, read_manifest
from wsd.errors import CorpusError

NUMBERS = ("one", "two", "three", "four", "five", "six")
GOOD = [f"cell\t{sense}\t{n} *cell* of {n}{sense}" for sense in "ab" for n in NUMBERS]
BAD = {
    "cell\ta": "2 columns, but the header has 3",
    "cell\t\tthe *cell* was shut": "nothing for the sense",
    "cell\ta\tthe cell was shut": "no word is marked",
    "cell\tb\tthe *ce*ll was shut": "the focal word 'ce' is part of a word",
    "cell\tb\u202e\tthe *cell* was shut": "an invisible character in the sense",
}


def put(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(["word\tsense\tsentence", *lines, ""]), encoding="utf-8")
    return path


def imported(path: Path, **options: Any) -> str:
    return import_corpus([path], out=path.parent / "out", name="mine", **options)


def test_all_bad_lines_are_in_one_message_or_left_out_and_counted(tmp_path: Path) -> None:
    path = put(tmp_path / "rows.tsv", [*BAD, *GOOD, "cell\ta"])
    with pytest.raises(CorpusError, match="6 lines cannot be read") as caught:
        imported(path)
    assert caught.value.where == f"{path}:2, and 5 more"
    fix, *lines = str(caught.value.fix).split("\n")
    assert fix.endswith("with --skip-bad")
    for number, (line, problem) in enumerate(zip(lines, BAD.values(), strict=False), 2):
        assert line.startswith(f"{path}:{number}") and problem in line
    text = imported(path, skip_bad=True)
    assert "left out: 2 instances of lines with a problem: N columns" in text
    dataset = read_manifest(tmp_path / "out" / MANIFEST)
    assert dataset.sizes == {"cell": len(GOOD)} and sum(dataset.left_out.values()) == 6
    assert dataset.left_out["lines with a problem: the focal word '...' is part of a word"] == 1


def test_sentences_with_several_senses_are_listed_together(tmp_path: Path) -> None:
    twice = [line.replace("\ta\t", "\tb\t") for line in GOOD[:2]]
    path = put(tmp_path / "rows.tsv", [*GOOD, *twice, "cell\tb"])
    with pytest.raises(CorpusError) as caught:
        imported(path)
    assert caught.value.problem.startswith("3 lines cannot be read: the sense '...', but the same")
    problem = f"{path}:14: the sense 'b', but the same sentence has 'a' in {path}:2"
    assert problem in str(caught.value.fix)
    imported(path, skip_bad=True)
    dataset = read_manifest(tmp_path / "out" / MANIFEST)
    # Neither of the senses is kept.
    assert sum(dataset.left_out.values()) == 5 and dataset.sizes == {"cell": len(GOOD) - 2}


def test_bad_quotes(tmp_path: Path) -> None:
    """The line after bad quotes is read again; quotes that never end take the rest of the file."""
    path = tmp_path / "rows.csv"
    good = [line.replace("\t", ",") for line in GOOD]
    bad = ['cell,a,"the *cell*" x', "cell,,the *cell*", 'cell,"a"b,the *cell*']
    path.write_text("\n".join(["word,sense,sentence", *bad, *good, 'cell,a,"the *cell*', "", ""]))
    with pytest.raises(CorpusError) as caught:
        imported(path)
    shown = [line.removeprefix(f"{path}:") for line in str(caught.value.fix).split("\n")[1:]]
    starts = ("2: not CSV", "3, column sense", "4: not CSV", "17: not CSV")
    assert all(map(str.startswith, shown, starts)) and len(shown) == 4
    imported(path, skip_bad=True)
    assert read_manifest(tmp_path / "out" / MANIFEST).sizes == {"cell": len(GOOD)}
