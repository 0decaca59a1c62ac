"""Names and glosses of senses: from a table to the manifest of a corpus, and back."""

import json
from pathlib import Path

import pytest
from importing import import_corpus

from wsd.artifacts.dataset import MANIFEST, Dataset, read_manifest
from wsd.artifacts.senses import SenseText
from wsd.corpora.copy_corpus import copy
from wsd.errors import CorpusError, WsdError

HEADER = "word\tsense\tname\tgloss\n"
GIVEN = {
    "cell": {
        "cell_biology": SenseText("living cell", "the <smallest> living thing"),
        "cell_prison": SenseText("", "a room with a lock"),
    },
    "Schloß": {"lock": SenseText("Türschloss")},
}
TABLE = HEADER + "".join(
    f"{word}\t{sense}\t{text.name}\t{text.gloss}\n"
    for word, senses in GIVEN.items()
    for sense, text in senses.items()
)
LETTERS = "abcdefghij"


@pytest.fixture
def sentences(tmp_path: Path) -> Path:
    """Write ten sentences of each sense, and two of a rare one."""
    senses = {"cell": ["cell_biology", "cell_prison"], "Schloß": ["lock", "castle"]}
    lines = [
        f"{word}\t{sense}\t{letter * 3} {sense}{letter} *{word}* {letter * 5} {letter}{letter}"
        for word, value in senses.items()
        for sense in value
        for letter in LETTERS
    ]
    lines += [f"cell\tcell_rare\trare{letter} *cell* {letter * 4} {letter}" for letter in "xy"]
    path = tmp_path / "rows.tsv"
    path.write_text("word\tsense\tsentence\n" + "".join(f"{line}\n" for line in lines), "utf-8")
    return path


def run(tmp_path: Path, sentences: Path, table: str, *, name: str = "senses.tsv") -> Dataset:
    path = tmp_path / name
    path.write_text(table, "utf-8")
    import_corpus([sentences], out=tmp_path / "out", name="mine", senses=path)
    return read_manifest(tmp_path / "out" / MANIFEST)


def test_round_trip_of_names_and_glosses(tmp_path: Path, sentences: Path) -> None:
    dataset = run(tmp_path, sentences, TABLE)
    assert dataset.given == GIVEN
    labels = ("cell_biology", "cell_prison", "cell_rare")
    expected = [GIVEN["cell"]["cell_biology"], SenseText("prison", "a room with a lock")]
    assert dataset.sense_texts("cell", labels) == (*expected, SenseText("rare"))
    # Labels and instances do not change.
    manifest = json.loads((tmp_path / "out" / MANIFEST).read_text("utf-8"))
    assert manifest["words"]["cell"]["senses"]["cell_prison"]["train"] == 7
    assert [Path(source["file"]).name for source in manifest["imported"]] == [
        "rows.tsv",
        "senses.tsv",
    ]
    # The copy of a run and an import of the folder have the names too.
    copy(tmp_path / "out", tmp_path / "copied", name="other")
    assert read_manifest(tmp_path / "copied" / MANIFEST).given == GIVEN
    import_corpus([tmp_path / "out"], out=tmp_path / "again", name="mine")
    assert read_manifest(tmp_path / "again" / MANIFEST).given == GIVEN
    # Another table replaces the names in the folder.
    (tmp_path / "new.tsv").write_text(f"{HEADER}cell\tcell_rare\tother\t\n", "utf-8")
    import_corpus(
        [tmp_path / "out"], out=tmp_path / "third", name="mine", senses=tmp_path / "new.tsv"
    )
    of_third = read_manifest(tmp_path / "third" / MANIFEST).given
    assert {word: given for word, given in of_third.items() if given} == {
        "cell": {"cell_rare": SenseText("other")}
    }


def test_columns_in_any_order_with_commas_and_accents_apart(
    tmp_path: Path, sentences: Path
) -> None:
    table = 'gloss,more,sense,name,word\r\n"a, b",x, lock ,e\u0301tude,Schloß\r\n,,,,\r\n'
    dataset = run(tmp_path, sentences, table, name="senses.csv")
    assert dataset.given["Schloß"] == {"lock": SenseText("étude", "a, b")}


def test_without_a_table_senses_have_no_names(tmp_path: Path, sentences: Path) -> None:
    import_corpus([sentences], out=tmp_path / "out", name="mine")
    dataset = read_manifest(tmp_path / "out" / MANIFEST)
    assert not any(dataset.given.values())
    assert [text.name for text in dataset.sense_texts("Schloß", ("castle", "lock"))] == [
        "castle",
        "lock",
    ]


def test_a_table_may_name_senses_that_are_left_out(tmp_path: Path, sentences: Path) -> None:
    (tmp_path / "senses.tsv").write_text(f"{TABLE}cell\tcell_rare\tseldom\t\n", "utf-8")
    options = {"senses": tmp_path / "senses.tsv", "at_least": 5}
    import_corpus([sentences], out=tmp_path / "out", name="mine", **options)
    assert read_manifest(tmp_path / "out" / MANIFEST).given == GIVEN


@pytest.mark.parametrize(
    ("table", "line", "message"),
    [
        (f"{HEADER}pear\tlock\ta\tb\n", 2, "no sentence has the word 'pear'; the words are cell"),
        (f"{HEADER}cell\tlock\ta\tb\n", 2, "no sentence has the sense 'lock' of 'cell'"),
        ("word\tsense\tname\ncell\tcell_rare\ta\n", 1, "no column 'gloss' among word, sense"),
        (f"{HEADER}cell\tcell_rare\ta\n", 2, "3 columns, but the header has 4"),
        (f"{TABLE}\ncell\tcell_biology\t\t\n", 6, "'cell_biology' of 'cell' is in"),
        (f"{TABLE}cell\tcell_rare\tliving cell\t\n", None, "the name or the label of 'cell_rare'"),
        (f"{TABLE}cell\tcell_rare\tprison\t\n", None, "is the name or the label of 'cell_prison'"),
        (
            f"{TABLE}cell\tcell_rare\tcell_prison\t\n",
            None,
            "is the name or the label of 'cell_prison'",
        ),
        (f"{HEADER}cell\tcell_rare\tred\x1b[31m\t\n", 2, r"a character in the name 'red\\x1b"),
        (f"{HEADER}cell\tcell_rare\t\ta\u202eb\n", 2, "a character in the gloss"),
        (f"{HEADER}cell\tcell_rare\t{'x' * 101}\t\n", 2, "a name of 101 characters"),
        (f"{HEADER}cell\tcell_rare\t\t{'x' * 1001}\n", 2, "a gloss of 1001 characters"),
        ("word\tsense\tname\tname\n", 1, "two columns are called 'name'"),
        (HEADER, None, "the file has no sense"),
        ("", None, "the file is empty"),
    ],
)
def test_a_bad_table_is_one_error_with_file_and_line(
    tmp_path: Path, sentences: Path, table: str, line: int | None, message: str
) -> None:
    with pytest.raises(CorpusError, match=message) as caught:
        run(tmp_path, sentences, table)
    path = tmp_path / "senses.tsv"
    assert caught.value.where == (f"{path}:{line}" if line else str(path))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"name": "prison"}, "the name or the label of"),
        ({"name": 3}, "not a text"),
        ({"gloss": "a\x1bb"}, "cannot be seen"),
        (7, "described by keys"),
    ],
)
def test_a_manifest_edited_badly_is_one_error(
    tmp_path: Path, sentences: Path, value: object, message: str
) -> None:
    run(tmp_path, sentences, TABLE)
    path = tmp_path / "out" / MANIFEST
    manifest = json.loads(path.read_text("utf-8"))
    manifest["words"]["cell"]["senses"]["cell_rare"] = value
    path.write_text(json.dumps(manifest), "utf-8")
    for read in (
        lambda: read_manifest(path),
        lambda: import_corpus([tmp_path / "out"], out=tmp_path / "again", name="mine"),
    ):
        with pytest.raises(WsdError, match=message) as caught:
            read()
        assert caught.value.where == str(path)
    assert not (tmp_path / "again").exists()


def test_a_folder_with_edited_senses_keeps_the_rest(tmp_path: Path, sentences: Path) -> None:
    run(tmp_path, sentences, TABLE)
    (path,) = (tmp_path / "out").glob("*chlo*/classes_map.txt")
    path.write_text(path.read_text("utf-8").replace("lock", "bolt"), "utf-8")
    import_corpus([tmp_path / "out"], out=tmp_path / "again", name="mine")
    given = read_manifest(tmp_path / "again" / MANIFEST).given
    assert {word: value for word, value in given.items() if value} == {"cell": GIVEN["cell"]}


def test_files_that_share_a_word_are_merged_with_its_names(tmp_path: Path, sentences: Path) -> None:
    run(tmp_path, sentences, TABLE)
    import_corpus([sentences], out=tmp_path / "plain", name="plain")
    both = [tmp_path / "out", tmp_path / "plain"]
    for folders in (both, both[::-1]):
        out = tmp_path / folders[0].name / "together"
        import_corpus(folders, out=out, name="together")
        assert read_manifest(out / MANIFEST).given == GIVEN


def test_a_name_that_is_a_sense_of_another_file_is_refused(tmp_path: Path, sentences: Path) -> None:
    run(tmp_path, sentences, TABLE)
    other = tmp_path / "other.tsv"
    rows = [
        f"cell\tliving cell\t{split}\ta{letter} *cell* {letter * 4} {split}\n"
        for split in ("train", "test")
        for letter in LETTERS
    ]
    other.write_text("word\tsense\tsplit\tsentence\n" + "".join(rows), "utf-8")
    with pytest.raises(CorpusError, match="living cell") as caught:
        import_corpus([tmp_path / "out", other], out=tmp_path / "third", name="third")
    assert "--senses" in str(caught.value.fix)
    assert not (tmp_path / "third").exists()
