"""Results as the workflow lays them out, of two words and an encoder of two blocks."""

import contextlib
import shutil
from pathlib import Path

from tiny import tiny_bert

from wsd.artifacts.dataset import DATA
from wsd.cli import main

WORDS = ("apple", "crane")
# View, layers, classifier, estimator, space.
CONFIGURATIONS = [
    ("focal", "1", "nearest_centroid", "nearest_centroid", "{}"),
    ("focal", "2", "logistic", "logistic", '{"C": [0.01, 1], "prior_shift": [0, 1]}'),
    ("focal", "mix-all", "logistic", "logistic", '{"C": [0.01, 1], "prior_shift": [0, 1]}'),
    ("focal+context", "concat-all+1", "own", "lda", '{"shrinkage": [0.5, 0.9]}'),
    ("focal+static", "2+0", "knn", "knn", '{"k": [1, 5]}'),
]


def build(root: Path, package: str | None = None) -> Path:
    """Run the steps below ``root``; ``results/quickstart`` there.

    The encoder's path is relative to ``root``, as a user would write it.
    """
    folder = Path("results/quickstart")
    source = ["--path", "tiny", "--blocks", "2", "--width", "32"]
    if package:
        source = ["--package", package, "--blocks", "6", "--width", "384"]
    else:
        tiny_bert(root / "tiny")
    data = ["--corpus", str(folder / "corpus"), "--words", *WORDS]
    made = folder / "tiny"
    with contextlib.chdir(root):
        run("corpus", "--source", str(DATA / "quickstart-hard"),
            *(f"--word={word}" for word in WORDS), "--out", str(folder / "corpus"))  # fmt: skip
        run("folds", *data, "--repeats", "1", "--out", str(folder / "folds/full.parquet"))
        run("model", "--name", "tiny", *source, "--out", "results/models/tiny.json")
        run("embed", "--model", "results/models/tiny.json", *data, "--views", "focal", "context",
            "static", "--out", str(made / "embeddings"))  # fmt: skip
        searches, predicted = [], []
        for view, layers, name, estimator, space in CONFIGURATIONS:
            searches.append(str(made / f"search/full/{view}/{layers}.{name}.parquet"))
            predicted.append(str(made / f"predictions/full/{view}/{layers}.{name}.parquet"))
            run("classify", *data, "--embeddings", str(made / "embeddings"), "--view", view,
                "--layers", layers, "--estimator", estimator, "--name", name, "--space", space,
                "--folds", str(folder / "folds/full.parquet"), "--searches", searches[-1],
                "--out", predicted[-1])  # fmt: skip
        run("select", "--searches", *searches, "--table", str(folder / "selection.csv"),
            "--out", str(folder / "selection.json"))  # fmt: skip
        run("evaluate", "--predictions", *predicted, "--dataset", "quickstart", "--scores",
            str(folder / "scores.csv"), "--summary", str(folder / "summary.csv"),
            "--provenance", str(folder / "provenance.json"))  # fmt: skip
    return root / folder


def run(command: str, *arguments: str) -> None:
    assert main([command, *arguments]) == 0, command


def copy(root: Path, to: Path) -> Path:
    """A copy that a test may change."""
    shutil.copytree(root, to, symlinks=True)
    return to
