"""Compute the results of two words with everything that their pages show."""

import contextlib
from pathlib import Path

from small_results import WORDS, map_files, run
from tiny import tiny_bert

from wsd.artifacts.dataset import DATA
from wsd.artifacts.run_json import RUN_MAP
from wsd.storage.json import read_json, write_json

FOLDER = Path("results/quickstart")
CHOICES = ("0", "1", "2", "mean-all")
CLASSIFIERS = {"nearest_centroid": "{}", "logistic": '{"C": [0.01, 1], "prior_shift": [0, 1]}'}
METHODS = ("pca", "discriminant")
CONFIG = {
    **{"dataset": "quickstart", "projections": [*METHODS, "tsne"], "sentences": True},
    "views": {"classify": ["focal"]},
}


def build(root: Path) -> None:
    """Run the steps below ``root``, for an encoder of two blocks."""
    made = FOLDER / "tiny"
    tiny_bert(root / "tiny")
    data = ["--corpus", str(FOLDER / "corpus"), "--words", *WORDS]
    folds = ["--folds", str(FOLDER / "folds/full.parquet")]
    vectors = ["--embeddings", str(made / "embeddings")]
    with contextlib.chdir(root):
        run("corpus", "--source", str(DATA / "quickstart-hard"),
            *(f"--word={word}" for word in WORDS), "--out", str(FOLDER / "corpus"))  # fmt: skip
        run("folds", *data, "--repeats", "1", "--out", folds[1])
        run("model", "--name", "tiny", "--path", "tiny", "--blocks", "2", "--width", "32",
            "--out", str(made / "model.json"))  # fmt: skip
        run("embed", "--model", str(made / "model.json"), *data, "--views", "focal",
            "--out", vectors[1])  # fmt: skip
        run("alignment", "--model", "tiny", *vectors, "--words", *WORDS,
            "--out", str(made / "alignment.csv"),
            "--long", str(made / "long-vectors.csv"))  # fmt: skip
        names = [f"full/focal/{c}.{name}.parquet" for c in CHOICES for name in CLASSIFIERS]
        searches, predicted = (
            [str(made / kind / name) for name in names] for kind in ("search", "predictions")
        )
        run("classify", *data, *vectors, *folds, "--layers", *CHOICES, "--estimator", *CLASSIFIERS,
            "--space", *CLASSIFIERS.values(), "--searches", *searches,
            "--out", *predicted)  # fmt: skip
        selection = ["--table", str(FOLDER / "selection.csv")]
        run("select", "--searches", *searches, *selection, "--out", str(FOLDER / "selection.json"))
        run("evaluate", "--predictions", *predicted, "--dataset", "quickstart",
            "--scores", str(FOLDER / "scores.csv"), "--summary", str(FOLDER / "summary.csv"),
            "--provenance", str(FOLDER / "sources.json"))  # fmt: skip
        run("compare", *data, "--candidates", *predicted,
            "--selection", str(FOLDER / "selection.json"), "--selection-table", selection[1],
            "--scores", str(FOLDER / "scores.csv"), "--table", str(FOLDER / "comparison.csv"),
            "--out", str(FOLDER / "comparison"))  # fmt: skip
        tables = ("layers", "word-layers", "model-layers", "peaks")
        options = [f"--{name}={FOLDER / 'comparison' / name}.csv" for name in tables]
        run("layerwise", *data, "--predictions", *predicted, "--searches", *searches, *options)
        for choice in CHOICES:
            features = [*data, *vectors, "--layers", choice, "--out"]
            run("neighbours", *features, str(made / f"neighbours/focal/{choice}.parquet"))
            for method in METHODS:
                path = made / f"projections/{method}/focal/{choice}.parquet"
                run("project", *features, str(path), *folds, "--method", method)
        map_files(FOLDER)
        run("calibration", "--results", str(FOLDER / RUN_MAP), "--model", "tiny",
            "--out", str(made))  # fmt: skip
        map_files(FOLDER)
        change_config(**CONFIG)


def change_config(**settings: object) -> None:
    """Change settings in the map of the run."""
    path = FOLDER / RUN_MAP
    content = read_json(path)
    write_json(path, {**content, "config": {**content["config"], **settings}})
