"""Glosses and names of senses: in a table, in a manifest, and as sentences."""

import json
from pathlib import Path

import pytest
from builders import make_corpus
from importing import import_corpus

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import DATA, DATASETS, MANIFEST, Dataset, read_manifest
from wsd.artifacts.senses import GLOSS, SenseText
from wsd.corpora.copy_corpus import copy
from wsd.corpora.glosses import gloss_table, read_glosses
from wsd.corpora.text_format import read_text
from wsd.errors import CorpusError, WsdError

SENSES = {"cell": ("cell_prison", "cell_battery"), "seal.n": ("a", "b")}
HEADER = "word\tsense\tgloss\n"
GOOD = (
    "cell\tcell_battery\tWhat turns chemistry into current.\n"
    "cell\tcell_prison\tTwo Cells, each a room with a lock.\n"
    "cell\tcell_prison\tA cell is where a prisoner sleeps.\n"
    "seal.n\ta\tit swims\n"
    "seal.n\tb\tit closes\n"
)
CELL = make_corpus([("train", 0), ("train", 1), ("test", 1)], word="cell", senses=SENSES["cell"])


def written(tmp_path: Path, text: str, name: str = "senses.tsv") -> Path:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return path


def table_of(path: Path) -> Corpus:
    return gloss_table("cell", CELL.senses, read_glosses(path, SENSES)["cell"], CELL.forms)


def test_glosses_are_ordered_by_sense_with_their_focal_word(tmp_path: Path) -> None:
    actual = table_of(written(tmp_path, HEADER + GOOD))
    assert (actual.word, actual.senses) == ("cell", SENSES["cell"])
    assert actual.gold.tolist() == [0, 0, 1]
    assert set(actual.split) == {GLOSS} and actual.index.tolist() == [0, 1, 2]
    # An inflected form, the word itself, and a gloss without it, which gets the word and a colon.
    assert [words[at] for words, at in zip(actual.tokens, actual.position, strict=True)] == [
        "Cells",
        "cell",
        "cell",
    ]
    assert actual.tokens[2] == ("cell", ":", "What", "turns", "chemistry", "into", "current.")


@pytest.mark.parametrize("word", ["\u82b1.n", "C.n", "seal.n"])
def test_of_a_word_with_its_part_of_speech_the_lemma_is_read(word: str, tmp_path: Path) -> None:
    lemma = word.partition(".")[0]
    # Words that the run leaves out are skipped.
    text = f"{HEADER}wing\tbird\t\n{word}\ta\tone of them\n{word}\tb\tmuch {lemma} here\n"
    lines = read_glosses(written(tmp_path, text), {word: ("a", "b")})[word]
    actual = gloss_table(word, ("a", "b"), lines)
    assert actual.tokens == ((lemma, ":", "one", "of", "them"), ("much", lemma, "here"))
    assert actual.position.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        (HEADER + GOOD + "cell\tcell_phone\tIt rings.\n", ":7", "no sense 'cell_phone'"),
        (HEADER + "cell\tcell_prison\t \n" + GOOD, ":2", "gloss of 'cell_prison' is empty"),
        (HEADER + GOOD.replace("cell\tcell_battery", "Cell\tcell_battery"), "", "'cell_battery'"),
        (HEADER + GOOD + "cell\tcell_prison\tA cell is where a prisoner sleeps.\n", ":7", ":4 too"),
        (HEADER.replace("gloss", "text") + GOOD, ":1", "no column 'gloss'"),
        (HEADER + GOOD + "cell\tcell_prison\n", ":7", "2 columns"),
        (HEADER + GOOD + "cell\tcell_prison\ta\u202eb\n", ":7", "cannot be seen"),
        (HEADER, "", "no gloss of the sense 'cell_prison' of 'cell', nor of 1 more"),
    ],
)
def test_invalid_glosses_are_refused(tmp_path: Path, text: str, line: str, problem: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(CorpusError) as caught:
        read_glosses(path, SENSES)
    assert caught.value.where == f"{path}{line}"
    assert problem in caught.value.problem
    assert caught.value.fix or "column" in problem


@pytest.mark.parametrize(
    ("name", "n"), [("quickstart", 26), ("quickstart-hard", 11), ("coarsewsd20", 53)]
)
def test_every_sense_of_the_built_in_corpora_has_a_gloss_with_its_word(name: str, n: int) -> None:
    path = DATA / f"glosses/{name}.tsv"
    glosses = read_glosses(path)
    assert tuple(glosses) == DATASETS[name].words and sum(map(len, glosses.values())) == n
    for word, lines in glosses.items():
        senses = tuple(sense for _, sense, _ in lines)
        if (DATA / name / word).exists():
            assert {*senses} == {*read_text(DATA / name / word, word).senses}
        made = gloss_table(word, senses, lines, (word,))
        assert made.gold.tolist() == list(range(len(senses)))
        assert not any(words[1] == ":" for words in made.tokens), word


# Names and glosses of an import

NAMED = "word\tsense\tname\tgloss\n"
GIVEN = {
    "cell": {
        "cell_biology": SenseText("living cell", "the <smallest> living thing"),
        "cell_prison": SenseText("", "a room with a lock"),
    },
    "Schloß": {"lock": SenseText("Türschloss")},
}
TABLE = NAMED + "".join(
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
    # So has a corpus of the folder and further files with the same word.
    import_corpus([sentences], out=tmp_path / "plain", name="plain")
    both = [tmp_path / "plain", tmp_path / "out"]
    import_corpus(both, out=tmp_path / "both", name="both")
    assert read_manifest(tmp_path / "both" / MANIFEST).given == GIVEN
    # Names of senses that are left out, or are edited in the folder, are left out too.
    import_corpus([sentences], out=tmp_path / "few", name="few", senses=tmp_path / "senses.tsv",
                  at_least=5)  # fmt: skip
    (path,) = (tmp_path / "few").glob("*chlo*/classes_map.txt")
    path.write_text(path.read_text("utf-8").replace("lock", "bolt"), "utf-8")
    import_corpus([tmp_path / "few"], out=tmp_path / "bolt", name="mine")
    given = read_manifest(tmp_path / "bolt" / MANIFEST).given
    assert {word: value for word, value in given.items() if value} == {"cell": GIVEN["cell"]}
    # Another table replaces the names in the folder.
    (tmp_path / "new.tsv").write_text(f"{NAMED}cell\tcell_rare\tother\t\n", "utf-8")
    import_corpus(
        [tmp_path / "out"], out=tmp_path / "third", name="mine", senses=tmp_path / "new.tsv"
    )
    of_third = read_manifest(tmp_path / "third" / MANIFEST).given
    assert {word: given for word, given in of_third.items() if given} == {
        "cell": {"cell_rare": SenseText("other")}
    }


@pytest.mark.parametrize(
    ("table", "line", "message"),
    [
        (f"{NAMED}pear\tlock\ta\tb\n", 2, "no sentence has the word 'pear'; the words are cell"),
        (f"{NAMED}cell\tlock\ta\tb\n", 2, "no sentence has the sense 'lock' of 'cell'"),
        ("word\tsense\tname\ncell\tcell_rare\ta\n", 1, "no column 'gloss' among word, sense"),
        (f"{NAMED}cell\tcell_rare\ta\n", 2, "3 columns, but the header has 4"),
        (f"{TABLE}\ncell\tcell_biology\t\t\n", 6, "'cell_biology' of 'cell' is in"),
        (f"{TABLE}cell\tcell_rare\tliving cell\t\n", None, "the name or the label of 'cell_rare'"),
        (f"{TABLE}cell\tcell_rare\tprison\t\n", None, "is the name or the label of 'cell_prison'"),
        (f"{NAMED}cell\tcell_rare\tred\x1b[31m\t\n", 2, "a character in the name"),
        (NAMED, None, "the file has no sense"),
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


def test_a_manifest_edited_badly_is_one_error(tmp_path: Path, sentences: Path) -> None:
    # Columns are in any order; accents may be characters of their own.
    table = 'gloss,more,sense,name,word\r\n"a, b",x, lock ,e\u0301tude,Schloß\r\n,,,,\r\n'
    dataset = run(tmp_path, sentences, table, name="senses.csv")
    assert dataset.given["Schloß"] == {"lock": SenseText("étude", "a, b")}
    path = tmp_path / "out" / MANIFEST
    manifest = json.loads(path.read_text("utf-8"))
    manifest["words"]["cell"]["senses"]["cell_rare"] = {"name": "prison"}
    path.write_text(json.dumps(manifest), "utf-8")
    for read in (
        lambda: read_manifest(path),
        lambda: import_corpus([tmp_path / "out"], out=tmp_path / "again", name="mine"),
    ):
        with pytest.raises(WsdError, match="the name or the label of") as caught:
            read()
        assert caught.value.where == str(path)
    assert not (tmp_path / "again").exists()
