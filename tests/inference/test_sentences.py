"""Tables in memory as input of FocalEmbedder: frames, datasets, dicts, files."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from frames import bank
from require import missing

from wsd.errors import ConfigError, CorpusError, WsdError
from wsd.inference.sentences import Focus, read_instances

PAIRS = [
    (text, (start, end))
    for text, start, end in zip(
        *(bank()[name] for name in ("sentence", "start", "end")), strict=True
    )
]
EXPECTED = read_instances(PAIRS)


def test_every_kind_of_table_gives_what_pairs_give(tmp_path: Path) -> None:
    frame = bank()
    frame.to_parquet(tmp_path / "a.parquet")
    frame.to_csv(tmp_path / "a.csv", index=False)
    records = frame.to_dict("records")
    tokens = [
        {"context": list(focus.tokens), "position": np.int64(focus.position)} for focus in EXPECTED
    ]
    left = {"Left": "The", "KWIC": "bank", "Right": "refused the loan."}
    for table in (
        frame,
        frame.set_index(pd.Index([7, 7, "x", None])),
        frame.set_index("sense"),
        frame.convert_dtypes(),
        frame.astype({"start": float}),
        frame[["sentence", "word"]],
        frame[["word", "sentence"]],
        records,
        iter(records),
        tokens,
        tmp_path / "a.parquet",
        str(tmp_path / "a.csv"),
    ):
        assert read_instances(table) == EXPECTED
    assert read_instances([left, ("The bank refused the loan.", "bank")]) == EXPECTED[:1] * 2


def test_the_word_of_a_table_has_its_punctuation() -> None:
    row = {"text": "ask Yahoo! now", "start": 4, "end": 10, "target": "yahoo!"}
    assert read_instances([row]) == [Focus(("ask", "Yahoo!", "now"), 1)]


@pytest.mark.parametrize(
    ("X", "problem"),
    [
        (bank().drop(columns="sentence"), "no column for the sentence among word, sense, start"),
        (bank()[["sentence", "sense", "end"]], "place is incomplete, or given twice: end"),
        (
            bank()[["sentence", "sense"]].assign(id=1),
            "no column for the focal word's place, or for",
        ),
        (bank(position=1), "place is incomplete, or given twice: position, start, end"),
        (bank(text="x"), "sentence and text could both be the sentence"),
        (
            bank().set_axis(["word", "a", "sentence", "start", "start"], axis=1),
            "columns are called 'st",
        ),
        (
            bank(sentence=["a bank", None, "a bank", 3]).drop(columns=["start", "end"]),
            "nothing for the sentence",
        ),
        (bank(sentence=["a bank", 1.5, "", 3]), "1.5 for the sentence|the characters 4 to 8"),
        (bank(start=[4, "x", 22, 23]), "the start 'x' is not a whole number"),
        (bank(start=[4, np.nan, 22, 23]), "the start nan is not a whole number"),
        (bank(start=[4, 99, 22, 23]), "instance 1: the characters 99 to 7: the end is before"),
        ({"train": bank(), "test": bank()}, "instance 0 is not a sentence with a span: 'train'"),
        ([{"sentence": "a bank"}], "no column for the focal word's place"),
        ([("a bank", "bank"), {"word": "bank"}], "no column for the sentence among word"),
        (
            [{"sentence": "a bank", "start": 2, "end": 6}, 5],
            "instance 1 is not a sentence with a span",
        ),
        ([{"text": "a bank, a bank", "indexes_target_token": "2:6,10:14"}], "2 spans in"),
    ],
)
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


def test_rows_are_read_one_by_one() -> None:
    from wsd.inference.sentences import rows

    def endless() -> Iterator[dict[str, str]]:
        while True:
            yield {"sentence": "a bank", "word": "bank"}

    assert next(iter(rows(endless()))).word == "bank"


def test_datasets_of_the_library() -> None:
    if find_spec("datasets") is None:
        missing("datasets", "the library datasets is not installed")
    import datasets

    dataset = datasets.Dataset.from_pandas(bank())
    assert read_instances(dataset) == EXPECTED
    assert read_instances(dataset.to_iterable_dataset()) == EXPECTED
    assert read_instances(dataset.with_format("numpy")) == EXPECTED
    both = datasets.DatasetDict(train=dataset, test=dataset)
    with pytest.raises(ConfigError, match="instance 0 is not a sentence"):
        read_instances(both)
