"""Every step of the command on a tiny encoder and two words, and what it says to bad input."""

import contextlib
import csv
import json
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from log_state import logs_as_before
from numpy.testing import assert_array_equal
from steps import DATA_ARGUMENTS, LOGISTIC, STEPS, SYSTEM, VECTORS, WORDS, prepare

from wsd.artifacts import corpus_table, fold_table, predictions, training_set
from wsd.artifacts.cv_table import read_search
from wsd.cli import main
from wsd.storage.checksums import SUMS
from wsd.storage.json import write_json
from wsd.studies.control_task.control_task import control_labels


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All steps but the last, run."""
    root = tmp_path_factory.mktemp("steps")
    prepare(root)
    PREPARED.update(path for path in root.rglob("*") if path.is_file())
    with contextlib.chdir(root), logs_as_before(), recorded_renames():
        for command, arguments in STEPS[:-1]:
            assert main([command, *arguments]) == 0, command
    return root


# The files before the first step; where a rename led, and whether all bytes were on the disk then.
PREPARED: set[Path] = set()
RENAMED: dict[Path, bool] = {}


@contextlib.contextmanager
def recorded_renames() -> Iterator[None]:
    synced: set[int] = set()
    fsync, replace = os.fsync, Path.replace

    def noted_fsync(handle: int) -> None:
        synced.add(os.fstat(handle).st_ino)
        fsync(handle)

    def noted_replace(path: Path, target: Path) -> Path:
        for file in [path] if path.is_file() else filter(Path.is_file, path.rglob("*")):
            place = Path(target).absolute() / file.relative_to(path)
            RENAMED[place] = file.stat().st_ino in synced
        return replace(path, target)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", noted_fsync)
        patched.setattr(Path, "replace", noted_replace)
        yield


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(folder)
    with logs_as_before():
        yield folder


def corpora(folder: Path) -> dict[str, corpus_table.Corpus]:
    return corpus_table.read_corpora(folder / "corpus", WORDS)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


# What they write


def test_every_file_of_every_command_is_on_the_disk_before_it_has_its_name(folder: Path) -> None:
    # Some are linked to from their places in the workflow.
    written = {path.resolve() for path in folder.rglob("*") if path.is_file()} - PREPARED
    assert len(written) > 60
    assert sorted(written - set(RENAMED)) == [], "written in place"
    assert [path for path in sorted(written) if not RENAMED[path]] == [], "not on the disk"


def test_training_sets_and_their_folds(here: Path) -> None:
    full, balanced = (
        fold_table.read(here / "full.parquet"),
        fold_table.read(here / "balanced.parquet"),
    )
    assert (full.train, full.k, full.repeats, full.seed) == ("full", 5, 2, 1)
    part = training_set.read(here / "trains/balanced.parquet")
    assert balanced.train == part.name == "balanced"
    for word, table in corpora(here).items():
        n = int((table.split == "train").sum())
        assert full.words[word].lines.tolist() == list(range(n))
        assert balanced.words[word].lines.tolist() == list(range(0, n, 2))
        assert_array_equal(part.lines[word], balanced.words[word].lines)
        held = full.words[word].held
        assert held is not None and held.shape == (2, n)


def test_published_predictions_stand_where_ours_do(here: Path) -> None:
    found, provenance = predictions.read_predictions(here / "published.parquet")
    assert provenance["encoder"]["model"]["name"] == SYSTEM
    for of_word in found:
        table = corpora(here)[of_word.word]
        assert_array_equal(of_word.gold, table.gold[table.split == "test"])
        assert_array_equal(of_word.predicted, of_word.gold)


def test_classify_writes_a_file_and_a_search_per_training_set(here: Path) -> None:
    for train, out, search in (("full", "p", "s"), ("balanced", "pb", "sb")):
        found, provenance = predictions.read_predictions(here / f"{out}.parquet")
        searched, source = read_search(here / f"{search}.parquet")
        assert provenance["train"] == source["train"] == train
        assert (provenance["view"], provenance["layers"]) == ("focal", "mix-all")
        assert provenance["estimator"] == "logistic" and provenance["task"] == "sense"
        assert set(searched.figures) == set(WORDS) and len(searched.grid) == 4
        assert provenance["parameters"] == searched.best("mean_macro_f1")
        # The one sentence from out of domain is of one of the words.
        assert [(of.word, of.split) for of in found] == [
            *((word, "test") for word in WORDS),
            ("apple", "outofdomain"),
        ]
        n_train = len(fold_table.read(here / f"{train}.parquet").words["crane"].lines)
        assert {of.n_train for of in found if of.word == "crane"} == {n_train}
    # Different training sets, different predictions.
    assert not np.array_equal(
        *(predictions.read_predictions(here / f"{out}.parquet")[0][0].scores for out in ("p", "pb"))
    )
    _, several = predictions.read_predictions(here / "p2.parquet")
    assert (several["view"], several["layers"]) == ("focal+context", "2+1")
    assert (several["classifier"], several["estimator"]) == ("own", "lda")


def test_a_training_set_gives_the_same_alone_as_beside_another(here: Path, tmp_path: Path) -> None:
    for train, usual in (("full", "p4"), ("1pct", "p41")):
        out, search = tmp_path / train, tmp_path / f"{train}.search"
        arguments = [*VECTORS, "--layers", "1", *LOGISTIC, "--folds", f"{train}.parquet"]
        done = main(["classify", *arguments, "--searches", str(search), "--out", str(out)])
        assert done == 0
        assert out.read_bytes() == (here / f"{usual}.parquet").read_bytes()


def test_control_learns_the_labels_of_the_neighbours(here: Path) -> None:
    found, provenance = predictions.read_predictions(here / "c.parquet")
    assert provenance["task"] == "control"
    usual, of_senses = predictions.read_predictions(here / "p4.parquet")
    assert provenance["corpus"] == of_senses["corpus"]
    for of_word, of_sense in zip(found, usual, strict=True):
        table = corpora(here)[of_word.word]
        labels = control_labels(table, 3)[table.split == of_word.split]
        assert_array_equal(of_word.gold, labels)
        assert of_word.senses == of_sense.senses
    assert any(not np.array_equal(a.gold, b.gold) for a, b in zip(found, usual, strict=True))


def test_the_zero_shot_rows_stand_in_the_tables_and_on_the_page(here: Path) -> None:
    compared = [r for r in rows(here / "comparison.csv") if r["kind"] == "zero-shot"]
    assert [(r["classifier"], r["layers"]) for r in compared] == [
        ("gloss", "1"),
        ("gloss-mean", "1"),
    ]
    tested = {r["classifier"] for r in rows(here / "comparison/differences.csv")}
    assert {"gloss", "gloss-mean"} <= tested
    # Nothing selects among them.
    assert not {r["classifier"] for r in rows(here / "selection.csv")} & tested & {"gloss"}
    worth = rows(here / "gloss-worth.csv")
    assert {(r["layers"], r["start"]) for r in worth} == {
        (layers, start) for layers in "02" for start in ("sentences", "gloss", "gloss-mean")
    }


def test_every_seed_of_a_fine_tuned_encoder_is_a_row_and_none_is_a_candidate(here: Path) -> None:
    both = {"finetuned-1", "finetuned-2"}
    scored = [r for r in rows(here / "scores.csv") if r["layers"] == "finetuned"]
    assert {(r["view"], r["classifier"]) for r in scored} == {("focal", of) for of in both}
    compared = [r for r in rows(here / "comparison.csv") if r["classifier"] in both]
    assert {(r["kind"], r["model"]) for r in compared} == {("fine-tuned", "tiny")}
    assert both <= {r["classifier"] for r in rows(here / "comparison/differences.csv")}
    for table in ("selection.csv", "comparison/layers.csv", "comparison/best-set.csv"):
        assert not both & {r["classifier"] for r in rows(here / table)}, table
    assert "| fine-tuned | tiny | focal, fine-tuned | finetuned-1 |" in " ".join(
        (here / "comparison/comparison.md").read_text().split(" ")
    ).replace("  ", " ")


def test_what_is_selected_is_what_is_fitted(here: Path) -> None:
    chosen = json.loads((here / "selection.json").read_text())["chosen"]["tiny"]["full"]
    assert len([row for row in rows(here / "selection.csv") if row["scope"] == "all words"]) == 4
    found, provenance = predictions.read_predictions(here / "pw.parquet")
    assert provenance["chosen"] == chosen["words"]
    files = {("focal", "mix-all", "logistic"): "p", ("focal+context", "2+1", "own"): "p2",
             ("focal", "1", "knn"): "p3", ("focal", "1", "logistic"): "p4"}  # fmt: skip
    compared = 0
    for of_word in found:
        row = chosen["words"][of_word.word]
        usual, source = predictions.read_predictions(
            here / f"{files[row['view'], row['layers'], row['classifier']]}.parquet"
        )
        if source["parameters"] == row["parameters"]:
            (same,) = (o for o in usual if (o.word, o.split) == (of_word.word, of_word.split))
            assert_array_equal(of_word.scores, same.scores)
            compared += 1
    assert compared


def test_a_baseline_is_one_more_file_of_predictions(here: Path) -> None:
    found, provenance = predictions.read_predictions(here / "b.parquet")
    assert (provenance["classifier"], provenance["train"]) == ("bag_of_words", "full")
    assert {of.word for of in found} == set(WORDS)
    assert {of.split for of in found} == {"test", "outofdomain"}


def test_the_tables_have_every_row_and_what_was_selected(here: Path) -> None:
    summary = rows(here / "summary.csv")
    keys = {(r["train"], r["test"], r["view"], r["layers"], r["classifier"]) for r in summary}
    assert {("full", "test"), ("full", "outofdomain"), ("balanced", "test")} < {k[:2] for k in keys}
    assert ("full", "test", "per-word", "per-word", "per-word") in keys
    # Twelve of our own on two test sets, and two systems on the one that they say something of.
    assert len(keys) == 12 * 2 + 2
    assert ("none", "test", "focal", "1", "gloss") in keys


def test_the_pages_are_made_last(here: Path) -> None:
    command, arguments = STEPS[-1]
    assert main([command, *arguments]) == 0
    index = (here / "report/index.html").read_text()
    assert "Folds of the training set choose" in index and SYSTEM in index
    page = (here / "report/layers.html").read_text()
    assert "focal, fine-tuned" in index and "fine-tuned" not in page
    assert "zero-shot, gloss-mean" in page and "What a gloss is worth" in page
    assert (here / "report/data/gloss-worth.csv").exists()


# What they say to bad input


def without(command: str, option: str, *values: str, nth: int = 0) -> list[str]:
    """A command of the steps with other values of an option."""
    arguments = [arguments for name, arguments in STEPS if name == command][nth]
    start = arguments.index(option) + 1
    end = next((i for i in range(start, len(arguments)) if arguments[i][:2] == "--"), None)
    return [command, *arguments[:start], *values, *(arguments[end:] if end else [])]


BAD: dict[str, tuple[list[str], int, str]] = {
    "no such training set": (
        without("training-sets", "--trains", "2pct", "1pct"), 3, "no training set '2pct'"),
    "fewer files of training sets": (
        without("training-sets", "--out", "o"), 2, "1 files for 2 training sets"),
    "glosses that are no table": (
        without("glosses", "--glosses", "tiny.json"), 3, "tiny.json"),
    "glosses that were not embedded": (
        without("zero-shot", "--glosses", "corpus"), 6, "belong to another table"),
    "one output of two": (without("zero-shot", "--out", "o"), 2, "1 outputs"),
    "a layer that glosses do not have": (
        without("gloss-worth", "--layers", "7"), 2, "no such layer"),
    "no such system": (without("published", "--system", "gpt"), 2, "gpt"),
    "folds of what is none": (without("folds", "--train", "p.parquet", nth=1), 6, "p.parquet"),
    "folds of nothing": (without("folds", "--train", "none.parquet", nth=1), 6, "missing"),
    "no such word": (without("folds", "--words", "pear"), 6, "pear.parquet"),
    "fewer outputs": (without("classify", "--out", "o.parquet"), 2, "2 are made, 2 searches and 1"),
    "fewer searches": (without("classify", "--searches", "o"), 2, "2 are made, 1 searches and 2"),
    "no such layer": (without("classify", "--layers", "3", nth=2), 2, "no such layer"),
    "too few layers": (without("classify", "--layers", "1", nth=1), 2, "1 layer choices in '1'"),
    "no such view": (without("classify", "--view", "focal+cls", nth=1), 6, "cls.safetensors"),
    "a mix for knn": (
        without("classify", "--layers", "mix-last-2", nth=2), 2,
        "knn on focal cannot learn the mix"),
    "a mix of two views": (
        without("classify", "--layers", "mix-all+1", nth=1), 2, "cannot learn the mix"),
    "folds that are none": (
        without("classify", "--folds", "p.parquet", nth=1), 6, "the expected content"),
    "folds that are missing": (without("classify", "--folds", "none", nth=1), 6, "missing"),
    "metric": (
        ["classify", *VECTORS, "--layers", "1", "--estimator", "nearest_centroid", "--space",
         '{"metric": "dot"}', "--folds", "full.parquet", "--searches", "so", "--out", "o"],
        2, "'dot'"),
    "space of another": (
        without("control-task", "--space", '{"k": 3}'), 2, "logistic"),
    "another objective": (
        [*without("select", "--searches", "s.parquet"), "--objective", "mean_word_accuracy"],
        6, "tuned for mean_macro_f1, not mean_word_accuracy"),
    "select what is none": (
        without("select", "--searches", "p.parquet"), 6, "the expected content"),
    "select nothing there": (without("select", "--searches", "none"), 6, "missing"),
    "selection that is none": (
        without("classify-selected", "--selection", "tiny.json"), 6, "tiny.json"),
    "selection missing": (without("classify-selected", "--selection", "none"), 6, "missing"),
    "evaluate what is none": (
        without("evaluate", "--predictions", "s.parquet"), 6, "the expected content"),
    "evaluate twice": (
        without("evaluate", "--predictions", "p.parquet", "p.parquet"), 6, "two files hold"),
    "evaluate a system twice": (
        without("evaluate", "--predictions", "published.parquet"), 6, "both called"),
    "evaluate our own as a system's": (
        without("evaluate", "--systems", "p.parquet"), 6, "not the predictions that are asked for"),
    "evaluate the control task": (
        without("evaluate", "--predictions", "c.parquet"), 6, "of the control task"),
    "a space without values": (
        without("control-task", "--space", '{"C": []}'), 2, "without values"),
    "a space with an unknown parameter": (
        without("control-task", "--space", '{"c": 1}'), 2, "choose among C, prior_shift"),
    "a space with a value that is none": (
        without("control-task", "--space", '{"C": -1}'), 2, "where: --space"),
    "a word that is not there": (
        without("neighbours", "--words", "nope"), 6, "one that is there (apple.parquet, crane"),
    "a view that is not there": (
        [*without("neighbours", "--layers", "1"), "--view", "context+other"], 6,
        "one that is there (context.safetensors, focal"),
    "a file for a folder of vectors": (
        without("neighbours", "--embeddings", "p.parquet"), 6, "a file, and not a folder"),
    "a file for a folder of tables": (
        without("neighbours", "--corpus", "p.parquet"), 6, "a file, and not a folder"),
    "code length without a set's predictions": (
        without("code-length", "--predictions", "c.parquet"), 2, "on the training set 1pct"),
    "an output over a table of the corpus": (
        without("layerwise", "--layers", "corpus/apple.parquet"), 2, "a folder that is read"),
    "a device without an end for a table": (
        without("compare", "--scores", "/dev/zero"), 6, "device or pipe"),
    "a folder for a folder's folder": (
        without("neighbours", "--embeddings", "e/apple"), 6, "missing"),
    "parameter of another": (
        ["classify", *VECTORS, "--layers", "1", "--estimator", "nearest_centroid", "--space",
         '{"C": 3}', "--folds", "full.parquet", "--searches", "so", "--out", "o"],
        2, "nearest_centroid"),
    "selection of another model": (
        without("classify-selected", "--model", "huge"), 6, "nothing was selected"),
    "folds of no word": (
        ["folds", "--corpus", "corpus", "--words", "crane", "--train", "apple.parquet",
         "--out", "o"], 6, "'balanced' has none of crane"),
    "classify no word": (
        ["classify", "--corpus", "corpus", "--words", "crane", "--embeddings", "e", "--layers",
         "1", *LOGISTIC, "--folds", "applefolds.parquet", "--searches", "so", "--out", "o"],
        6, "folds of another run: they lack 'crane'"),
    "baseline of no word": (
        ["baseline", "--corpus", "corpus", "--words", "crane", "--name", "most_frequent_sense",
         "--folds", "applefolds.parquet", "--out", "o"], 6, "they lack 'crane'"),
    "discriminants of fewer words": (
        without("project", "--folds", "applefolds.parquet", nth=2), 6, "they lack 'crane'"),
    "folds that nothing was selected on": (
        without("classify-selected", "--folds", "otherfolds.parquet"), 6,
        "5 folds, drawn 2 times, seed 7; this run has 5 folds, drawn 2 times, seed 1"),
    "folds that nothing was tuned on": (
        without("code-length", "--folds", "other1pct.parquet", "full.parquet"), 6,
        "5 folds, drawn 2 times, seed 7; this run has 5 folds, drawn 2 times, seed 1"),
    "a selection on other folds": (
        without("compare", "--selection", "other.json"), 6,
        "predictions of another run: candidate, 5 folds, drawn 2 times, seed 1"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_error(here: Path, capsys: pytest.CaptureFixture[str], case: str) -> None:
    if not (here / "applefolds.parquet").exists():  # of one of the two words only
        apple = ["--corpus", "corpus", "--words", "apple"]
        rows_of = ["training-sets", *apple, "--source", "source", "--trains", "balanced"]
        assert main([*rows_of, "--out", "apple.parquet"]) == 0
        assert main(["folds", *apple, "--out", "applefolds.parquet"]) == 0
        both = ["folds", "--corpus", "corpus", "--words", *WORDS, "--repeats", "2", "--seed", "7"]
        assert main([*both, "--out", "otherfolds.parquet"]) == 0
        one = ["--train", "trains/1pct.parquet", "--out", "other1pct.parquet"]
        assert main([*both, *one]) == 0
        selection = json.loads((here / "selection.json").read_text())
        selection["folds"]["full"]["seed"] = 7
        write_json(here / "other.json", selection)
    before = {path: path.read_bytes() for path in here.glob("*.parquet")}
    arguments, code, says = BAD[case]
    capsys.readouterr()
    found = main(arguments)
    err = capsys.readouterr().err
    assert "Traceback" not in err, err[-1500:]
    assert (found, err.count("error: ")) == (code, 1), err
    assert says in err
    # What was there stands as it was, and nothing is left half-written.
    assert {path: path.read_bytes() for path in here.glob("*.parquet")} == before
    assert not (here / "o").exists()
    assert [path for path in here.glob(".*") if path.name != SUMS] == []


def test_the_words_of_a_file_may_be_more_than_those_asked_for(here: Path, tmp_path: Path) -> None:
    """Folds of two words, and one of them asked for."""
    assert DATA_ARGUMENTS[-1] == "crane"
    data = ["--corpus", "corpus", "--words", "crane", "--embeddings", "e", "--layers", "1"]
    out = tmp_path / "o.parquet"
    rest = ["--folds", "full.parquet", "--searches", str(tmp_path / "s"), "--out", str(out)]
    assert main(["classify", *data, "--estimator", "knn", *rest]) == 0
    assert {of.word for of in predictions.read_predictions(out)[0]} == {"crane"}
