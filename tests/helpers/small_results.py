"""Compute results of two words with an encoder of two blocks, and write the map of a run."""

import contextlib
import json
import shutil
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tiny import tiny_bert

from wsd.artifacts.dataset import DATA
from wsd.artifacts.find_runs import RUNS, tables_of
from wsd.artifacts.run_json import RUN_MAP, bare, write_map
from wsd.cli import main
from wsd.storage.checksums import STORE, SUMS

WORDS = ("apple", "crane")
# View, layers, classifier, estimator, space.
CONFIGURATIONS = [
    ("focal", "1", "nearest_centroid", "nearest_centroid", "{}"),
    ("focal", "2", "logistic", "logistic", '{"C": [0.01, 1], "prior_shift": [0, 1]}'),
    ("focal", "mix-all", "logistic", "logistic", '{"C": [0.01, 1], "prior_shift": [0, 1]}'),
    ("focal+context", "concat-all+1", "own", "lda", '{"shrinkage": [0.5, 0.9]}'),
    ("focal+sentence", "2+0", "knn", "knn", '{"k": [1, 5]}'),
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
        run("model", "--name", "tiny", *source, "--out", str(made / "model.json"))
        run("embed", "--model", str(made / "model.json"), *data, "--views", "focal", "context",
            "sentence", "--out", str(made / "embeddings"))  # fmt: skip
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
        map_files(folder)
    return root / folder


def build_fitted(root: Path) -> None:
    """Compute the results, their calibration, and the model files ``best.wsd`` and ``model.wsd``.

    The first has the selected configuration, the second logistic regression on layer 2.
    """
    folder = build(root).relative_to(root)
    with contextlib.chdir(root):
        results = ["--results", str(folder)]
        run("calibration", *results, "--model", "tiny", "--out", str(folder / "tiny"))
        map_files(folder)
        run("fit", *results, "--out", "best.wsd")
        run("fit", *results, "--view", "focal", "--layers", "2", "--out", "model.wsd")


def map_files(folder: Path, run: str = "", own: Iterable[Path] = ()) -> None:
    """Write the map of a run (by default the unnamed run) whose files have plain names.

    What is ``own`` lies in the store, with keys, and takes the place of what has the same name.
    """
    ends = (".csv", ".json", ".parquet", ".wsd")
    there = {file.relative_to(folder).as_posix(): file for file in folder.rglob("*.*")}
    files = {
        name: file
        for name, file in sorted(there.items())
        if file.suffix in ends and not {SUMS, RUNS, STORE, RUN_MAP} & {*name.split("/")}
    }
    files |= {bare(file.relative_to(folder / STORE).as_posix()): file for file in own}
    about = {"config": {}, "command": "snakemake again", "digests": {}}
    paths = [file.as_posix() for file in files.values()]
    write_map(tables_of(folder, run) / RUN_MAP, paths, folder.as_posix(), about)


def run(command: str, *arguments: str) -> None:
    assert main([command, *arguments]) == 0, command


def copy(root: Path, to: Path) -> Path:
    """Copy the results for a test that changes them."""
    shutil.copytree(root, to, symlinks=True)
    return to


def manifest_of(path: Path) -> dict[str, Any]:
    """Return the manifest of a model file."""
    with zipfile.ZipFile(path) as file:
        return json.loads(file.read("manifest.json"))


def rewritten(path: Path, to: Path, members: dict[str, Any]) -> Path:
    """Change members of a model file, by name, or leave out those that are None."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(to, "w") as new:
        for name in old.namelist():
            content = members.get(name, old.read(name))
            if isinstance(content, dict | list):
                content = json.dumps(content).encode()
            if content is not None:
                new.writestr(name, content)
    return to
