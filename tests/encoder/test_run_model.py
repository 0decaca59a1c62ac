"""Every architecture of docs/reference/encoders.md equals a naive loop; others are refused.

The folders are made on the spot (tests/helpers/zoo.py) and loaded as a user's are.
"""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import zoo
from checkout import REPOSITORY
from encoding import close, encode, instances, marked
from naive_encoder import Naive, naive_vectors
from tiny import corpus_of, tiny_tokenizer
from tokenizers import Tokenizer

from wsd.artifacts.encoder_input import VIEWS
from wsd.encoder.encoder import Encoder
from wsd.encoder.run_model import length_limit
from wsd.errors import ModelError

Built = Callable[..., Path]
# An encoder and a decoder are fast tests.
KINDS = [
    pytest.param(name, marks=[] if name in ("bert", "gpt2") else pytest.mark.slow)
    for name in zoo.KINDS
]

# Focal words first, last, capital, of many pieces or words, with punctuation inside, repeated.
SENTENCES = marked(
    "the |crane| flew over the river",
    "crane after crane , the |crane| 's shadow ; a crane !",
    "|Cranes| don't sing",
    "near the old bank they saw a |quixotically-misunderestimated| crane .",
    "it was , she said , the ( |crane| ) .",
    "don't say can't when you see the naïve |crane|",
    "a long way down the river , under “ the |crane\u2019s| ” wings , nothing moved : nothing",
    "one |crane|",
    "he ate a |hot dog| by the river",
    "|New York| , New York",
    "they don't see “ the |crane\u2019s naïve wings| ” now",
    n_train=3,
)


def load(folder: Path, **options: Any) -> Encoder:
    return Encoder.load(str(folder), device="cpu", **options)


@pytest.mark.parametrize("name", KINDS)
def test_every_view_and_layer_equals_the_naive_loop(built: Built, name: str) -> None:
    """Masked too: one mask token takes the place of the focal word."""
    kind, folder = zoo.KINDS[name], built(name)
    encoder = load(folder)
    views = tuple(view for view in VIEWS if kind.cls or view != "cls")
    vectors = encode(encoder, SENTENCES, *views)
    assert len({layer.tobytes() for layer in vectors[0]}) == kind.blocks + 1
    for i, expected in enumerate(naive_vectors(str(folder), instances(SENTENCES))):
        assert expected.keys() == {*views}
        for view, got in zip(views, vectors, strict=True):
            assert close(got[:, i], expected[view]), (view, SENTENCES.tokens[i])
    half = encode(load(folder, precision="bfloat16"), SENTENCES)[0]
    cosine = (vectors[0] * half).sum(-1) / np.linalg.norm(vectors[0], axis=-1)
    # Eight bits of each number: a little off, and more where attention is as sharp as here.
    assert np.median(cosine / np.linalg.norm(half, axis=-1), axis=1).min() > 0.98
    assert not np.array_equal(vectors[0], half)
    if not kind.mask:
        with pytest.raises(ModelError, match="has no mask token"):
            load(folder, input="masked")
        return
    masked, told = load(folder, input="masked"), []
    for tokens, at in zip(SENTENCES.tokens, SENTENCES.position.tolist(), strict=True):
        told.append(("", [*tokens[:at], masked.tokenizer.mask_token, *tokens[at + 1 :]], at))
    focal, context = encode(masked, SENTENCES, "focal", "context")
    for i, expected in enumerate(naive_vectors(str(folder), told)):
        assert close(focal[:, i], expected["focal"]) and close(context[:, i], expected["context"])


PAIR = marked("near the old |crane| a bird sang", "near the old |crane| sang a bird")


@pytest.mark.parametrize("name", KINDS)
def test_the_description_of_an_encoder(built: Built, name: str, tmp_path: Path) -> None:
    kind, folder = zoo.KINDS[name], zoo.copied(built(name), tmp_path / name)
    encoder = load(folder)
    actual = encoder.architecture
    assert (encoder.blocks, encoder.width) == (kind.blocks, kind.width)
    assert (actual.max_length, actual.causal) == (kind.limit, kind.causal)
    assert (actual.last_normed, actual.cls) == (kind.last_normed, kind.cls)
    assert actual.segments == ([0, 2] if name == "xlnet" else [0])
    assert actual.wide_embeddings == kind.wide_embeddings
    for sentence in encoder.align(SENTENCES):
        segments = [0] * (len(sentence.ids) - 1) + [2]
        assert sentence.segments == (segments if name == "xlnet" else None)
    # A model that reads to the left sees the right context in a second copy alone. Both sentences
    # have the same pieces; LFM2's first block is a convolution over three pieces.
    for input in ("plain", "echo") if kind.causal else ("plain",):
        (vectors,) = encode(load(folder, input=input), PAIR)
        same = [np.allclose(layer[0], layer[1], atol=1e-6) for layer in vectors]
        near = 2 if name == "lfm2" and input == "echo" else 1
        assert same[:near] == [not kind.wide_embeddings] * near
        assert all(same) if kind.causal and input == "plain" else not any(same[near:])
    # Weights may be as small as architectures draw them, when little changes the output.
    config = json.loads((folder / "config.json").read_text())
    small = {key: 0.02 for key in ("initializer_range", "init_std") if key in config}
    zoo.edit(folder / "config.json", **small)
    assert load(folder, random_weights=1).architecture == actual


def test_the_documentation_lists_every_kind() -> None:
    page = (REPOSITORY / "docs/reference/encoders.md").read_text(encoding="utf-8")
    assert [name for name in zoo.KINDS if f"`{name}`" not in page] == []


# Lengths


@pytest.mark.parametrize("name", KINDS)
def test_the_model_limits_the_length_if_the_tokenizer_does_not(
    built: Built, name: str, tmp_path: Path
) -> None:
    """At the limit the model equals the naive loop; with one more piece the window moves."""
    kind, folder = zoo.KINDS[name], zoo.copied(built(name), tmp_path / name)
    zoo.edit(folder / "tokenizer_config.json", model_max_length=None)
    naive, encoder = Naive(str(folder)), load(folder)
    assert encoder.max_length == kind.limit
    words = ["the", "crane"]
    length = (zoo.LENGTH if kind.limit else 300) - len(naive.first)
    while len(naive.pieces(words)[0]["input_ids"]) < length:
        words.append("a")
    assert len(naive.pieces(words)[0]["input_ids"]) == length
    corpus = corpus_of((" ".join(words), 1), (" ".join([*words, "a"]), 1))
    full, more = encoder.align(corpus)
    assert not full.windowed and more.windowed == bool(kind.limit)
    (vectors,) = encode(encoder, corpus)
    (expected,) = naive_vectors(str(folder), instances(corpus)[:1])
    assert close(vectors[:, 0], expected["focal"])
    if kind.limit:
        assert more.ids == full.ids and close(vectors[:, 1], expected["focal"])


@pytest.mark.parametrize(
    ("rows", "name", "padding", "stated", "limit"),
    [
        (512, "position_embeddings", None, 10**30, 512),
        (512, "position_embeddings", None, 256, 256),
        (514, "position_embeddings", 1, 10**30, 512),  # RoBERTa
        (64, "relative_position_embeddings", None, 10**30, None),
        (64, "token_embeddings", None, None, None),
    ],
)
def test_length_limits(
    rows: int, name: str, padding: int | None, stated: int | None, limit: int | None
) -> None:
    model: Any = torch.nn.ModuleDict({name: torch.nn.Embedding(rows, 4, padding_idx=padding)})
    model.config = SimpleNamespace()
    assert length_limit(SimpleNamespace(model_max_length=stated), model) == limit


def test_padding_that_the_model_does_not_know_is_not_used(built: Built, tmp_path: Path) -> None:
    """Many users save GPT-2 with a padding token that has no row in the embeddings."""
    folder = zoo.copied(built("gpt2"), tmp_path / "model")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.add_special_tokens(["[PAD]"])
    tokenizer.save(str(folder / "tokenizer.json"))
    zoo.edit(folder / "tokenizer_config.json", pad_token="[PAD]")
    encoder, plain = load(folder), load(built("gpt2"))
    assert encoder.tokenizer.pad_token_id == encoder.model.config.vocab_size
    assert plain.tokenizer.pad_token_id is None
    assert np.array_equal(encode(encoder, SENTENCES), encode(plain, SENTENCES))


def test_a_decoder_gets_a_first_token(built: Built) -> None:
    encoders = [load(built("gpt2"), input=input) for input in ("plain", {"prefix": "none"})]
    assert [e.architecture.first_token for e in encoders] == ["\n", None]


class Wrong(torch.nn.Module):
    """Layers that add the mean of all pieces, with one fault that a model may have."""

    config = SimpleNamespace(num_hidden_layers=2, hidden_size=8, model_type="wrong")

    def __init__(self, fault: str) -> None:
        super().__init__()
        self.fault, self.pieces = fault, torch.nn.Embedding(200, 8)

    def get_input_embeddings(self) -> torch.nn.Embedding:
        return self.pieces

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor, **_: Any) -> Any:
        states = [self.pieces(input_ids)]
        mask = attention_mask[..., None].float()
        for _ in range(2 + (self.fault == "embedding")):
            mixed = states[-1] if self.fault == "mask" else states[-1] * mask
            states.append(states[-1] + (0 if self.fault == "context" else mixed.sum(1, True)))
        if self.fault in ("embedding", "first"):
            del states[0]
        return SimpleNamespace(hidden_states=tuple(states))


@pytest.mark.parametrize(
    ("fault", "problem"),
    [
        ("mask", "ignores the attention mask: padding changes layer 1"),
        ("context", "ignores the context"),
        ("embedding", "does not return its embedding layer"),
        ("first", "returns 2 hidden states"),
    ],
)
def test_a_model_with_a_fault_is_refused(fault: str, problem: str) -> None:
    encoder = Encoder(tiny_tokenizer(), Wrong(fault).eval(), device=torch.device("cpu"))
    with pytest.raises(ModelError, match=problem):
        _ = encoder.architecture
