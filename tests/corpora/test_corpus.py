"""From text files to a checked table: errors name the file and the line."""

import csv
import dataclasses
import json
import tarfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wsd.artifacts import corpus_table
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import DATA, DATASETS
from wsd.corpora import folds
from wsd.corpora.download import ARCHIVE, extract, place
from wsd.corpora.text_format import read_text
from wsd.errors import CorpusError, ResultError
from wsd.storage.checksums import SUMS

FILES = {
    "classes_map.txt": '{"0": "mint_herb", "1": "mint_coins"}',
    "train.data.txt": (
        "1\tfresh mint grows by the wall\n"
        "3\tcoins leave the mint in sealed bags\n"
        "4\tshe chopped a little mint\n"
    ),
    "train.gold.txt": "0\n1\n0\n",
    "test.data.txt": "1\tthe mint struck a medal\n2\ttea with mint cools the throat\n",
    "test.gold.txt": "1\n0\n",
}
TEXTS = [name for name in FILES if name != "classes_map.txt"]
PLAIN_DIGEST = "dd8d971577608af281973183117c3a3eab1412afd01884a21a2e2e7d166cc961"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a folder of valid files whose name differs from the word."""
    made = tmp_path / "some folder"
    made.mkdir()
    for name, text in FILES.items():
        (made / name).write_text(text, encoding="utf-8", newline="")
    return made


def refused(folder: Path, name: str, content: bytes | None) -> CorpusError:
    """Return the error for one file with other content, or for the missing file."""
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(content)
    with pytest.raises(CorpusError) as caught:
        read_text(folder, "mint")
    return caught.value


def with_line(name: str, number: int, line: str) -> bytes:
    """Replace line ``number`` (from 1) of a valid file."""
    lines = FILES[name].split("\n")
    lines[number - 1] = line
    return "\n".join(lines).encode()


def test_good_files(folder: Path) -> None:
    table = read_text(folder, "mint")
    assert (table.word, table.senses, len(table)) == ("mint", ("mint_herb", "mint_coins"), 5)
    assert table.split.tolist() == ["train"] * 3 + ["test"] * 2
    assert table.index.tolist() == [0, 1, 2, 0, 1]
    assert table.position.tolist() == [1, 3, 4, 1, 2]
    assert table.gold.tolist() == [0, 1, 0, 1, 0]
    assert table.tokens[2] == ("she", "chopped", "a", "little", "mint")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("the mint struck a medal", "no tab"),
        ("1 the mint struck a medal", "no tab"),
        ("", "no tab"),
        ("1\tthe mint\tstruck a medal", "more than one tab"),
        ("1\tthe mint struck a medal\t", "more than one tab"),
        ("\t1\tthe mint struck a medal", "more than one tab"),
        *(
            (f"{position}\tthe mint struck a medal", f"{position!r} is not a number from 0 up")
            for position in (
                "one", "-1", "+1", "1.0", "1e0", "0x1", "1_0", " 1", "1 ", "", "\uff11", "٣", "²",
                "\ufeff1", "1234567890",
            )
        ),
        ("5\tthe mint struck a medal", "position 5 is out of range: the sentence has 5 tokens"),
        ("999999999\tthe mint", "so the last position is 1"),
        ("0\t", "the sentence is empty"),
        ("0\t  ", "the sentence is empty"),
        ("0\t\u2009\u00a0", "the sentence is empty"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(("name", "number"), [("train.data.txt", 2), ("test.data.txt", 1)])
def test_a_malformed_line_is_named(
    folder: Path, name: str, number: int, line: str, says: str
) -> None:
    error = refused(folder, name, with_line(name, number, line))
    assert says in error.problem
    assert error.where == f"{folder / name}:{number}"


def test_an_empty_line_at_the_end_is_a_malformed_line(folder: Path) -> None:
    name = "train.data.txt"
    error = refused(folder, name, FILES[name].encode() + b"\n")
    assert (error.problem, error.where) == ("no tab in the line", f"{folder / name}:4")


@pytest.mark.parametrize(
    ("content", "problem", "line"),
    [
        (b"0\n1\n", "3 sentences but 2 gold classes", 3),
        (b"0\n", "3 sentences but 1 gold classes", 2),
        (b"0\n1\n0\n1\n", "3 sentences but 4 gold classes", 4),
        (b"0\n1\n0\n\n", "3 sentences but 4 gold classes", 4),
    ],
)
def test_gold_of_another_length(folder: Path, content: bytes, problem: str, line: int) -> None:
    error = refused(folder, "train.gold.txt", content)
    assert (error.problem, error.where) == (problem, f"{folder / 'train.gold.txt'}:{line}")


@pytest.mark.parametrize("number", ["2", "-1", "00", "0 ", "", "mint_herb", "\uff11"])
def test_a_class_that_is_not_in_the_map(folder: Path, number: str) -> None:
    error = refused(folder, "train.gold.txt", with_line("train.gold.txt", 2, number))
    assert error.problem == f"class {number!r} is not in the map, which has 0, 1"
    assert error.where == f"{folder / 'train.gold.txt'}:2"


@pytest.mark.parametrize("name", FILES)
def test_a_missing_and_an_empty_file(folder: Path, name: str) -> None:
    error = refused(folder, name, b"")
    assert (error.problem, error.where) == ("the file is empty", str(folder / name))
    error = refused(folder, name, None)
    assert (error.problem, error.where) == ("a corpus file is missing", str(folder / name))


@pytest.mark.parametrize("name", FILES)
def test_bytes_that_are_not_utf8(folder: Path, name: str) -> None:
    error = refused(folder, name, b"\xff" + FILES[name].encode())
    assert (error.problem, error.where) == ("byte 0xff is not UTF-8", f"{folder / name}:1")


@pytest.mark.parametrize(
    ("line", "byte"),
    [
        (b"1\tcaf\xe9 mint", "0xe9"),
        (b"1\tthe mint \xc3", "0xc3"),
        (b"1\tthe mint \xed\xa0\x80", "0xed"),
    ],
)
def test_the_line_of_a_bad_byte(folder: Path, line: bytes, byte: str) -> None:
    good = FILES["train.data.txt"].encode().split(b"\n")
    content = b"\n".join([*good[:2], line, b"1\tthe mint \xff", b""])
    error = refused(folder, "train.data.txt", content)
    assert error.problem == f"byte {byte} is not UTF-8"
    assert error.where == f"{folder / 'train.data.txt'}:3"


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
def test_carriage_returns(folder: Path, name: str, end: bytes) -> None:
    first, *rest = FILES[name].encode().split(b"\n")
    error = refused(folder, name, first + b"\n" + end.join(rest))
    assert "carriage return" in error.problem
    assert error.where == f"{folder / name}:2"


def test_a_carriage_return_in_the_map(folder: Path) -> None:
    name = "classes_map.txt"
    error = refused(folder, name, b'{"0": "mint_herb",\n\n"1":\r\n"mint_coins"}')
    assert error.where == f"{folder / name}:3"


@pytest.mark.parametrize(
    "text",
    ['{"0": "herb"', "\n", " ", "herb", "{'0': 'herb'}", '{"0": "herb",}', '\ufeff{"0": "herb"}'],
)
def test_a_map_that_is_not_json(folder: Path, text: str) -> None:
    error = refused(folder, "classes_map.txt", text.encode())
    assert error.problem.startswith("not valid JSON: ")
    assert error.where == str(folder / "classes_map.txt")
    assert error.fix is not None
    assert '{"0": "crane_bird"' in error.fix


@pytest.mark.parametrize(
    "value",
    [
        {}, [], None, 3, "0", ["herb", "coins"], [["0", "herb"]], [{"0": "herb"}], {"0": 1},
        {"0": ""}, {"0": " "}, {"0": None}, {"0": ["herb"]}, {"0": {"1": "herb"}}, {"herb": "0"},
        {"-1": "herb"}, {"01": "herb"}, {"1.0": "herb"}, {"": "herb"}, {"\uff11": "herb"},
        {"0": "herb", "x": "coins"},
    ],
)  # fmt: skip
def test_json_that_is_not_a_map(folder: Path, value: Any) -> None:
    error = refused(folder, "classes_map.txt", json.dumps(value, ensure_ascii=False).encode())
    assert error.problem == "not a map from class numbers to sense names"
    assert error.where == str(folder / "classes_map.txt")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"0": "herb", "1": "coins", "0": "sweet"}', "not valid JSON: an object has a key twice"),
        ('{"0": "herb", "0": "herb"}', "not valid JSON: an object has a key twice"),
        ('{"0": "herb", "1": "herb"}', "the sense 'herb' is in the map twice"),
    ],
)
def test_duplicates_in_the_map_are_refused(folder: Path, text: str, problem: str) -> None:
    error = refused(folder, "classes_map.txt", text.encode())
    assert (error.problem, error.where) == (problem, str(folder / "classes_map.txt"))


def test_senses_come_in_the_order_of_the_numbers(folder: Path) -> None:
    (folder / "classes_map.txt").write_text('{"10": "ten", "1": "one", "2": "two", "0": "zero"}')
    (folder / "train.gold.txt").write_text("10\n2\n0\n")
    table = read_text(folder, "mint")
    assert table.senses == ("zero", "one", "two", "ten")
    assert table.gold.tolist() == [3, 2, 0, 1, 0]


def test_a_last_line_without_newline_is_fine(folder: Path) -> None:
    before = read_text(folder, "mint").digest
    for name, text in FILES.items():
        (folder / name).write_text(text.removesuffix("\n"), encoding="utf-8", newline="")
    assert read_text(folder, "mint").digest == before


@pytest.mark.parametrize(
    "space",
    ["  ", "\u2009", "\u00a0", "\u3000", "\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c"],
)
def test_any_white_space_separates_tokens_and_none_but_newline_ends_a_line(
    folder: Path, space: str
) -> None:
    line = f"2\tthe old{space}mint closed"
    (folder / "test.data.txt").write_bytes(with_line("test.data.txt", 1, line))
    table = read_text(folder, "mint")
    assert len(table) == 5
    assert table.tokens[3] == ("the", "old", "mint", "closed")


def test_invisible_characters_are_part_of_a_token(folder: Path) -> None:
    line = "1\tthe mint zero\u200bwidth \u00adsoft"
    (folder / "test.data.txt").write_bytes(with_line("test.data.txt", 1, line))
    assert read_text(folder, "mint").tokens[3] == ("the", "mint", "zero\u200bwidth", "\u00adsoft")


# Out of domain

FURTHER = (
    "sage\tsage_herb\t0\tSage burns\n"
    "mint\tmint_coins\t3\tWorkers at the Mint went on strike\n"
    "sage\tsage_person\t2\tAn old sage spoke\n"
    "mint\tmint_herb\t0\tMints lose their taste in the sun\n"
)


@pytest.fixture
def further(tmp_path: Path) -> Path:
    """A file with sentences of two words."""
    path = tmp_path / "further.tsv"
    path.write_text(FURTHER, encoding="utf-8", newline="")
    return path


def test_sentences_out_of_domain_come_last(folder: Path, further: Path) -> None:
    table = read_text(folder, "mint", further)
    assert table.split.tolist() == ["train"] * 3 + ["test"] * 2 + ["outofdomain"] * 2
    # The 0-based line in the file of all words, which identifies the sentence.
    assert table.index.tolist() == [0, 1, 2, 0, 1, 1, 3]
    assert table.position.tolist() == [1, 3, 4, 1, 2, 3, 0]
    assert table.gold.tolist() == [0, 1, 0, 1, 0, 1, 0]
    assert table.tokens[5] == ("Workers", "at", "the", "Mint", "went", "on", "strike")
    corpus_table.write(folder / "mint.parquet", table)
    again = corpus_table.read(folder / "mint.parquet")
    assert again.digest == table.digest
    assert again.split.tolist() == table.split.tolist()


def test_without_sentences_out_of_domain_the_table_is_the_same(folder: Path, further: Path) -> None:
    plain = read_text(folder, "mint")
    # Embeddings are stored under this digest; another digest would compute all of them again.
    assert plain.digest == PLAIN_DIGEST
    further.write_text(FURTHER.replace("mint\tmint", "thyme\tthyme"))
    assert read_text(folder, "mint", further).digest == plain.digest
    further.write_text(FURTHER)
    assert read_text(folder, "mint", further).digest != plain.digest


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("mint\tmint_sweet\t0\tmint", "'mint_sweet' is no sense of 'mint', which has mint_herb"),
        ("mint\t\t0\tmint", "'' is no sense of 'mint'"),
        ("mint\tsage_herb\t0\tmint", "'sage_herb' is no sense of 'mint'"),
        ("mint\tmint_herb\t1\tmint", "position 1 is out of range"),
        ("mint\tmint_herb\t-1\tmint", "'-1' is not a number from 0 up"),
        ("mint\tmint_herb\t0\t ", "the sentence is empty"),
        ("mint\tmint_herb\t0", "2 tabs in the line, not 3"),
        ("mint\tmint_herb\t0\tmint\ttea", "4 tabs in the line, not 3"),
        ("sage\tsage_herb\t0", "2 tabs in the line, not 3"),
        ("", "0 tabs in the line, not 3"),
    ],
)
def test_a_malformed_line_out_of_domain_is_named(
    folder: Path, further: Path, line: str, says: str
) -> None:
    lines = FURTHER.split("\n")
    lines[1] = line
    further.write_text("\n".join(lines))
    with pytest.raises(CorpusError) as caught:
        read_text(folder, "mint", further)
    assert says in caught.value.problem
    assert caught.value.where == f"{further}:2"


@pytest.mark.parametrize(
    ("content", "says"), [(None, "missing"), (b"", "empty"), (b"a\r\n", "carriage return")]
)
def test_a_bad_file_out_of_domain(
    folder: Path, further: Path, content: bytes | None, says: str
) -> None:
    further.unlink()
    if content is not None:
        further.write_bytes(content)
    with pytest.raises(CorpusError, match=says) as caught:
        read_text(folder, "mint", further)
    assert str(caught.value.where).startswith(str(further))


# The table on disk

TOKENS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8).filter(
    lambda text: text.split() == [text]
)


@st.composite
def sentences(draw: st.DrawFn) -> tuple[int, list[str], int]:
    tokens = draw(st.lists(TOKENS, min_size=1, max_size=8))
    return draw(st.integers(0, len(tokens) - 1)), tokens, draw(st.integers(0, 1))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(sentences(), min_size=1, max_size=5), st.lists(sentences(), min_size=1, max_size=5))
@example([(1, ["👩‍🚀", "e\u0301", "נענע", "\u202eabc"], 1)], [(0, ["\x00", '"', "\\u0000"], 0)])
def test_round_trip(
    tmp_path_factory: pytest.TempPathFactory,
    train: list[tuple[int, list[str], int]],
    test: list[tuple[int, list[str], int]],
) -> None:
    source = tmp_path_factory.mktemp("source")
    (source / "classes_map.txt").write_text('{"0": "نعناع", "1": "mint coins"}', encoding="utf-8")
    for name, rows in (("train", train), ("test", test)):
        data = "".join(f"{position}\t{' '.join(tokens)}\n" for position, tokens, _ in rows)
        (source / f"{name}.data.txt").write_bytes(data.encode())
        (source / f"{name}.gold.txt").write_text("\n".join(str(gold) for *_, gold in rows))
    table = read_text(source, "mint")
    assert table.tokens == tuple(tuple(tokens) for _, tokens, _ in train + test)
    assert table.position.tolist() == [position for position, *_ in train + test]
    assert table.gold.tolist() == [gold for *_, gold in train + test]

    corpus_table.write(source / "mint.parquet", table)
    again = corpus_table.read(source / "mint.parquet")
    assert again.digest == table.digest
    assert (again.word, again.senses, again.tokens) == (table.word, table.senses, table.tokens)
    for column in ("split", "index", "position", "gold"):
        np.testing.assert_array_equal(getattr(again, column), getattr(table, column))


def changed(array: np.ndarray, row: int, value: Any) -> np.ndarray:
    array = array.copy()
    array[row] = value
    return array


def swapped(table: Corpus) -> dict[str, Any]:
    """Swap rows 0 and 1."""
    order = [1, 0, *range(2, len(table))]
    columns = {name: getattr(table, name)[order] for name in ("split", "index", "position", "gold")}
    return {**columns, "tokens": tuple(table.tokens[i] for i in order)}


CHANGES: dict[str, Callable[[Corpus], dict[str, Any]]] = {
    "word": lambda t: {"word": "mints"},
    "a sense": lambda t: {"senses": ("mint_herb", "mint_coin")},
    "order of senses": lambda t: {"senses": t.senses[::-1]},
    "one more sense": lambda t: {"senses": (*t.senses, "mint_sweet")},
    "split": lambda t: {"split": changed(t.split, 2, "test")},
    "index": lambda t: {"index": changed(t.index, 2, 3)},
    "position": lambda t: {"position": changed(t.position, 0, 2)},
    "gold": lambda t: {"gold": changed(t.gold, 0, 1)},
    "token": lambda t: {"tokens": (("stale", *t.tokens[0][1:]), *t.tokens[1:])},
    "token borders": lambda t: {"tokens": (("fresh mint", *t.tokens[0][2:]), *t.tokens[1:])},
    "order of tokens": lambda t: {"tokens": (t.tokens[0][::-1], *t.tokens[1:])},
    "order of rows": swapped,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_the_digest_sees_every_change(
    folder: Path, change: Callable[[Corpus], dict[str, Any]]
) -> None:
    table = read_text(folder, "mint")
    assert dataclasses.replace(table).digest == table.digest
    assert dataclasses.replace(table, **change(table)).digest != table.digest


@pytest.fixture
def written(folder: Path) -> Path:
    path = folder / "mint.parquet"
    corpus_table.write(path, read_text(folder, "mint"))
    return path


def test_a_missing_and_a_truncated_table(written: Path) -> None:
    written.write_bytes(written.read_bytes()[:-20])
    with pytest.raises(ResultError, match="the file has changed since it was written"):
        corpus_table.read(written)
    (written.parent / SUMS / written.name).unlink()
    with pytest.raises(ResultError, match="not a table of this program"):
        corpus_table.read(written)
    written.unlink()
    with pytest.raises(ResultError, match="missing") as caught:
        corpus_table.read(written)
    assert caught.value.where == str(written)


def test_a_table_with_damaged_pages(written: Path) -> None:
    raw = written.read_bytes()
    for start in range(4, 204, 40):
        written.write_bytes(raw[:start] + b"\xff" * 40 + raw[start + 40 :])
        with pytest.raises(ResultError) as caught:
            corpus_table.read(written)
        assert caught.value.where == str(written)


def test_several_words_come_in_the_order_asked_for(written: Path, folder: Path) -> None:
    corpus_table.write(folder / "thyme.parquet", read_text(folder, "thyme"))
    actual = corpus_table.read_corpora(folder, ["thyme", "mint"])
    assert [(word, table.word) for word, table in actual.items()] == [
        ("thyme", "thyme"),
        ("mint", "mint"),
    ]


# The real dataset

CRLF = {"java", "pitcher", "seal", "square"}


def test_the_real_words_with_windows_line_ends_are_refused(coarsewsd20: Path) -> None:
    refused = {}
    for folder in (coarsewsd20 / "data" / "CoarseWSD-20").glob("*/"):
        try:
            read_text(folder, folder.name)
        except CorpusError as error:
            refused[folder.name] = error.where
            assert "carriage return" in error.problem
    root = coarsewsd20 / "data" / "CoarseWSD-20"
    assert refused == {word: f"{root / word / 'train.gold.txt'}:1" for word in CRLF}


def test_the_real_corpus(real_corpora: dict[str, Corpus]) -> None:
    tables = real_corpora.values()
    assert len(tables) == 20
    assert sum(len(table.senses) for table in tables) == 53
    assert sum(int((table.split == "train").sum()) for table in tables) == 23_370
    assert sum(int((table.split == "test").sum()) for table in tables) == 10_196
    at_position = [
        (tokens[position], table.word)
        for table in tables
        for tokens, position in zip(table.tokens, table.position, strict=True)
    ]
    assert len(at_position) == 33_566
    assert [pair for pair in at_position if pair[0] != pair[1]] == []


@pytest.mark.slow
def test_the_real_sentences_out_of_domain(archive: Path, tmp_path: Path) -> None:
    manifest = {
        name: digest
        for name, digest in ARCHIVE.file_checksums().items()
        if not place(name).startswith(("trains/", "published/"))
    }
    extract(archive, tmp_path / "source", manifest)
    further = tmp_path / "source" / "outofdomain.tsv"
    words = DATASETS["coarsewsd20"].words
    tables = [read_text(tmp_path / "source" / word, word, further) for word in words]
    rows = [
        (table.word, int(table.index[row]), int(table.gold[row]), table.tokens[row][position])
        for table in tables
        for row, position in enumerate(table.position.tolist())
        if table.split[row] == "outofdomain"
    ]
    assert len(rows) == 339
    assert sorted(index for _, index, _, _ in rows) == list(range(339))
    senses: dict[str, set[int]] = {}
    for word, _, gold, _ in rows:
        senses.setdefault(word, set()).add(gold)
    assert len(senses) == 15
    assert sum(len(gold) == 1 for gold in senses.values()) == 7
    # 123 sentences have another word form, such as a plural, and 7 have the word with a capital.
    assert sum(focal != word for word, _, _, focal in rows) == 130
    assert sum(focal.lower() != word for word, _, _, focal in rows) == 123
    plain = {table.word: table for table in tables if "outofdomain" not in table.split}
    assert sorted(plain) == ["bass", "crane", "digit", "hood", "mole"]


def test_the_real_sizes_match_the_documentation(
    real_corpora: dict[str, Corpus], archive: Path
) -> None:
    with tarfile.open(archive) as tar:
        (name,) = (n for n in tar.getnames() if n.endswith("outofdomain.tsv"))
        member = tar.extractfile(name)
        assert member is not None
        outside = Counter(line.split(b"\t")[0].decode() for line in member)
    with (DATA / "sizes.csv").open(encoding="utf-8", newline="") as file:
        noted = [row for row in csv.DictReader(file) if row["dataset"] == "coarsewsd20"]
    assert noted == [
        {
            "dataset": "coarsewsd20",
            "word": word,
            "n_senses": str(len(table.senses)),
            "n_train": str((table.split == "train").sum()),
            "n_test": str((table.split == "test").sum()),
            "n_out_of_domain": str(outside[word]),
            "most_folds": str(folds.most_folds_of(train.gold.tolist(), train.tokens)),
        }
        for word, table in real_corpora.items()
        for train in [table.take(table.split == "train")]
    ]


@pytest.mark.parametrize("text", ["[" * 100_000, '{"0": "\\ud800"}'])
def test_a_map_that_breaks_the_reader_of_json(tmp_path: Path, text: str) -> None:
    (tmp_path / "classes_map.txt").write_text(text)
    with pytest.raises(CorpusError) as error:
        read_text(tmp_path, "crane")
    assert "classes_map.txt" in str(error.value)
