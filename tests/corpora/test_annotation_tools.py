"""Exports of Label Studio, Prodigy and doccano: places, votes, what is left out and refused."""

import json
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from importing import import_corpus

from wsd.corpora.importer import annotation_tools
from wsd.corpora.importer.labelled_sentence import Gathered
from wsd.corpora.importer.table_cells import Options
from wsd.corpora.text_format import read_text
from wsd.errors import ConfigError, CorpusError

FIELD = Path(__file__).parent / "formats"
FILES = {"Label Studio": "labelstudio.json", "Prodigy": "prodigy.jsonl", "doccano": "doccano.jsonl"}
Label = tuple[int, int, str]
EMOJI = "\N{SLICE OF PIZZA}"


def label_studio(text: str, labels: list[Label], **data: Any) -> dict[str, Any]:
    """A task with one annotation, which repeats the labelled text."""
    results = [
        {
            "type": "labels", "to_name": "text", "from_name": "label", "id": "a",
            "value": {"start": start, "end": end, "text": text[start:end], "labels": [label]},
        }
        for start, end, label in labels
    ]  # fmt: skip
    annotations = [{"id": 1, "completed_by": 2, "was_cancelled": False, "result": results}]
    return {"id": 7, "data": {"text": text, **data}, "annotations": annotations, "predictions": []}


def prodigy(text: str, labels: list[Label], **meta: Any) -> dict[str, Any]:
    """A task of a recipe that labels spans."""
    spans = [{"start": s, "end": e, "label": label, "token_start": 0} for s, e, label in labels]
    more = {"_input_hash": 3, "tokens": [{"text": "a"}], "_view_id": "spans_manual"}
    return {"text": text, "spans": spans, "meta": meta, "answer": "accept", **more}


def doccano(text: str, labels: list[Label], **fields: Any) -> dict[str, Any]:
    return {"id": 7, "text": text, "label": [list(label) for label in labels], **fields}


MAKERS: dict[str, Callable[..., dict[str, Any]]] = {
    "Label Studio": label_studio,
    "Prodigy": prodigy,
    "doccano": doccano,
}
tools = pytest.mark.parametrize("tool", MAKERS)


def put(folder: Path, records: list[Mapping[str, Any]], suffix: str = ".jsonl") -> Path:
    path = folder / f"export{suffix}"
    lines = "\n".join(json.dumps(record, ensure_ascii=False) for record in records)
    path.write_text(json.dumps(records, indent=1) if suffix == ".json" else lines, encoding="utf-8")
    return path


def read(path: Path, word: str | None = None, **columns: str) -> Gathered:
    """Read a file, and raise an error about bad records."""
    options = Options(columns, word)
    gathered = annotation_tools.read(path, options)
    options.bad_lines.settle(path.parent / "out", len(gathered.rows), skip=False, file=None)
    return gathered


@tools
def test_the_tool_of_an_export_is_recognised(tmp_path: Path, tool: str) -> None:
    assert annotation_tools.tool_of(FIELD / FILES[tool]) == tool
    for suffix in (".json", ".jsonl"):
        path = put(tmp_path, [MAKERS[tool]("a bank", [(2, 6, "x")])], suffix)
        assert annotation_tools.tool_of(path) == tool
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert annotation_tools.tool_of(path) == tool
    # The first text may be long.
    long = MAKERS[tool]("word " * 2**16, [(0, 4, "x")])
    assert annotation_tools.tool_of(put(tmp_path, [long], ".json")) == tool


@pytest.mark.parametrize(
    "text",
    [
        '{"word": "bank", "sense": "x", "sentence": "a *bank*"}',
        '{"label": "x", "text": "a *bank*"}',
        '[{"word": "bank", "sense": "x", "sentence": "a bank", "start": 2, "end": 6}]',
        '{"label": ["x"], "text": "a *bank*"}',
        '{"word": "bank", "sense": "x", "sentence": "a *bank*", "labels": [], "answer": "a"}',
        "[1]", "[" * 10**5, "", "word,sense\n", '{"data": [1], "annotations": []}',
    ],
)  # fmt: skip
def test_other_files_are_no_export(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    assert annotation_tools.tool_of(path) == ""
    assert annotation_tools.tool_of(tmp_path) == annotation_tools.tool_of(tmp_path / "no") == ""


@tools
@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
@pytest.mark.parametrize("seed", range(3))
def test_round_trip(tmp_path: Path, tool: str, suffix: str, seed: int) -> None:
    random = Random(seed)
    expected, records = Counter[Any](), []
    for n in range(20):
        tokens = random.choices(["a", "é", "中文", "\N{SLICE OF PIZZA}x", "don't"], k=9)
        tokens.append(f"number{n}")
        labels = []
        for position in sorted(random.sample(range(9), random.randint(1, 2))):
            start = len(" ".join([*tokens[:position], ""]))
            sense = random.choice(["x", "y"])
            labels.append((start, start + len(tokens[position]), sense))
            expected[tokens[position], sense, position, tuple(tokens), "a.txt", str(n)] += 1
        records.append(MAKERS[tool](" ".join(tokens), labels, number=n, document="a.txt"))
    gathered = read(put(tmp_path, records, suffix))
    assert expected == Counter(
        (row.word, row.sense, row.position, row.tokens, row.document, row.extra["number"])
        for row in gathered.rows
    )
    assert not gathered.left_out and {row.where.rpartition(":")[0] for row in gathered.rows}


@tools
def test_word_split_and_document_are_fields_or_options(tmp_path: Path, tool: str) -> None:
    record = MAKERS[tool](
        "two Banks", [(4, 9, "x")],
        lemma="bank", set="train", article="d1",
        year=1990, share=0.5, none=None, tags=["a"], ok=True,
    )  # fmt: skip
    path = put(tmp_path, [record])
    (row,) = read(path, document="article").rows
    assert (row.word, row.split, row.document) == ("bank", "train", "d1")
    number = {} if tool == "Prodigy" else {"id": "7"}
    assert row.extra == {**number, "year": "1990", "share": "0.5"}
    assert [row.word for row in read(path, word="Bank").rows] == ["Bank"]
    (row,) = read(put(tmp_path, [MAKERS[tool]("two Banks", [(4, 9, "x")])])).rows
    assert (row.word, row.split, row.document) == ("banks", "", "")
    with pytest.raises(ConfigError, match="no column is needed for sense") as caught:
        read(path, sense="label")
    assert caught.value.where == "--columns"
    both = MAKERS[tool]("two Banks", [(4, 9, "x")], lemma="bank", target="bank")
    with pytest.raises(CorpusError, match="lemma and target could both be the word"):
        read(put(tmp_path, [both]))


@tools
def test_the_annotations_of_a_use_are_votes(tmp_path: Path, tool: str) -> None:
    def annotations(text: str, votes: str) -> list[dict[str, Any]]:
        records = [MAKERS[tool](text, [(2, 6, vote)]) for vote in votes]
        if tool != "Label Studio":
            return records
        records[0]["annotations"] = [a for record in records for a in record["annotations"]]
        return records[:1]

    records = [
        *annotations("A bank lent.", "yxx"),
        *annotations("A bank bent.", "xy"),
        *annotations("A bank went.", "z"),
    ]
    gathered = read(put(tmp_path, records))
    actual = [
        (r.tokens[2], r.sense, r.extra["agreeing"], r.extra["annotations"]) for r in gathered.rows
    ]
    assert actual == [("lent", "x", "2", "3"), ("went", "z", "1", "1")]
    assert gathered.left_out == {"uses on which the annotators disagree": 1}
    # Without a second annotation the two columns are not needed.
    (row,) = read(put(tmp_path, annotations("A bank.", "x"))).rows
    assert "agreeing" not in row.extra


@tools
def test_several_labels_of_one_annotator_are_all_right(tmp_path: Path, tool: str) -> None:
    labels = [*((2, 6, label) for label in "gfedcba"), (7, 11, "z")]
    first, second = read(put(tmp_path, [MAKERS[tool]("A bank lent.", labels)])).rows
    assert (first.keys, second.keys) == (tuple("abcdefg"), ("z",))


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    accepted = prodigy("A bank.", [(2, 6, "x")])
    answers = [{**accepted, "answer": answer} for answer in ("reject", "ignore", "reject")]
    gathered = read(put(tmp_path, [accepted, *answers, prodigy("No.", [])]))
    assert len(gathered.rows) == 1
    expected = {"rejected answers": 2, "ignored answers": 1, "texts without a span": 1}
    assert gathered.left_out == expected
    task = label_studio("A bank.", [(2, 6, "x")])
    (annotation,) = task["annotations"]
    task["annotations"].append({**annotation, "was_cancelled": True})
    relation = {"type": "relation", "from_id": "a", "to_id": "b"}
    choice = {"type": "choices", "value": {"choices": ["x"]}, "from_name": "c", "to_name": "text"}
    annotation["result"] += [relation, choice]
    gathered = read(put(tmp_path, [task, {**task, "annotations": []}]))
    assert len(gathered.rows) == 1
    expected = {"annotations that were skipped": 1, "tasks without an annotation": 1}
    assert gathered.left_out == expected
    gathered = read(put(tmp_path, [doccano("A bank.", [(2, 6, "x")]), doccano("No.", [])]))
    assert gathered.left_out == {"texts without a span": 1}
    nothing = put(tmp_path, [answers[0], answers[1]])
    with pytest.raises(CorpusError, match=r"no labelled span is left \(1 rejected answers; 1 ign"):
        read(nothing)


def test_further_shapes_of_an_export(tmp_path: Path) -> None:
    text = "A bank lent."
    entities = [{"id": 3, "label": "x", "start_offset": 2, "end_offset": 6}]
    objects = {"id": 1, "text": text, "entities": entities, "relations": [], "Comments": []}
    older = {"id": 1, "data": text, "labels": [[2, 6, "x"]], "metadata": {"year": 1}}
    options = {**prodigy(text, []), "options": [{"id": "x"}, {"id": "y"}], "accept": ["x"]}
    options["spans"] = [{"start": 2, "end": 6, "label": "FOCAL"}]
    task = label_studio(text, [(2, 6, "x")])
    # The field with the text has another name than the tag; another field is a text too.
    named = {**task, "data": {"source": "a.txt", "quote": text}}
    short = {**task, "data": {"text": text, "comment": "longer than the text"}}
    value = task["annotations"][0]["result"][0]["value"]
    html = {"start": "/p[1]", "end": "/p[1]", "globalOffsets": {"start": 2, "end": 6}}
    hyper = {
        "type": "hypertextlabels",
        "to_name": "text",
        "value": {**html, "hypertextlabels": ["x"]},
    }
    hypertext = {**task, "annotations": [{"result": [hyper]}]}
    for record in (objects, older, options, named, short, hypertext):
        (row,) = read(put(tmp_path, [record])).rows
        assert (row.word, row.sense, row.position) == ("bank", "x", 1), record
    assert value["text"] == "bank"


@pytest.mark.parametrize("tool", ["Label Studio", "doccano"])
def test_code_units_of_browsers_become_characters(tmp_path: Path, tool: str) -> None:
    text = f"{EMOJI}{EMOJI} A bank lent {EMOJI}."
    for start, end in ((5, 9), (7, 11)):
        record = MAKERS[tool](text, [(start, end, "x")])
        if tool == "Label Studio":
            record["annotations"][0]["result"][0]["value"]["text"] = "bank"
        (row,) = read(put(tmp_path, [record])).rows
        assert (row.tokens[row.position], row.position) == ("bank", 2)


def test_a_wrong_place_is_named_as_the_tool_counts(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="the focal word 'an' is part of a word"):
        read(put(tmp_path, [doccano(f"{EMOJI} A bank lent.", [(5, 7, "x")])]))


@tools
def test_punctuation_around_a_span_is_no_part_of_the_word(tmp_path: Path, tool: str) -> None:
    record = MAKERS[tool]("A  bank, lent.", [(2, 9, "x")])
    (row,) = read(put(tmp_path, [record])).rows
    assert (row.word, row.tokens[row.position]) == ("bank", "bank")
    (row,) = read(put(tmp_path, [record]), word="bank,").rows
    assert row.tokens[row.position] == "bank,"


BAD: dict[str, tuple[str, Any, str]] = {
    "end": ("end", 99, "are not within the text"),
    "reversed": ("end", 1, "2 to 1"),
    "negative": ("start", -1, "-1"),
    "text": ("start", "2", "'start' is missing, or it is not a whole number"),
    "bool": ("start", True, "a whole number"),
    "none": ("start", None, "a whole number"),
    "label": ("label", ["x"], "'label' is missing, or it is not a text"),
    "empty": ("label", " ", "the sense is empty"),
    "part": ("end", 5, "is part of a word"),
}


@pytest.mark.parametrize(("field", "value", "says"), BAD.values(), ids=BAD)
def test_a_span_that_is_refused(tmp_path: Path, field: str, value: Any, says: str) -> None:
    bad = prodigy("A bank lent.", [(2, 6, "x")])
    bad["spans"][0][field] = value
    path = put(tmp_path, [prodigy("A bank.", [(2, 6, "x")]), bad])
    with pytest.raises(CorpusError, match=says) as caught:
        read(path)
    assert caught.value.where == f"{path}:2"


def test_all_bad_records_are_named_or_left_out(tmp_path: Path) -> None:
    good = [prodigy(f"A {c} bank.", [(4, 8, "x")]) for c in "abcd"]
    good += [prodigy(f"A {c} bank.", [(4, 8, "y")]) for c in "efgh"]
    bad = [prodigy("A bank lent.", [(2, 6, "x"), (3, 6, "x")]), {"text": "a", "spans": [1]}]
    path, out = put(tmp_path, [*good, *bad]), tmp_path / "out"
    path.write_text(f"{path.read_text()}\n{{", encoding="utf-8")
    with pytest.raises(CorpusError, match="3 lines cannot be read") as caught:
        import_corpus([path], out=out, name="mine")
    assert all(f"{path}:{number}: " in str(caught.value.fix) for number in (9, 10, 11))
    lines = import_corpus([path], out=out, name="mine", skip_bad=True)
    assert "bank: x 3 + 1, y 3 + 1" in lines and lines.count("left out: 1 instances") == 3


def test_a_place_that_is_not_the_repeated_text_is_refused(tmp_path: Path) -> None:
    task = label_studio("A bank lent.", [(2, 6, "x")])
    task["annotations"][0]["result"][0]["value"]["text"] = "lent"
    with pytest.raises(CorpusError, match="the characters 2 to 6 are not 'lent'"):
        read(put(tmp_path, [task]))


BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"data": {"text": "a"}, "annotations": 1}, "'annotations' is missing, or it is not a list"),
    ({"data": {"text": "a"}, "annotations": [1]}, "not an object"),
    ({"data": {"text": "a"}, "annotations": [{"result": 1}]}, "'result' is missing"),
    ({"data": {"image": 1}, "annotations": [label_studio("", [(0, 1, "x")])["annotations"][0]]},
     "'text' is missing, or it is not a text"),
    ({"text": "a", "spans": [1], "answer": "accept"}, "not an object"),
    ({"text": 1, "spans": [{"start": 0, "end": 1, "label": "x"}]}, "'text' is missing"),
    ({"text": "a", "label": [[0, 1]]}, "'label' is missing, or it is not a text"),
]  # fmt: skip


@pytest.mark.parametrize(("record", "says"), BROKEN)
def test_a_record_that_is_refused(tmp_path: Path, record: dict[str, Any], says: str) -> None:
    path = put(tmp_path, [record])
    with pytest.raises(CorpusError, match=says) as caught:
        read(path)
    assert caught.value.where == f"{path}:1"
    assert caught.value.fix == annotation_tools.FIX


@tools
def test_the_exports_of_the_field_are_imported(
    tmp_path: Path, tool: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "wsd"):
        lines = import_corpus([FIELD / FILES[tool]], out=tmp_path / "out", name="mine")
    assert "bank: bank_money 3 + 1, bank_river 3 + 1" in lines
    extra = {"Prodigy": ""}.get(tool, "; extra columns: id")
    corpus = read_text(tmp_path / "out/bank", "bank")
    assert sorted(corpus.extra.get("id", ())) == ([] if tool == "Prodigy" else sorted("01234567"))
    assert f"{FILES[tool]}: an export of {tool}, 8 instances{extra}" in caplog.text
