"""Build a tiny model folder per architecture: tokenizer.json, configs, safetensors.

Tokenizers come from tests/helpers/zoo_tokenizers.py. Models have random weights and are saved with
the head they were trained with, as checkpoints are.
"""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
import zoo_tokenizers as released
from tokenizers import Tokenizer
from zoo_tokenizers import ROBERTA, ROBERTA_NAMES, byte_level, mpnet, wordpiece

BLOCKS, WIDTH = 3, 32
LENGTH = 128


@dataclass(frozen=True)
class Kind:
    """The parts of an architecture's folder, and what is expected of its encoder.

    ``tokenizer`` gives the tokenizer and what ``tokenizer_config.json`` says of it.
    """

    tokenizer: Callable[[], tuple[Tokenizer, dict[str, Any]]]
    model: Callable[[Tokenizer], Any]
    blocks: int = BLOCKS
    width: int = WIDTH
    limit: int | None = LENGTH
    causal: bool = False
    last_normed: bool = False
    cls: str | None = "first"
    wide_embeddings: bool = False
    mask: bool = True


SHAPE = {
    "hidden_size": WIDTH,
    "num_hidden_layers": BLOCKS,
    "num_attention_heads": 4,
    "intermediate_size": 2 * WIDTH,
    "max_position_embeddings": LENGTH,
    "initializer_range": 0.5,
}


def network(config: str, model: str, **changes: Any) -> Callable[[Tokenizer], Any]:
    """Build a model by the names of its classes, with the tokenizer's ids of special tokens."""

    def build(tokenizer: Tokenizer) -> Any:
        shape = {key: value for key, value in {**SHAPE, **changes}.items() if value is not None}
        made = getattr(transformers, config)(vocab_size=tokenizer.get_vocab_size(), **shape)
        return getattr(transformers, model)(made)

    return build


def named(name: str, head: str = "ForMaskedLM", **changes: Any) -> Callable[[Tokenizer], Any]:
    return network(f"{name}Config", f"{name}{head}", **changes)


BY_PADDING = {"max_position_embeddings": LENGTH + 2}
ROBERTA_SHAPE = {"type_vocab_size": 1, **BY_PADDING}
NONE: dict[str, Any] = dict.fromkeys(SHAPE)
NO_CLS: dict[str, Any] = {"last_normed": True, "cls": None}
DISTILBERT = {
    **NONE, "dim": WIDTH, "n_layers": BLOCKS, "n_heads": 4, "hidden_dim": 64,
    "max_position_embeddings": LENGTH, "initializer_range": 0.3,
}  # fmt: skip
DISENTANGLED = {
    "relative_attention": True, "pos_att_type": ["p2c", "c2p"], "max_relative_positions": -1,
    "position_buckets": 8, "norm_rel_ebd": "layer_norm", "share_att_key": True,
    "position_biased_input": False, "type_vocab_size": 0,
}  # fmt: skip
MODERNBERT = {
    "global_attn_every_n_layers": 3, "local_attention": 16, "pad_token_id": 3, "cls_token_id": 1,
    "sep_token_id": 2, "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip
XLNET = {
    **NONE, "d_model": WIDTH, "n_layer": BLOCKS, "n_head": 4, "d_inner": 64,
    "initializer_range": 0.5,
}  # fmt: skip
GPT2 = {
    **NONE, "n_embd": WIDTH, "n_layer": BLOCKS, "n_head": 4, "n_positions": LENGTH,
    "initializer_range": 0.5, "bos_token_id": 0, "eos_token_id": 0,
}  # fmt: skip
BART = {
    **NONE, "d_model": WIDTH, "encoder_layers": BLOCKS, "decoder_layers": 2,
    "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 64,
    "decoder_ffn_dim": 64, "max_position_embeddings": LENGTH, "init_std": 0.3,
}  # fmt: skip
T5 = {
    **NONE, "d_model": WIDTH, "d_kv": 8, "d_ff": 64, "num_layers": BLOCKS, "num_decoder_layers": 2,
    "num_heads": 4, "initializer_factor": 1.0,
}  # fmt: skip
BLOOM = {
    **NONE, "hidden_size": WIDTH, "n_layer": BLOCKS, "n_head": 4, "initializer_range": 0.5,
    "num_key_value_heads": None,
}  # fmt: skip
GEMMA = {"head_dim": 8, "sliding_window": 8, "query_pre_attn_scalar": 8}


def encoder_decoder(name: str) -> Kind:
    model = named(name, "ForConditionalGeneration", **T5)
    return Kind(released.t5, model, limit=None, mask=False, **NO_CLS)


def decoder(
    tokenizer: Any, name: str, head: str = "ForCausalLM", *, limit: int | None = LENGTH,
    mask: bool = False, num_key_value_heads: int | None = 2, **shape: Any,
) -> Kind:  # fmt: skip
    model = named(name, head, num_key_value_heads=num_key_value_heads, **shape)
    return Kind(tokenizer, model, limit=limit, causal=True, mask=mask, **NO_CLS)


KINDS: dict[str, Kind] = {
    "bert": Kind(wordpiece(), named("Bert", "ForPreTraining")),
    "bert-cased": Kind(wordpiece(lower=False), named("Bert", "ForPreTraining")),
    "bert-large": Kind(
        wordpiece(),
        named("Bert", "ForPreTraining", num_hidden_layers=24, hidden_size=64,
              num_attention_heads=16, intermediate_size=256, initializer_range=0.1),
        blocks=24, width=64,
    ),
    "distilbert": Kind(wordpiece("DistilBertTokenizer"), named("DistilBert", **DISTILBERT)),
    "electra": Kind(
        wordpiece("ElectraTokenizer"),
        named("Electra", "ForPreTraining", embedding_size=16, initializer_range=0.3),
    ),
    "mpnet": Kind(mpnet, named("MPNet", **BY_PADDING)),
    "roberta": Kind(released.roberta, named("Roberta", **ROBERTA_SHAPE)),
    "xlm-roberta": Kind(released.xlm_roberta, named("XLMRoberta", **ROBERTA_SHAPE)),
    "camembert": Kind(released.xlm_roberta, named("Camembert", **ROBERTA_SHAPE)),
    "albert": Kind(released.albert, named("Albert", "ForPreTraining", embedding_size=16)),
    "deberta": Kind(
        released.deberta,
        named("Deberta", relative_attention=True, pos_att_type=["c2p", "p2c"],
              position_biased_input=False),
    ),
    "deberta-v2": Kind(released.deberta_v3, named("DebertaV2", **DISENTANGLED)),
    "modernbert": Kind(released.modernbert, named("ModernBert", **MODERNBERT), last_normed=True),
    "xlnet": Kind(released.xlnet, named("XLNet", "LMHeadModel", **XLNET), cls="last", limit=None),
    "gpt2": decoder(released.gpt2, "GPT2", "LMHeadModel", num_key_value_heads=None, **GPT2),
    "bart": Kind(
        byte_level("BartTokenizer", ROBERTA, **ROBERTA_NAMES),
        named("Bart", "ForConditionalGeneration", **BART),
    ),
    "t5": encoder_decoder("T5"),
    "mobilebert": Kind(
        wordpiece("MobileBertTokenizer"),
        named("MobileBert", "ForPreTraining", embedding_size=16, intra_bottleneck_size=16),
        wide_embeddings=True,
    ),
    "longformer": Kind(
        byte_level("LongformerTokenizer", ROBERTA, **ROBERTA_NAMES),
        named("Longformer", attention_window=8, pad_token_id=1, **BY_PADDING),
    ),
    "llama": decoder(released.llama, "Llama", num_key_value_heads=4),
    "mistral": decoder(released.llama, "Mistral", sliding_window=8),
    "phi3": decoder(released.llama, "Phi3", sliding_window=8, pad_token_id=0, eos_token_id=2),
    "qwen2": decoder(released.qwen2, "Qwen2"),
    "qwen3": decoder(released.qwen2, "Qwen3", head_dim=16),
    "gemma2": decoder(released.gemma, "Gemma2", mask=True, **GEMMA),
    "gemma3": Kind(
        released.gemma,
        network("Gemma3TextConfig", "Gemma3ForCausalLM", num_key_value_heads=2,
                sliding_window_pattern=3, **GEMMA),
        causal=True, **NO_CLS,
    ),
    "olmo2": decoder(
        released.qwen2, "Olmo2", num_key_value_heads=None, pad_token_id=1, eos_token_id=0
    ),
    "smollm3": decoder(
        released.qwen2, "SmolLM3", no_rope_layer_interval=2, pad_token_id=1, bos_token_id=0,
        eos_token_id=0,
    ),
    "gpt-neox": decoder(released.gpt2, "GPTNeoX", num_key_value_heads=None, eos_token_id=0),
    "bloom": decoder(released.qwen2, "Bloom", limit=None, **BLOOM),
    "lfm2": decoder(released.llama, "Lfm2", full_attn_idxs=[1], block_auto_adjust_ff_dim=False),
    "modernbert-decoder": Kind(
        released.modernbert, named("ModernBertDecoder", "ForCausalLM", **MODERNBERT),
        causal=True, last_normed=True,
    ),
    "eurobert": Kind(
        released.eurobert,
        named("EuroBert", pad_token_id=1, bos_token_id=0, eos_token_id=1, mask_token_id=2),
        **NO_CLS,
    ),
    "nomic-bert": Kind(wordpiece(), named("NomicBert", initializer_range=0.3)),
    "ernie": Kind(wordpiece(), named("Ernie", "ForPreTraining", use_task_id=True)),
    "xlm-roberta-xl": Kind(
        released.xlm_roberta, named("XLMRobertaXL", **ROBERTA_SHAPE), last_normed=True
    ),
    "mt5": encoder_decoder("MT5"),
}  # fmt: skip


def build(name: str, folder: Path) -> Path:
    """Write a kind's folder."""
    kind = KINDS[name]
    tokenizer, stated = kind.tokenizer()
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(
        json.dumps({**stated, **({"model_max_length": kind.limit} if kind.limit else {})})
    )
    torch.manual_seed(0)
    kind.model(tokenizer).save_pretrained(folder)
    return folder


def copied(folder: Path, to: Path) -> Path:
    """Copy a folder for a test that changes it."""
    shutil.copytree(folder, to)
    return to


def edit(path: Path, **changes: Any) -> None:
    """Change a JSON file."""
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
