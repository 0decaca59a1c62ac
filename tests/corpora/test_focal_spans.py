"""Focal words of several tokens: from the user's file to a table, and found in new text."""

import json
from pathlib import Path
from typing import Any

import pytest
from focal_word_recall import found_in_test
from importing import import_corpus

from wsd.artifacts import corpus_table as tables
from wsd.artifacts.dataset import MANIFEST
from wsd.classification.text_features import documents
from wsd.corpora.importer import labelled_tables
from wsd.corpora.importer.labelled_tables import Options
from wsd.corpora.text_format import read_text
from wsd.errors import CorpusError
from wsd.inference.sentences import cut
from wsd.inference.sentences import labelled as as_library
from wsd.report.pages.report_data import sentence

FILLING = ("amber", "brass", "cedar", "dune", "ember", "fjord", "glade", "heath", "islet", "jade")


def lines(shape: str) -> list[dict[str, Any]]:
    """Write sentences of *hot dog* (some with one token) that mark the focal word in one format."""
    made = []
    for i, filling in enumerate(FILLING):
        focal = ("hot dog", "Hot Dogs", "hotdog")[i % 3]
        before, after = f"{filling} {filling}s in the", f"by {filling}ish men"
        text, several = f"{before} {focal} {after}", len(focal.split()) > 1
        own: dict[str, Any] = {"word": "hot_dog.n", "sense": "food" if i % 2 else "animal"}
        start = len(before) + 1
        if shape == "position":
            own |= {"sentence": text, "position": "4:6" if several else 4}
        elif shape == "tokens":
            own |= {"sentence": text.split(), "position": "4:6" if several else "4"}
        elif shape == "span":
            own |= {"sentence": text, "start": start, "end": start + len(focal)}
        else:
            left, right = ("[[", "]]") if shape == "brackets" else ("*", "*")
            own |= {"sentence": f"{before} {left}{focal.replace(' ', '  ')}{right} {after}"}
        made.append(own)
    return made


def imported(folder: Path, shape: str) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines(shape)))
    import_corpus([path], out=folder / shape, name="mine")
    return folder / shape


def data(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.glob("*/*.txt")}


def test_all_formats_of_a_span_give_the_same_folder(tmp_path: Path) -> None:
    expected = data(imported(tmp_path, "position"))
    actual = expected["hot=5fdog=2en/train.data.txt"].decode()
    assert "4:6\tamber ambers in the hot dog by amberish men\n" in actual
    assert "4\tcedar cedars in the hotdog by cedarish men\n" in actual
    for shape in ("tokens", "span", "brackets", "asterisks"):
        assert data(imported(tmp_path, shape)) == expected, shape
    # Import the folder again.
    out = tmp_path / "again"
    import_corpus([tmp_path / "position"], out=out, name="mine")
    assert data(out) == expected
    assert json.loads((out / MANIFEST).read_text())["left_out"] == {}


def test_the_table_pages_and_steps_have_the_whole_span(tmp_path: Path) -> None:
    read = read_text(imported(tmp_path, "span") / "hot=5fdog=2en", "hot_dog.n")
    tables.write(tmp_path / "t.parquet", read)
    corpus = tables.read(tmp_path / "t.parquet")
    assert corpus.tokens == read.tokens and corpus.digest == read.digest
    assert {*corpus.forms} <= {"hot dog", "hot dogs", "hotdog"} and "hot dog" in corpus.forms
    row = next(i for i in range(len(corpus)) if corpus.tokens[i][0] == "amber")
    assert sentence(corpus, row) == {
        "left": "amber ambers in the ",
        "focal": "hot dog",
        "right": " by amberish men",
    }
    assert documents(corpus)[row] == ("amber", "ambers", "in", "the", "by", "amberish", "men")
    X, _ = as_library(corpus)
    assert {text[slice(*span)].casefold() for text, span in X} == set(corpus.forms)
    # In running text the whole word is found, and cut out as in the table.
    actual = found_in_test(corpus)
    assert actual["sentences"] == actual["with_word"] > 0
    assert cut(*X[0]).tokens in corpus.tokens


SPANS: list[tuple[dict[str, Any], str]] = [
    ({"start": 2, "end": 2}, "the focal word is empty"),
    ({"start": 9, "end": 2}, "the end is before the start"),
    ({"start": 2, "end": 99}, "99 are not within the text, which has 16 characters"),
    ({"start": 2, "end": 10}, "'hot dog ' begins or ends with white space"),
    ({"start": 2, "end": 8}, "part of a word"),
    ({"position": "1:9"}, "1:9: the sentence has"),
    ({"position": "3:1"}, "is not after the start"),
    ({"position": "16:21"}, "position 16 (counted from 0) in a sentence"),
    ({"sentence": "a [[ ]] barked"}, "the focal word is empty"),
    ({"sentence": "a hot dog.", "start": 2, "end": 10}, "with punctuation: take 'hot dog' alone"),
    ({"span": "2-9-1"}, "the span '2-9-1' is not two numbers"),
    ({"span": "2-9,"}, "the span '2-9,' is not two numbers"),
    ({"span": "2-9,2-8"}, "part of a word"),
    ({"span": "2:9", "position": 1}, "incomplete, or given twice: position, span"),
]


@pytest.mark.parametrize(("cells", "says"), SPANS)
def test_invalid_spans_in_tables_are_refused(
    tmp_path: Path, cells: dict[str, Any], says: str
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"sense": "a", "sentence": "a hot dog barked", **cells}))
    columns = {"span": "span"} if "span" in cells else {}
    with pytest.raises(CorpusError) as caught:
        import_corpus([path], out=tmp_path / "out", name="mine", columns=columns)
    assert says in caught.value.problem and str(caught.value.where).startswith(f"{path}:1")


@pytest.mark.parametrize("span", ["2:9,13:21", "2-9,13-21", " 2 : 9 ; 13-21"])
def test_several_spans_in_a_cell_are_an_instance_each(tmp_path: Path, span: str) -> None:
    path = tmp_path / "rows.tsv"
    path.write_text(f"sense\tsentence\tid\tplace\nfood\ta hot dog by hot dogs\tx1\t{span}\n")
    rows = labelled_tables.read(path, Options({"span": "place"}, "hot_dog")).rows
    assert [row.tokens[row.position] for row in rows] == ["hot dog", "hot dogs"]
    assert [row.extra for row in rows] == [{"id": "x1"}] * 2
    options: dict[str, Any] = {"columns": {"span": "place"}, "one_span": True}
    with pytest.raises(CorpusError, match="2 spans in ") as caught:
        import_corpus([path], out=tmp_path / "out", name="mine", **options)
    assert caught.value.where == f"{path}:2, column place"
