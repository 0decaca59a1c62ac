"""Separators and quotes of tables: the same cells for every program that writes them."""

import csv
import time
from pathlib import Path
from random import Random

import pandas as pd
import pytest

from wsd.corpora.importer.table_files import open_table, read_table
from wsd.errors import CorpusError

HEADER = ["word", "sense", "sentence"]


def cells_of(path: Path) -> list[list[str]]:
    lines = [cells for _, cells in read_table(path)]
    assert all(list(cells) == HEADER for cells in lines)
    return [list(cells.values()) for cells in lines]


def put(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    ("name", "separator"), [("t.tsv", "\t"), ("t.csv", "\t"), ("t.csv", ";"), ("t.csv", ",")]
)
def test_what_pandas_writes_is_read(
    tmp_path: Path, name: str, separator: str, seed: int, quoting: int
) -> None:
    random = Random(seed)
    parts = ["a", "bank", " ", '"', '""', ",", ";", "\u201c", "'", "\t", "\n"]
    rows = [["w", "s", "".join(random.choices(parts, k=6)).strip() or "x"] for _ in range(6)]
    rows.append(["w", "s", 'a "b" c'])  # some quote there is
    frame = pd.DataFrame(rows, columns=HEADER)
    frame.to_csv(tmp_path / name, sep=separator, index=False, quoting=quoting)
    assert cells_of(tmp_path / name) == rows


@pytest.mark.parametrize(
    ("name", "text", "place", "cells"),
    [
        ("t.csv", "sep=;\r\na;b\r\n1;2\r\n", 3, {"a": "1", "b": "2"}),
        ("t.tsv", "sep=\t\r\na\tb\r\n1\t2\r\n", 3, {"a": "1", "b": "2"}),
        ("t.csv", 'a,"b; c"\n1,2\n', 2, {"a": "1", "b; c": "2"}),
        ("t.tsv", "a\tb, c;d\n1\tx, y;z\n", 2, {"a": "1", "b, c;d": "x, y;z"}),
        ("t.tsv", "a\tb\n \t \t \n\n\u00a0\n1\t2\n\t\t\n", 5, {"a": "1", "b": "2"}),
        ("t.tsv", 'a\tb\n"1\t2"\t3\n', 2, {"a": "1\t2", "b": "3"}),
    ],
)
def test_headers_quotes_and_empty_lines(
    tmp_path: Path, name: str, text: str, place: int, cells: dict[str, str]
) -> None:
    path = put(tmp_path / name, text)
    assert list(read_table(path)) == [(f"{path}:{place}", cells)]
    with pytest.raises(CorpusError, match="no column 'gloss' among a, b") as caught:
        list(read_table(path, ("a", "gloss")))
    assert str(caught.value.where).startswith(f"{path}:")


def test_long_lines_take_linear_time(tmp_path: Path) -> None:
    quotes = "word\tsense\tsentence\n" + 'w\ts\t"' + '""' * 200_000 + "\n"
    names = "\t".join(f"c{number}" for number in range(100_000))
    for text in (quotes * 2 + 'w\ts\t"a ""b"""\n', f"{names}\nx\n"):
        start = time.process_time()
        with pytest.raises(CorpusError):
            list(read_table(put(tmp_path / "t.tsv", text), needed=HEADER))
        assert time.process_time() - start < 5


SPOKEN = ['she said "no"', '"No," she said.', '"No," he said, "never"', '"Never."', '"', '5" wide']


@pytest.mark.parametrize("name", ["t.tsv", "t.csv", "t.txt"])
@pytest.mark.parametrize(
    ("sentences", "read"),
    [
        # Excel quotes cells with a comma, and no others.
        (['"a, b"', '"c, d"', "e"], ["a, b", "c, d", "e"]),
        # A single quote, a comma without quotes, and quotes without a comma are direct speech.
        *((texts, texts) for texts in (['"a, b"', "c"], ['"a, b"', '"c, d"', "e, f"],
                                       ['"a, b"', '"c, d"', '"e"'], SPOKEN)),
    ],
)  # fmt: skip
def test_quotes_of_direct_speech_are_kept(
    tmp_path: Path, name: str, sentences: list[str], read: list[str]
) -> None:
    lines = ["\t".join(HEADER), *(f"w\ts\t{sentence}" for sentence in sentences), ""]
    assert [cells[2] for cells in cells_of(put(tmp_path / name, "\r\n".join(lines)))] == read


@pytest.mark.parametrize(
    ("name", "separator"), [("t.csv", "semicolon"), ("t.txt", "tab"), ("t.tsv", "comma")]
)
@pytest.mark.parametrize("quoted", ["quoted", "not quoted"])
def test_the_separator_of_the_header_counts(
    tmp_path: Path, name: str, separator: str, quoted: str
) -> None:
    between = {"semicolon": ";", "tab": "\t", "comma": ","}[separator]
    header = between.join(HEADER if quoted == "not quoted" else ['"word"', '"sense"', '"sentence"'])
    path = put(tmp_path / name, f"\r\n{header}\r\n{between.join('abc')}\r\n")
    assert cells_of(path) == [["a", "b", "c"]]
    assert open_table(path)[0] == f"{separator}-separated, {quoted}, UTF-8"
