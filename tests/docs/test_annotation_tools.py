"""The scripts of the page on annotation tools: from an export to a table, and back."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import small_results
from checkout import REPOSITORY
from doc_examples import FENCE, sections

from wsd.artifacts.dataset import MANIFEST
from wsd.cli import main

PAGE = REPOSITORY / "docs/how-to/annotation-tools.md"
FIELD = REPOSITORY / "tests/corpora/formats"
EXPORTS = REPOSITORY / "tests/docs/exports"
SCRIPTS = {
    (section, title): text
    for section, content in sections(PAGE).items()
    for _, title, text in FENCE.findall(content)
    if title.endswith(".py")
}
# By tool: an export, one with other fields and forms of labels, and the script that makes tasks.
TOOLS = {
    "Label Studio": ("labelstudio.json", "label-studio.json", "label-studio.py"),
    "Prodigy": ("prodigy.jsonl", "prodigy.jsonl", "prodigy.py"),
    "doccano": ("doccano.jsonl", "doccano.jsonl", "doccano.py"),
}


def script(section: str, title: str, source: Path, out: Path) -> Path:
    """Run a script of the page; return the file that it writes."""
    out.parent.mkdir(exist_ok=True)
    subprocess.run([sys.executable, "-c", SCRIPTS[section, title], source, out], check=True)
    return out


def imported(path: Path, *options: str) -> dict[str, dict[str, int]]:
    """Import a table; return the number of instances, by word and sense."""
    out = path.with_name("corpus")
    assert main(["import", str(path), "--out", str(out), "--name", "mine", *options]) == 0
    words = json.loads((out / MANIFEST).read_text())["words"]
    return {
        word: {sense: n["train"] + n["test"] for sense, n in facts["senses"].items()}
        for word, facts in words.items()
    }


@pytest.mark.parametrize("tool", TOOLS)
def test_an_export_is_refused_and_its_script_works(
    tool: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export = FIELD / TOOLS[tool][0]
    refused = ["import", str(export), "--out", str(tmp_path / "no"), "--name", "mine"]
    assert main(refused) == 3
    assert str(PAGE.relative_to(REPOSITORY)) in capsys.readouterr().err
    for path, number in ((export, 4), (EXPORTS / TOOLS[tool][1], 2)):
        table = script(tool, "convert.py", path, tmp_path / f"{number}/bank.jsonl")
        assert imported(table, "--word", "bank") == {
            "bank": {"bank_money": number, "bank_river": number}
        }


@pytest.mark.parametrize("tool", TOOLS)
def test_predictions_become_tasks_and_return(
    tool: str, small_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_results.copy(small_once / "results", tmp_path / "results")
    monkeypatch.chdir(tmp_path)
    command = re.search(r"`wsd (table --results results/quickstart [^`]+)`", PAGE.read_text())
    assert command and main(command[1].split()) == 0
    predictions = tmp_path / "predictions.jsonl"
    tasks = script("Correct predictions", TOOLS[tool][2], predictions, tmp_path / "tasks")
    frame = pd.read_json(predictions, lines=True)
    counts = {word: rows["predicted"].value_counts() for word, rows in frame.groupby("word")}
    expected = {word: n.to_dict() for word, n in counts.items() if len(n) > 1}
    table = script(tool, "convert.py", tasks, tmp_path / "table.jsonl")
    assert imported(table, "--at-least", "1") == expected
    assert expected


def test_annotators_vote(tmp_path: Path) -> None:
    rows = [
        {"text": text, "start": 2, "end": 6, "sense": sense, "year": "1990"}
        for text, senses in {"A bank won.": "aab", "A bank lost.": "ab", "A bank is.": "b"}.items()
        for sense in senses
    ]
    (tmp_path / "bank.jsonl").write_text("\n".join(map(json.dumps, rows)))
    voted = script("Several annotators", "vote.py", tmp_path / "bank.jsonl", tmp_path / "voted")
    assert [json.loads(line) for line in voted.read_text().splitlines()] == [
        {**rows[0], "votes": 2},
        {**rows[-1], "votes": 1},
    ]
