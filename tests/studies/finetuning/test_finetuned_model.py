"""The layers of an encoder before and after fine-tuning, in the workflow."""

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


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """Return a checkout with a finished run."""
    checkout = Checkout.create(tmp_path_factory.mktemp("repository") / "wsd")
    tiny = checkout.tiny_model()
    trained = {"name": "trained", "finetuned_from": "tiny", "blocks": 2, "width": 32}
    config = checkout.configure(
        "trained",
        dataset="quickstart",
        words=["crane"],
        models=[tiny, trained],
        layers=["all"],
        tuning={"folds": 3, "repeats": 1},
        classifiers=[{"name": "nearest_centroid"}],
        controls={"baselines": False},
        finetune={"rate": [3e-3], "epochs": [1], "steps": 1, "seeds": [2, 1]},
    )
    run = checkout.run("--cores", "2", "--configfile", config)
    # Layers 0 to 2 of the model, and of what it becomes.
    jobs = {"model": 2, "embed": 1, "embed_control": 1, "finetune": 1, "classify": 6, "project": 6}
    assert {rule: run.jobs[rule] for rule in jobs} == jobs
    assert checkout.run("-n", "--configfile", config).nothing
    return checkout


def test_its_layers_are_rows_of_the_tables_and_nothing_is_selected_of_it(
    checkout: Checkout,
) -> None:
    """Its vectors have seen the labels of training sentences, so cross-validation is optimistic."""
    results = checkout.root / "results/quickstart"
    controls = [r for r in steps.rows(results / "comparison/controls.csv") if r["kind"] == KIND]
    actual = {(r["model"], r["view"], r["layers"]) for r in controls}
    assert actual == {("trained", "focal", layer) for layer in "012"}
    # The comparison has the best layer, with the base model as reference.
    (best,) = (r for r in steps.rows(results / "comparison.csv") if r["kind"] == KIND)
    assert best["reference_model"] == "tiny"
    assert float(best["mean_macro_f1"]) == max(float(r["mean_macro_f1"]) for r in controls)
    for table in ("selection", "comparison/layers", "comparison/word-layers"):
        assert {r["model"] for r in steps.rows(results / f"{table}.csv")} == {"tiny"}, table


def test_its_vectors_are_those_of_the_encoder_of_the_first_seed(
    checkout: Checkout, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    results = checkout.root / "results/quickstart"
    kept = results / "tiny/finetune/full/model"
    corpus = corpora.read(results / "corpus/crane.parquet")
    encoder = Encoder.load(str(kept))
    (stored,) = load_file(results / "trained/embeddings/crane/focal.safetensors").values()
    for rows_of, vectors in encoder.encode(corpus, encoder.align(corpus), views=("focal",)):
        np.testing.assert_allclose(stored[:, rows_of], vectors[0], atol=1e-5)
    (untrained,) = load_file(results / "tiny/embeddings/crane/focal.safetensors").values()
    assert np.abs(stored - untrained).max() > 0.01
    # With other weights than those that were kept, nothing is embedded.
    weights = kept / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-4] + bytes(4))
    data = ("--corpus", "results/quickstart/corpus", "--words", "crane", "--out", "elsewhere")
    call = ("embed", "--model", "results/quickstart/trained/model.json", *data)
    assert steps.call(checkout.root, *call) != 0
    assert "model.safetensors of model trained" in capfd.readouterr().err
    assert not (checkout.root / "elsewhere").exists()
