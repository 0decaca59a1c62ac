"""Glosses and names of senses: in a table, in a manifest, and as sentences."""

from pathlib import Path
from typing import Any

import pytest
from importing import import_corpus

from wsd.artifacts.dataset import DATA, DATASETS, MANIFEST, Dataset, read_manifest
from wsd.artifacts.senses import GLOSS, SenseText
from wsd.corpora.copy_corpus import copy
from wsd.corpora.glosses import gloss_table, read_glosses
from wsd.corpora.text_format import read_text
from wsd.errors import CorpusError

SENSES = {"cell": ("cell_prison", "cell_battery"), "seal.n": ("a", "b")}
HEADER = "word\tsense\tgloss\n"
GOOD = (
    "cell\tcell_battery\tWhat turns chemistry into current.\n"
    "cell\tcell_prison\tTwo Cells, each a room with a lock.\n"
    "cell\tcell_prison\tA cell is where a prisoner sleeps.\n"
    "seal.n\ta\tit swims\n"
    "seal.n\tb\tit closes\n"
)


def written(tmp_path: Path, text: str, name: str = "senses.tsv") -> Path:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return path


def test_glosses_are_ordered_by_sense_with_their_focal_word(tmp_path: Path) -> None:
    lines = read_glosses(written(tmp_path, HEADER + GOOD), SENSES)["cell"]
    actual = gloss_table("cell", SENSES["cell"], lines, ("cell",))
    assert (actual.senses, actual.gold.tolist()) == (SENSES["cell"], [0, 0, 1])
    assert set(actual.split) == {GLOSS} and actual.index.tolist() == [0, 1, 2]
    # An inflected form, the word itself, and a gloss without it, which gets the word and a colon.
    assert actual.focal_tokens == ["Cells", "cell", "cell"]
    assert actual.tokens[2] == ("cell", ":", "What", "turns", "chemistry", "into", "current.")


@pytest.mark.parametrize("word", ["\u82b1.n", "C.n"])
def test_of_a_word_with_its_part_of_speech_the_lemma_is_read(word: str, tmp_path: Path) -> None:
    # Words that the run leaves out are skipped.
    text = f"{HEADER}wing\tbird\t\n{word}\ta\tone of them\n{word}\tb\tmuch {word[0]} here\n"
    lines = read_glosses(written(tmp_path, text), {word: ("a", "b")})[word]
    actual = gloss_table(word, ("a", "b"), lines)
    assert actual.tokens == ((word[0], ":", "one", "of", "them"), ("much", word[0], "here"))
    assert actual.focal_tokens == [word[0]] * 2


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        (HEADER + GOOD + "cell\tcell_phone\tIt rings.\n", ":7", "no sense 'cell_phone'"),
        (HEADER + "cell\tcell_prison\t \n" + GOOD, ":2", "gloss of 'cell_prison' is empty"),
        (HEADER + GOOD.replace("cell\tcell_battery", "Cell\tcell_battery"), "", "'cell_battery'"),
        (HEADER + GOOD + "cell\tcell_prison\tA cell is where a prisoner sleeps.\n", ":7", ":4 too"),
        (HEADER, "", "no gloss of the sense 'cell_prison' of 'cell', nor of 1 more"),
    ],
)
def test_invalid_glosses_are_refused(tmp_path: Path, text: str, line: str, problem: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(CorpusError, match=problem) as caught:
        read_glosses(path, SENSES)
    assert caught.value.where == f"{path}{line}"


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
        assert not any(words[1] == ":" for words in made.tokens), word


NAMED = "word\tsense\tname\tgloss\n"
LIVING = SenseText("living cell", "the <smallest> living thing")
GIVEN = {
    "cell": {"cell_biology": LIVING, "cell_prison": SenseText("", "a room with a lock")},
    "Schloß": {"lock": SenseText("Türschloss")},
}
TABLE = (
    f"{NAMED}cell\tcell_biology\tliving cell\tthe <smallest> living thing\n"
    "cell\tcell_prison\t\ta room with a lock\nSchloß\tlock\tTürschloss\t\n"
)


@pytest.fixture
def sentences(tmp_path: Path) -> Path:
    """Write ten sentences of each sense, and two of a rare one."""
    senses = "cell\tcell_biology;cell\tcell_prison;Schloß\tlock;Schloß\tcastle;cell\tcell_rare"
    lines = [
        f"{sense}\t{letter * 3} {letter}{sense[-3:]} *{sense.split()[0]}* {letter * 5}\n"
        for sense in senses.split(";")
        for letter in "abcdefghij"[: 2 if "rare" in sense else 10]
    ]
    return written(tmp_path, "word\tsense\tsentence\n" + "".join(lines), "rows.tsv")


def run(folder: Path, *files: Path, name: str = "out", **options: Any) -> Dataset:
    import_corpus(files, out=folder / name, name="mine", **options)
    return read_manifest(folder / name / MANIFEST)


def test_round_trip_of_names_and_glosses(tmp_path: Path, sentences: Path) -> None:
    out, table = tmp_path / "out", written(tmp_path, TABLE)
    dataset = run(tmp_path, sentences, senses=table)
    assert dataset.given == GIVEN
    called = dataset.sense_texts("cell", ("cell_biology", "cell_prison", "cell_rare"))
    assert called == (LIVING, SenseText("prison", "a room with a lock"), SenseText("rare"))
    # The copy of a run and an import of the folder have the names too.
    copy(out, tmp_path / "copied", name="other")
    assert read_manifest(tmp_path / "copied" / MANIFEST).given == GIVEN
    # Names of senses that are left out, or are edited in the folder, are left out too.
    run(tmp_path, sentences, name="few", senses=table, at_least=5)
    (path,) = (tmp_path / "few").glob("*chlo*/classes_map.txt")
    path.write_text(path.read_text("utf-8").replace("lock", "bolt"), "utf-8")
    given = run(tmp_path, tmp_path / "few", name="bolt").given
    assert {word: value for word, value in given.items() if value} == {"cell": GIVEN["cell"]}
    # Another table replaces the names in the folder.
    other = written(tmp_path, f"{NAMED}cell\tcell_rare\tother\t\n")
    given = run(tmp_path, out, name="third", senses=other).given
    assert {word: value for word, value in given.items() if value} == {
        "cell": {"cell_rare": SenseText("other")}
    }


@pytest.mark.parametrize(
    ("table", "line", "message"),
    [
        (f"{NAMED}pear\tlock\ta\tb\n", 2, "no sentence has the word 'pear'; the words are cell"),
        (f"{NAMED}cell\tlock\ta\tb\n", 2, "no sentence has the sense 'lock' of 'cell'"),
        (f"{TABLE}\ncell\tcell_biology\t\t\n", 6, "'cell_biology' of 'cell' is in"),
        (f"{TABLE}cell\tcell_rare\tprison\t\n", None, "is the name or the label of 'cell_prison'"),
    ],
)
def test_a_bad_table_is_one_error_with_file_and_line(
    tmp_path: Path, sentences: Path, table: str, line: int | None, message: str
) -> None:
    path = written(tmp_path, table)
    with pytest.raises(CorpusError, match=message) as caught:
        run(tmp_path, sentences, senses=path)
    assert caught.value.where == (f"{path}:{line}" if line else str(path))
    assert not (tmp_path / "out").exists()
