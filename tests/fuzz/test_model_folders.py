"""Damaged model folders: each gives one error or finite vectors."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import torch
from fuzz_target import check_error
from mutate import damaged
from run import limited
from safetensors.torch import load_file, save_file
from tiny import corpus_of, tiny_bert

from wsd.encoder import model, model_files
from wsd.encoder.encoder import Encoder
from wsd.errors import WsdError

SENTENCES = corpus_of(("the crane flew", 1), ("a crane lifted", 1))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_bert(tmp_path_factory.mktemp("whole"))


def embed(folder: Path) -> np.ndarray:
    """Go from a folder to vectors as `wsd model` and `wsd embed` do."""
    record = model.resolve("tiny", path=str(folder), sha256={}, blocks=2, width=32)
    encoder = Encoder.load(str(model_files.verify(record)), device="cpu")
    result = np.full((3, 2, 32), np.nan, dtype=np.float32)
    aligned = encoder.align(SENTENCES)
    for rows, vectors in encoder.encode(SENTENCES, aligned, views=["focal"]):
        result[:, rows] = vectors[0]
    return result


def change(folder: Path, file: str, **values: Any) -> None:
    path = folder / f"{file}.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def weights(folder: Path, edit: Callable[[dict[str, torch.Tensor]], Any]) -> None:
    tensors = load_file(folder / WEIGHTS)
    edit(tensors)
    save_file(tensors, folder / WEIGHTS, {"format": "pt"})


VOCABULARY = {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "[PAD]": 3, "[MASK]": 4, "a": 5}
# The damage of the folder, and the error.
WEIGHTS, MATRIX = "model.safetensors", "embeddings.word_embeddings.weight"
DAMAGES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "no weights": (lambda f: (f / WEIGHTS).unlink(), "no whole model"),
    "weights that lack a tensor": (lambda f: weights(f, lambda t: t.pop(MATRIX)), "lack 1 of"),
    "weights that are NaN": (lambda f: weights(f, lambda t: t[MATRIX].fill_(torch.nan)), ""),
    "weights cut short": (
        lambda f: (f / WEIGHTS).write_bytes((f / WEIGHTS).read_bytes()[:9999]), "cannot be loaded"),
    "weights as a pickle": (
        lambda f: (f / WEIGHTS).rename(f / "pytorch_model.bin"), "save_pretrained"),
    "a tokenizer of another vocabulary": (
        lambda f: change(f, "tokenizer", model={"type": "WordLevel", "unk_token": "[UNK]",
                                                "vocab": {**VOCABULARY, "crane": 100_000}}),
        "piece number 100000"),
    "a tokenizer that panics when it is used": (
        lambda f: change(f, "tokenizer", pre_tokenizer={"type": "FixedLength", "length": 0}),
        "the tokenizer fails"),
    "a tokenizer that cuts at random": (
        lambda f: change(f, "tokenizer", model={"type": "BPE", "vocab": VOCABULARY, "merges": [],
                                                "dropout": 0.1}),
        "cuts words at random"),
    "a config cut short": (
        lambda f: (f / "config.json").write_text('{"model_type": "bert",'), "not valid JSON"),
    "other blocks": (lambda f: change(f, "config", num_hidden_layers=3), "`blocks` is 2"),
    "an escape in a name": (
        lambda f: change(f, "config", model_type="\x1b[2Jbert"), "\\x1b[2Jbert"),
}  # fmt: skip


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return shutil.copytree(whole, tmp_path / "model")


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_folder_is_refused(folder: Path, damage: str) -> None:
    edit, says = DAMAGES[damage]
    edit(folder)
    with pytest.raises(WsdError) as error:
        embed(folder)
    check_error(error.value)
    assert says in str(error.value)


@pytest.mark.parametrize("seed", range(8))
def test_changed_json_of_a_model(folder: Path, seed: int) -> None:
    random = Random(seed)
    path = folder / random.choice(["config.json", "tokenizer.json", "tokenizer_config.json"])
    path.write_text(json.dumps(damaged(json.loads(path.read_text()), random)))
    try:
        with limited(60):
            assert np.isfinite(embed(folder)).all()
    except WsdError as error:
        check_error(error)
