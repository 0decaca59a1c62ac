"""Every architecture of docs/reference/encoders.md equals a naive loop; others are refused.

The folders are made on the spot (tests/helpers/zoo.py) and loaded as a user's are.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import transformers
import zoo
from checkout import REPOSITORY
from naive_encoder import Naive, naive_vectors
from tiny import corpus_of, tiny_tokenizer
from tokenizers import Tokenizer

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.encoder_input import VIEWS
from wsd.encoder.encoder import Encoder
from wsd.encoder.model import resolve
from wsd.encoder.run_model import length_limit, stated_shape
from wsd.errors import ModelError

pytestmark = pytest.mark.slow

DOCS = REPOSITORY / "docs/reference/encoders.md"
Built = Callable[..., Path]

# Focal words first, last, capital, of many pieces, with punctuation inside, and repeated.
SENTENCES = corpus_of(
    ("the crane flew over the river", 1),
    ("crane after crane , the crane 's shadow ; a crane !", 5),
    ("Cranes don't sing", 0),
    ("near the old bank they saw a quixotically-misunderestimated crane .", 7),
    ("it was , she said , the ( crane ) .", 8),
    ("don't say can't when you see the naïve crane", 8),
    ("a long way down the river , under “ the crane\u2019s ” wings , nothing moved : nothing", 10),
    ("one crane", 1),
    n_train=3,
)


def encode(encoder: Encoder, corpus: Corpus, views: tuple[str, ...] = ("focal",)) -> np.ndarray:
    """All vectors: (views, layers, instances, width)."""
    out = np.full((len(views), encoder.blocks + 1, len(corpus), encoder.width), np.nan)
    aligned = encoder.align(corpus)
    for rows, vectors in encoder.encode(corpus, aligned, views=views, threads=2):
        out[:, :, rows] = vectors
    return out


def instances(corpus: Corpus) -> list[tuple[str, tuple[str, ...], int]]:
    return [
        (
            f"{corpus.word} {corpus.split[i]} {corpus.index[i]}",
            corpus.tokens[i],
            int(corpus.position[i]),
        )
        for i in range(len(corpus))
    ]


def close(got: np.ndarray, expected: np.ndarray) -> bool:
    error = np.linalg.norm(got - expected, axis=-1) / np.linalg.norm(expected, axis=-1)
    return bool((error <= 1e-5).all())


@pytest.mark.parametrize("name", zoo.KINDS)
def test_every_view_and_layer_equals_the_naive_loop(built: Built, name: str) -> None:
    kind, folder = zoo.KINDS[name], str(built(name))
    encoder = Encoder.load(folder, device="cpu")
    views = tuple(view for view in VIEWS if kind.cls or view != "cls")
    vectors = encode(encoder, SENTENCES, views)
    assert len({layer.tobytes() for layer in vectors[0]}) == kind.blocks + 1
    for i, expected in enumerate(naive_vectors(folder, instances(SENTENCES))):
        assert expected.keys() == {*views}
        for view, got in zip(views, vectors, strict=True):
            assert close(got[:, i], expected[view]), (name, view, SENTENCES.tokens[i])


@pytest.mark.parametrize("name", zoo.KINDS)
def test_bfloat16_gives_the_same_vectors_as_far_as_it_goes(built: Built, name: str) -> None:
    """Eight bits of each number: a little off, and more where attention is as sharp as here."""
    whole, half = (
        encode(Encoder.load(str(built(name)), device="cpu", precision=precision), SENTENCES)[0]
        for precision in ("float32", "bfloat16")
    )
    cosine = (whole * half).sum(-1) / np.linalg.norm(whole, axis=-1) / np.linalg.norm(half, axis=-1)
    assert np.median(cosine, axis=1).min() > 0.98, (name, cosine)
    assert not np.array_equal(whole, half)


@pytest.mark.parametrize("name", zoo.KINDS)
def test_the_description_of_an_encoder(built: Built, name: str) -> None:
    kind = zoo.KINDS[name]
    encoder = Encoder.load(str(built(name)), device="cpu")
    actual = encoder.architecture
    assert (encoder.blocks, encoder.width) == (kind.blocks, kind.width)
    assert (actual.max_length, actual.causal, actual.last_normed, actual.cls) == (
        kind.limit,
        kind.causal,
        kind.last_normed,
        kind.cls,
    )
    assert actual.segments == ([0, 2] if name == "xlnet" else [0])
    assert actual.wide_embeddings == kind.wide_embeddings
    assert json.loads(json.dumps(actual._asdict())) == actual._asdict()
    # The files alone give the same answer before torch is imported.
    record = resolve(name, path=str(built(name)), sha256={}, blocks=kind.blocks, width=kind.width)
    assert record["blocks"] == kind.blocks


@pytest.mark.parametrize("name", zoo.KINDS)
def test_a_random_control_has_the_same_architecture(
    built: Built, name: str, tmp_path: Path
) -> None:
    """The weights may be as small as architectures draw them, when little changes the output."""
    folder = zoo.copied(built(name), tmp_path / name)
    config = json.loads((folder / "config.json").read_text())
    small = {key: 0.02 for key in ("initializer_range", "init_std") if key in config}
    zoo.edit(folder / "config.json", **small)
    control = Encoder.load(str(folder), device="cpu", random_weights=1)
    assert control.architecture == Encoder.load(str(built(name)), device="cpu").architecture


def test_the_table_has_each_tested_kind_in_its_row() -> None:
    lines = DOCS.read_text(encoding="utf-8").splitlines()
    start = lines.index("| reads | `[CLS]` | last hidden state | architectures |") + 2
    rows = [line.strip("| ").split(" | ") for line in lines[start : lines.index("", start)]]
    listed = {name: row[:3] for row in rows for name in re.findall(r"`([a-z0-9-]+)`", row[3])}
    assert sum(row[3].count("`") for row in rows) == 2 * len(listed)
    assert listed == {
        name: [
            "left context only" if kind.causal else "both sides",
            kind.cls or "none",
            "extra norm" if kind.last_normed else "block output",
        ]
        for name, kind in zoo.KINDS.items()
    }


@pytest.mark.slow
def test_left_to_right_models_see_only_earlier_pieces(built: Built) -> None:
    pair = corpus_of(("near the old crane a bird sang", 3), ("near the old crane nobody slept", 3))
    for name, kind in zoo.KINDS.items():
        (vectors,) = encode(Encoder.load(str(built(name)), device="cpu"), pair)
        same = [np.allclose(layer[0], layer[1], atol=1e-6) for layer in vectors]
        assert same[0] == (not kind.wide_embeddings), name
        assert all(same) if kind.causal else not any(same[1:]), name


@pytest.mark.parametrize("name", ["gemma2", "gemma3", "mistral", "phi3"])
def test_a_window_of_attention_holds_in_a_padded_batch(built: Built, name: str) -> None:
    """The first block sees eight pieces; the first word matters when it is among them.

    The pair shares a batch with a longer sentence, so both are padded.
    """
    near, far = "crane", " ".join(["a"] * 8 + ["crane"])
    corpus = corpus_of(
        *((f"{first} {rest}", rest.count(" ") + 1) for first in "xy" for rest in (near, far)),
        (" ".join(["crane", *["a"] * 60]), 0),
    )
    encoder = Encoder.load(str(built(name)), device="cpu")
    ((_, block, *_),) = encode(encoder, corpus)
    assert not np.allclose(block[0], block[2], rtol=1e-3)
    assert np.allclose(block[1], block[3], rtol=1e-4)
    for i, expected in enumerate(naive_vectors(str(built(name)), instances(corpus))):
        assert close(block[i], expected["focal"][1])


# Lengths


@pytest.mark.parametrize("name", [name for name, kind in zoo.KINDS.items() if kind.limit])
def test_the_model_limits_the_length_if_the_tokenizer_does_not(
    built: Built, name: str, tmp_path: Path
) -> None:
    """At the limit the model equals the naive loop; with one more piece the window moves."""
    kind, folder = zoo.KINDS[name], zoo.copied(built(name), tmp_path / name)
    stated = json.loads((folder / "tokenizer_config.json").read_text())
    del stated["model_max_length"]
    (folder / "tokenizer_config.json").write_text(json.dumps(stated))
    naive, encoder = Naive(str(folder)), Encoder.load(str(folder), device="cpu")
    assert naive.tokenizer.model_max_length > 10**9
    assert encoder.max_length == kind.limit
    words = ["the", "crane"]
    length = zoo.LENGTH - len(naive.first)
    while len(naive.pieces(words)[0]["input_ids"]) < length:
        words.append("a")
    assert len(naive.pieces(words)[0]["input_ids"]) == length
    corpus = corpus_of((" ".join(words), 1), (" ".join([*words, "a"]), 1))
    full, more = encoder.align(corpus)
    assert (full.windowed, more.windowed) == (False, True)
    assert more.ids == full.ids
    (vectors,) = encode(encoder, corpus)
    (expected, _) = naive_vectors(str(folder), [*instances(corpus)[:1]] * 2)
    assert close(vectors[:, 0], expected["focal"])
    assert close(vectors[:, 1], expected["focal"])


@pytest.mark.parametrize("name", [name for name, kind in zoo.KINDS.items() if not kind.limit])
def test_without_a_limit_nothing_is_cut(built: Built, name: str) -> None:
    encoder = Encoder.load(str(built(name)), device="cpu")
    words = ["bank"] * 300 + ["crane"] + ["river"] * 300
    corpus = corpus_of((" ".join(words), 300), ("the crane", 1))
    assert not encoder.align(corpus)[0].windowed
    (vectors,) = encode(encoder, corpus)
    (expected,) = naive_vectors(str(built(name)), instances(corpus)[:1])
    assert close(vectors[:, 0], expected["focal"])


def embedding(rows: int, name: str = "position_embeddings", padding: int | None = None) -> Any:
    class Model(torch.nn.Module):
        config = SimpleNamespace()

    made = Model()
    setattr(made, name, torch.nn.Embedding(rows, 4, padding_idx=padding))
    return made


@pytest.mark.parametrize(
    ("model", "stated", "limit"),
    [
        (embedding(512), 10**30, 512),
        (embedding(512), 256, 256),
        (embedding(514, padding=1), 10**30, 512),  # RoBERTa
        (embedding(64, "relative_position_embeddings"), 10**30, None),
        (embedding(64, "token_embeddings"), None, None),
        (embedding(1024, "wpe"), None, 1024),
    ],
)
def test_length_limits(model: Any, stated: int | None, limit: int | None) -> None:
    assert length_limit(SimpleNamespace(model_max_length=stated), model) == limit


# What a model reads


def test_xlnet_gets_the_segment_of_its_cls(built: Built) -> None:
    encoder = Encoder.load(str(built("xlnet")), device="cpu")
    for aligned_sentence in encoder.align(SENTENCES):
        assert aligned_sentence.segments is not None
        assert aligned_sentence.segments == [0] * (len(aligned_sentence.ids) - 1) + [2]
        assert aligned_sentence.cls == len(aligned_sentence.ids) - 1
    for name in set(zoo.KINDS) - {"xlnet"}:
        actual = Encoder.load(str(built(name)), device="cpu").align(SENTENCES)
        assert all(entry.segments is None for entry in actual)


def test_gpt2_works_without_cls_and_padding(built: Built) -> None:
    encoder = Encoder.load(str(built("gpt2")), device="cpu")
    assert encoder.tokenizer.pad_token_id is None
    with pytest.raises(ModelError, match=r"no \[CLS\]"):
        encode(encoder, SENTENCES, ("cls",))


# Attention, a window, positions by distance, a convolution.
@pytest.mark.parametrize("name", ["xlnet", "bert", "gemma3", "bloom", "lfm2"])
def test_the_side_that_a_tokenizer_pads_on_does_not_matter(
    built: Built, name: str, tmp_path: Path
) -> None:
    vectors = []
    for side in ("left", "right"):
        folder = zoo.copied(built(name), tmp_path / side)
        zoo.edit(folder / "tokenizer_config.json", padding_side=side)
        encoder = Encoder.load(str(folder), device="cpu")
        assert encoder.tokenizer.padding_side == side
        vectors.append(encode(encoder, SENTENCES))
    assert np.array_equal(*vectors)


def test_only_the_encoder_of_an_encoder_decoder_is_kept(built: Built) -> None:
    encoder = Encoder.load(str(built("bart")), device="cpu")
    assert type(encoder.model).__name__ == "BartEncoder"
    assert not any("decoder" in name for name, _ in encoder.model.named_parameters())


def test_weights_of_a_decoder_are_not_missed(built: Built, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    folder = zoo.copied(built("t5"), tmp_path / "t5")
    weights = load_file(folder / "model.safetensors")
    kept = {key: value for key, value in weights.items() if not key.startswith("decoder.")}
    assert len(kept) < len(weights)
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
    half = encode(Encoder.load(str(folder), device="cpu"), SENTENCES)
    assert np.array_equal(half, encode(Encoder.load(str(built("t5")), device="cpu"), SENTENCES))
    del kept["encoder.block.1.layer.0.SelfAttention.q.weight"]
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match="lack 1 of the model's tensors, such as encoder"):
        Encoder.load(str(folder), device="cpu")


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("bert", {"vocab.txt"}),
        ("bert-cased", {"vocab.txt"}),
        ("mpnet", {"vocab.txt"}),
        ("roberta", {"vocab.json", "merges.txt"}),
        ("gpt2", {"vocab.json", "merges.txt"}),
    ],
)
def test_folders_from_before_tokenizer_json(
    built: Built, name: str, files: set[str], tmp_path: Path
) -> None:
    folder = zoo.copied(built(name), tmp_path / name)
    model = json.loads((folder / "tokenizer.json").read_text())["model"]
    (folder / "tokenizer.json").unlink()
    if "vocab.txt" in files:
        pieces = sorted(model["vocab"], key=model["vocab"].__getitem__)
        (folder / "vocab.txt").write_text("\n".join(pieces) + "\n")
    else:
        vocabulary = dict(model["vocab"])
        if "<mask>" not in vocabulary and name == "roberta":
            vocabulary["<mask>"] = len(vocabulary)
        (folder / "vocab.json").write_text(json.dumps(vocabulary))
        merges = [pair if isinstance(pair, str) else " ".join(pair) for pair in model["merges"]]
        (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *merges]) + "\n")
    older = Encoder.load(str(folder), device="cpu")
    newer = Encoder.load(str(built(name)), device="cpu")
    assert older.align(SENTENCES) == newer.align(SENTENCES)


# What is refused, by name


def other(config: str, model: str, kind: str, folder: Path, **shape: Any) -> Path:
    """Write a folder of an architecture outside the zoo, with a tokenizer from the zoo."""
    tokenizer, stated = zoo.KINDS[kind].tokenizer()
    torch.manual_seed(0)
    made = zoo.network(config, model, **shape)(tokenizer)
    made.save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps(stated))
    return folder


MARIAN = {
    **zoo.NONE, "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "pad_token_id": 1,
    "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 64,
    "decoder_ffn_dim": 64, "max_position_embeddings": 128,
}  # fmt: skip
MAMBA = {
    **zoo.NONE, "hidden_size": 32, "num_hidden_layers": 3, "state_size": 4,
    "initializer_range": 0.5,
}  # fmt: skip
FUNNEL = {
    **zoo.NONE,
    "block_sizes": [1, 1, 1],
    "d_model": 32,
    "n_head": 4,
    "d_head": 8,
    "d_inner": 64,
    "initializer_std": 0.5,
}


@pytest.mark.parametrize(
    ("config", "model", "kind", "shape", "problem"),
    [
        ("FNetConfig", "FNetForMaskedLM", "albert", {"num_attention_heads": None},
         "FNetModel ignores the attention mask: padding changes layer"),
        ("ConvBertConfig", "ConvBertForMaskedLM", "bert",
         {"embedding_size": 32, "head_ratio": 2}, "ignores the attention mask"),
        ("FunnelConfig", "FunnelForMaskedLM", "bert", FUNNEL,
         "FunnelModel returns 7 hidden states"),
        ("AlbertConfig", "AlbertForPreTraining", "albert",
         {"embedding_size": 16, "inner_group_num": 2}, "AlbertModel returns 7 hidden states"),
        ("YosoConfig", "YosoForMaskedLM", "albert", {}, "ignores the attention mask"),
        ("MarianConfig", "MarianMTModel", "xlm-roberta", MARIAN, "the weights lack 1 of"),
        ("MambaConfig", "MambaForCausalLM", "gpt-neox", MAMBA,
         "MambaModel does not return its embedding layer"),
        ("MraConfig", "MraForMaskedLM", "roberta", {},
         "MraModel ignores the context"),
        ("NystromformerConfig", "NystromformerForMaskedLM", "albert",
         {"segment_means_seq_len": 16, "num_landmarks": 4},
         "NystromformerModel cannot be run on a sentence"),
    ],
)  # fmt: skip
def test_models_that_cannot_be_handled(
    config: str, model: str, kind: str, shape: dict[str, Any], problem: str, tmp_path: Path
) -> None:
    folder = other(config, model, kind, tmp_path / "model", **shape)
    with pytest.raises(ModelError) as error:
        Encoder.load(str(folder), device="cpu")
    assert problem in str(error.value)
    assert str(folder) in str(error.value)


def test_a_tokenizer_in_python_is_refused(built: Built, tmp_path: Path) -> None:
    folder = zoo.copied(built("bert"), tmp_path / "model")
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "CanineTokenizer"}')
    with pytest.raises(ModelError, match="CanineTokenizer gives no word ids"):
        Encoder.load(str(folder), device="cpu")


def test_a_vision_model_is_refused(built: Built, tmp_path: Path) -> None:
    folder = zoo.copied(built("bert"), tmp_path / "model")
    config = transformers.ViTConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                                    intermediate_size=64, image_size=32, patch_size=16)  # fmt: skip
    transformers.ViTModel(config).save_pretrained(folder)
    with pytest.raises(ModelError, match="ViTModel cannot be run on a sentence"):
        Encoder.load(str(folder), device="cpu")


def test_a_damaged_tokenizer_is_one_error(built: Built, tmp_path: Path) -> None:
    folder = zoo.copied(built("modernbert"), tmp_path / "model")
    (folder / "tokenizer.json").write_text('{"version": "1.0"}')
    with pytest.raises(ModelError, match="cannot be loaded"):
        Encoder.load(str(folder), device="cpu")


def test_a_tokenizer_of_another_model_is_refused(built: Built, tmp_path: Path) -> None:
    folder = zoo.copied(built("bert"), tmp_path / "model")
    vocabulary = json.loads((folder / "tokenizer.json").read_text())
    vocabulary["model"]["vocab"]["crane"] = 10_000
    (folder / "tokenizer.json").write_text(json.dumps(vocabulary))
    encoder = Encoder.load(str(folder), device="cpu")
    with pytest.raises(ModelError, match="piece number 10000, the model has 400 pieces") as error:
        encoder.align(SENTENCES)
    assert "crane train 0" in str(error.value)


def test_padding_that_the_model_does_not_know_is_not_used(built: Built, tmp_path: Path) -> None:
    """Many users save GPT-2 with a padding token that has no row in the embeddings."""
    folder = zoo.copied(built("gpt2"), tmp_path / "model")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.add_special_tokens(["[PAD]"])
    tokenizer.save(str(folder / "tokenizer.json"))
    zoo.edit(folder / "tokenizer_config.json", pad_token="[PAD]")
    encoder = Encoder.load(str(folder), device="cpu")
    assert encoder.tokenizer.pad_token_id == encoder.model.config.vocab_size
    plain = Encoder.load(str(built("gpt2")), device="cpu")
    assert np.array_equal(encode(encoder, SENTENCES), encode(plain, SENTENCES))


def test_a_config_without_a_shape() -> None:
    with pytest.raises(ModelError, match="of odd states no number of blocks"):
        stated_shape(SimpleNamespace(model_type="odd", hidden_size=3))
    with pytest.raises(ModelError, match="states no width"):
        stated_shape(SimpleNamespace(model_type="odd", n_layer=3))


def test_the_trial_removes_its_hooks(built: Built) -> None:
    encoder = Encoder.load(str(built("xlnet")), device="cpu")
    assert not any(module._forward_hooks for module in encoder.model.modules())


# A mask token for the focal word


@pytest.mark.parametrize("name", [name for name, kind in zoo.KINDS.items() if kind.mask])
def test_masked_input_is_one_mask_token_in_the_focal_word_s_place(built: Built, name: str) -> None:
    folder = str(built(name))
    encoder = Encoder.load(folder, device="cpu", input="masked")
    mask = encoder.tokenizer.mask_token
    written = corpus_of(
        *(
            (" ".join(mask if i == at else token for i, token in enumerate(tokens)), at)
            for tokens, at in zip(SENTENCES.tokens, SENTENCES.position.tolist(), strict=True)
        ),
        n_train=3,
    )
    aligned = encoder.align(SENTENCES)
    assert all(
        aligned_sentence.ids.count(encoder.tokenizer.mask_token_id) == 1
        for aligned_sentence in aligned
    )
    assert all(len(aligned_sentence.focal) == 1 for aligned_sentence in aligned)
    assert max(len(entry.pieces) for entry in aligned) > 3  # what was masked is still told
    focal, context = encode(encoder, SENTENCES, ("focal", "context"))
    for i, expected in enumerate(naive_vectors(folder, instances(written))):
        assert close(focal[:, i], expected["focal"]), (name, SENTENCES.tokens[i])
        assert close(context[:, i], expected["context"]), (name, SENTENCES.tokens[i])


@pytest.mark.parametrize("name", [name for name, kind in zoo.KINDS.items() if not kind.mask])
def test_masked_input_needs_a_mask_token(built: Built, name: str) -> None:
    with pytest.raises(ModelError, match="has no mask token") as error:
        Encoder.load(str(built(name)), device="cpu", input="masked")
    assert "input: plain" in str(error.value)


def test_masked_input_does_not_depend_on_the_word(built: Built) -> None:
    pair = corpus_of(("near the old crane it slept", 3), ("near the old quixotically it slept", 3))
    encoder = Encoder.load(str(built("bert")), device="cpu", input="masked")
    (focal,) = encode(encoder, pair)
    assert np.array_equal(focal[:, 0], focal[:, 1])


def test_masking_comes_before_the_window() -> None:
    """A word of 20 pieces leaves room for 14 others; its mask leaves room for 19 more."""
    from tiny import PositionModel

    for input, others in (("plain", 10), ("masked", 29)):
        encoder = Encoder(
            tiny_tokenizer(32),
            PositionModel(max_length=32),
            input=input,
            device=torch.device("cpu"),
        )
        (aligned,) = encoder.align(corpus_of((" ".join(["a"] * 30 + ["x" * 20]), 30)))
        assert (len(aligned.ids), len(aligned.others), aligned.windowed) == (32, others, True)
