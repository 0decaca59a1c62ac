"""Sentences with a focal word in the forms that users give: pairs, tables, files and streams."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from frames import bank

from wsd.corpora.find_word import Sentence
from wsd.corpora.importer.labelled_tables import Options, parse_columns
from wsd.errors import ConfigError, CorpusError, WsdError
from wsd.inference.sentences import (
    LONGEST,
    Line,
    as_corpus,
    cut,
    find,
    labelled,
    quickstart,
    read_instances,
    read_stream,
    read_table,
)


@pytest.mark.parametrize(
    ("sentence", "span", "word", "tokens", "position"),
    [
        ("a crane is flying", (2, 7), "", ("a", "crane", "is", "flying"), 1),
        ("Bank, he said", (0, 4), "", ("Bank", ",", "he", "said"), 0),
        ('the "crane\'s" arm', (5, 10), "", ("the", '"', "crane", "'s\"", "arm"), 2),
        ("in New  York now", (3, 12), "", ("in", "New York", "now"), 1),
        ("the U.S. won", (4, 8), "", ("the", "U.S.", "won"), 1),
        ("goin' home", (0, 5), "", ("goin'", "home"), 0),
        ("we use C++.", (7, 10), "", ("we", "use", "C++", "."), 2),
        ("ask Yahoo!!", (4, 10), "yahoo!", ("ask", "Yahoo!", "!"), 1),
        ("我去银行取钱", (2, 4), "", ("我去", "银行", "取钱"), 1),
    ],
)
def test_a_span_is_cut_out(
    sentence: str, span: Any, word: str, tokens: tuple[str, ...], position: int
) -> None:
    assert cut(sentence, span, word)[:2] == (position, tokens)
    table = as_corpus([cut(sentence, span, word)])
    assert (table.tokens, table.position.tolist()) == ((tokens,), [position])


@pytest.mark.parametrize(
    ("sentence", "span", "says"),
    [
        ("a crane", (-5, 7), "not within"),
        ("a crane", (3, 3), "empty"),
        ("in his cell.", (7, 12), "punctuation: take 'cell'"),
        ("a cafe\u0301", (2, 6), "part of a word"),
        ("a \ud800 crane", (4, 9), "half a character"),
    ],
)
def test_invalid_spans_are_refused(sentence: str, span: Any, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        cut(sentence, span)


def test_the_only_occurrence_or_the_marked_one_is_found() -> None:
    assert find("Two cranes.", "crane") == Sentence(1, ("Two", "cranes", "."), (2,))
    marked = Sentence(4, ("A", "crane", "by", "a", "crane", "."), (5,))
    assert find("A crane by a [[crane]].", "crane") == marked
    # Emphasis of another word is text.
    assert find("a *tall* crane", "crane") == Sentence(2, ("a", "*tall*", "crane"))


@pytest.mark.parametrize(
    ("text", "word", "says"),
    [
        ("a crane by a crane", "crane", "2 forms of 'crane'"),
        *(("a crane by a crane", word, "no form of") for word in ("bird", "", " ")),
        ("a [[crane by a crane", "crane", "not opened or not closed"),
        ("a crane [[1]]", "crane", "not a form of 'crane'"),
    ],
)
def test_a_word_that_cannot_be_found(text: str, word: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        find(text, word)


def test_instances_of_the_corpus_keep_their_tokens() -> None:
    corpus = quickstart("java")
    for split in ("train", "test"):
        X, y = labelled(corpus, split)
        kept = np.flatnonzero(corpus.split == split)
        expected = [Sentence(corpus.position[row], corpus.tokens[row]) for row in kept]
        assert read_instances(X) == expected
        assert y.tolist() == [corpus.senses[gold] for gold in corpus.gold[kept]]
    with pytest.raises(ConfigError, match="no split 'outofdomain'"):
        labelled(corpus, "outofdomain")
    with pytest.raises(ConfigError, match="apple, bank, bat, charge, crane, java, light"):
        quickstart("bass")


# Pairs and tables in memory

PAIRS = [(row.sentence, (row.start, row.end)) for row in bank().itertuples()]
EXPECTED = read_instances(PAIRS)


def test_every_kind_of_table_gives_what_pairs_give(tmp_path: Path) -> None:
    frame = bank()
    frame.to_parquet(tmp_path / "a.parquet")
    frame.to_csv(tmp_path / "a.csv", index=False)
    records = frame.to_dict("records")
    pairs = np.empty((4, 2), dtype=object)
    pairs[:] = [(text, "bank") for text, _ in PAIRS]
    for table in (
        frame,
        frame.set_index(pd.Index([7, 7, "x", None])),
        frame.convert_dtypes().astype({"start": float}),
        frame[["word", "sentence"]],
        iter(records),
        pairs,
        [(text, (float(start), float(end))) for text, (start, end) in PAIRS],
        tmp_path / "a.parquet",
        str(tmp_path / "a.csv"),
    ):
        assert read_instances(table) == EXPECTED
    tokens = [{"context": list(f.tokens), "position": np.int64(f.position)} for f in EXPECTED]
    assert [focus[:2] for focus in read_instances(tokens)] == [focus[:2] for focus in EXPECTED]
    left = {"Left": "The", "KWIC": "bank", "Right": "refused the loan."}
    assert read_instances([left, ("The bank refused the loan.", "bank")]) == EXPECTED[:1] * 2
    row = {"text": "ask Yahoo! now", "start": 4, "end": 10, "target": "yahoo!"}
    assert read_instances([row]) == [Sentence(1, ("ask", "Yahoo!", "now"))]


@pytest.mark.parametrize(
    ("X", "problem"),
    [
        *(([("a crane", "crane"), row], "instance 1")
          for row in ("a crane", ("a crane", 2), ("a crane",), 3.0, ("a crane", (2.5, 7)))),
        (bank().drop(columns="sentence"), "no column for the sentence among word, sense, start"),
        (bank()[["sentence", "sense", "end"]], "place is incomplete, or given twice: end"),
        (bank()[["sentence", "sense"]].assign(id=1), "no column for the focal word's place, or"),
        (bank(text="x"), "sentence and text could both be the sentence"),
        (bank().set_axis(["word", "a", "sentence", "start", "start"], axis=1), "called 'start'"),
        (bank(sentence=["a bank", None, "a bank", 3]).drop(columns=["start", "end"]),
         "nothing for the sentence"),
        (bank(start=[4, np.nan, 22, 23]), "the start nan is not a whole number"),
        (bank(start=[4, 99, 22, 23]), "instance 1: the characters 99 to 7"),
        ({"train": bank(), "test": bank()}, "instance 0 is not a sentence with a span: 'train'"),
        ([{"text": "a bank, a bank", "indexes_target_token": "2:6,10:14"}], "2 spans in"),
    ],
)  # fmt: skip
def test_a_wrong_table_is_one_error(X: Any, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem) as caught:
        read_instances(X)
    assert caught.value.fix and "--" not in caught.value.fix


def test_a_wrong_file_is_one_error(tmp_path: Path) -> None:
    bank().drop(columns="sentence").to_parquet(tmp_path / "a.parquet")
    with pytest.raises(CorpusError, match="no column for the sentence"):
        read_instances(tmp_path / "a.parquet")
    with pytest.raises(WsdError, match="missing"):
        read_instances(tmp_path / "none.parquet")


# Lines of a table or a stream for `wsd predict`

OPTIONS = Options(quiet=True)


def test_lines_of_a_table_have_the_number_of_the_file_and_further_columns(tmp_path: Path) -> None:
    path = tmp_path / "uses.csv"
    path.write_text("id;text;lemma\nu1;A mouse ran.;mouse\nu2\nu3;A mouse ran.;\nu4;Cats.;cat\n")
    lines = read_table(path, OPTIONS, "dog")
    assert [(line.number, line.word, line.extra.get("id")) for line in lines] == [
        (2, "mouse", "u1"), (3, None, ""), (4, None, "u3"), (5, "cat", "u4"),
    ]  # fmt: skip
    assert [line.wrong is None for line in lines] == [True, False, False, True]
    assert "nothing for the word" in str(lines[2].wrong)
    for text in ("satz,start,end\nThe mouse ran .,4,9\n", "satz,position\nThe mouse ran .,1\n"):
        path.write_text(text)
        (line,) = read_table(path, Options(parse_columns(["sentence=satz"]), quiet=True), "mouse")
        assert (line.text, line.span) == ("The mouse ran .", (4, 9))


def test_a_stream_has_a_line_per_line_of_text() -> None:
    raw = [b"\xef\xbb\xbfa crane", b"caf\xe9 crane", b"", b"crane " + b"x" * LONGEST]
    raw += ["a \u2028 crane\x00\r".encode(), b"end"]
    read = list(read_stream(io.BytesIO(b"\n".join(raw)), OPTIONS, "crane", as_json=False))
    assert [line.number for line in read] == [1, 2, 3, 4, 5, 6]
    first, latin, empty, long, odd, last = read
    assert first == Line(1, "a crane", "crane") and empty.text == "" and empty.wrong is None
    assert "0xe9" in str(latin.wrong) and "more than" in str(long.wrong)
    assert odd.text == "a \u2028 crane\x00" and last.text == "end"


@pytest.mark.parametrize(
    ("text", "word", "span", "wrong"),
    [
        ('{"text": "a crane", "word": "apple", "sense": "x"}', "apple", None, None),
        ('{"text": "a crane", "word": null}', "crane", None, None),
        ('{"text": "a crane", "start": 2.0, "end": 7}', "crane", (2, 7), None),
        ('{"text": "a crane", "start": null, "end": null}', "crane", None, None),
        ("", "crane", None, None),
        *((text, None, None, wrong) for text, wrong in (
            ("{", ""), ('["text"]', "not a JSON object"), ('{"text": 3}', "3"),
            ("[" * 100_000, ""), ('{"text": "a crane", "text": "an apple"}', "a key twice"),
            ('{"text": "a crane", "start": true, "end": 7}', "whole number"),
            ('{"text": "a crane", "start": 2}', "incomplete"))),
    ],
)  # fmt: skip
def test_lines_of_json(text: str, word: str | None, span: Any, wrong: str | None) -> None:
    (line,) = read_stream(io.BytesIO(f"{text}\n".encode()), OPTIONS, "crane", as_json=True)
    assert (line.word, line.span, line.wrong is None) == (word, span, wrong is None)
    assert wrong is None or wrong in str(line.wrong)
