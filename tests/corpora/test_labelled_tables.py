"""Places of focal words in a table: spans, words of several tokens, bytes and units of UTF-16."""

import json
from pathlib import Path
from typing import Any

import pytest
from importing import import_corpus

from wsd.artifacts import corpus_table
from wsd.classification.text_features import documents
from wsd.cli import main
from wsd.corpora.importer import labelled_tables
from wsd.corpora.importer.labelled_tables import Options
from wsd.corpora.text_format import read_text
from wsd.errors import CorpusError
from wsd.report.pages.report_data import sentence

SPANS: list[tuple[dict[str, Any], str]] = [
    ({"start": 2, "end": 2}, "the focal word is empty"),
    ({"start": 2, "end": 99}, "99 are not within the text, which has 16 characters"),
    ({"start": 2, "end": 10}, "'hot dog ' begins or ends with white space"),
    ({"start": 2, "end": 8}, "part of a word"),
    ({"position": "1:9"}, "1:9: the sentence has"),
    ({"position": "16:21"}, "position 16 (counted from 0) in a sentence"),
    ({"sentence": "a hot dog.", "start": 2, "end": 10}, "with punctuation: take 'hot dog' alone"),
    ({"span": "2-9-1"}, "the span '2-9-1' is not two numbers"),
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


@pytest.mark.parametrize("span", ["2:9,13:21", " 2 : 9 ; 13-21"])
def test_several_spans_in_a_cell_are_an_instance_each(tmp_path: Path, span: str) -> None:
    path = tmp_path / "rows.tsv"
    path.write_text(f"sense\tsentence\tid\tplace\nfood\ta hot dog by hot dogs\tx1\t{span}\n")
    rows = labelled_tables.read(path, Options({"span": "place"}, "hot_dog")).rows
    assert [row.tokens[row.position] for row in rows] == ["hot dog", "hot dogs"]
    assert [row.extra for row in rows] == [{"id": "x1"}] * 2


def test_a_word_of_several_tokens_stays_whole(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    own = {"word": "hot_dog.n", "sense": "food"}
    rows = [
        {**own, "sense": sense, "sentence": f"{letter * 5} [[Hot  Dogs]] {letter * 4}"}
        for sense, letter in zip(["food", "animal"] * 3, "abcdef", strict=True)
    ] + [{**own, "sentence": ["xx", "hotdog"], "position": "1"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_corpus([path], out=tmp_path / "out", name="mine")
    corpus_table.write(
        tmp_path / "t.parquet", read_text(tmp_path / "out/hot=5fdog=2en", "hot_dog.n")
    )
    corpus = corpus_table.read(tmp_path / "t.parquet")
    assert {*corpus.focal_tokens} == {"Hot Dogs", "hotdog"} and "hot dogs" in corpus.forms
    row = corpus.tokens.index(("aaaaa", "Hot Dogs", "aaaa"))
    assert sentence(corpus, row) == {"left": "aaaaa ", "focal": "Hot Dogs", "right": " aaaa"}
    assert documents(corpus)[row] == ("aaaaa", "aaaa")


SENTENCES = ("\U0001f3a3 na\u00efve crane drivers", "the crane flew", "two \u00e9clairs , crane")
ENCODINGS = {"bytes": ("utf-8", 1), "utf16": ("utf-16-le", 2)}


@pytest.mark.parametrize("offsets", ENCODINGS)
def test_offsets(tmp_path: Path, capsys: pytest.CaptureFixture[str], offsets: str) -> None:
    encoding, size = ENCODINGS[offsets]
    lines = ["word\tsense\tsentence\tstart\tend"]
    for i, text in enumerate(SENTENCES * 4):
        start, end = (len(text[: text.index("crane") + n].encode(encoding)) // size for n in (0, 5))
        lines.append(f"crane\t{'ab'[i % 2]}\t{text} {i}\t{start}\t{end}")
    table, out = tmp_path / "table.tsv", tmp_path / "out"
    table.write_text("\n".join(lines), encoding="utf-8")
    arguments = ["import", str(table), "--name", "x", "--out", str(out)]
    assert main(arguments) == CorpusError.exit_code
    assert f"add --offsets {offsets}" in capsys.readouterr().err and not out.exists()
    other = next(name for name in ENCODINGS if name != offsets)
    assert main([*arguments, "--offsets", other]) == CorpusError.exit_code and not out.exists()
    assert main([*arguments, "--offsets", offsets]) == 0
    assert read_text(out / "crane", "crane").focal_tokens == ["crane"] * 12
