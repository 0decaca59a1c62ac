"""Training sets as lines of the full set: every row is found, or an error names it."""

import tarfile
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from call_step import call_step

from wsd.artifacts import training_set
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import DATASETS
from wsd.artifacts.training_set import TrainingSet, setting, training_rows
from wsd.corpora import training_sets
from wsd.corpora.download import ARCHIVE, DRAWS, TRAINS, extract, place, words_of_trains
from wsd.corpora.text_format import read_text
from wsd.corpora.training_sets import read_training_set, write_training_sets
from wsd.errors import ConfigError, CorpusError, ResultError
from wsd.storage import parquet

Rows = Sequence[tuple[str, int]]

# Lines 0 and 3 are one sentence with one class; 1 and 5 are one with another class; line 4 has
# position of its other "mint".
FULL: Rows = [
    ("1\tfresh mint grows", 0),
    ("0\tmint coins", 1),
    ("2\ttea with mint", 0),
    ("1\tfresh mint grows", 0),
    ("0\tmint and mint", 0),
    ("0\tmint coins", 0),
]
MORE: Rows = [("2\tthe old mint", 1), ("2\tmore tea with mint", 0)]


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
        (folder / word / "classes_map.txt").write_text('{"0": "herb", "1": "other"}')
    return folder


@pytest.fixture
def corpora(source: Path) -> dict[str, Corpus]:
    return {word: read_text(source / word, word) for word in ("mint", "sage")}


def part(source: Path, rows: Rows, *, word: str = "mint", train: str = "balanced") -> None:
    put(source / "trains" / train / word, "train", rows)


def test_the_names_are_those_of_the_download() -> None:
    assert set(TRAINS) == set(words_of_trains())
    assert len(TRAINS) == len(set(TRAINS)) == 19


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("balanced", ("balanced",)),
        ("1pct", ("1pct",)),
        ("nshot-1", ("nshot-1.set1", "nshot-1.set2", "nshot-1.set3")),
        ("nshot-30", ("nshot-30.set1", "nshot-30.set2", "nshot-30.set3")),
        ("nshot-30.set1", ()),
        ("nshot", ()),
    ],
)
def test_the_draws_of_a_setting(name: str, expected: tuple[str, ...]) -> None:
    assert DRAWS.get(name, ()) == expected
    assert [setting(train)[0] for train in expected] == [name] * len(expected)


def test_the_number_of_a_draw() -> None:
    assert setting("nshot-10.set3") == ("nshot-10", 3)
    assert setting("100pct") == ("100pct", None)


# Finding the rows


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([2], [2]),
        ([5, 2, 4], [2, 4, 5]),
        ([1], [1]),
        ([5], [5]),
        # Of two equal lines either will do; a line used twice is an error.
        ([3], [0]),
        ([3, 0], [0, 3]),
        ([5, 4, 3, 2, 1, 0], [0, 1, 2, 3, 4, 5]),
    ],
)
def test_rows_are_found_in_any_order(
    source: Path, corpora: Mapping[str, Corpus], lines: list[int], expected: list[int]
) -> None:
    part(source, [FULL[line] for line in lines])
    actual = read_training_set(source, "balanced", corpora)
    assert actual.name == "balanced"
    assert list(actual.lines) == ["mint"]
    assert actual.lines["mint"].tolist() == expected
    assert actual.corpus == {"mint": corpora["mint"].digest}


@pytest.mark.parametrize(
    "row",
    [
        ("2\ttea without mint", 0),
        ("0\ttea with mint", 0),
        ("2\ttea with mint", 1),
        # A sentence of the test set, and a sentence more often than the full set has it.
        MORE[0],
        ("1\tfresh mint grows", 0),
    ],
)
def test_a_row_that_is_not_in_the_full_set_is_named(
    source: Path, corpora: Mapping[str, Corpus], row: tuple[str, int]
) -> None:
    part(source, [FULL[0], FULL[3], row, FULL[4]])
    with pytest.raises(CorpusError, match="set of 'mint' lacks the sentence") as caught:
        read_training_set(source, "balanced", corpora)
    folder = source / "trains" / "balanced" / "mint"
    assert caught.value.where == f"{folder / 'train.data.txt'}:3"


def test_a_malformed_file_is_named(source: Path, corpora: Mapping[str, Corpus]) -> None:
    part(source, [FULL[0], (FULL[1][0], 7)])
    with pytest.raises(CorpusError, match="class '7' is not in the map") as caught:
        read_training_set(source, "balanced", corpora)
    gold = source / "trains" / "balanced" / "mint" / "train.gold.txt"
    assert caught.value.where == f"{gold}:2"


def test_missing_words_are_absent(source: Path, corpora: Mapping[str, Corpus]) -> None:
    part(source, [FULL[1]], word="sage")
    assert list(read_training_set(source, "balanced", corpora).lines) == ["sage"]
    with pytest.raises(CorpusError, match="no training set 'balanced' for mint") as caught:
        read_training_set(source, "balanced", {"mint": corpora["mint"]})
    assert "nshot-30.set3" in str(caught.value.fix)
    with pytest.raises(CorpusError, match="no training set '5pct' for mint, sage"):
        read_training_set(source, "5pct", corpora)


def test_classes_are_numbers_of_the_map_not_of_the_order(source: Path) -> None:
    (source / "mint" / "classes_map.txt").write_text('{"7": "other", "1": "herb"}')
    put(source / "mint", "train", [("0\tmint", 1), ("0\tmint", 7)])
    put(source / "mint", "test", [("0\tmint", 1)])
    part(source, [("0\tmint", 7)])
    corpora = {"mint": read_text(source / "mint", "mint")}
    assert read_training_set(source, "balanced", corpora).lines["mint"].tolist() == [1]


# Rows of the table


@pytest.fixture
def shuffled() -> Corpus:
    """Return a table whose training rows are not first, and whose lines are not in order."""
    split = ["test", "train", "outofdomain", "train", "test", "train"]
    return Corpus(
        word="mint",
        senses=("herb", "other"),
        split=np.array(split),
        index=np.array([0, 0, 1, 1, 1, 2], dtype=np.int32),
        tokens=tuple((f"w{i}", "mint") for i in range(6)),
        position=np.ones(6, dtype=np.int32),
        gold=np.zeros(6, dtype=np.int32),
    )


def chosen(corpus: Corpus, lines: list[int], **changes: str) -> TrainingSet:
    digest = changes.get("digest", corpus.digest)
    word = changes.get("word", "mint")
    return TrainingSet("balanced", {word: np.array(lines, dtype=np.int32)}, {word: digest})


def test_rows_of_the_table(shuffled: Corpus) -> None:
    assert training_rows(shuffled).tolist() == [1, 3, 5]
    assert training_rows(shuffled, chosen(shuffled, [0, 2])).tolist() == [1, 5]
    assert training_rows(shuffled, chosen(shuffled, [1])).tolist() == [3]
    assert training_rows(shuffled, chosen(shuffled, [0, 1, 2])).tolist() == [1, 3, 5]


def test_a_set_of_another_table_is_refused(shuffled: Corpus) -> None:
    with pytest.raises(ResultError, match="another table than the corpus of 'mint'"):
        training_rows(shuffled, chosen(shuffled, [0], word="sage"))
    with pytest.raises(ResultError, match="another table than the corpus of 'mint'"):
        training_rows(shuffled, chosen(shuffled, [0], digest="0" * 64))


# The file


def test_round_trip(source: Path, corpora: Mapping[str, Corpus], tmp_path: Path) -> None:
    for train, lines in (("1pct", [4, 1]), ("5pct", [5, 4, 1])):
        part(source, [FULL[line] for line in lines], train=train)
        part(source, [FULL[2]], word="sage", train=train)
    tables = {"1pct": tmp_path / "one/1pct.parquet", "5pct": tmp_path / "5pct@0123456789.parquet"}
    write_training_sets(source, corpora, tables)
    assert training_set.read(tables["1pct"]).name == "1pct"
    read = training_set.read(tables["5pct"])
    assert read.name == "5pct"
    assert {word: lines.tolist() for word, lines in read.lines.items()} == {
        "mint": [1, 4, 5],
        "sage": [2],
    }
    assert read.corpus == {word: corpus.digest for word, corpus in corpora.items()}
    assert training_rows(corpora["mint"], read).tolist() == [1, 4, 5]
    table, _ = parquet.read_table(tables["5pct"])
    assert table.to_pydict() == {"word": ["mint"] * 3 + ["sage"], "index": [1, 4, 5, 2]}


def test_each_training_set_needs_a_file(
    source: Path, corpora: Mapping[str, Corpus], tmp_path: Path
) -> None:
    given = {"source": source, "trains": ["1pct", "5pct"], "out": [tmp_path / "1pct.parquet"]}
    with pytest.raises(ConfigError, match="1 files for 2 training sets"):
        call_step(training_sets, corpora, **given)
    assert not (tmp_path / "1pct.parquet").exists()


# The real dataset

ROWS = {
    "balanced": 8_737,
    "1pct": 264,
    "5pct": 1_197,
    "10pct": 2_364,
    "25pct": 5_861,
    "50pct": 11_698,
    "100pct": 23_370,
    **{f"nshot-1.set{draw}": 53 for draw in (1, 2, 3)},
    **{f"nshot-3.set{draw}": 159 for draw in (1, 2, 3)},
    **{f"nshot-10.set{draw}": 530 for draw in (1, 2, 3)},
    **{f"nshot-30.set{draw}": 1_080 for draw in (1, 2, 3)},
}


@pytest.fixture(scope="module")
def real_source(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("real") / "source"
    manifest = ARCHIVE.file_checksums()
    extract(archive, out, {n: d for n, d in manifest.items() if "published" not in place(n)})
    return out


@pytest.fixture(scope="module")
def real(real_source: Path) -> dict[str, Corpus]:
    further = real_source / "outofdomain.tsv"
    words = DATASETS["coarsewsd20"].words
    return {word: read_text(real_source / word, word, further) for word in words}


@pytest.fixture(scope="module")
def real_trains(
    real_source: Path, real: dict[str, Corpus], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, TrainingSet]:
    out = tmp_path_factory.mktemp("trains")
    tables = {train: out / f"{train}.parquet" for train in TRAINS}
    write_training_sets(real_source, real, tables)
    return {train: training_set.read(path) for train, path in tables.items()}


def plain(folder: Path, split: str) -> Counter[tuple[str, str]]:
    """Match the lines of two files without code of the package."""
    data, gold = (
        (folder / f"{split}.{kind}.txt").read_bytes().decode().replace("\r\n", "\n").split("\n")
        for kind in ("data", "gold")
    )
    return Counter((line, number) for line, number in zip(data, gold, strict=False) if line)


@pytest.mark.slow
def test_every_real_row_is_found(
    real_source: Path, real: dict[str, Corpus], real_trains: dict[str, TrainingSet]
) -> None:
    words = words_of_trains()
    assert {train: list(actual.lines) for train, actual in real_trains.items()} == {
        train: list(words[train]) for train in TRAINS
    }
    counts = {train: sum(map(len, actual.lines.values())) for train, actual in real_trains.items()}
    assert counts == ROWS
    assert sum(counts.values()) == 58_957
    for train, actual in real_trains.items():
        for word in actual.lines:
            corpus = real[word]
            rows = training_rows(corpus, actual).tolist()
            ours = Counter(
                (int(corpus.position[i]), corpus.tokens[i], int(corpus.gold[i])) for i in rows
            )
            theirs: Counter[tuple[int, tuple[str, ...], int]] = Counter()
            for (line, gold), count in plain(
                real_source / "trains" / train / word, "train"
            ).items():
                position, _, sentence = line.partition("\t")
                theirs[int(position), tuple(sentence.split()), int(gold)] += count
            assert ours == theirs, (train, word)


@pytest.mark.slow
def test_real_fractions_are_nested_and_the_last_is_the_full_set(
    real: dict[str, Corpus], real_trains: dict[str, TrainingSet]
) -> None:
    for small, large in pairwise(TRAINS[1:7]):
        for word, lines in real_trains[small].lines.items():
            assert set(lines.tolist()) < set(real_trains[large].lines[word].tolist())
    for corpus in real.values():
        np.testing.assert_array_equal(
            training_rows(corpus, real_trains["100pct"]), training_rows(corpus)
        )


@pytest.mark.slow
def test_real_shots_are_nested_within_a_draw_and_each_sense_has_as_many(
    real: dict[str, Corpus], real_trains: dict[str, TrainingSet]
) -> None:
    for shots, more in ((1, 3), (3, 10), (10, 30), (30, None)):
        for train in DRAWS[f"nshot-{shots}"]:
            for word, lines in real_trains[train].lines.items():
                gold = real[word].gold[training_rows(real[word], real_trains[train])]
                assert np.bincount(gold).tolist() == [shots] * len(real[word].senses)
                larger = real_trains[f"nshot-{more}.set{setting(train)[1]}"] if more else None
                if larger and word in larger.lines:
                    assert set(lines.tolist()) < set(larger.lines[word].tolist())
        first, second, third = (real_trains[train].lines for train in DRAWS[f"nshot-{shots}"])
        for draw_a, draw_b in ((first, second), (second, third), (first, third)):
            assert all(set(draw_a[word].tolist()) != set(draw_b[word].tolist()) for word in draw_a)


@pytest.mark.slow
def test_the_balanced_set_has_each_sense_as_often_as_the_rarest(
    real: dict[str, Corpus], real_trains: dict[str, TrainingSet]
) -> None:
    for corpus in real.values():
        full = np.bincount(corpus.gold[training_rows(corpus)])
        balanced = np.bincount(corpus.gold[training_rows(corpus, real_trains["balanced"])])
        assert balanced.tolist() == [full.min()] * len(corpus.senses)


@pytest.mark.slow
def test_other_files_of_the_real_training_sets_are_copies(archive: Path, tmp_path: Path) -> None:
    """Class maps and test files, which the download skips; 242,427 rows in all."""
    with tarfile.open(archive) as tar:
        for member in tar:
            name = member.name.partition("/")[2]
            if member.isfile() and name.startswith("data/CoarseWSD-20") and "/" in name[18:]:
                content = tar.extractfile(member)
                assert content is not None
                target = tmp_path / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content.read())
    folders = [path.parent for path in tmp_path.glob("data/CoarseWSD-20_*/**/train.data.txt")]
    assert len(folders) == 359
    own = {}
    for folder in (tmp_path / "data" / "CoarseWSD-20").glob("*/"):
        own[folder.name] = ((folder / "classes_map.txt").read_bytes(), plain(folder, "test"))
    assert len(own) == 20
    rows = 0
    for folder in folders:
        classes, test = own[folder.name.partition("_")[0]]
        assert (folder / "classes_map.txt").read_bytes() == classes
        assert plain(folder, "test") == test
        rows += sum(test.values()) + sum(plain(folder, "train").values())
    assert rows == 242_427
