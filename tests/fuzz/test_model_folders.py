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
from choices import Choices, damaged
from fuzz_target import check_error
from run import limited
from safetensors.torch import load_file, save_file
from tiny import corpus_of, tiny_bert

from wsd.encoder import model, model_files
from wsd.encoder.encoder import Encoder
from wsd.errors import WsdError

SENTENCES = corpus_of(("the crane flew", 1), ("a crane lifted", 1))
SEQUENCE = ("config.json", "tokenizer.json", "tokenizer_config.json")


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


def refused(folder: Path) -> str:
    with pytest.raises(WsdError) as error:
        embed(folder)
    check_error(error.value)
    return str(error.value)


def change(folder: Path, file: str, **values: Any) -> None:
    path = folder / file
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def weights(folder: Path, edit: Callable[[dict[str, torch.Tensor]], Any]) -> None:
    tensors = load_file(folder / "model.safetensors")
    edit(tensors)
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})


def cut(folder: Path, keep: Callable[[int], int], file: str = "model.safetensors") -> None:
    raw = (folder / file).read_bytes()
    (folder / file).write_bytes(raw[: keep(len(raw))])


def nan_row(tensors: dict[str, torch.Tensor]) -> None:
    tensors["embeddings.word_embeddings.weight"][:] = torch.nan


def other_shape(tensors: dict[str, torch.Tensor]) -> None:
    tensors["embeddings.word_embeddings.weight"] = torch.zeros(7, 16)


def as_pickle(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(b"\x80\x04K\x01.")


def unnamed(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    index = json.dumps({"weight_map": {"a": "x" * 400}})
    (folder / "model.safetensors.index.json").write_text(index)


def tokenizer(folder: Path, **changes: Any) -> None:
    change(folder, "tokenizer.json", **changes)


def at_random(folder: Path) -> None:
    content = json.loads((folder / "tokenizer.json").read_text())
    model = {"type": "BPE", "vocab": content["model"]["vocab"], "merges": [], "dropout": 0.1}
    tokenizer(folder, model=model)


def other_vocabulary(folder: Path) -> None:
    path = folder / "tokenizer.json"
    content = json.loads(path.read_text())
    content["model"]["vocab"]["crane"] = 100_000
    path.write_text(json.dumps(content))


# The damage of the folder, and the error.
DAMAGES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "no weights": (lambda f: (f / "model.safetensors").unlink(), "no whole model"),
    "no tokenizer": (
        lambda f: [(f / name).unlink(missing_ok=True) for name in ("tokenizer.json", "vocab.txt")],
        "no whole model"),
    "weights of another shape": (lambda f: weights(f, other_shape), "cannot be loaded"),
    "weights that lack a tensor": (
        lambda f: weights(f, lambda t: t.pop("embeddings.word_embeddings.weight")), "lack 1 of"),
    "weights that are NaN": (lambda f: weights(f, nan_row), ""),
    "weights cut short": (lambda f: cut(f, lambda n: n // 2), "cannot be loaded"),
    "weights that are HTML": (
        lambda f: (f / "model.safetensors").write_text("<!DOCTYPE html><h1>404"),
        "cannot be loaded"),
    "weights as a pickle": (as_pickle, "save_pretrained"),
    "an index that names no file": (unnamed, ""),
    "a tokenizer of another vocabulary": (other_vocabulary, "piece number 100000"),
    "a tokenizer that panics when it is read": (
        lambda f: tokenizer(f, normalizer={"type": "Precompiled", "precompiled_charsmap": ""}),
        "the tokenizer fails"),
    "a tokenizer that panics when it is used": (
        lambda f: tokenizer(f, pre_tokenizer={"type": "FixedLength", "length": 0}),
        "the tokenizer fails"),
    "a tokenizer that cuts at random": (at_random, "cuts words at random"),
    "a config cut short": (lambda f: cut(f, lambda n: n // 2, "config.json"), "not valid JSON"),
    "blocks as text": (
        lambda f: change(f, "config.json", num_hidden_layers="2"), "has no blocks"),
    "other blocks": (lambda f: change(f, "config.json", num_hidden_layers=3), "`blocks` is 2"),
    "no such architecture": (
        lambda f: change(f, "config.json", model_type="nonesuch"), "cannot be loaded"),
    "heads that do not divide": (
        lambda f: change(f, "config.json", num_attention_heads=7), ""),
    "an escape in a name": (
        lambda f: change(f, "config.json", model_type="\x1b[2Jbert"), "\\x1b[2Jbert"),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_folder_is_refused(whole: Path, tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "model"
    shutil.copytree(whole, folder)
    assert np.isfinite(embed(folder)).all()
    edit, says = DAMAGES[damage]
    edit(folder)
    assert says in refused(folder)


def try_damaged(whole: Path, folder: Path, seed: int) -> str:
    """Change values of one JSON file of the folder, and return the outcome."""
    random = Random(seed)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(whole, folder)
    path = folder / random.choice(SEQUENCE)
    changed = damaged(json.loads(path.read_text()), Choices(random.randbytes(32)))
    path.write_text(json.dumps(changed))
    try:
        with limited(60):
            vectors = embed(folder)
    except WsdError as error:
        check_error(error)
        return "refused"
    except Exception as error:
        error.add_note(f"seed {seed}: {path.name}")
        raise
    assert np.isfinite(vectors).all()
    return "valid"


@pytest.mark.parametrize("seed", range(12))
def test_changed_json_of_a_model(whole: Path, tmp_path: Path, seed: int) -> None:
    try_damaged(whole, tmp_path / "model", seed)
