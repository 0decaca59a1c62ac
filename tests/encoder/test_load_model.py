"""Loading a folder: its weights and no others, random weights, precision, packed layers."""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
import zoo
from encoding import encode, marked
from safetensors.torch import load_file, save_file
from tiny import tiny_bert
from torch.nn import Linear, Module, Sequential

from wsd.encoder import load_model
from wsd.encoder.encoder import Encoder
from wsd.encoder.load_model import PackedLinear, load_folder, pack, weights_digest
from wsd.errors import ModelError

SENTENCES = marked("the |crane| flew", "a crane lifted the |crane|", "|crane|")
edit = zoo.edit


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tiny_bert(tmp_path / "model")


def vectors_of(folder: Path, **options: Any) -> np.ndarray:
    return encode(Encoder.load(str(folder), device="cpu", **options), SENTENCES)


def rewrite_weights(folder: Path, added: dict[str, torch.Tensor], prefix: str = "") -> None:
    """Add tensors to a folder's weights, and a prefix to the existing names."""
    weights = load_file(folder / "model.safetensors")
    weights = {f"{prefix}{name}": tensor for name, tensor in weights.items()} | added
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


DISTANCE = "encoder.layer.0.attention.self.distance_embedding.weight"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda f: edit(f / "config.json", num_hidden_layers=1), "no place for 16 tensors"),
        (lambda f: edit(f / "config.json", num_hidden_layers=3), "lack 16 of the model's tensors"),
        # transformers ignores relative positions and would compute another model.
        (lambda f: rewrite_weights(f, {DISTANCE: torch.zeros(127, 8)}), "no place for 1 .*dist"),
        (lambda f: rewrite_weights(f, {f"bert.{DISTANCE}": torch.zeros(127, 8)}, "bert."), "dist"),
        # transformers would load the folder with any of its classes.
        (lambda f: edit(f / "tokenizer_config.json", tokenizer_class="AutoModel"), "model"),
    ],
)
def test_a_folder_whose_files_do_not_belong_together_is_refused(
    folder: Path, change: Callable[[Path], Any], problem: str
) -> None:
    change(folder)
    with pytest.raises(ModelError, match=problem) as error:
        Encoder.load(str(folder), device="cpu")
    assert str(folder) in str(error.value)


@pytest.mark.parametrize("seed", [None, 1])
@pytest.mark.parametrize("key", ["attn_implementation", "_attn_implementation"])
def test_an_attention_that_is_code_of_the_hub_is_not_used(
    folder: Path, key: str, seed: int | None
) -> None:
    expected = vectors_of(folder, random_weights=seed)
    edit(folder / "config.json", **{key: "kernels-community/flash-attn2"})
    assert np.array_equal(vectors_of(folder, random_weights=seed), expected)


@pytest.mark.parametrize("file", ["config.json", "tokenizer_config.json"])
def test_code_of_a_model_is_not_run(folder: Path, file: str) -> None:
    (folder / "code.py").write_text("raise SystemExit('code of the model was run')")
    named = {"AutoConfig": "code.C", "AutoModel": "code.M", "AutoTokenizer": ["code.T", "code.T"]}
    kind = {"model_type": "unknown"} if file == "config.json" else {}
    edit(folder / file, auto_map=named, **kind)
    with contextlib.suppress(ModelError):
        Encoder.load(str(folder), device="cpu")


# Random weights


def test_random_weights_are_drawn_as_the_architecture_draws_them(folder: Path) -> None:
    """From the seed alone; neither the trained weights nor the type in the config matter."""
    torch.manual_seed(7)
    config = transformers.BertConfig.from_pretrained(folder)
    expected = dict(transformers.BertModel(config).named_parameters())
    edit(folder / "config.json", dtype="bfloat16")
    (folder / "model.safetensors").write_bytes(b"no weights")
    state = torch.get_rng_state()
    _, model = load_folder(str(folder), 7)
    assert torch.equal(torch.get_rng_state(), state), "another program's numbers would change"
    drawn = dict(model.named_parameters())
    assert drawn.keys() == expected.keys()
    assert all(torch.equal(tensor, expected[name]) for name, tensor in drawn.items())
    digests = [Encoder.load(str(folder), device="cpu", random_weights=n).drawn for n in (7, 8)]
    assert digests[0] == weights_digest(model) != digests[1]


# Device and precision


@pytest.mark.parametrize("name", ["llama", "deberta"])
def test_weights_are_read_in_the_precision_as_if_cast_afterwards(built: Any, name: str) -> None:
    folder = str(built(name))
    (_, whole), (_, half) = load_folder(folder), load_folder(folder, precision="bfloat16")
    expected = dict(whole.named_parameters())
    assert {tensor.dtype for tensor in expected.values()} == {torch.float32}
    for parameter, tensor in half.named_parameters():
        assert torch.equal(tensor, expected[parameter].to(torch.bfloat16)), parameter
    # A cast of the whole model would round the rotary frequencies too.
    buffers = dict(whole.named_buffers())
    assert all(torch.equal(tensor, buffers[buffer]) for buffer, tensor in half.named_buffers())
    _, drawn = load_folder(folder, 1, precision="bfloat16")
    assert {tensor.dtype for tensor in drawn.parameters()} == {torch.bfloat16}


def test_weights_in_half_precision_are_read_as_float32(folder: Path) -> None:
    _, half = load_folder(str(folder), precision="bfloat16")
    half.save_pretrained(folder)
    edit(folder / "config.json", dtype="bfloat16")
    assert {tensor.dtype for tensor in load_folder(str(folder))[1].parameters()} == {torch.float32}


# Packed layers

X = torch.randn((7, 5, 16), generator=torch.Generator().manual_seed(1))


needs_packing = pytest.mark.skipif(
    not torch.backends.mkldnn.is_available(), reason="torch cannot pack here"
)


def run(model: Module, x: torch.Tensor = X) -> torch.Tensor:
    with torch.inference_mode():
        return model(x)


@needs_packing
@pytest.mark.parametrize("rows", [1, 700])
def test_plain_linear_layers_are_packed_and_give_the_same_product(rows: int) -> None:
    shared = Linear(16, 16)
    model = Sequential(shared, Sequential(Linear(16, 16, bias=False), torch.nn.GELU()), shared)
    x = torch.randn((rows, 16), generator=torch.Generator().manual_seed(rows))
    before = run(model, x)
    assert pack(model, lambda: run(model, x))
    kinds = [type(m) for m in model.modules() if isinstance(m, Linear | PackedLinear)]
    assert kinds == [PackedLinear] * 2 and model[0] is model[2]
    assert torch.allclose(run(model, x), before, rtol=1e-5, atol=1e-5)


class Twice(Linear):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 2 * super().forward(x)


class ReadsWeights(Sequential):
    """A model that reads the weights of a layer without calling it."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self[0](x) + self[0].weight.sum()


@pytest.mark.parametrize(
    "model",
    [ReadsWeights(Linear(16, 16)), Sequential(Twice(16, 16)), Sequential(Linear(16, 16).double())],
)
def test_other_layers_do_not_change(model: Module) -> None:
    x = X.to(next(model.parameters()).dtype)
    before = run(model, x)
    assert not pack(model, lambda: run(model, x))
    assert not any(isinstance(module, PackedLinear) for module in model.modules())
    assert torch.equal(run(model, x), before)


@needs_packing
def test_large_weights_and_a_product_that_differs_are_not_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model, forward = Sequential(Linear(16, 16)), PackedLinear.forward
    with monkeypatch.context() as patched:
        patched.setattr(PackedLinear, "forward", lambda self, x: 1.001 * forward(self, x))
        assert not pack(model, lambda: run(model))
    monkeypatch.setattr(load_model, "MOST_BYTES", 4 * 16 * 16 - 1)
    assert not pack(model, lambda: run(model)) and type(model[0]) is Linear
