"""Every step on a tiny encoder and two words, and its messages for bad input."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from steps import (
    DATA_ARGUMENTS,
    LOGISTIC,
    PREPARED,
    RENAMED,
    STEPS,
    VECTORS,
    WORDS,
    Refused,
    assert_one_error,
    by_option,
    call,
    changed,
    corpora,
    rows,
)

from wsd.artifacts import predictions, training_set
from wsd.artifacts.cv_table import read_search

# Written files


def test_every_command_syncs_files_before_it_renames_them(
    every_step: Path,
) -> None:
    # Some files are also published by a link.
    written = {path.resolve() for path in every_step.rglob("*") if path.is_file()} - PREPARED
    assert len(written) > 40
    assert sorted(written - set(RENAMED)) == [], "written in place"
    assert [path for path in sorted(written) if not RENAMED[path]] == [], "not on the disk"


def test_training_sets_and_their_folds(every_step: Path) -> None:
    full, balanced = (
        training_set.read_folds(every_step / "full.parquet"),
        training_set.read_folds(every_step / "balanced.parquet"),
    )
    assert (full.train, full.k, full.repeats, full.seed) == ("full", 5, 2, 1)
    part = training_set.read(every_step / "trains/balanced.parquet")
    assert balanced.train == part.name == "balanced"
    for word, table in corpora(every_step).items():
        n = int((table.split == "train").sum())
        assert full.words[word].lines.tolist() == list(range(n))
        assert balanced.words[word].lines.tolist() == list(range(0, n, 2))
        assert_array_equal(part.lines[word], balanced.words[word].lines)
        held = full.words[word].held
        assert held is not None and held.shape == (2, n)


def test_classify_writes_a_file_and_a_search_per_training_set(every_step: Path) -> None:
    for train, out, search in (("full", "p", "s"), ("balanced", "pb", "sb")):
        written, provenance = predictions.read_predictions(every_step / f"{out}.parquet")
        searched, source = read_search(every_step / f"{search}.parquet")
        assert provenance["train"] == source["train"] == train
        assert (provenance["view"], provenance["layers"]) == ("focal", "mix-all")
        assert provenance["estimator"] == "logistic" and provenance["task"] == "sense"
        assert set(searched.scores) == set(WORDS) and len(searched.grid) == 4
        assert provenance["parameters"] == searched.best("mean_macro_f1")
        # The only sentence out of domain belongs to one of the words.
        assert [(prediction.word, prediction.split) for prediction in written] == [
            *((word, "test") for word in WORDS),
            ("apple", "outofdomain"),
        ]
        n_train = len(training_set.read_folds(every_step / f"{train}.parquet").words["crane"].lines)
        assert {prediction.n_train for prediction in written if prediction.word == "crane"} == {
            n_train
        }
    # Different training sets give different predictions.
    assert not np.array_equal(
        *(
            predictions.read_predictions(every_step / f"{out}.parquet")[0][0].scores
            for out in ("p", "pb")
        )
    )
    _, several = predictions.read_predictions(every_step / "p2.parquet")
    assert (several["view"], several["layers"]) == ("focal+context", "2+1")
    assert (several["classifier"], several["estimator"]) == ("own", "lda")


def test_a_training_set_does_not_depend_on_others(every_step: Path, tmp_path: Path) -> None:
    for train, usual in (("full", "p4"), ("1pct", "p41")):
        out, search = tmp_path / train, tmp_path / f"{train}.search"
        arguments = [*VECTORS, "--layers", "1", *LOGISTIC, "--folds", f"{train}.parquet"]
        done = call(
            every_step, "classify", *arguments, "--searches", str(search), "--out", str(out)
        )
        assert done == 0
        assert out.read_bytes() == (every_step / f"{usual}.parquet").read_bytes()


def test_the_selected_configuration_is_fitted(every_step: Path) -> None:
    chosen = json.loads((every_step / "selection.json").read_text())["chosen"]["tiny"]["full"]
    assert (
        len([row for row in rows(every_step / "selection.csv") if row["scope"] == "all words"]) == 4
    )
    written, provenance = predictions.read_predictions(every_step / "pw.parquet")
    assert provenance["chosen"] == chosen["words"]
    files = {("focal", "mix-all", "logistic"): "p", ("focal+context", "2+1", "own"): "p2",
             ("focal", "1", "knn"): "p3", ("focal", "1", "logistic"): "p4"}  # fmt: skip
    compared = 0
    for prediction in written:
        row = chosen["words"][prediction.word]
        usual, source = predictions.read_predictions(
            every_step / f"{files[row['view'], row['layers'], row['classifier']]}.parquet"
        )
        if source["parameters"] == row["parameters"]:
            (same,) = (o for o in usual if (o.word, o.split) == (prediction.word, prediction.split))
            assert_array_equal(prediction.scores, same.scores)
            compared += 1
    assert compared


def test_a_baseline_writes_a_file_of_predictions(every_step: Path) -> None:
    written, provenance = predictions.read_predictions(every_step / "b.parquet")
    assert (provenance["classifier"], provenance["train"]) == ("bag_of_words", "full")
    assert {prediction.word for prediction in written} == set(WORDS)
    assert {prediction.split for prediction in written} == {"test", "outofdomain"}


def test_the_tables_have_every_row_and_the_selection(every_step: Path) -> None:
    summary = rows(every_step / "summary.csv")
    keys = {(r["train"], r["test"], r["view"], r["layers"], r["classifier"]) for r in summary}
    assert {("full", "test"), ("full", "outofdomain"), ("balanced", "test")} < {k[:2] for k in keys}
    assert ("full", "test", "per-word", "per-word", "per-word") in keys
    # Our configurations have two test sets; other systems have the one that they cover.
    (given,) = [by_option(arguments) for command, arguments in STEPS if command == "evaluate"]
    assert len(keys) == len(given["--predictions"]) * 2 + len(given.get("--systems", ()))


def test_the_pages_have_every_candidate(every_step: Path) -> None:
    index = (every_step / "report/index.html").read_text()
    assert "Cross-validation on the training set selects" in index


# Bad input


BAD: dict[str, Refused] = {
    "no such training set": (
        changed("training-sets", "--trains", "2pct", "1pct"), 3, "no training set '2pct'"),
    "fewer files of training sets": (
        changed("training-sets", "--out", "o"), 2, "1 files for 2 training sets"),
    "folds of what is none": (changed("folds", "--train", "p.parquet", nth=1), 6, "p.parquet"),
    "folds of nothing": (changed("folds", "--train", "none.parquet", nth=1), 6, "missing"),
    "no such word": (changed("folds", "--words", "pear"), 6, "pear.parquet"),
    "fewer outputs": (changed("classify", "--out", "o.parquet"), 2, "and 1 in --out"),
    "fewer searches": (changed("classify", "--searches", "o"), 2, "but 1 paths in"),
    "no such layer": (changed("classify", "--layers", "3", nth=2), 2, "no such layer"),
    "too few layers": (changed("classify", "--layers", "1", nth=1), 2, "1 layer choices in '1'"),
    "no such view": (changed("classify", "--view", "focal+cls", nth=1), 6, "cls.safetensors"),
    "a mix for knn": (
        changed("classify", "--layers", "mix-last-2", nth=2), 2,
        "knn on focal cannot learn the mix"),
    "a mix of two views": (
        changed("classify", "--layers", "mix-all+1", nth=1), 2, "cannot learn the mix"),
    "folds that are none": (
        changed("classify", "--folds", "p.parquet", nth=1), 6, "a table of another kind"),
    "folds that are missing": (changed("classify", "--folds", "none", nth=1), 6, "missing"),
    "metric": (
        ["classify", *VECTORS, "--layers", "1", "--estimator", "nearest_centroid", "--space",
         '{"metric": "dot"}', "--folds", "full.parquet", "--searches", "so", "--out", "o"],
        2, "'dot'"),
    "space of another": (
        changed("classify", "--space", '{"k": 3}', nth=3), 2, "logistic"),
    "select what is none": (
        changed("select", "--searches", "p.parquet"), 6, "a table of another kind"),
    "select nothing there": (changed("select", "--searches", "none"), 6, "missing"),
    "selection that is none": (
        changed("classify-selected", "--selection", "tiny.json"), 6, "tiny.json"),
    "selection missing": (changed("classify-selected", "--selection", "none"), 6, "missing"),
    "evaluate what is none": (
        changed("evaluate", "--predictions", "s.parquet"), 6, "a table of another kind"),
    "evaluate twice": (
        changed("evaluate", "--predictions", "p.parquet", "p.parquet"), 6, "two files hold"),
    "a space without values": (
        changed("classify", "--space", '{"C": []}', nth=3), 2, "without values"),
    "a space with an unknown parameter": (
        changed("classify", "--space", '{"c": 1}', nth=3), 2, "logistic: "),
    "a space with a value that is none": (
        changed("classify", "--space", '{"C": -1}', nth=3), 2, "where: --space"),
    "a word that is not there": (
        changed("neighbours", "--words", "nope"), 6, "existing file (apple.parquet, crane"),
    "a view that is not there": (
        [*changed("neighbours", "--layers", "1"), "--view", "context+other"], 6,
        "existing file (context.safetensors, focal"),
    "a file for a folder of vectors": (
        changed("neighbours", "--embeddings", "p.parquet"), 6, "a file in place of a folder"),
    "a file for a folder of tables": (
        changed("neighbours", "--corpus", "p.parquet"), 6, "a file in place of a folder"),
    "an output over a table of the corpus": (
        changed("layerwise", "--layers", "corpus/apple.parquet"), 2, "is an input of this command"),
    "a device without an end for a table": (
        changed("compare", "--scores", "/dev/zero"), 6, "device or pipe"),
    "a folder for a folder's folder": (
        changed("neighbours", "--embeddings", "e/apple"), 6, "missing"),
    "parameter of another": (
        ["classify", *VECTORS, "--layers", "1", "--estimator", "nearest_centroid", "--space",
         '{"C": 3}', "--folds", "full.parquet", "--searches", "so", "--out", "o"],
        2, "nearest_centroid"),
    "selection of another model": (
        changed("classify-selected", "--model", "huge"), 6, "nothing was selected"),
    "folds of no word": (
        ["folds", "--corpus", "corpus", "--words", "crane", "--train", "apple.parquet",
         "--out", "o"], 6, "'balanced' has none of crane"),
    "classify no word": (
        ["classify", "--corpus", "corpus", "--words", "crane", "--embeddings", "e", "--layers",
         "1", *LOGISTIC, "--folds", "applefolds.parquet", "--searches", "so", "--out", "o"],
        6, "the folds of 'full' lack 'crane'"),
    "baseline of no word": (
        ["classify", "--corpus", "corpus", "--words", "crane", "--view", "text", "--layers", "-",
         "--estimator", "most_frequent_sense", "--folds", "applefolds.parquet", "--out", "o"],
        6, "lack 'crane'"),
    "discriminants of fewer words": (
        changed("project", "--folds", "applefolds.parquet", nth=2), 6, "lack 'crane'"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_error(
    every_step: Path, capsys: pytest.CaptureFixture[str], case: str
) -> None:
    assert_one_error(every_step, capsys, *BAD[case])


def test_folds_may_have_further_words(every_step: Path, tmp_path: Path) -> None:
    """The folds have two words, the command asks for one."""
    assert DATA_ARGUMENTS[-1] == "crane"
    data = ["--corpus", "corpus", "--words", "crane", "--embeddings", "e", "--layers", "1"]
    out = tmp_path / "o.parquet"
    rest = ["--folds", "full.parquet", "--searches", str(tmp_path / "s"), "--out", str(out)]
    assert call(every_step, "classify", *data, "--estimator", "knn", *rest) == 0
    assert {prediction.word for prediction in predictions.read_predictions(out)[0]} == {"crane"}
