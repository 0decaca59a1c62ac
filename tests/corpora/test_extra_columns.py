"""Columns that the product does not use stay with their instances."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from importing import import_corpus
from require import needs

from wsd.artifacts import corpus_table
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import MANIFEST
from wsd.artifacts.predictions import read_predictions, write_predictions
from wsd.classification.estimators.vector_classifiers import NearestCentroid
from wsd.classification.fit_and_predict import predict_word
from wsd.corpora.copy_corpus import copy
from wsd.corpora.text_format import extra_text, read_extra, read_text, read_unlabelled
from wsd.errors import CorpusError

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=6)
ROWS = [
    {"word": "cell", "sense": sense, "sentence": f"A *cell* of kind {n} .", "split": split,
     "id": f"use-{n}", "note": note}
    for n, (sense, split, note) in enumerate([
        ("room", "train", "a\ttab and \"quotes\""), ("room", "train", ""),
        ("battery", "train", "line\nbreak"), ("battery", "train", "=1+1"),
        ("room", "test", "\u82b1"), ("battery", "test", ""), ("room", "outofdomain", "elsewhere"),
    ])
]  # fmt: skip


def written(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)
    return path


def notes(corpus: Corpus) -> dict[str, str]:
    return dict(zip(corpus.extra["id"], corpus.extra["note"], strict=True))


@given(st.dictionaries(TEXTS.filter(bool), TEXTS, max_size=4), st.lists(TEXTS, max_size=3))
def test_any_text_is_read_back(tmp_path_factory: pytest.TempPathFactory, first: dict[str, str],
                               second: list[str]) -> None:  # fmt: skip
    rows = [first, dict(zip(["a", "b", "c"], second, strict=False)), {}]
    path = tmp_path_factory.mktemp("extra") / "train.extra.tsv"
    if text := extra_text(rows):
        path.write_text(text, encoding="utf-8", newline="\n")
    actual = [{n: cell for n, cell in row.items() if cell} for row in read_extra(path, 3)]
    assert actual == [{n: cell for n, cell in row.items() if cell} for row in rows]


def test_they_stay_from_the_table_to_the_corpus_and_its_copies(tmp_path: Path) -> None:
    source = written(tmp_path / "cells.csv", ROWS)
    import_corpus([source], out=tmp_path / "once", name="mine")
    # The folder can be imported again, and copied.
    import_corpus([tmp_path / "once"], out=tmp_path / "twice", name="mine")
    copy(tmp_path / "twice", tmp_path / "copy", name="mine")
    expected = {row["id"]: row["note"] for row in ROWS}
    for folder in ("once", "twice", "copy"):
        further = tmp_path / folder / "outofdomain.tsv"
        corpus = read_text(tmp_path / folder / "cell", "cell", further)
        assert notes(corpus) == expected
        corpus_table.write(tmp_path / "cell.parquet", corpus)
        again = corpus_table.read(tmp_path / "cell.parquet")
        assert again.extra == corpus.extra and [*again.extra] == ["id", "note"]
        test = again.take(again.split == "test")
        assert test.extra == {"id": ("use-4", "use-5"), "note": ("\u82b1", "")}
    manifest = json.loads((tmp_path / "once" / MANIFEST).read_text())
    assert "cell/train.extra.tsv" in manifest["files"]
    # Vectors do not depend on them.
    assert read_text(tmp_path / "once/cell", "cell").digest == corpus_digest(tmp_path)


def corpus_digest(tmp_path: Path) -> str:
    rows = [{k: v for k, v in row.items() if k not in ("id", "note")} for row in ROWS]
    import_corpus([written(tmp_path / "plain.csv", rows)], out=tmp_path / "plain", name="mine")
    assert not [*(tmp_path / "plain").rglob("*.extra.tsv")]
    return read_text(tmp_path / "plain/cell", "cell").digest


@needs("unlabelled")
def test_uses_without_senses_keep_them_and_equal_sentences_with_other_identifiers(
    tmp_path: Path,
) -> None:
    rows = [
        {"word": "cell", "sentence": "A *cell* is small .", "id": identifier}
        for identifier in ("a", "b", "c", "c")
    ]
    source = written(tmp_path / "uses.csv", rows)
    import_corpus([source], out=tmp_path / "out", name="mine", unlabelled=True)
    corpus = read_unlabelled(tmp_path / "out/cell", "cell")
    assert corpus.extra == {"id": ("a", "b", "c")}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("id\tid\n1\t2\n3\t4\n", "a column without a name of its own"),
        ("id\t\n1\t2\n3\t4\n", "a column without a name of its own"),
        ("id\n1\n", "not 2 lines of 1 cells"),
        ("id\tnote\n1\t2\n3\n", "not 2 lines of 2 cells"),
    ],
)
def test_a_damaged_file_is_refused(text: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "train.extra.tsv"
    path.write_text(text)
    with pytest.raises(CorpusError, match=problem):
        read_extra(path, 2)


def test_predictions_have_them(tmp_path: Path) -> None:
    import_corpus([written(tmp_path / "cells.csv", ROWS)], out=tmp_path / "out", name="mine")
    corpus = read_text(tmp_path / "out/cell", "cell", tmp_path / "out/outofdomain.tsv")
    vectors = np.random.default_rng(0).normal(size=(len(corpus), 3))
    predicted = predict_word(corpus, vectors, NearestCentroid())
    other = replace(predicted[0], word="spring", extra={})
    path = tmp_path / "6.nearest_centroid.parquet"
    write_predictions(path, [*predicted, other], {"classifier": "nearest_centroid"})
    test, spring, outside = read_predictions(path)[0]
    assert test.extra == {"id": ("use-4", "use-5"), "note": ("\u82b1", "")}
    assert outside.extra["id"] == ("use-6",) and set(spring.extra["id"]) == {""}
    table = pandas.read_parquet(path)
    assert table["extra:id"].tolist() == ["use-4", "use-5", "use-6", "", ""]


def test_further_rows_have_empty_cells(tmp_path: Path) -> None:
    import_corpus([written(tmp_path / "cells.csv", ROWS)], out=tmp_path / "out", name="mine")
    corpus = read_text(tmp_path / "out/cell", "cell")
    joined = corpus.joined(replace(corpus, extra={}))
    assert joined.extra == {
        name: cells + ("",) * len(corpus) for name, cells in corpus.extra.items()
    }
