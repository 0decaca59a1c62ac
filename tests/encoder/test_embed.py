"""Stored vectors: exact slices, rows in their order, and errors for files that do not match."""

import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from builders import classify, plain
from checkout import REPOSITORY
from safetensors.numpy import load_file
from tiny import corpus_of, tiny_bert, tiny_tokenizer

from wsd.artifacts import corpus_table as corpora
from wsd.artifacts import predictions, training_set
from wsd.artifacts.vectors import Embeddings, VectorsWriter, check_vectors
from wsd.corpora import folds as folds_corpora
from wsd.corpora import text_format as corpora_corpora
from wsd.encoder import embed as embed_module
from wsd.encoder.model import resolve
from wsd.errors import DamageError, ModelError, ResultError

QUICKSTART = REPOSITORY / "wsd/data/quickstart"
CORPUS = corpus_of(("the crane flew", 1), ("a crane lifted", 1), ("near the crane", 2))


def store(path: Path, vectors: np.ndarray, digest: str = CORPUS.digest) -> Path:
    writer = VectorsWriter(path, vectors.shape, {"wsd": json.dumps({"corpus": digest})})
    writer.add(vectors, range(vectors.shape[1]))
    writer.close()
    return path


def test_each_layer_is_read_as_it_was_written(tmp_path: Path) -> None:
    vectors = np.arange(4 * 3 * 5, dtype=np.float32).reshape(4, 3, 5)
    opened = Embeddings(store(tmp_path / "v.safetensors", vectors), CORPUS)
    assert (opened.layers, opened.blocks, opened.width) == (4, 3, 5)
    for number in (2, 0, 3, 1, 2):
        assert np.array_equal(opened.layer(number), vectors[number])
    for wrong in (-1, 4):
        with pytest.raises(ResultError, match="is not stored"):
            opened.layer(wrong)


def test_rows_are_added_in_any_order(tmp_path: Path) -> None:
    vectors = np.random.default_rng(0).normal(size=(2, 3, 5)).astype(np.float32)
    path = tmp_path / "v.safetensors"
    writer = VectorsWriter(path, vectors.shape, {"wsd": "{}"})
    writer.add(vectors[:, [2, 0]], [2, 0])
    writer.add(vectors[:, [1]], [1])
    writer.close()
    assert np.array_equal(load_file(path)["vectors"], vectors)
    check_vectors(path)
    with pytest.raises(ValueError, match="0 rows of"):
        VectorsWriter(path, vectors.shape, {}).close()


@pytest.mark.slow
def test_a_layer_is_read_without_the_rest(tmp_path: Path) -> None:
    """The layers take 200 MB, and the test reads 2 MB of them."""
    code = """
import json, resource, sys
from pathlib import Path
import numpy as np
sys.path.insert(0, sys.argv[2])
from tiny import corpus_of
from wsd.artifacts.vectors import Embeddings, VectorsWriter
corpus = corpus_of(*[("the crane", 1)] * 1000)
path = Path(sys.argv[1])
writer = VectorsWriter(path, (100, 1000, 512), {"wsd": json.dumps({"corpus": corpus.digest})})
for first in range(0, 1000, 10):
    writer.add(np.zeros((100, 10, 512)), range(first, first + 10))
writer.close()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
Embeddings(path, corpus).layer(98)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    out = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "v.safetensors", REPOSITORY / "tests/helpers"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert int(out.stdout) < 50_000, "kB of memory taken by reading one layer of 2 MB"


def test_vectors_of_other_rows_are_refused(tmp_path: Path) -> None:
    vectors = np.zeros((2, 3, 5), dtype=np.float32)
    swapped = corpus_of(("a crane lifted", 1), ("the crane flew", 1), ("near the crane", 2))
    path = store(tmp_path / "v.safetensors", vectors)
    with pytest.raises(ResultError, match="another table"):
        Embeddings(path, swapped)


@pytest.mark.parametrize("damage", ["missing", "cut", "foreign", "empty"])
def test_a_damaged_file_is_refused(tmp_path: Path, damage: str) -> None:
    path = store(tmp_path / "v.safetensors", np.zeros((2, 3, 5), dtype=np.float32))
    if damage == "missing":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:-4])
    elif damage == "foreign":
        path.write_bytes(b"not a tensor")
    else:
        path.write_bytes(b"")
    with pytest.raises(ResultError) as error:
        Embeddings(path, CORPUS)
    assert str(path) in str(error.value)


def test_a_flipped_bit_is_found_in_the_layer_that_is_read(tmp_path: Path) -> None:
    path = store(tmp_path / "v.safetensors", np.ones((3, 3, 5), dtype=np.float32))
    data = bytearray(path.read_bytes())
    data[-3 * 5 * 4 - 1] ^= 1  # the last byte of layer 1
    path.write_bytes(data)
    opened = Embeddings(path, CORPUS)
    assert (opened.layer(0) == 1).all() and (opened.layer(2) == 1).all()
    with pytest.raises(DamageError, match="layer 1 has changed since it was written") as error:
        opened.layer(1)
    assert error.value.path == path


def test_partial_writes_are_continued(tmp_path: Path, monkeypatch) -> None:
    pwrite = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda file, data, at: pwrite(file, data[:7], at))
    vectors = np.random.default_rng(0).normal(size=(2, 3, 5)).astype(np.float32)
    path = store(tmp_path / "v.safetensors", vectors)
    assert np.array_equal(load_file(path)["vectors"], vectors)


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> dict:
    folder = tiny_bert(tmp_path_factory.mktemp("model"))
    return resolve("tiny", path=str(folder), sha256={}, blocks=2, width=32)


def embed(corpus: corpora.Corpus, record: dict, out: Path, **changed: object) -> None:
    options = {"device": "cpu", **changed}
    views, threads = options.pop("views", ["focal", "cls"]), options.pop("threads", 1)
    word = embed_module.Word(corpus, out, plain(*views))  # type: ignore[misc]
    embed_module.embed([word], record, embed_module.Options(**options), threads=threads)


def test_embed_writes_one_file_per_view_with_provenance(tmp_path: Path, record: dict) -> None:
    embed(CORPUS, record, tmp_path)
    written = [".sums", "alignment.json", "cls.safetensors", "focal.safetensors"]
    assert sorted(p.name for p in tmp_path.iterdir()) == written
    opened = Embeddings(tmp_path / "focal.safetensors", CORPUS)
    assert (opened.layers, opened.layer(0).shape) == (3, (3, 32))
    assert opened.provenance["view"] == "focal"
    # The provenance does not contain the path of the model on this machine.
    assert opened.provenance["model"] == {k: v for k, v in record.items() if k != "folder"}
    assert opened.provenance["architecture"] == {
        "name": "BertModel",
        "tokenizer": "TokenizersBackend",
        "max_length": 64,
        "causal": False,
        "wide_embeddings": False,
        "last_normed": False,
        "cls": "first",
        "segments": [0],
        "first_token": "[CLS]",
    }
    assert opened.provenance["input"] == "plain"
    assert "seed" not in opened.provenance
    # The part after the plus names the build; CUDA's package omits it from its version.
    of_torch = opened.provenance["versions"]["torch"]
    assert of_torch.partition("+")[0] == torch.__version__.partition("+")[0]
    # The focal word is not at [CLS], and no layer equals another.
    cls = Embeddings(tmp_path / "cls.safetensors", CORPUS)
    states = [o.layer(i) for o in (opened, cls) for i in range(3)]
    assert len({state.tobytes() for state in states}) == 6


def test_the_alignment_is_written_next_to_the_vectors(
    tmp_path: Path, record: dict, caplog: pytest.LogCaptureFixture
) -> None:
    corpus = corpus_of(("the crane flew", 1), ("a [SEP] crane", 2), ("near \U0001f9a9", 1))
    embed(corpus, record, tmp_path)
    actual = json.loads((tmp_path / "alignment.json").read_text())
    assert (actual["word"], actual["corpus"]) == ("crane", corpus.digest)
    assert actual["instances"]["form"] == ["crane", "crane", "\U0001f9a9"]
    unknown, special = (r.getMessage() for r in caplog.records if r.levelno == logging.WARNING)
    assert unknown.startswith("tiny crane: 1 focal words have a piece that the tokenizer does not")
    assert special.startswith("tiny crane: 1 words are taken for special tokens")


def test_a_template_is_recorded(tmp_path: Path, record: dict) -> None:
    corpus = corpus_of(("near the crane", 2), ("near the xyz", 2))
    input = {"template": "{sentence} of {word}", "read": "word"}
    embed(corpus, record, tmp_path, views=["focal", "context"], input=input)
    focal = Embeddings(tmp_path / "focal.safetensors", corpus)
    assert focal.provenance["input"] == input
    assert focal.provenance["split_focal_words"] == 1
    assert Embeddings(tmp_path / "context.safetensors", corpus).layers == 3


def test_masked_input_is_recorded(tmp_path: Path, record: dict) -> None:
    corpus = corpus_of(("near the crane", 2), ("near the bird", 2), ("near the xyz", 2))
    views = ["focal", "context"]
    for name in ("plain", "masked"):
        embed(corpus, record, tmp_path / name, views=views, input=name)
    actual = {
        (name, view): Embeddings(tmp_path / name / f"{view}.safetensors", corpus)
        for name in ("plain", "masked")
        for view in views
    }
    for layer in range(3):
        plain, masked = (actual[name, "focal"].layer(layer) for name in ("plain", "masked"))
        # Equal contexts give equal vectors, whatever the masked word and its number of pieces.
        assert (masked == masked[0]).all()
        assert not np.isclose(plain[0], plain[1]).all()
    for (name, _), opened in actual.items():
        assert opened.provenance["input"] == name
        assert opened.provenance["split_focal_words"] == 1
    report = json.loads((tmp_path / "masked" / "alignment.json").read_text())
    assert report == json.loads((tmp_path / "plain" / "alignment.json").read_text())


def test_a_random_control_is_recorded(tmp_path: Path, record: dict) -> None:
    files = {}
    for name, changed in (
        ("own", {}),
        ("one", {"random_weights": 1}),
        ("again", {"random_weights": 1}),
        ("two", {"random_weights": 2}),
    ):
        embed(CORPUS, {**record, **changed}, tmp_path / name)
        files[name] = Embeddings(tmp_path / name / "focal.safetensors", CORPUS)
    made = {name: opened.provenance["model"] for name, opened in files.items()}
    own = {key: value for key, value in record.items() if key != "folder"}
    assert made["own"] == own
    digest = made["one"].pop("random_weights_sha256")
    assert made["one"] == {**own, "random_weights": 1}
    assert made["again"]["random_weights_sha256"] == digest
    assert made["two"]["random_weights_sha256"] != digest
    # Layer 0 too: a random control draws its embeddings like all its weights.
    states = {name: [opened.layer(i).tobytes() for i in range(3)] for name, opened in files.items()}
    assert states["one"] == states["again"]
    assert len({*states["own"], *states["one"], *states["two"]}) == 9


def test_layer_0_is_the_embedding_layer(tmp_path: Path, record: dict) -> None:
    """Compute type plus position plus segment 0, normed, from the weights themselves."""
    embed(CORPUS, record, tmp_path)
    model = transformers.AutoModel.from_pretrained(record["folder"]).eval().embeddings
    crane = tiny_tokenizer().convert_tokens_to_ids("crane")
    with torch.no_grad():
        for row, place in enumerate((2, 2, 3)):
            total = (
                model.word_embeddings.weight[crane]
                + model.position_embeddings.weight[place]
                + model.token_type_embeddings.weight[0]
            )
            got = Embeddings(tmp_path / "focal.safetensors", CORPUS).layer(0)[row]
            assert got == pytest.approx(model.LayerNorm(total).numpy(), abs=1e-6)


def test_a_changed_model_is_refused_and_nothing_is_written(tmp_path: Path, record: dict) -> None:
    files = {**record["files"], "model.safetensors": "0" * 64}
    with pytest.raises(ModelError, match="expected SHA-256"):
        embed(CORPUS, {**record, "files": files}, tmp_path)
    with pytest.raises(ModelError, match="nothing of the focal word"):
        embed(corpus_of(("a \u0300", 1)), record, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_bert_base_with_random_weights_is_embedded_and_classified(tmp_path: Path) -> None:
    """The shape of BERT-base: 13 layers of 768, without a download."""
    tokenizer = tiny_tokenizer(512)
    torch.manual_seed(0)
    config = transformers.BertConfig(vocab_size=len(tokenizer))
    assert (config.num_hidden_layers, config.hidden_size) == (12, 768)
    transformers.BertModel(config).save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    record = resolve("bert-base", path=str(tmp_path / "model"), sha256={}, blocks=12, width=768)
    corpus = corpora_corpora.read_text(QUICKSTART / "crane", "crane")
    views = ["focal", "context", "cls"]
    embed(corpus, record, tmp_path / "e" / "crane", views=views, threads=2)
    opened = Embeddings(tmp_path / "e/crane/focal.safetensors", corpus)
    assert (opened.layers, opened.width) == (13, 768)
    folded = tmp_path / "folds.parquet"
    training_set.write_folds(
        folded, folds_corpora.draw_folds({"crane": corpus}, None, k=5, repeats=1, seed=1)
    )
    for layers, estimator in (("12", "logistic"), ("concat-last-4", "nearest_centroid")):
        out = tmp_path / f"{layers}.{estimator}.parquet"
        classify(
            tmp_path,
            {"crane": corpus},
            tmp_path / "e",
            view="focal",
            layers=layers,
            name=estimator,
            estimator=estimator,
            space={},
            objective="mean_macro_f1",
            folds=[folded],
            searches=[tmp_path / "search.parquet"],
            out=[out],
        )
        (crane,), provenance = predictions.read_predictions(out)
        assert len(crane.predicted) == int((corpus.split == "test").sum())
        assert provenance["encoder"]["model"]["blocks"] == 12
