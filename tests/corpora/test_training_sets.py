"""Training sets as lines of the full set: every row is found, or an error names it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from wsd.artifacts import training_set
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import DATASETS
from wsd.artifacts.training_set import setting, training_rows
from wsd.corpora.download import ARCHIVE, TRAINS, extract, place, words_of_trains
from wsd.corpora.text_format import read_text
from wsd.corpora.training_sets import read_training_set, write_training_sets
from wsd.errors import CorpusError

Rows = Sequence[tuple[str, int]]

# Lines 0 and 3 are equal; 1 and 5 are one sentence with two classes.
FULL: Rows = [
    *(("1\tfresh mint grows", 1), ("0\tmint coins", 3), ("2\ttea with mint", 1)),
    *(("1\tfresh mint grows", 1), ("0\tmint and mint", 1), ("0\tmint coins", 1)),
]
MORE: Rows = [("2\tthe old mint", 3), ("2\tmore tea with mint", 1)]


def put(folder: Path, split: str, rows: Rows) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{split}.data.txt").write_text("\n".join(line for line, _ in rows))
    (folder / f"{split}.gold.txt").write_text("\n".join(str(gold) for _, gold in rows))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Write two words with the same sentences, in the layout of a download."""
    folder = tmp_path / "source"
    for word in ("mint", "sage"):
        put(folder / word, "train", FULL)
        put(folder / word, "test", MORE)
        # Classes have numbers of the map, not of the order.
        (folder / word / "classes_map.txt").write_text('{"3": "other", "1": "herb"}')
    return folder


@pytest.fixture
def corpora(source: Path) -> dict[str, Corpus]:
    return {word: read_text(source / word, word) for word in ("mint", "sage")}


def part(source: Path, rows: Rows, *, word: str = "mint", train: str = "balanced") -> None:
    put(source / "trains" / train / word, "train", rows)


def test_rows_are_found_in_any_order(source: Path, corpora: Mapping[str, Corpus]) -> None:
    # Of two equal lines either will do; a line used twice is an error.
    for lines, expected in (([1], [1]), ([3], [0]), ([5, 4, 3, 2, 1, 0], [0, 1, 2, 3, 4, 5])):
        part(source, [FULL[line] for line in lines])
        actual = read_training_set(source, "balanced", corpora)
        # Words without a folder are absent.
        assert {word: rows.tolist() for word, rows in actual.lines.items()} == {"mint": expected}
    with pytest.raises(CorpusError, match="no training set 'balanced' for sage"):
        read_training_set(source, "balanced", {"sage": corpora["sage"]})


# The last two are a sentence of the test set, and one more often than the full set has it.
@pytest.mark.parametrize(
    "row", [("0\ttea with mint", 1), ("2\ttea with mint", 3), MORE[0], ("1\tfresh mint grows", 1)]
)
def test_a_row_that_is_not_in_the_full_set_is_named(
    source: Path, corpora: Mapping[str, Corpus], row: tuple[str, int]
) -> None:
    part(source, [FULL[0], FULL[3], row, FULL[4]])
    with pytest.raises(CorpusError, match="lacks the sentence") as caught:
        read_training_set(source, "balanced", corpora)
    assert caught.value.where == f"{source}/trains/balanced/mint/train.data.txt:3"


def test_round_trip(source: Path, corpora: Mapping[str, Corpus], tmp_path: Path) -> None:
    for train, lines in (("1pct", [4, 1]), ("5pct", [5, 4, 1])):
        part(source, [FULL[line] for line in lines], train=train)
        part(source, [FULL[2]], word="sage", train=train)
    tables = {"1pct": tmp_path / "one/1pct.parquet", "5pct": tmp_path / "5pct@0123456789.parquet"}
    write_training_sets(source, corpora, tables)
    one, read = (training_set.read(path) for path in tables.values())
    assert (one.name, read.name) == ("1pct", "5pct")
    lines_by_word = {word: lines.tolist() for word, lines in read.lines.items()}
    assert lines_by_word == {"mint": [1, 4, 5], "sage": [2]}
    assert read.corpus == {word: corpus.digest for word, corpus in corpora.items()}
    assert training_rows(corpora["mint"], read).tolist() == [1, 4, 5]


FRACTIONS = {"1pct": 264, "5pct": 1_197, "10pct": 2_364, "25pct": 5_861, "50pct": 11_698}
SHOTS = {"nshot-1": 53, "nshot-3": 159, "nshot-10": 530, "nshot-30": 1_080}
ROWS = {"balanced": 8_737, "100pct": 23_370, **FRACTIONS, **SHOTS}


def plain(folder: Path) -> Counter[tuple[str, str]]:
    """Match the lines of two files without code of the package."""
    data, gold = (
        (folder / f"train.{kind}.txt").read_text("utf-8").split("\n") for kind in ("data", "gold")
    )
    lines = (line.partition("\t") for line in data if line)
    texts = (f"{position}\t{' '.join(sentence.split())}" for position, _, sentence in lines)
    return Counter(zip(texts, gold, strict=False))


@pytest.mark.slow
def test_the_real_training_sets(archive: Path, tmp_path: Path) -> None:
    source, manifest = tmp_path / "source", ARCHIVE.file_checksums()
    extract(archive, source, {n: d for n, d in manifest.items() if "published" not in place(n)})
    real = {word: read_text(source / word, word) for word in DATASETS["coarsewsd20"].words}
    tables = {train: tmp_path / f"{train}.parquet" for train in TRAINS}
    write_training_sets(source, real, tables)
    trains = {train: training_set.read(path) for train, path in tables.items()}
    assert {train: tuple(own.lines) for train, own in trains.items()} == words_of_trains()
    for train, own in trains.items():
        assert sum(map(len, own.lines.values())) == ROWS[setting(train)[0]]
        for word, corpus in ((word, real[word]) for word in own.lines):
            ours = Counter(
                (f"{corpus.position[i]}\t{' '.join(corpus.tokens[i])}", str(corpus.gold[i]))
                for i in training_rows(corpus, own).tolist()
            )
            assert ours == plain(source / "trains" / train / word), (train, word)
