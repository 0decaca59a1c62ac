"""The table of a word: what its digest covers, its file, and rows of it."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import MakeCorpus

from wsd.artifacts import corpus_table
from wsd.artifacts.corpus_table import Corpus
from wsd.errors import ResultError
from wsd.storage.checksums import SUMS

ROWS = [("train", 0), ("train", 1), ("test", 1), ("train", 0), ("outofdomain", 1)]


def changed(array: np.ndarray, row: int, value: Any) -> np.ndarray:
    array = array.copy()
    array[row] = value
    return array


def swapped(table: Corpus) -> dict[str, Any]:
    """Swap rows 0 and 1."""
    order = [1, 0, *range(2, len(table))]
    columns = {name: getattr(table, name)[order] for name in ("split", "index", "position", "gold")}
    return {**columns, "tokens": tuple(table.tokens[i] for i in order)}


CHANGES = {
    "word": lambda t: {"word": "mints"},
    "order of senses": lambda t: {"senses": t.senses[::-1]},
    "one more sense": lambda t: {"senses": (*t.senses, "c")},
    "split": lambda t: {"split": changed(t.split, 3, "test")},
    "index": lambda t: {"index": changed(t.index, 2, 3)},
    "position": lambda t: {"position": changed(t.position, 0, 2)},
    "gold": lambda t: {"gold": changed(t.gold, 0, 1)},
    "token": lambda t: {"tokens": (("x", *t.tokens[0][1:]), *t.tokens[1:])},
    "token borders": lambda t: {
        "tokens": ((" ".join(t.tokens[0][:2]), t.tokens[0][2]), *t.tokens[1:])
    },
    "order of tokens": lambda t: {"tokens": (t.tokens[0][::-1], *t.tokens[1:])},
    "order of rows": swapped,
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_digest_sees_every_change_that_vectors_depend_on(
    make_corpus: MakeCorpus, change: str
) -> None:
    table = make_corpus(ROWS)
    about = {"document": np.array([*"abcde"]), "extra": {"id": tuple("abcde")}}
    assert dataclasses.replace(table, **about).digest == table.digest
    assert dataclasses.replace(table, **CHANGES[change](table)).digest != table.digest


def test_a_table_is_read_back(make_corpus: MakeCorpus, tmp_path: Path) -> None:
    words = [
        "👩‍🚀",
        "e\u0301",
        "נענע",
        "\u202eabc",
        "\x00",
        '"',
        "\\u0000",
        "zero\u200bwidth",
        "New York",
    ]
    table = dataclasses.replace(
        make_corpus(ROWS, senses=("نعناع", "b c")),
        tokens=tuple(tuple(words[i : i + 2 + i % 3]) for i in range(5)),
        document=np.array(["a", "", "b", "", "c"]),
        extra={"id": ("=1+1", "", "", "", "x")},
    )
    path = tmp_path / "mint.parquet"
    corpus_table.write(path, table)
    again = corpus_table.read(path)
    assert again.digest == table.digest
    for name in ("word", "senses", "tokens", "extra"):
        assert getattr(again, name) == getattr(table, name)
    for name in ("split", "index", "position", "gold", "document"):
        np.testing.assert_array_equal(getattr(again, name), getattr(table, name))
    taken = again.take(again.split == "train")
    assert taken.index.tolist() == [0, 1, 2] and taken.gold.tolist() == [0, 1, 0]
    assert taken.tokens == (*table.tokens[:2], table.tokens[3])
    assert taken.document is not None and taken.document.tolist() == ["a", "", ""]
    joined = again.joined(dataclasses.replace(taken, extra={}))
    assert joined.extra == {"id": ("=1+1", "", "", "", "x", "", "", "")}
    assert joined.gold.tolist() == [0, 1, 1, 0, 1, 0, 1, 0] and joined.document is None


def test_rows_of_lines_of_the_training_file(make_corpus: MakeCorpus) -> None:
    """Lines count in the training file, rows in the table."""
    table = make_corpus([("test", 0), ("train", 0), ("outofdomain", 0), ("train", 1), ("train", 0)])
    assert table.training_rows(np.array([0, 2])).tolist() == [1, 4]
    assert table.training_rows(np.array([2, 1])).tolist() == [4, 3]


def test_tables_of_several_words_come_in_the_order_asked_for(
    make_corpus: MakeCorpus, tmp_path: Path
) -> None:
    for word in ("mint", "thyme"):
        corpus_table.write(tmp_path / f"{word}.parquet", make_corpus(ROWS, word=word))
    actual = corpus_table.read_corpora(tmp_path, ["thyme", "mint"])
    assert [(word, table.word) for word, table in actual.items()] == [
        ("thyme", "thyme"),
        ("mint", "mint"),
    ]
    path = tmp_path / "mint.parquet"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ResultError, match="changed since it was written"):
        corpus_table.read(path)
    (tmp_path / SUMS / path.name).unlink()
    with pytest.raises(ResultError, match="not a table of this program") as caught:
        corpus_table.read(path)
    assert caught.value.where == str(path)
