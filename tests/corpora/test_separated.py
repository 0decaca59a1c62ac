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
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    ("name", "separator"), [("t.tsv", "\t"), ("t.csv", "\t"), ("t.csv", ";"), ("t.csv", ",")]
)
def test_what_pandas_writes_is_read(
    tmp_path: Path, name: str, separator: str, seed: int, quoting: int
) -> None:
    """Quotes, separators and line ends in cells, as pandas writes them."""
    random = Random(seed)
    parts = ["a", "bank", " ", '"', '""', ",", ";", "\u201c", "'", "\t", "\n"]
    rows = [["w", "s", "".join(random.choices(parts, k=6)).strip() or "x"] for _ in range(6)]
    rows.append(["w", "s", 'a "b" c'])  # some quote there is
    frame = pd.DataFrame(rows, columns=HEADER)
    frame.to_csv(tmp_path / name, sep=separator, index=False, quoting=quoting)
    assert cells_of(tmp_path / name) == rows


@pytest.mark.parametrize("name", ["t.tsv", "t.csv"])
@pytest.mark.parametrize("empty", ["  \n", "\t\t\n", " \t \t \n\n", "\u00a0\n"])
@pytest.mark.parametrize("text", ["x", 'a "b" c'])
def test_a_line_of_white_space_is_empty(tmp_path: Path, name: str, empty: str, text: str) -> None:
    file = put(tmp_path / name, f"word\tsense\tsentence\n{empty}w\ts\t{text}\n{empty}")
    if name == "t.tsv":
        assert cells_of(file) == [["w", "s", text]]
    else:
        put(file, file.read_text(encoding="utf-8").replace('"', "'"))
        assert cells_of(file) == [["w", "s", text.replace('"', "'")]]


@pytest.mark.parametrize("name", ["t.tsv", "t.csv", "t.txt"])
def test_quotes_are_kept_if_none_is_doubled(tmp_path: Path, name: str) -> None:
    rows = [
        ["w", "s", 'she said "no" to it'],
        ["w", "s", '"No," she said.'],
        ["w", "s", '"No," she said, "never"'],
        ["w", "s", '"Never."'],
        ["w", "s", '"'],
        ["w", "s", 'it is 5" wide'],
    ]
    text = "".join("\t".join(row) + "\r\n" for row in [HEADER, *rows])
    assert cells_of(put(tmp_path / name, text)) == rows


@pytest.mark.parametrize(
    ("sentences", "read"),
    [
        # Excel quotes cells with a comma, and no others.
        (['"a, b"', '"c, d"', "e"], ["a, b", "c, d", "e"]),
        # A single quote, a comma without quotes, and quotes without a comma are direct speech.
        (['"a, b"', "c"], ['"a, b"', "c"]),
        (['"a, b"', '"c, d"', "e, f"], ['"a, b"', '"c, d"', "e, f"]),
        (['"a, b"', '"c, d"', '"e"'], ['"a, b"', '"c, d"', '"e"']),
    ],
)
def test_quotes_around_cells_with_commas(
    tmp_path: Path, sentences: list[str], read: list[str]
) -> None:
    lines = [f"w\ts\t{sentence}" for sentence in sentences]
    path = put(tmp_path / "t.tsv", "\n".join(["\t".join(HEADER), *lines, ""]))
    assert [cells[2] for cells in cells_of(path)] == read


def test_a_tab_in_quotes(tmp_path: Path) -> None:
    path = put(tmp_path / "t.tsv", 'word\tsense\tsentence\nw\ts\t"a\tb"\nw\ts\tc\n')
    assert cells_of(path) == [["w", "s", "a\tb"], ["w", "s", "c"]]


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.txt"])
@pytest.mark.parametrize(
    ("header", "description"),
    [
        ("word;sense;sentence", "semicolon-separated, not quoted, UTF-8"),
        ("word\tsense\tsentence", "tab-separated, not quoted, UTF-8"),
        ("word,sense,sentence", "comma-separated, not quoted, UTF-8"),
        ('word;"sense";"sentence"', "semicolon-separated, quoted, UTF-8"),
        ('"word"\t"sense"\t"sentence"', "tab-separated, quoted, UTF-8"),
    ],
)
def test_the_separator_of_the_header_counts(
    tmp_path: Path, name: str, header: str, description: str
) -> None:
    separator = next(s for s in ";\t," if s in header)
    path = put(tmp_path / name, f"\r\n{header}\r\n{separator.join('abc')}\r\n")
    assert cells_of(path) == [["a", "b", "c"]]
    assert open_table(path)[0] == description


@pytest.mark.parametrize(("name", "separator"), [("t.csv", ";"), ("t.csv", ","), ("t.tsv", "\t")])
def test_the_first_line_may_tell_excel_the_separator(
    tmp_path: Path, name: str, separator: str
) -> None:
    lines = [f"sep={separator}", separator.join("ab"), separator.join("12"), ""]
    (line,) = read_table(put(tmp_path / name, "\r\n".join(lines)))
    assert line == (f"{tmp_path / name}:3", {"a": "1", "b": "2"})


def test_other_separators_in_a_header_with_tabs(tmp_path: Path) -> None:
    path = put(tmp_path / "t.tsv", "word\tsense, fine\tsentence;x\na\tb, c\td;e\n")
    ((_, cells),) = read_table(path)
    assert cells == {"word": "a", "sense, fine": "b, c", "sentence;x": "d;e"}


def test_a_name_in_quotes_may_have_another_separator(tmp_path: Path) -> None:
    path = put(tmp_path / "t.csv", 'a,"b; c"\n1,2\n')
    assert next(read_table(path))[1] == {"a": "1", "b; c": "2"}


def test_a_missing_column_is_named_where_the_columns_are(tmp_path: Path) -> None:
    path = put(tmp_path / "t.tsv", "\n\nword\tsense\nw\ts\n")
    with pytest.raises(CorpusError, match="no column 'gloss' among word, sense") as caught:
        list(read_table(path, ("word", "gloss")))
    assert caught.value.where == f"{path}:3"


def test_many_quotes_take_linear_time(tmp_path: Path) -> None:
    text = "word\tsense\tsentence\n" + 'w\ts\t"' + '""' * 200_000 + "\n"
    with pytest.raises(CorpusError):
        list(read_table(put(tmp_path / "t.tsv", text * 2 + 'w\ts\t"a ""b"""\n')))


def test_very_many_columns_are_refused_soon(tmp_path: Path) -> None:
    """Reading must not compare each column name with all others."""
    names = "\t".join(f"c{number}" for number in range(100_000))
    start = time.process_time()
    with pytest.raises(CorpusError, match="1 columns, but the header has 100000"):
        list(read_table(put(tmp_path / "t.tsv", f"{names}\nx\n"), needed=HEADER))
    assert time.process_time() - start < 5
