"""Bad lines of imports are listed together, or left out and counted."""

import json
from pathlib import Path
from typing import Any

import pytest
from importing import import_corpus
from require import needs

from wsd.artifacts.dataset import MANIFEST, read_manifest
from wsd.cli import main
from wsd.errors import CorpusError, WsdError

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


def test_all_bad_lines_are_in_one_message(tmp_path: Path) -> None:
    path = put(
        tmp_path / "rows.tsv", [line for pair in zip(BAD, GOOD, strict=False) for line in pair]
    )
    with pytest.raises(CorpusError) as caught:
        imported(path)
    assert caught.value.problem.startswith("5 lines cannot be read: N columns, but the header has")
    assert caught.value.problem.endswith(", 2 more problems")
    assert caught.value.where == f"{path}:2, and 4 more"
    fix, *listed = str(caught.value.fix).split("\n")
    assert "give every line the columns of the first" in fix and fix.endswith("with --skip-bad")
    for number, (line, problem) in enumerate(zip(listed, BAD.values(), strict=True)):
        assert line.startswith(f"{path}:{2 * number + 2}") and problem in line
        assert f"    {line}" in str(caught.value).split("\n")
    assert [entry.name for entry in tmp_path.iterdir()] == ["rows.tsv"]


def test_bad_lines_are_left_out_and_counted(tmp_path: Path) -> None:
    text = imported(put(tmp_path / "rows.tsv", [*BAD, *GOOD, "cell\ta"]), skip_bad=True)
    left_out = read_manifest(tmp_path / "out" / MANIFEST).left_out
    assert sum(left_out.values()) == 6
    assert left_out["lines with a problem: N columns, but the header has N"] == 2
    assert left_out["lines with a problem: the focal word '...' is part of a word"] == 1
    assert "left out: 2 instances of lines with a problem: N columns" in text
    assert read_manifest(tmp_path / "out" / MANIFEST).sizes == {"cell": len(GOOD)}


def test_all_lines_are_bad(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="5 lines cannot be read") as caught:
        imported(put(tmp_path / "rows.tsv", list(BAD)), skip_bad=True)
    assert "--skip-bad" not in str(caught.value.fix)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("skip", [False, True])
def test_all_bad_lines_are_shown_if_there_are_many(
    tmp_path: Path, skip: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    path = put(tmp_path / "rows.tsv", [*GOOD, *["cell\ta\tno mark"] * 60])
    options = ["--skip-bad"] * skip
    command = ["import", str(path), "--out", str(tmp_path / "out"), "--name", "mine", *options]
    assert main(command) == (0 if skip else 3)
    error = capsys.readouterr().err
    assert error.count(": no word is marked") == 60 + (not skip)
    assert f"{path}:73, column sentence: no word is marked" in error


def test_sentences_with_several_senses_are_listed_together(tmp_path: Path) -> None:
    twice = [line.replace("\ta\t", "\tb\t") for line in GOOD[:2]]
    path = put(tmp_path / "rows.tsv", [*GOOD, *twice, "cell\tb"])
    with pytest.raises(CorpusError) as caught:
        imported(path)
    assert caught.value.problem.startswith("3 lines cannot be read: the sense '...', but the same")
    assert f"{path}:14: the sense 'b', but the same sentence has 'a' in {path}:2" in str(
        caught.value.fix
    )
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
    listed = str(caught.value.fix).split("\n")[1:]
    numbers = [
        int(line.removeprefix(f"{path}:").partition(":")[0].split(",")[0]) for line in listed
    ]
    assert numbers == [2, 3, 4, len(good) + 5] and listed[0].startswith(f"{path}:2: not CSV")
    assert listed[-1].endswith(f"(the quotes join the lines {len(good) + 5} to {len(good) + 6})")
    imported(path, skip_bad=True)
    assert read_manifest(tmp_path / "out" / MANIFEST).sizes == {"cell": len(GOOD)}
    path.write_text('word,"sense"x,sentence\n' + "\n".join(good))
    with pytest.raises(CorpusError, match="not CSV") as caught:
        import_corpus([path], out=tmp_path / "other", name="mine", skip_bad=True)
    assert caught.value.where == f"{path}:1"


@pytest.mark.parametrize("suffix", [".jsonl", ".json"])
def test_bad_objects(tmp_path: Path, suffix: str) -> None:
    objects = [
        dict(zip(("word", "sense", "sentence"), line.split("\t"), strict=True)) for line in GOOD
    ]
    lines = [json.dumps(entry) for entry in objects]
    lines[3:3] = ["[1]", '{"word": "cell", "sense": "a", "sentence": "no mark"}', '{"word": 1}']
    path = tmp_path / f"rows{suffix}"
    path.write_text("\n".join(lines) if suffix == ".jsonl" else "[" + ",\n".join(lines) + "]")
    with pytest.raises(CorpusError) as caught:
        imported(path)
    listed = str(caught.value.fix).split("\n")[1:]
    assert [line.removeprefix(str(path))[:2] for line in listed] == [":4", ":5", ":6"]
    imported(path, skip_bad=True)
    assert read_manifest(tmp_path / "out" / MANIFEST).sizes == {"cell": len(GOOD)}


def test_lines_without_a_split_are_bad_if_others_have_one(tmp_path: Path) -> None:
    path = tmp_path / "rows.tsv"
    splits = ["train", "train", "test"] * 4
    rows = [f"{line}\t{split}" for line, split in zip(GOOD, splits, strict=True)]
    more = ["cell\ta\tno *cell* here\t", "cell\ta\tno *cell* there\t"]
    path.write_text("\n".join(["word\tsense\tsentence\tsplit", *rows, *more, ""]))
    with pytest.raises(CorpusError, match="2 lines cannot be read: no split, but"):
        imported(path)
    imported(path, skip_bad=True)
    assert read_manifest(tmp_path / "out" / MANIFEST).sizes == {"cell": len(GOOD)}


def test_bad_instances_of_xml(tmp_path: Path) -> None:
    good = "".join(
        f'<sentence><wf>{n}{key}</wf><instance id="{n}{key}" lemma="cell" pos="NOUN">cell'
        "</instance></sentence>\n"
        for key in "ab"
        for n in NUMBERS
    )
    bad = (
        '<sentence><instance id="x" lemma="" pos="NOUN">cell</instance></sentence>\n'
        '<sentence><instance id="y" lemma="cell" pos="NOUN">cell</instance></sentence>\n'
        '<sentence><instance id="onea" lemma="cell" pos="NOUN">cell</instance></sentence>\n'
    )
    path = tmp_path / "mine.data.xml"
    path.write_text(f"<corpus>\n{good}{bad}</corpus>")
    keys = [f"{n}{key} {key}" for key in "ab" for n in NUMBERS]
    (tmp_path / "mine.gold.key.txt").write_text("\n".join([*keys, "x a", "z b"]))
    with pytest.raises(CorpusError) as caught:
        imported(path)
    listed = str(caught.value.fix).split("\n")[1:]
    assert [line.partition(": ")[2][:24] for line in listed] == [
        "an instance with id 'x',",
        "the instance 'y' has no ",
        "two instances have the i",
        "a key of 'z', but " + str(path)[:6],
    ]
    imported(path, skip_bad=True)
    dataset = read_manifest(tmp_path / "out" / MANIFEST)
    assert dataset.sizes == {"cell.n": len(GOOD)} and sum(dataset.left_out.values()) == 4


@needs("unlabelled")
def test_bad_lines_without_senses(tmp_path: Path) -> None:
    path = tmp_path / "uses.txt"
    path.write_text("a cell\nthe cell\na [[cell\nmy cell\na\tcell\n*cell* and *cell*\n")
    with pytest.raises(CorpusError, match="3 lines cannot be read"):
        imported(path, unlabelled=True, word="cell")
    text = imported(path, unlabelled=True, word="cell", skip_bad=True)
    assert "cell: 3 uses" in text and "left out: lines with a problem: a tab in a line" in text
    assert sum(read_manifest(tmp_path / "out" / MANIFEST).left_out.values()) == 3


@pytest.mark.parametrize("left_out", [{"x": -1}, {"x": "1"}, {"a\u202eb": 1}, [1]])
def test_a_manifest_with_other_counts_is_refused(tmp_path: Path, left_out: object) -> None:
    imported(put(tmp_path / "rows.tsv", GOOD))
    path = tmp_path / "out" / MANIFEST
    path.write_text(json.dumps({**json.loads(path.read_text()), "left_out": left_out}))
    with pytest.raises(WsdError, match="not the manifest"):
        read_manifest(path)
