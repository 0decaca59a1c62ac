"""Text files of a word become a table with its further columns, or an error names the line."""

import json
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importing import import_corpus

from wsd.artifacts.dataset import DATA, DATASETS, MANIFEST, read_manifest
from wsd.corpora import folds
from wsd.corpora.copy_corpus import copy
from wsd.corpora.download import ARCHIVE, extract, place
from wsd.corpora.text_format import extra_text, read_extra, read_text
from wsd.errors import CorpusError

MAP, TRAIN = "classes_map.txt", "train.data.txt"
FILES = {
    MAP: '{"0": "mint_herb", "1": "mint_coins"}',
    TRAIN: (
        "1\tfresh mint grows by the wall\n"
        "3\tcoins leave the mint in sealed bags\n"
        "4\tshe chopped a little mint\n"
    ),
    "train.gold.txt": "0\n1\n0\n",
    "test.data.txt": "1\tthe mint struck a medal\n2\ttea with mint cools the throat\n",
    "test.gold.txt": "1\n0\n",
}
PLAIN_DIGEST = "dd8d971577608af281973183117c3a3eab1412afd01884a21a2e2e7d166cc961"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "some folder"
    made.mkdir()
    for name, text in FILES.items():
        (made / name).write_text(text, encoding="utf-8", newline="")
    return made


def with_line(name: str, number: int, line: str) -> bytes:
    """Replace line ``number`` (from 1) of a valid file."""
    lines = FILES[name].split("\n")
    lines[number - 1] = line
    return "\n".join(lines).encode()


def test_senses_come_in_the_order_of_the_numbers(folder: Path) -> None:
    (folder / "classes_map.txt").write_text('{"10": "ten", "1": "one", "2": "two", "0": "zero"}')
    (folder / "train.gold.txt").write_text("10\n2\n0\n")
    table = read_text(folder, "mint")
    assert table.senses == ("zero", "one", "two", "ten")
    assert table.gold.tolist() == [3, 2, 0, 1, 0]


def test_any_white_space_separates_tokens_and_none_but_newline_ends_a_line(folder: Path) -> None:
    line = "2\tthe  old\u2009mint\u00a0closed\u2028at\x85once\x0czero\u200bwidth"
    (folder / "test.data.txt").write_bytes(with_line("test.data.txt", 1, line))
    table = read_text(folder, "mint")
    assert len(table) == 5
    assert table.tokens[3] == ("the", "old", "mint", "closed", "at", "once", "zero\u200bwidth")


LINES = {
    "no tab": ["1 the mint struck a medal", ""],
    "more than one tab": ["1\tthe mint\tstruck a medal", "1\tthe mint \t", "\t1\tthe mint"],
    "is not a number from 0 up": [
        f"{position}\tthe mint struck a medal"
        for position in ["one", "-1", "1.0", "1_0", " 1", "", "\uff11", "²", "1" * 10, "1:", "-3"]
    ],
    "out of range: the sentence has 5 tokens": ["5\tthe mint struck a medal"],
    "the sentence is empty": ["0\t", "0\t  ", "0\t\u2009\u00a0"],
    "carriage return": ["1\tthe mint\r"],
    "the end, the token after the last, is not after": ["1:1\tthe mint", "2:1\ta hot dog"],
    "1:5: the sentence has 4 tokens": ["1:5\ta hot dog barked"],
    "is part of a word": ["1-3\tthe mint"],
    "not within the text, which has 8": ["4-9\tthe mint"],
}


@pytest.mark.parametrize("says", LINES)
def test_a_malformed_line_is_named(folder: Path, says: str) -> None:
    for name, number in (("test.data.txt", 1), (TRAIN, 2)):
        for line in LINES[says]:
            (folder / name).write_bytes(with_line(name, number, line))
            with pytest.raises(CorpusError) as caught:
                read_text(folder, "mint")
            assert says in caught.value.problem, line
            assert caught.value.where == f"{folder / name}:{number}"


@pytest.mark.parametrize(
    ("name", "content", "line", "says"),
    [
        ("train.gold.txt", b"0\n1\n", 3, "3 sentences but 2 gold classes"),
        ("train.gold.txt", b"0\n00\n0\n", 2, "class '00' is not in the map"),
        ("train.gold.txt", b"0\r\n1\r\n0\r\n", 1, "carriage return"),
        (TRAIN, FILES["train.data.txt"].encode() + b"\n", 4, "no tab"),
        (TRAIN, b"1\ta mint\n1\tcaf\xe9 mint\n1\tthe mint \xff\n", 2, "0xe9 is not UTF-8"),
        *((name, b"", None, "is empty") for name in FILES),
        *((name, None, None, "missing") for name in FILES),
        (MAP, b'{"0": "mint_herb",\n\n"1":\r\n"mint_coins"}', 3, "carriage return"),
        (MAP, b'{"0": "herb", "1": "coins", "0": "sweet"}', None, "a key twice"),
        (MAP, b'{"0": "herb", "1": "herb"}', None, "in the map twice"),
        *((MAP, text, None, "not valid JSON") for text in (b'{"0": "herb"', b" ", b"[" * 10**5)),
        *(
            (MAP, json.dumps(value).encode(), None, "not a map from class numbers")
            for value in ({}, ["herb"], {"0": " "}, {"herb": "0"}, {"01": "a"}, {"0": "\ud800"})
        ),
    ],
)
def test_a_bad_file_is_named(
    folder: Path, name: str, content: bytes | None, line: int | None, says: str
) -> None:
    (folder / name).unlink() if content is None else (folder / name).write_bytes(content)
    with pytest.raises(CorpusError) as caught:
        read_text(folder, "mint")
    assert says in caught.value.problem
    assert caught.value.where == (f"{folder / name}:{line}" if line else str(folder / name))


FURTHER = (
    "sage\tsage_herb\t0\tSage burns\n"
    "mint\tmint_coins\t3\tWorkers at the Mint went on strike\n"
    "sage\tsage_person\t2\tAn old sage spoke\n"
    "mint\tmint_herb\t0\tMints lose their taste in the sun\n"
)


def test_sentences_out_of_domain_come_last(folder: Path) -> None:
    further = folder / "further.tsv"
    further.write_text(FURTHER)
    table = read_text(folder, "mint", further)
    assert (table.word, table.senses, len(table)) == ("mint", ("mint_herb", "mint_coins"), 7)
    assert table.split.tolist() == ["train"] * 3 + ["test"] * 2 + ["outofdomain"] * 2
    # The 0-based line in the file of all words, which identifies the sentence.
    assert table.index.tolist() == [0, 1, 2, 0, 1, 1, 3]
    assert table.position.tolist() == [1, 3, 4, 1, 2, 3, 0]
    assert table.gold.tolist() == [0, 1, 0, 1, 0, 1, 0]
    assert table.tokens[5] == ("Workers", "at", "the", "Mint", "went", "on", "strike")
    plain = read_text(folder, "mint").digest
    further.write_text(FURTHER.replace("mint\tmint", "thyme\tthyme"))
    # Embeddings are stored under this digest; another digest would compute all of them again.
    assert read_text(folder, "mint", further).digest == plain == PLAIN_DIGEST != table.digest


OUTSIDE = {
    "mint\tmint_sweet\t0\tmint": "'mint_sweet' is no sense of 'mint', which has mint_herb",
    "mint\tmint_herb\t1\tmint": "position 1 is out of range",
    "mint\tmint_herb\t0\tmint\ttea": "4 tabs in the line, not 3",
}


@pytest.mark.parametrize(("line", "says"), OUTSIDE.items())
def test_a_malformed_line_out_of_domain_is_named(folder: Path, line: str, says: str) -> None:
    further = folder / "further.tsv"
    further.write_text(f"sage\tsage_herb\t0\tSage burns\n{line}\n")
    with pytest.raises(CorpusError) as caught:
        read_text(folder, "mint", further)
    assert says in caught.value.problem
    assert caught.value.where == f"{further}:2"


SPLITS = ("train", "test", "outofdomain")


@pytest.mark.slow
def test_the_real_corpus(archive: Path, tmp_path: Path) -> None:
    manifest = {
        name: digest
        for name, digest in ARCHIVE.file_checksums().items()
        if not place(name).startswith(("trains/", "published/"))
    }
    extract(archive, tmp_path / "source", manifest)
    further = tmp_path / "source" / "outofdomain.tsv"
    words = DATASETS["coarsewsd20"].words
    tables = [read_text(tmp_path / "source" / word, word, further) for word in words]
    noted = pd.read_csv(DATA / "sizes.csv").query("dataset == 'coarsewsd20'").values.tolist()
    totals, lines = Counter[str](), list[int]()
    for row, table in zip(noted, tables, strict=True):
        parts = {split: table.take(table.split == split) for split in SPLITS}
        train, test, outside = parts.values()
        assert {*train.focal_tokens, *test.focal_tokens} == {table.word}
        sizes = {split: len(part) for split, part in parts.items()}
        most_folds = folds.most_folds_of(train.gold.tolist(), train.tokens)
        assert row[1:] == [table.word, len(table.senses), *sizes.values(), most_folds]
        totals += Counter({**sizes, "senses": len(table.senses)})
        lines += outside.index.tolist()
    assert totals == {"train": 23_370, "test": 10_196, "outofdomain": 339, "senses": 53}
    assert sorted(lines) == list(range(339))


TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=6)
ROWS = [
    {"word": "cell", "sense": sense, "sentence": f"A *cell* of kind {n} .", "split": split,
     "id": f"use-{n}", "note": note, "document": ("times", " two  words ", "")[n % 3]}
    for n, (sense, split, note) in enumerate([
        ("room", "train", "a\ttab and \"quotes\""), ("room", "train", ""),
        ("battery", "train", "line\nbreak"), ("battery", "train", "=1+1"),
        ("room", "test", "\u82b1"), ("battery", "test", ""), ("room", "outofdomain", "elsewhere"),
        ("battery", "outofdomain", "beyond"),
    ])
]  # fmt: skip


def written(path: Path, rows: list[dict[str, str]]) -> Path:
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


@settings(max_examples=30, deadline=None)
@given(st.lists(st.dictionaries(TEXTS.filter(bool), TEXTS.filter(bool), max_size=4), max_size=3))
def test_any_text_of_further_columns_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, str]]
) -> None:
    path = tmp_path_factory.mktemp("extra") / "train.extra.tsv"
    if text := extra_text(rows):
        path.write_text(text, encoding="utf-8", newline="\n")
    actual = [{n: cell for n, cell in row.items() if cell} for row in read_extra(path, len(rows))]
    assert actual == rows


def test_further_columns_stay_from_the_table_to_the_corpus_and_its_copies(tmp_path: Path) -> None:
    source = written(tmp_path / "cells.csv", ROWS)
    import_corpus([source], out=tmp_path / "once", name="mine")
    # The folder can be imported again, and copied.
    import_corpus([tmp_path / "once"], out=tmp_path / "twice", name="mine")
    copy(tmp_path / "twice", tmp_path / "copy", name="mine")
    # An out-of-domain sentence has no document.
    documents = [" ".join(row["document"].split()) for row in ROWS[:6]] + ["", ""]
    for folder in ("once", "twice", "copy"):
        further = tmp_path / folder / "outofdomain.tsv"
        corpus = read_text(tmp_path / folder / "cell", "cell", further)
        assert corpus.extra == {name: tuple(row[name] for row in ROWS) for name in ("id", "note")}
        assert corpus.document is not None and corpus.document.tolist() == documents
        test = corpus.take(corpus.split == "test")
        assert test.extra == {"id": ("use-4", "use-5"), "note": ("\u82b1", "")}
    assert "cell/train.extra.tsv" in read_manifest(tmp_path / "once" / MANIFEST).digests
    rows = [{name: row[name] for name in ("word", "sense", "sentence", "split")} for row in ROWS]
    import_corpus([written(tmp_path / "plain.csv", rows)], out=tmp_path / "plain", name="mine")
    assert not [*(tmp_path / "plain").rglob("*.extra.tsv"), *(tmp_path / "plain").rglob("*docu*")]
    plain, extra = (read_text(tmp_path / name / "cell", "cell") for name in ("plain", "once"))
    assert plain.digest == extra.digest and plain.document is None


def test_files_of_documents_are_checked(tmp_path: Path) -> None:
    import_corpus([written(tmp_path / "cells.csv", ROWS)], out=tmp_path / "out", name="mine")
    folder = tmp_path / "out" / "cell"
    file = folder / "train.documents.txt"
    file.write_text(file.read_text() + "one more\n")
    with pytest.raises(CorpusError, match="4 sentences but 5 documents"):
        read_text(folder, "cell")
    # The manifest may list the optional files, but no others.
    manifest = tmp_path / "out" / MANIFEST
    facts = json.loads(manifest.read_text())
    facts["files"]["cell/dev.documents.txt"] = facts["files"]["cell/test.documents.txt"]
    manifest.write_text(json.dumps(facts))
    with pytest.raises(CorpusError, match="its files do not match its words"):
        read_manifest(manifest)
