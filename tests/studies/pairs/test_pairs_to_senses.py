"""WiC's pairs: reading them, and the senses of ``--to-senses``."""

import json
import zipfile
from itertools import permutations
from pathlib import Path

import pytest
from checkout import REPOSITORY
from importing import import_corpus
from require import missing

from wsd.artifacts.dataset import MANIFEST
from wsd.corpora.text_format import read_text
from wsd.errors import CorpusError
from wsd.studies.pairs import pair_formats, pairs_to_senses

Pair = tuple[str, str, str]


def pairs(folder: Path, *lines: Pair, word: str = "cell") -> Path:
    """Pairs of sentences named by a letter: the first, the second, the label."""
    path = folder / "train.data.txt"
    path.write_text(
        "".join(f"{word}\tN\t1-1\t{a} {word} {a}{a}\t{b} {word} {b}{b}\n" for a, b, _ in lines)
    )
    (folder / "train.gold.txt").write_text("".join(f"{label}\n" for *_, label in lines))
    return path


def senses_of(path: Path) -> dict[str, str]:
    rows = pairs_to_senses.read([path], [], None)[0].rows
    assert all(row.word == "cell.n" and row.position == 1 for row in rows)
    return {row.tokens[0]: row.sense for row in rows}


def test_pairs_that_tell_senses_apart(tmp_path: Path) -> None:
    path = pairs(
        tmp_path,
        *(("a", "b", "T"), ("b", "c", "T"), ("d", "e", "T"), ("c", "e", "F")),
        # f is told apart from one group alone, and g and h from none.
        *(("f", "a", "F"), ("g", "h", "T")),
    )
    first, second = "cell.n.1", "cell.n.2"
    expected = {"a": first, "b": first, "c": first, "d": second, "e": second}
    assert senses_of(path) == expected
    assert list(pairs_to_senses.read([path], [], None)[0].left_out.values()) == [3]
    # Once f is told apart from the other group too it is a third.
    path = pairs(
        tmp_path,
        ("a", "b", "T"),
        ("b", "d", "F"),
        ("f", "a", "F"),
        ("f", "d", "F"),
        ("d", "e", "T"),
    )
    assert senses_of(path)["f"] == "cell.n.3"
    text = import_corpus(
        [pairs(tmp_path, ("a", "b", "T"), ("c", "d", "T"), ("a", "c", "F"))],
        out=tmp_path / "out",
        name="mine",
        about={},
        to_senses=True,
    )
    assert "cell.n.1 1 + 1, cell.n.2 1 + 1" in text


def of_file(folder: Path, name: str, *lines: Pair) -> Path:
    (folder / name).mkdir()
    return pairs(folder / name, *lines)


def test_pairs_of_several_files_are_one_set_of_senses(tmp_path: Path) -> None:
    """Each file alone would call its larger group the first sense."""
    of_one = (("a", "b", "T"), ("b", "c", "T"), ("d", "e", "T"), ("a", "d", "F"))
    of_other = (("d", "f", "T"), ("d", "g", "T"), ("d", "h", "T"), ("a", "f", "F"))
    first_file, second_file = of_file(tmp_path, "1", *of_one), of_file(tmp_path, "2", *of_other)
    first, second = "cell.n.1", "cell.n.2"
    assert senses_of(first_file)["a"] == first and senses_of(second_file)["a"] == second
    expected = dict.fromkeys("defgh", first) | dict.fromkeys("abc", second)
    for files in ([first_file, second_file], [second_file, first_file]):
        rows = pairs_to_senses.read(files, [], None)[0].rows
        assert {row.tokens[0]: row.sense for row in rows} == expected
        assert len(rows) == len(expected)  # a sentence of both files is one row
    text = import_corpus(
        [first_file, second_file], out=tmp_path / "out", name="mine", to_senses=True
    )
    assert "cell.n.1 3 + 2, cell.n.2 2 + 1" in text


def test_pairs_to_train_on_and_pairs_to_test_on_have_the_same_senses(tmp_path: Path) -> None:
    train = of_file(tmp_path, "1", ("a", "b", "T"), ("c", "d", "T"), ("a", "c", "F"))
    test = of_file(tmp_path, "2", ("c", "e", "T"), ("e", "f", "T"), ("a", "e", "F"))
    actual, tested = pairs_to_senses.read([train], [test], None)
    senses = dict.fromkeys("cdef", "cell.n.1") | dict.fromkeys("ab", "cell.n.2")
    assert {row.tokens[0]: row.sense for row in actual.rows} == {
        entry: senses[entry] for entry in "abcd"
    }
    assert {row.tokens[0]: row.sense for row in tested.rows} == {
        entry: senses[entry] for entry in "acef"
    }
    out = tmp_path / "out"
    import_corpus([], out=out, name="mine", train=[train], test=[test], to_senses=True)
    corpus = read_text(out / "cell=2en", "cell.n")
    assert corpus.split.tolist().count("test") == 4


def test_pairs_to_test_on_that_have_no_sense_are_not_forgotten(tmp_path: Path) -> None:
    """Otherwise only the training files would be divided."""
    train = of_file(tmp_path, "1", ("a", "b", "T"), ("c", "d", "T"), ("a", "c", "F"))
    test = of_file(tmp_path, "2", ("e", "f", "T"))
    out = tmp_path / "out"
    with pytest.raises(CorpusError, match="and one of these in the test files"):
        import_corpus([], out=out, name="mine", train=[train], test=[test], to_senses=True)
    assert not out.exists()


def test_pairs_that_contradict_those_of_another_file(tmp_path: Path) -> None:
    first_file = of_file(tmp_path, "1", ("a", "b", "T"), ("c", "d", "T"), ("a", "c", "F"))
    second_file = of_file(tmp_path, "2", ("a", "c", "T"))
    assert senses_of(first_file)
    with pytest.raises(CorpusError, match="no word's pairs separate two senses") as caught:
        pairs_to_senses.read([first_file, second_file], [], None)
    assert caught.value.where == f"{first_file}, {second_file}"
    assert f"whose pairs contradict themselves ({first_file}:3)" in caught.value.problem


@pytest.fixture(scope="module")
def real_wic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """WiC v1.0."""
    path = REPOSITORY.parent / "shared" / "data" / "WiC_dataset.zip"
    if not path.is_file():
        missing("archive", f"no {path}")
    folder = tmp_path_factory.mktemp("wic")
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("splits", "words"),
    [
        (("train", "dev"), 117),
        (("dev", "test", "train"), 139),
    ],
)
def test_every_pairing_of_the_real_files_ends_well(
    real_wic: Path, tmp_path: Path, splits: tuple[str, ...], words: int
) -> None:
    files = [real_wic / split / f"{split}.data.txt" for split in splits]
    text = import_corpus(files, out=tmp_path / "out", name="mine", to_senses=True, at_least=2)
    assert len(json.loads((tmp_path / "out" / MANIFEST).read_text())["words"]) == words
    assert text.count("whose pairs contradict themselves") == 1
    assert "instances of stay.v, whose pairs contradict themselves" in text


@pytest.mark.slow
@pytest.mark.parametrize(("train", "test"), list(permutations(["train", "dev", "test"], 2)))
def test_every_real_file_is_tested_on_every_other(
    real_wic: Path, tmp_path: Path, train: str, test: str
) -> None:
    file_of_split = {split: real_wic / split / f"{split}.data.txt" for split in (train, test)}
    given = {"train": [file_of_split[train]], "test": [file_of_split[test]], "to_senses": True}
    text = import_corpus([], out=tmp_path / "out", name="mine", **given)
    assert ("stay.v, whose pairs" in text) == ("train" in (train, test))


def test_a_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    path = pairs(tmp_path, ("a", "b", "T"), ("c", "d", "T"), ("a", "c", "F"))
    plain = senses_of(path)
    for file in (path, path.with_name("train.gold.txt")):
        file.write_text("\ufeff" + file.read_text())
    assert senses_of(path) == plain


def test_both_files_are_named_in_the_manifest(tmp_path: Path) -> None:
    path = pairs(tmp_path, ("a", "b", "T"), ("c", "d", "T"), ("a", "c", "F"))
    import_corpus([path], out=tmp_path / "out", name="mine", about={}, to_senses=True)
    manifest = json.loads((tmp_path / "out" / MANIFEST).read_text())
    files = [Path(source["file"]).name for source in manifest["imported"]]
    assert files == ["train.data.txt", "train.gold.txt"]


def test_a_word_whose_pairs_contradict_themselves_is_left_out(tmp_path: Path) -> None:
    path = pairs(tmp_path, ("a", "b", "T"), ("b", "c", "T"), ("a", "c", "F"))
    good = "mint\tN\t1-1\t{0} mint {0}{0}\t{1} mint {1}{1}\n"
    lines = [good.format(*both) for both in ("de", "fd", "fg")]
    path.write_text(path.read_text() + "".join(lines))
    gold = path.with_name("train.gold.txt")
    gold.write_text(gold.read_text() + "T\nF\nT\n")
    actual = pairs_to_senses.read([path], [], None)[0]
    assert {row.word for row in actual.rows} == {"mint.n"}
    why = f"cell.n, whose pairs contradict themselves ({path}:3)"
    assert actual.left_out[why] == 3
    out = tmp_path / "out"
    text = import_corpus([path], out=out, name="mine", to_senses=True)
    assert f"left out: 3 instances of {why}" in text


def test_pairs_that_say_nothing_of_senses(tmp_path: Path) -> None:
    path = pairs(tmp_path, ("a", "b", "T"), ("c", "d", "T"))
    with pytest.raises(CorpusError, match="no word's pairs separate two senses"):
        pairs_to_senses.read([path], [], None)[0]


@pytest.mark.parametrize(
    ("line", "label", "where", "says"),
    [
        ("cell\tN\t0-0\tcell a", "T", "data.txt:2", "4 columns, not 5"),
        ("cell\tN\t0\tcell a\tcell b", "T", "data.txt:2", "the positions '0'"),
        (
            "cell\tN\t0-2\tcell a\tcell b",
            "T",
            "data.txt:2, column sentence2",
            "position 2 (counted from 0) in a sentence of 2",
        ),
        (" \tN\t0-0\tcell a\tcell b", "T", "data.txt:2, column word", "' ' for the word"),
        ("cell\tN\t0-0\tcell a\tcell b", "X", "gold.txt:2", "'X' is no label"),
        ("cell\tN\t0-0\tcell a\tcell b", "T\nF", "gold.txt:3", "2 pairs but 3 labels"),
    ],
)
def test_invalid_pairs(tmp_path: Path, line: str, label: str, where: str, says: str) -> None:
    path = pairs(tmp_path, ("a", "b", "F"))
    path.write_text(f"{path.read_text()}{line}\n")
    gold = path.with_name("train.gold.txt")
    gold.write_text(f"{gold.read_text()}{label}\n")
    with pytest.raises(CorpusError) as caught:
        import_corpus([path], out=tmp_path / "out", name="mine", to_senses=True)
    assert says in caught.value.problem
    assert str(caught.value.where).endswith(where)


def test_labels_ignore_case(tmp_path: Path) -> None:
    assert pair_formats.gold_of(tmp_path / "train.DATA.TXT") == tmp_path / "train.gold.txt"
