"""Glosses: their senses, the focal word's position, and errors."""

import json
import tarfile
from pathlib import Path

import numpy as np
import pytest
from builders import make_corpus

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import DATA, DATASETS
from wsd.artifacts.senses import GLOSS
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


def test_of_a_lemma_with_its_part_of_speech_the_lemma_is_read(tmp_path: Path) -> None:
    lines = read_glosses(written(tmp_path, HEADER + GOOD), SENSES)["seal.n"]
    assert gloss_table("seal.n", SENSES["seal.n"], lines).tokens[0] == ("seal", ":", "it", "swims")


@pytest.mark.parametrize("word", ["\u82b1.n", "C.n"])
def test_of_a_word_of_one_character_the_lemma_is_read(word: str, tmp_path: Path) -> None:
    lemma = word[0]
    header = "word\tsense\tgloss\n"
    text = f"{header}{word}\ta\tone of them\n{word}\tb\tmuch {lemma} here\n"
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


def test_words_that_the_run_leaves_out_are_skipped(tmp_path: Path) -> None:
    more = "wing\tbird\tIt flies.\nwing\tbird\t\n"
    assert table_of(written(tmp_path, HEADER + GOOD + more)).gold.tolist() == [0, 0, 1]


@pytest.mark.parametrize("name", ["quickstart", "quickstart-hard"])
def test_the_quickstarts_have_a_gloss_with_its_word_for_each_sense(name: str) -> None:
    corpora = {word: read_text(DATA / name / word, word) for word in DATASETS[name].words}
    senses = {word: corpus.senses for word, corpus in corpora.items()}
    for word, lines in read_glosses(DATA / f"glosses/{name}.tsv", senses).items():
        made = gloss_table(word, corpora[word].senses, lines, corpora[word].forms)
        assert made.gold.tolist() == list(range(len(senses[word])))
        assert not any(words[1] == ":" for words in made.tokens), word


def test_coarsewsd20_has_53_glosses_with_their_word() -> None:
    """The corpus and its labels are not in the repository: here are its words."""
    lines = (DATA / "glosses/coarsewsd20.tsv").read_text("utf-8").splitlines()[1:]
    labels: dict[str, list[str]] = {}
    for word, sense, _ in (line.split("\t") for line in lines):
        labels.setdefault(word, []).append(sense)
    assert tuple(labels) == DATASETS["coarsewsd20"].words
    assert sum(map(len, labels.values())) == len(lines) == 53
    actual = read_glosses(DATA / "glosses/coarsewsd20.tsv", labels)
    for word, glosses in actual.items():
        corpus = make_corpus([("train", 0)], word=word, senses=labels[word])
        made = gloss_table(corpus.word, corpus.senses, glosses, corpus.forms)
        assert np.unique(made.gold).tolist() == list(range(len(labels[word])))
        assert not any(tokens[1] == ":" for tokens in made.tokens), word


def test_its_labels_are_those_of_the_archive(archive: Path) -> None:
    senses = {}
    with tarfile.open(archive) as files:
        for word in DATASETS["coarsewsd20"].words:
            top = archive.name.removesuffix(".tar.gz")
            file = files.extractfile(f"{top}/data/CoarseWSD-20/{word}/classes_map.txt")
            assert file is not None
            senses[word] = tuple(json.load(file).values())
    read_glosses(DATA / "glosses/coarsewsd20.tsv", senses)
