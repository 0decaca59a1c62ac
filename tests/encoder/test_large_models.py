"""Models of billions of parameters, in small: their precision, their devices, their files."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
import zoo
from builders import plain
from tiny import corpus_of, tiny_bert

from wsd.artifacts.vectors import Embeddings
from wsd.encoder import load_model
from wsd.encoder.batches import Sentences
from wsd.encoder.embed import Options, Word, embed
from wsd.encoder.encoder import Encoder
from wsd.encoder.load_model import load_folder
from wsd.encoder.model import resolve
from wsd.errors import ConfigError

SENTENCES = corpus_of(("the crane flew", 1), ("a crane lifted the crane", 4), ("crane", 0))


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return zoo.build("llama", tmp_path_factory.mktemp("llama"), num_hidden_layers=3)


def encode(encoder: Encoder) -> np.ndarray:
    """Return the focal word's vectors, (layers, instances, width)."""
    out = np.full((encoder.blocks + 1, len(SENTENCES), encoder.width), np.nan, dtype=np.float32)
    words = [Sentences(SENTENCES, encoder.align(SENTENCES), ["focal"])]
    for _, (rows, vectors) in encoder.encode_words(words, threads=2):
        out[:, rows] = vectors[0]
    return out


@pytest.mark.parametrize("name", ["bert", "llama", "deberta"])
def test_weights_are_read_in_the_precision_as_if_cast_afterwards(tmp_path: Path, name: str) -> None:
    folder = str(zoo.build(name, tmp_path))
    _, whole = load_folder(folder)
    _, half = load_folder(folder, precision="bfloat16")
    expected = dict(whole.named_parameters())
    assert {tensor.dtype for tensor in expected.values()} == {torch.float32}
    for parameter, tensor in half.named_parameters():
        assert torch.equal(tensor, expected[parameter].to(torch.bfloat16)), parameter
    # A cast of the whole model would round the rotary frequencies too.
    buffers = dict(whole.named_buffers())
    for buffer, tensor in half.named_buffers():
        assert torch.equal(tensor, buffers[buffer]), buffer


def test_the_types_of_a_folder_and_of_random_weights(tmp_path: Path, llama: Path) -> None:
    """Half precision is read as float32 if the config says so, and drawn in the precision."""
    half = tmp_path / "half"
    transformers.AutoModel.from_pretrained(llama, dtype=torch.bfloat16).save_pretrained(half)
    for file in llama.glob("tokenizer*"):
        (half / file.name).write_bytes(file.read_bytes())
    encoder = Encoder.load(str(half), device="cpu")
    assert {tensor.dtype for tensor in encoder.model.parameters()} == {torch.float32}
    drawn = Encoder.load(str(half), device="cpu", precision="bfloat16", random_weights=1)
    assert {tensor.dtype for tensor in drawn.model.parameters()} == {torch.bfloat16}
    assert drawn.drawn is not None


def test_large_weights_are_not_copied_to_pack_them(monkeypatch: pytest.MonkeyPatch) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 4))
    monkeypatch.setattr(load_model, "MOST_BYTES", 63)
    assert not load_model.pack(model, lambda: model(torch.ones(1, 4)))
    assert type(model[0]) is torch.nn.Linear


# Files


def stored(folder: Path, out: Path, **options: Any) -> Embeddings:
    record = resolve("tiny", path=str(folder), sha256={}, blocks=2, width=32)
    views = plain("focal")
    embed([Word(SENTENCES, out, views)], record, Options(device="cpu", **options))
    return Embeddings(out / "focal.safetensors", SENTENCES)


def test_some_layers_in_half_precision(tmp_path: Path) -> None:
    folder = tiny_bert(tmp_path / "model")
    whole = stored(folder, tmp_path / "whole")
    half = stored(folder, tmp_path / "half", store_dtype="bfloat16", store_layers=(0, 2))
    assert (whole.stored, half.stored, half.blocks) == ((0, 1, 2), (0, 2), 2)
    for layer in half.stored:
        rounded = torch.from_numpy(whole.layer(layer)).to(torch.bfloat16).float().numpy()
        assert np.array_equal(half.layer(layer), rounded)
    # Files of the default settings do not mention them.
    assert not {"store_dtype", "store_layers"} & {*whole.provenance}


def test_vectors_that_float16_cannot_hold_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forward = Encoder._forward
    monkeypatch.setattr(
        Encoder, "_forward", lambda *args: [forward(*args)[0] * 1e6, forward(*args)[1]]
    )
    with pytest.raises(ConfigError, match=r"a vector of crane \w+ \d does not fit") as caught:
        stored(tiny_bert(tmp_path / "model"), tmp_path / "out", store_dtype="float16")
    assert "store_dtype" in str(caught.value)
    assert "use bfloat16 or float32" in str(caught.value)
    assert not list((tmp_path / "out").glob("*"))
