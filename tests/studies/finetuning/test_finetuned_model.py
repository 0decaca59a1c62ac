"""The layers of an encoder before and after fine-tuning, in the workflow."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import steps
from checkout import Checkout
from safetensors.numpy import load_file

from wsd.artifacts import corpus_table as corpora
from wsd.encoder.encoder import Encoder

pytestmark = pytest.mark.slow

KIND = "fine-tuned, frozen again"
CLASSIFIERS = ("nearest_centroid", "logistic")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return Checkout.create(tmp_path_factory.mktemp("repository") / "wsd")


@pytest.fixture(scope="module")
def config(checkout: Checkout) -> str:
    """Return the config file of a finished run."""
    tiny = checkout.tiny_model()
    trained = {key: tiny[key] for key in ("blocks", "width")}
    path = checkout.configure(
        "trained",
        dataset="quickstart",
        words=["bank", "crane"],
        models=[tiny, {"name": "trained", "finetuned_from": tiny["name"], **trained}],
        layers=["all", "mean-all"],
        tuning={"folds": 3, "repeats": 1},
        classifiers=[{"name": CLASSIFIERS[0]}, {"name": CLASSIFIERS[1], "C": [0.01, 1]}],
        finetune={"rate": [3e-3], "epochs": [1], "steps": 1, "seeds": [2, 1]},
    )
    run = checkout.run("--cores", "2", "--configfile", path)
    # Layers 0 to 2 and their mean of the model, and the layers alone of what it becomes.
    asked = {"model": 2, "embed": 1, "embed_control": 1, "finetune": 1}
    jobs = {**asked, "classify": (4 + 3) * 2, "project": 4 * 2, "alignment": 1}
    assert {rule: run.jobs[rule] for rule in jobs} == jobs
    return path


def rows(checkout: Checkout, table: str, **expected: str) -> list[dict[str, str]]:
    with (checkout.root / f"results/quickstart/{table}.csv").open(newline="") as file:
        results = list(csv.DictReader(file))
    return [row for row in results if all(row[key] == value for key, value in expected.items())]


def wsd(checkout: Checkout, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "wsd.cli", *arguments],
        cwd=checkout.root,
        env={**os.environ, "PYTHONPATH": str(checkout.root)},
        capture_output=True,
        text=True,
    )


def test_its_layers_are_rows_of_the_tables(checkout: Checkout, config: str) -> None:
    every = {(str(layer), name) for layer in range(3) for name in CLASSIFIERS}
    actual = rows(checkout, "comparison/controls", kind=KIND)
    assert {(r["layers"], r["classifier"]) for r in actual} == every
    assert {(r["model"], r["view"]) for r in actual} == {("trained", "focal")}
    scored = rows(checkout, "scores", model="trained")
    assert {(r["layers"], r["classifier"]) for r in scored} == every
    # The comparison has the best layer of each classifier, with the base model as reference.
    best = rows(checkout, "comparison", kind=KIND)
    assert [r["classifier"] for r in best] == list(CLASSIFIERS)
    assert {r["reference_model"] for r in best} == {"tiny"}
    for row in best:
        macro_f1 = [r["mean_macro_f1"] for r in actual if r["classifier"] == row["classifier"]]
        assert float(row["mean_macro_f1"]) == max(map(float, macro_f1))
    assert rows(checkout, "comparison/differences", kind=KIND)


def test_nothing_is_selected_of_it(checkout: Checkout, config: str) -> None:
    """Its vectors have seen the labels of training sentences, so cross-validation is optimistic."""
    for table in ("selection", "comparison/layers", "comparison/word-layers",
                  "comparison/best-set"):  # fmt: skip
        actual = rows(checkout, table)
        assert actual and "trained" not in {r["model"] for r in actual}, table
    chosen = json.loads((checkout.root / "results/quickstart/selection.json").read_text())["chosen"]
    assert list(chosen) == ["tiny"]
    assert not (checkout.root / "results/quickstart/report/words/trained").exists()


def test_its_vectors_are_those_of_the_encoder_of_the_first_seed(
    checkout: Checkout, config: str
) -> None:
    results = checkout.root / "results/quickstart"
    kept = results / "tiny/finetune/full/model"
    corpus = corpora.read(results / "corpus/crane.parquet")
    encoder = Encoder.load(str(kept))
    (stored,) = load_file(results / "trained/embeddings/crane/focal.safetensors").values()
    assert stored.shape == (3, len(corpus), 32)
    for rows_of, vectors in encoder.encode(corpus, encoder.align(corpus), views=("focal",)):
        np.testing.assert_allclose(stored[:, rows_of], vectors[0], atol=1e-5)
    (untrained,) = load_file(results / "tiny/embeddings/crane/focal.safetensors").values()
    assert np.abs(stored - untrained).max() > 0.01
    record = json.loads((results / "trained/model.json").read_text())
    assert (record["name"], record["finetuned_from"]) == ("trained", "tiny")
    assert not (checkout.root / "results/models/trained.json").exists()


def test_before_and_after_are_in_one_figure_and_nothing_is_left_to_do(
    checkout: Checkout, config: str
) -> None:
    page = (checkout.root / "results/quickstart/report/layers.html").read_text()
    assert all(f"{name}, fine-tuned" in page for name in CLASSIFIERS)
    assert "curves.trained" not in page
    assert (checkout.root / "results/quickstart/figures/layers.pdf").is_file()
    assert checkout.run("-n", "--configfile", config).nothing
    done = wsd(checkout, "check", "results")
    assert done.returncode == 0, done.stderr


def test_weights_that_are_not_those_that_were_kept(checkout: Checkout, config: str) -> None:
    """The error comes before any sentence is embedded."""
    kept = checkout.root / "results/quickstart/tiny/finetune/full/model/model.safetensors"
    data = kept.read_bytes()
    try:
        kept.write_bytes(data[:-4] + bytes(4))
        done = wsd(
            checkout,
            *("embed", "--model", "results/quickstart/trained/model.json"),
            *("--corpus", "results/quickstart/corpus", "--words", "crane", "--out", "elsewhere"),
        )
    finally:
        kept.write_bytes(data)
    assert done.returncode != 0
    assert "model.safetensors of model trained" in done.stderr
    assert not (checkout.root / "elsewhere").exists()


def test_every_seed_of_a_fine_tuned_encoder_is_a_row_and_none_is_a_candidate(
    every_step: Path,
) -> None:
    both = {"finetuned-1", "finetuned-2"}
    scored = [r for r in steps.rows(every_step / "scores.csv") if r["layers"] == "finetuned"]
    assert {(r["view"], r["classifier"]) for r in scored} == {("focal", entry) for entry in both}
    compared = [r for r in steps.rows(every_step / "comparison.csv") if r["classifier"] in both]
    assert {(r["kind"], r["model"]) for r in compared} == {("fine-tuned", "tiny")}
    tested = {r["classifier"] for r in steps.rows(every_step / "comparison/differences.csv")}
    assert both <= tested
    for table in ("selection.csv", "comparison/layers.csv", "comparison/best-set.csv"):
        assert not both & {r["classifier"] for r in steps.rows(every_step / table)}, table
    assert "focal, fine-tuned" in (every_step / "report/index.html").read_text()
    assert "fine-tuned" not in (every_step / "report/layers.html").read_text()
