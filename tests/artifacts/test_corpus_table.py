"""The table of a word: what its digest covers, its file, and rows of it."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import make_corpus

from wsd.artifacts import corpus_table
from wsd.errors import ResultError
from wsd.storage.checksums import SUMS

ROWS = [("train", 0), ("train", 1), ("test", 1), ("train", 0), ("outofdomain", 1)]


def changed(array: np.ndarray, row: int, value: Any) -> np.ndarray:
    array = array.copy()
    array[row] = value
    return array


TABLE = make_corpus(ROWS)
FIRST, *OTHERS = TABLE.tokens
SWAPPED = [1, 0, 2, 3, 4]
CHANGES: dict[str, dict[str, Any]] = {
    "word": {"word": "mints"},
    "order of senses": {"senses": TABLE.senses[::-1]},
    "one more sense": {"senses": (*TABLE.senses, "c")},
    "split": {"split": changed(TABLE.split, 3, "test")},
    "index": {"index": changed(TABLE.index, 2, 3)},
    "position": {"position": changed(TABLE.position, 0, 2)},
    "gold": {"gold": changed(TABLE.gold, 0, 1)},
    "token": {"tokens": (("x", *FIRST[1:]), *OTHERS)},
    "token borders": {"tokens": ((" ".join(FIRST[:2]), FIRST[2]), *OTHERS)},
    "order of tokens": {"tokens": (FIRST[::-1], *OTHERS)},
    "order of rows": {
        "tokens": tuple(TABLE.tokens[i] for i in SWAPPED),
        **{name: getattr(TABLE, name)[SWAPPED] for name in ("split", "index", "position", "gold")},
    },
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_digest_sees_every_change_that_vectors_depend_on(change: str) -> None:
    about = {"document": np.array([*"abcde"]), "extra": {"id": tuple("abcde")}}
    assert dataclasses.replace(TABLE, **about).digest == TABLE.digest
    assert dataclasses.replace(TABLE, **CHANGES[change]).digest != TABLE.digest


def test_a_table_is_read_back(tmp_path: Path) -> None:
    words = ["👩‍🚀", "e\u0301", "נענע", "\u202eabc", "\x00", '"', "\\u0000", "New York"]
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


def test_tables_of_several_words_come_in_the_order_asked_for(tmp_path: Path) -> None:
    for word in ("mint", "thyme"):
        corpus_table.write(tmp_path / f"{word}.parquet", make_corpus(ROWS, word=word))
    actual = corpus_table.read_corpora(tmp_path, ["thyme", "mint"])
    assert [(word, table.word) for word, table in actual.items()] == [("thyme",) * 2, ("mint",) * 2]
    path = tmp_path / "mint.parquet"
    path.write_bytes(path.read_bytes()[:-20])
    (tmp_path / SUMS / path.name).unlink()
    with pytest.raises(ResultError, match="not a table of this program") as caught:
        corpus_table.read(path)
    assert caught.value.where == str(path)
