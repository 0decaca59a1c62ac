"""Alignment, pooling and views: exact answers from a fake encoder, and a naive loop."""

import contextlib
import json
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from checkout import REPOSITORY
from naive_bert import naive
from tiny import PositionModel, corpus_of, tiny_bert, tiny_tokenizer
from tokenizers import processors

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.encoder_input import VIEWS
from wsd.corpora import text_format as corpora
from wsd.encoder.encoder import Encoder
from wsd.encoder.load_model import load_folder, weights_digest
from wsd.errors import ConfigError, ModelError

CPU = torch.device("cpu")
QUICKSTART = REPOSITORY / "wsd/data/quickstart"

# `crane` and `lifted` have one piece; `xyz` has three, `cranes` is crane ##s.
SENTENCES = corpus_of(
    ("the crane flew", 1),
    ("xyz xyz the crane flew near xyz", 3),
    ("a bird , cranes lifted", 3),
    ("crane", 0),
    ("near the river of the bank a crane", 7),
)


def position_encoder(pooling: str = "mean", max_length: int = 64) -> Encoder:
    return Encoder(
        tiny_tokenizer(max_length),
        PositionModel(max_length=max_length),
        pooling=pooling,  # type: ignore[arg-type]
        device=CPU,
    )


def encode(
    encoder: Encoder, corpus: Corpus, *, views: tuple[str, ...] = VIEWS, threads=1
) -> np.ndarray:
    """All vectors: (views, layers, instances, width)."""
    aligned = encoder.align(corpus)
    out = np.full((len(views), encoder.blocks + 1, len(corpus), encoder.width), np.nan)
    for rows, vectors in encoder.encode(corpus, aligned, views=views, threads=threads):
        out[:, :, rows] = vectors
    assert not np.isnan(out).any(), "a row was never given"
    return out


def positions(vectors: np.ndarray, view: str) -> list[float]:
    return vectors[VIEWS.index(view), 0, :, 0].tolist()


def test_the_focal_word_is_found_after_split_words() -> None:
    aligned = position_encoder().align(SENTENCES)
    assert [aligned_sentence.focal for aligned_sentence in aligned] == [[2], [8], [4, 5], [1], [8]]
    assert [aligned_sentence.cls for aligned_sentence in aligned] == [0] * 5


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [("mean", [2, 8, 4.5, 1, 8]), ("first", [2, 8, 4, 1, 8]), ("last", [2, 8, 5, 1, 8])],
)
def test_pooling_of_pieces(pooling: str, expected: list[float]) -> None:
    assert positions(encode(position_encoder(pooling), SENTENCES), "focal") == expected


def test_context_is_the_mean_of_the_other_pieces_alone() -> None:
    vectors = encode(position_encoder(), SENTENCES)
    # 1 and 3; 1 to 13 without 8; 1, 2, 3 and 6; no piece; 1 to 7.
    expected = [2, np.mean([*range(1, 8), *range(9, 14)]), 3, 0, 4]
    assert positions(vectors, "context") == pytest.approx(expected, rel=1e-6)
    # The mask is 1 at every real token; padding would lower this below 1.
    mask = vectors[VIEWS.index("context"), :, [0, 1, 2, 4], 3]
    assert mask == pytest.approx(np.ones_like(mask))


def test_sentence_is_the_mean_of_all_pieces_but_special_ones() -> None:
    vectors = encode(position_encoder(), SENTENCES)
    expected = [np.mean(range(1, end + 1)) for end in (3, 13, 6, 1, 8)]
    assert positions(vectors, "sentence") == pytest.approx(expected, rel=1e-6)


def test_cls_is_the_first_token() -> None:
    vectors = encode(position_encoder(), SENTENCES)
    assert positions(vectors, "cls") == [0] * 5
    assert (vectors[VIEWS.index("cls"), :, :, 1] == 2).all()  # its id


def test_layers_come_in_order() -> None:
    vectors = encode(position_encoder(), SENTENCES)
    with_tokens = vectors[0]
    assert [set(layer[:, 2]) for layer in with_tokens] == [{0.0}, {1.0}, {2.0}]


def test_views_come_in_the_order_asked_for() -> None:
    both = encode(position_encoder(), SENTENCES, views=("cls", "focal"))
    assert both[1, 0, :, 0].tolist() == [2, 8, 4.5, 1, 8]


def test_the_window_keeps_the_focal_word_and_is_counted() -> None:
    long = corpus_of((" ".join(["a"] * 40 + ["crane"] + ["the"] * 40), 40), ("a crane", 1))
    encoder = position_encoder(max_length=16)
    windowed, short = encoder.align(long)
    assert windowed.windowed and not short.windowed
    crane = encoder.tokenizer.convert_tokens_to_ids("crane")
    assert len(windowed.ids) == 16
    assert [windowed.ids[i] for i in windowed.focal] == [crane]
    # The window is as even as possible: 13 positions besides the focal word.
    a, the = (windowed.ids.count(encoder.tokenizer.convert_tokens_to_ids(w)) for w in ("a", "the"))
    assert (a, the) == (7, 6)


@pytest.mark.parametrize("position", [0, 80])
def test_a_window_at_an_end_is_filled(position: int) -> None:
    tokens = ["a"] * 81
    tokens[position] = "crane"
    (aligned,) = position_encoder(max_length=16).align(corpus_of((" ".join(tokens), position)))
    assert len(aligned.ids) == 16
    assert aligned.focal == [1 if position == 0 else 14]


def test_a_focal_word_longer_than_the_limit_names_the_instance() -> None:
    with pytest.raises(ModelError, match="40 pieces") as error:
        position_encoder(max_length=16).align(corpus_of(("a " + "x" * 40, 1)))
    assert "crane train 0" in str(error.value)


def test_a_focal_word_that_vanishes_names_the_instance() -> None:
    with pytest.raises(ModelError, match="nothing of the focal word") as error:
        position_encoder().align(corpus_of(("a crane", 1), ("a \u0300", 1)))
    assert "crane test 0" in str(error.value)


def test_a_vector_that_is_not_finite_names_the_instance(tmp_path: Path) -> None:
    model = transformers.AutoModel.from_pretrained(tiny_bert(tmp_path))
    with torch.no_grad():
        crane = tiny_tokenizer().convert_tokens_to_ids("bird")
        model.embeddings.word_embeddings.weight[crane] = torch.nan
    encoder = Encoder(tiny_tokenizer(), model.eval(), device=CPU)
    with pytest.raises(ModelError, match="not finite") as error:
        encode(encoder, corpus_of(("a crane", 1), ("a bird near the crane", 4)))
    assert "crane test 0" in str(error.value)


def test_a_tokenizer_without_word_ids_is_refused() -> None:
    class Slow:
        is_fast = False

    with pytest.raises(ModelError, match="word ids"):
        Encoder(Slow(), PositionModel(), device=CPU)


def test_no_cls_token() -> None:
    tokenizer = tiny_tokenizer()
    first = ("[SEP]", tokenizer.sep_token_id)
    cut = processors.TemplateProcessing(single="[SEP] $A", special_tokens=[first])
    tokenizer.backend_tokenizer.post_processor = cut
    tokenizer.cls_token = None
    encoder = Encoder(tokenizer, PositionModel(), device=CPU)
    assert encode(encoder, SENTENCES, views=("focal",))[0, 0, 0, 0] == 2
    with pytest.raises(ModelError, match=r"no \[CLS\]"):
        encode(encoder, SENTENCES, views=("cls",))


def test_a_missing_gpu_is_refused() -> None:
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    with pytest.raises(ConfigError, match="no GPU"):
        Encoder.load("nowhere", device="cuda")


def test_weights_that_lack_a_block_are_refused(tmp_path: Path) -> None:
    folder = tiny_bert(tmp_path)
    config = json.loads((folder / "config.json").read_text())
    config["num_hidden_layers"] = 3
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match=r"lack .* tensors"):
        Encoder.load(str(folder))


def rewrite_weights(
    folder: Path, added: dict[str, torch.Tensor], prefix: str = ""
) -> dict[str, torch.Tensor]:
    """Add tensors to a folder's weights, and a prefix to the existing names."""
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    weights = {f"{prefix}{name}": tensor for name, tensor in weights.items()} | added
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    return weights


@pytest.mark.parametrize("prefix", ["", "bert."])
def test_relative_positions_are_not_left_out(tmp_path: Path, prefix: str) -> None:
    """transformers 5 ignores them and would compute another model."""
    folder = tiny_bert(tmp_path)
    name = f"{prefix}encoder.layer.0.attention.self.distance_embedding.weight"
    rewrite_weights(folder, {name: torch.zeros(127, 8)}, prefix)
    with pytest.raises(ModelError, match=r"BertModel has no place for 1 .*distance"):
        Encoder.load(str(folder))


def test_weights_with_more_blocks_than_the_config_are_refused(tmp_path: Path) -> None:
    folder = tiny_bert(tmp_path)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 1}))
    with pytest.raises(ModelError, match=r"no place for 16 tensors of .*encoder\.layer\.1"):
        Encoder.load(str(folder))


def test_heads_and_buffers_are_no_surplus(tmp_path: Path) -> None:
    plain = tiny_bert(tmp_path / "plain")
    expected = encode(Encoder.load(str(plain), device="cpu"), SENTENCES)
    folder, tensor = tiny_bert(tmp_path / "more"), torch.zeros(1)
    known = (
        "cls.predictions.bias", "cls.seq_relationship.weight", "classifier.weight",
        "qa_outputs.bias", "lm_head.weight", "score.weight", "bert.embeddings.position_ids",
        "bert.embeddings.token_type_ids", "bert.encoder.layer.0.attention.rotary_emb.inv_freq",
        "bert.encoder.layer.1.attn.bias", "bert.encoder.layer.1.attention.masked_bias",
    )  # fmt: skip
    rewrite_weights(folder, {name: tensor.clone() for name in known}, "bert.")
    assert np.array_equal(encode(Encoder.load(str(folder), device="cpu"), SENTENCES), expected)


def test_an_invalid_tokenizer_class_is_refused(tmp_path: Path) -> None:
    """transformers would load the folder with any of its classes."""
    folder = tiny_bert(tmp_path)
    path = folder / "tokenizer_config.json"
    for name in ("AutoModel", "RagTokenizer", "pipeline"):
        path.write_text(json.dumps({**json.loads(path.read_text()), "tokenizer_class": name}))
        with pytest.raises(ModelError):
            Encoder.load(str(folder))


@pytest.mark.parametrize("seed", [None, 1])
@pytest.mark.parametrize("key", ["attn_implementation", "_attn_implementation"])
def test_an_attention_that_is_code_of_the_hub_is_not_used(
    tmp_path: Path, key: str, seed: int | None
) -> None:
    folder = tiny_bert(tmp_path)
    expected = encode(Encoder.load(str(folder), device="cpu", random_weights=seed), SENTENCES)
    config = json.loads((folder / "config.json").read_text())
    config[key] = "kernels-community/flash-attn2"
    (folder / "config.json").write_text(json.dumps(config))
    encoder = Encoder.load(str(folder), device="cpu", random_weights=seed)
    assert encoder.model.config._attn_implementation == "sdpa"
    assert np.array_equal(encode(encoder, SENTENCES), expected)


@pytest.mark.parametrize("file", ["config.json", "tokenizer_config.json"])
def test_code_of_a_model_is_not_run(tmp_path: Path, file: str) -> None:
    folder = tiny_bert(tmp_path)
    (folder / "code.py").write_text("raise SystemExit('code of the model was run')")
    named = {"AutoConfig": "code.C", "AutoModel": "code.M", "AutoTokenizer": ["code.T", "code.T"]}
    content = json.loads((folder / file).read_text()) | {"auto_map": named}
    if file == "config.json":
        content["model_type"] = "unknown"
    (folder / file).write_text(json.dumps(content))
    with contextlib.suppress(ModelError):
        Encoder.load(str(folder), device="cpu")


def test_no_request_is_made_while_a_model_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    seen: list[bool] = []

    def load(*_: object, **__: object) -> None:
        seen.append(constants.is_offline_mode())
        raise OSError("no")

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr("transformers.AutoTokenizer.from_pretrained", load)
    with pytest.raises(ModelError, match="cannot be loaded"):
        load_folder(str(tiny_bert(tmp_path)))
    assert seen == [True]
    assert not constants.is_offline_mode()


def test_a_folder_without_a_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be loaded"):
        Encoder.load(str(tmp_path))


def weights(folder: Path, random_weights: int) -> dict[str, torch.Tensor]:
    _, model = load_folder(str(folder), random_weights)
    return dict(model.named_parameters())


def test_random_weights_are_drawn_as_the_architecture_draws_them(tmp_path: Path) -> None:
    folder = tiny_bert(tmp_path)
    config = transformers.BertConfig.from_pretrained(folder)
    torch.manual_seed(7)
    expected = dict(transformers.BertModel(config).named_parameters())
    drawn = weights(folder, 7)
    assert drawn.keys() == expected.keys()
    assert all(torch.equal(tensor, expected[name]) for name, tensor in drawn.items())
    assert {tensor.dtype for tensor in drawn.values()} == {torch.float32}
    control = Encoder.load(str(folder), device="cpu", random_weights=7)
    assert not control.model.training
    # The control has the model's tokenizer, so pieces and alignment are equal.
    trained = Encoder.load(str(folder), device="cpu")
    assert control.align(SENTENCES) == trained.align(SENTENCES)
    assert (control.blocks, control.width, control.max_length) == (2, 32, 64)


def test_random_weights_are_float32_whatever_the_config_says(tmp_path: Path) -> None:
    folder = tiny_bert(tmp_path)
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "dtype": "bfloat16"}))
    assert {tensor.dtype for tensor in weights(folder, 7).values()} == {torch.float32}


@pytest.mark.slow
def test_random_weights_depend_on_the_seed_alone(tmp_path: Path) -> None:
    folder = str(tiny_bert(tmp_path))
    before = torch.get_num_threads()
    digests = []
    try:
        for threads, disturb in ((1, 0), (2, 3), (4, 5)):
            torch.set_num_threads(threads)
            torch.manual_seed(disturb)
            digests.append(Encoder.load(folder, device="cpu", random_weights=1).drawn)
    finally:
        torch.set_num_threads(before)
    assert len(set(digests)) == 1
    others = [Encoder.load(folder, device="cpu", random_weights=seed) for seed in (2, 3)]
    assert len({*digests, *(other.drawn for other in others)}) == 3
    assert Encoder.load(folder, device="cpu").drawn is None


def test_drawing_weights_does_not_change_the_random_state(tmp_path: Path) -> None:
    folder = str(tiny_bert(tmp_path))
    torch.manual_seed(11)
    state = torch.get_rng_state()
    Encoder.load(folder, device="cpu", random_weights=1)
    assert torch.equal(torch.get_rng_state(), state)


def test_random_weights_are_not_read(tmp_path: Path) -> None:
    folder = tiny_bert(tmp_path)
    digest = Encoder.load(str(folder), device="cpu", random_weights=1).drawn
    (folder / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(ModelError, match="cannot be loaded"):
        Encoder.load(str(folder), device="cpu")
    control = Encoder.load(str(folder), device="cpu", random_weights=1)
    assert control.drawn == digest


def test_the_digest_sees_a_weight_and_a_name(tmp_path: Path) -> None:
    _, model = load_folder(str(tiny_bert(tmp_path)))
    digests = [weights_digest(model)]
    with torch.no_grad():
        model.pooler.dense.weight[0, 0] += 1
    digests.append(weights_digest(model))
    model.qooler = model.pooler  # the same place in the order of the names
    del model.pooler
    digests.append(weights_digest(model))
    assert len(set(digests)) == 3


def test_vectors_do_not_depend_on_threads(tmp_path: Path) -> None:
    encoder = Encoder.load(str(tiny_bert(tmp_path)))
    corpus = corpora.read_text(QUICKSTART / "crane", "crane")
    one_thread, two_threads = (encode(encoder, corpus, threads=n) for n in (1, 2))
    assert np.array_equal(one_thread, two_threads)


def check_against_naive(folder: str, corpus: Corpus, rows: list[int]) -> int:
    """Compare all layers and views; count the rows with a split word before the focal word."""
    vectors = encode(Encoder.load(folder, device="cpu"), corpus, threads=2)
    instances = [
        (
            f"{corpus.word} {corpus.split[i]} {corpus.index[i]}",
            corpus.tokens[i],
            int(corpus.position[i]),
        )
        for i in rows
    ]
    split_before = 0
    for i, (expected, split) in zip(rows, naive(folder, instances), strict=True):
        split_before += split
        for view, vector in expected.items():
            got = vectors[VIEWS.index(view), :, i]
            error = np.linalg.norm(got - vector, axis=1) / np.linalg.norm(vector, axis=1)
            assert (error <= 1e-5).all(), (corpus.word, i, view, error)
    return split_before


def test_tiny_bert_equals_the_naive_loop(tmp_path: Path) -> None:
    folder = str(tiny_bert(tmp_path, max_length=256))
    corpus = corpora.read_text(QUICKSTART / "bank", "bank")
    assert check_against_naive(folder, corpus, list(range(len(corpus)))) > 50


@pytest.mark.slow
def test_minilm_equals_the_naive_loop(minilm: str) -> None:
    corpus = corpora.read_text(QUICKSTART / "spring", "spring")
    assert check_against_naive(minilm, corpus, list(range(0, len(corpus), 3))) > 10


@pytest.mark.slow
def test_minilm_equals_the_naive_loop_on_the_real_corpus(
    minilm: str, real_corpora: dict[str, Corpus]
) -> None:
    split_before = 0
    for word in ("arm", "digit", "mole", "yard"):
        corpus = real_corpora[word]
        rows = np.linspace(0, len(corpus) - 1, 50).astype(int).tolist()
        split_before += check_against_naive(minilm, corpus, rows)
    assert split_before > 50


def test_float16_is_refused_on_a_processor(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="bfloat16 or float32"):
        Encoder.load(str(tiny_bert(tmp_path)), device="cpu", precision="float16")


@pytest.mark.parametrize(("has", "warned"), [(True, False), (False, True)])
def test_bfloat16_in_software_gives_a_warning(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    has: bool,
    warned: bool,
) -> None:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: has)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: False)
    encoder = Encoder.load(str(tiny_bert(tmp_path)), device="cpu", precision="bfloat16")
    assert ("no instructions for bfloat16" in caplog.text) == warned
    assert {tensor.dtype for tensor in encoder.model.parameters()} == {torch.bfloat16}
