"""Tables of every program and kind give the same cells: CSV, Parquet, Arrow, saved datasets."""

import csv
import shutil
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from frames import bank, save_dict, save_to_disk
from importing import import_corpus
from require import missing

from wsd.cli import main
from wsd.corpora.importer.table_files import read_table
from wsd.corpora.text_format import read_text
from wsd.errors import ConfigError, CorpusError

HEADER = ["word", "sense", "sentence"]


def cells_of(path: Path) -> list[list[str]]:
    lines = [cells for _, cells in read_table(path)]
    assert all(list(cells) == HEADER for cells in lines)
    return [list(cells.values()) for cells in lines]


def put(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@pytest.mark.parametrize(
    ("name", "separator"), [("t.tsv", "\t"), ("t.txt", "\t"), ("t.csv", ";"), ("t.csv", ",")]
)
def test_what_pandas_writes_is_read(
    tmp_path: Path, name: str, separator: str, quoting: int
) -> None:
    random = Random(f"{name}{quoting}")
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


LABELS = ["bank_river", "bank_money"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def imported(*files: Path, **more: Any) -> dict[str, Any]:
    """Import files, and return the senses, splits and extra columns by sentence."""
    shutil.rmtree("out", ignore_errors=True)
    import_corpus(files, out=Path("out"), name="bank", **more)
    corpus = read_text(Path("out/bank"), "bank")
    texts = [" ".join(tokens) for tokens in corpus.tokens]
    senses = [corpus.senses[gold] for gold in corpus.gold]
    columns = {"sense": senses, "split": corpus.split.tolist(), **corpus.extra}
    return {name: dict(zip(texts, cells, strict=True)) for name, cells in columns.items()}


def test_values_of_every_type_become_text(tmp_path: Path) -> None:
    frame = bank(
        day=[date(2020, 1, 2), None] * 2,
        share=[0.5, np.nan] * 2,
        tags=[["a", "b"], None] * 2,
        seen=[True, False] * 2,
    )
    # An index that is no range becomes a column of the file.
    frame.index = pd.Index([3, 3, 1, 1])
    frame.to_parquet(tmp_path / "a.parquet")
    result = imported(tmp_path / "a.parquet")
    cells = [texts["The bank refused the loan ."] for texts in result.values()]
    assert cells[2:] == ["2020-01-02", "0.5", '["a", "b"]', "true"]
    second = "My bank closes at noon ."
    assert result["day"][second] == result["share"][second] == ""


def test_the_names_of_classes_are_the_senses(tmp_path: Path) -> None:
    features = {"sense": {"names": LABELS, "_type": "ClassLabel"}, "word": {"_type": "Value"}}
    folder = save_to_disk(tmp_path / "saved", bank(sense=[1, 1, 0, 0]), features)
    assert sorted(imported(folder)["sense"].values()) == sorted(LABELS * 2)
    save_to_disk(tmp_path / "more", bank(sense=[1, 1, 0, 2]), features)
    with pytest.raises(CorpusError, match="class 2"):
        imported(tmp_path / "more")


def test_the_splits_of_a_saved_dataset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train = bank()
    test = bank(sentence=[f"Here, {text[0].lower()}{text[1:]}" for text in train["sentence"]])
    test[["start", "end"]] += len("Here, ")
    folder = save_dict(tmp_path / "saved", train=train, validation=bank(), test=test.head(1))
    result = imported(folder)
    assert sorted(result["split"].values()) == ["test", *["train"] * 4]
    assert main(["import", str(folder), "--out", "said", "--name", "bank"]) == 0
    assert f"left out: validation (`--test {folder}/validation`)" in capsys.readouterr().err
    # One split of it is divided.
    assert set(imported(folder / "train")["split"].values()) == {"train", "test"}
    (folder / "dataset_dict.json").write_text('{"splits": ["../x"]}')
    with pytest.raises(CorpusError, match="not a saved dataset"):
        imported(folder)


def test_a_file_of_any_kind_gives_what_a_csv_gives(tmp_path: Path) -> None:
    frame = bank(year=[1990, 1991, 1992, 1993])
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet")
    table = pa.Table.from_pandas(frame)
    for name, kind in (("stream", pa.ipc.new_stream), ("file", pa.ipc.new_file)):
        with kind(str(tmp_path / f"{name}.arrow"), table.schema) as writer:
            writer.write_table(table)
    expected = imported(tmp_path / "a.csv")
    for name in ("a.parquet", "stream.arrow", "file.arrow"):
        assert imported(tmp_path / name) == expected


@pytest.mark.slow
def test_what_the_library_datasets_saves(tmp_path: Path) -> None:
    if find_spec("datasets") is None:
        missing("datasets", "the library datasets is not installed")
    import datasets

    dataset = datasets.Dataset.from_pandas(bank()).class_encode_column("sense")
    dataset.shuffle(seed=1).save_to_disk(tmp_path / "saved", num_shards=2)
    bank().to_csv(tmp_path / "a.csv", index=False)
    assert imported(tmp_path / "saved")["sense"] == imported(tmp_path / "a.csv")["sense"]


def test_a_damaged_parquet_file_is_one_error(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    bank().to_parquet(path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(CorpusError, match=r"not a whole \.parquet file"):
        imported(path)
    bank().assign(start=[4.0, 3.5, 22.0, 23.0]).to_parquet(path)
    with pytest.raises(CorpusError, match=r"the start 3\.5 is not a whole number"):
        imported(path)
    with pytest.raises(ConfigError, match="a Parquet or Arrow table, for which it has no effect"):
        imported(path, encoding="cp1252")
