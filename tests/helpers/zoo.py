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
    """The parts of an architecture's folder.

    Attributes
    ----------
    tokenizer : callable
        Gives the tokenizer and what ``tokenizer_config.json`` says of it.
    model : callable
        From a vocabulary size and the tokenizer to a model with its head.
    passing : bool
        Whether its blocks are given the very hidden states that it returns: XLNet turns them, and
        Longformer pads them.
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
    passing: bool = True
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


BY_PADDING = {"max_position_embeddings": LENGTH + 2}
NONE: dict[str, Any] = dict.fromkeys(SHAPE)
DECODER: dict[str, Any] = {"causal": True, "last_normed": True, "cls": None, "mask": False}
DISENTANGLED = {
    "relative_attention": True,
    "pos_att_type": ["p2c", "c2p"],
    "max_relative_positions": -1,
    "position_buckets": 8,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
    "position_biased_input": False,
    "type_vocab_size": 0,
}

KINDS: dict[str, Kind] = {
    "bert": Kind(wordpiece(), network("BertConfig", "BertForPreTraining")),
    "bert-cased": Kind(wordpiece(lower=False), network("BertConfig", "BertForPreTraining")),
    "bert-large": Kind(
        wordpiece(),
        network("BertConfig", "BertForPreTraining", num_hidden_layers=24, hidden_size=64,
           num_attention_heads=16, intermediate_size=256, initializer_range=0.1),
        blocks=24, width=64,
    ),
    "distilbert": Kind(
        wordpiece("DistilBertTokenizer"),
        network("DistilBertConfig", "DistilBertForMaskedLM", **{
            **NONE, "dim": WIDTH, "n_layers": BLOCKS, "n_heads": 4, "hidden_dim": 64,
            "max_position_embeddings": LENGTH, "initializer_range": 0.3}),
    ),
    "electra": Kind(
        wordpiece("ElectraTokenizer"),
        network("ElectraConfig", "ElectraForPreTraining", embedding_size=16, initializer_range=0.3),
    ),
    "mpnet": Kind(mpnet, network("MPNetConfig", "MPNetForMaskedLM", **BY_PADDING)),
    "roberta": Kind(
        released.roberta,
        network("RobertaConfig", "RobertaForMaskedLM", type_vocab_size=1, **BY_PADDING),
    ),
    "xlm-roberta": Kind(
        released.xlm_roberta,
        network("XLMRobertaConfig", "XLMRobertaForMaskedLM", type_vocab_size=1, **BY_PADDING),
    ),
    "camembert": Kind(
        released.camembert,
        network("CamembertConfig", "CamembertForMaskedLM", type_vocab_size=1, **BY_PADDING),
    ),
    "albert": Kind(
        released.albert, network("AlbertConfig", "AlbertForPreTraining", embedding_size=16)
    ),
    "deberta": Kind(
        released.deberta,
        network("DebertaConfig", "DebertaForMaskedLM", relative_attention=True,
           pos_att_type=["c2p", "p2c"], position_biased_input=False),
    ),
    "deberta-v2": Kind(
        released.deberta_v3, network("DebertaV2Config", "DebertaV2ForMaskedLM", **DISENTANGLED)
    ),
    "modernbert": Kind(
        released.modernbert,
        network("ModernBertConfig", "ModernBertForMaskedLM", global_attn_every_n_layers=3,
           local_attention=16, pad_token_id=3, cls_token_id=1, sep_token_id=2, bos_token_id=1,
           eos_token_id=2),
        last_normed=True,
    ),
    "xlnet": Kind(
        released.xlnet,
        network("XLNetConfig", "XLNetLMHeadModel", **{
            **NONE, "d_model": WIDTH, "n_layer": BLOCKS, "n_head": 4, "d_inner": 64,
            "initializer_range": 0.5}),
        cls="last", limit=None, passing=False,
    ),
    "gpt2": Kind(
        released.gpt2,
        network("GPT2Config", "GPT2LMHeadModel", **{
            **NONE, "n_embd": WIDTH, "n_layer": BLOCKS, "n_head": 4, "n_positions": LENGTH,
            "initializer_range": 0.5, "bos_token_id": 0, "eos_token_id": 0}),
        causal=True, last_normed=True, cls=None, mask=False,
    ),
    "bart": Kind(
        byte_level("BartTokenizer", ROBERTA, **ROBERTA_NAMES),
        network("BartConfig", "BartForConditionalGeneration", **{
            **NONE, "d_model": WIDTH, "encoder_layers": BLOCKS, "decoder_layers": 2,
            "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 64,
            "decoder_ffn_dim": 64, "max_position_embeddings": LENGTH, "init_std": 0.3}),
    ),
    "t5": Kind(
        released.t5,
        network("T5Config", "T5ForConditionalGeneration", **{
            **NONE, "d_model": WIDTH, "d_kv": 8, "d_ff": 64, "num_layers": BLOCKS,
            "num_decoder_layers": 2, "num_heads": 4, "initializer_factor": 1.0}),
        limit=None, last_normed=True, cls=None, mask=False,
    ),
    "mobilebert": Kind(
        wordpiece("MobileBertTokenizer"),
        network("MobileBertConfig", "MobileBertForPreTraining", embedding_size=16,
           intra_bottleneck_size=16),
        wide_embeddings=True,
    ),
    "longformer": Kind(
        byte_level("LongformerTokenizer", ROBERTA, **ROBERTA_NAMES),
        network("LongformerConfig", "LongformerForMaskedLM", attention_window=8, pad_token_id=1,
           **BY_PADDING),
        passing=False,
    ),
    "llama": Kind(
        released.llama, network("LlamaConfig", "LlamaForCausalLM", num_key_value_heads=4), **DECODER
    ),
    "mistral": Kind(
        released.llama,
        network("MistralConfig", "MistralForCausalLM", num_key_value_heads=2, sliding_window=8),
        **DECODER,
    ),
    "phi3": Kind(
        released.llama,
        network("Phi3Config", "Phi3ForCausalLM", num_key_value_heads=2, sliding_window=8,
           pad_token_id=0, eos_token_id=2),
        **DECODER,
    ),
    "qwen2": Kind(
        released.qwen2, network("Qwen2Config", "Qwen2ForCausalLM", num_key_value_heads=2), **DECODER
    ),
    "qwen3": Kind(
        released.qwen2,
        network("Qwen3Config", "Qwen3ForCausalLM", num_key_value_heads=2, head_dim=16),
        **DECODER,
    ),
    "gemma2": Kind(
        released.gemma,
        network("Gemma2Config", "Gemma2ForCausalLM", num_key_value_heads=2, head_dim=8,
           sliding_window=8, query_pre_attn_scalar=8),
        **{**DECODER, "mask": True},
    ),
    "gemma3": Kind(
        released.gemma,
        network("Gemma3TextConfig", "Gemma3ForCausalLM", num_key_value_heads=2, head_dim=8,
           sliding_window=8, sliding_window_pattern=3, query_pre_attn_scalar=8),
        **{**DECODER, "mask": True},
    ),
    "olmo2": Kind(
        released.olmo2,
        network("Olmo2Config", "Olmo2ForCausalLM", pad_token_id=1, eos_token_id=0),
        **DECODER,
    ),
    "smollm3": Kind(
        released.smollm3,
        network("SmolLM3Config", "SmolLM3ForCausalLM", num_key_value_heads=2,
           no_rope_layer_interval=2, pad_token_id=1, bos_token_id=0, eos_token_id=1),
        **DECODER,
    ),
    "gpt-neox": Kind(
        released.gpt_neox, network("GPTNeoXConfig", "GPTNeoXForCausalLM", eos_token_id=0), **DECODER
    ),
    "bloom": Kind(
        released.bloom,
        network("BloomConfig", "BloomForCausalLM", **{
            **NONE, "hidden_size": WIDTH, "n_layer": BLOCKS, "n_head": 4,
            "initializer_range": 0.5}),
        limit=None, **DECODER,
    ),
    "lfm2": Kind(
        released.lfm2,
        network("Lfm2Config", "Lfm2ForCausalLM", num_key_value_heads=2, full_attn_idxs=[1],
           block_auto_adjust_ff_dim=False),
        **DECODER,
    ),
    "modernbert-decoder": Kind(
        released.modernbert,
        network("ModernBertDecoderConfig", "ModernBertDecoderForCausalLM",
           global_attn_every_n_layers=3, local_attention=16, pad_token_id=3, cls_token_id=1,
           sep_token_id=2, bos_token_id=1, eos_token_id=2),
        causal=True, last_normed=True,
    ),
    "eurobert": Kind(
        released.eurobert,
        network("EuroBertConfig", "EuroBertForMaskedLM", pad_token_id=1, bos_token_id=0,
           eos_token_id=1, mask_token_id=2),
        last_normed=True, cls=None,
    ),
    "nomic-bert": Kind(
        wordpiece(), network("NomicBertConfig", "NomicBertForMaskedLM", initializer_range=0.3)
    ),
    "ernie": Kind(wordpiece(), network("ErnieConfig", "ErnieForPreTraining", use_task_id=True)),
    "xlm-roberta-xl": Kind(
        released.xlm_roberta,
        network("XLMRobertaXLConfig", "XLMRobertaXLForMaskedLM", type_vocab_size=1, **BY_PADDING),
        last_normed=True,
    ),
    "mt5": Kind(
        released.t5,
        network("MT5Config", "MT5ForConditionalGeneration", **{
            **NONE, "d_model": WIDTH, "d_kv": 8, "d_ff": 64, "num_layers": BLOCKS,
            "num_decoder_layers": 2, "num_heads": 4, "initializer_factor": 1.0}),
        limit=None, last_normed=True, cls=None, mask=False,
    ),
}  # fmt: skip


def build(name: str, folder: Path, *, stated_length: bool = True, **config: Any) -> Path:
    """Write a kind's folder.

    Parameters
    ----------
    stated_length : bool
        Whether ``tokenizer_config.json`` states a length; many on the hub do not.
    config
        Changes to ``config.json``.
    """
    kind = KINDS[name]
    tokenizer, stated = kind.tokenizer()
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    if stated_length and kind.limit:
        stated = {**stated, "model_max_length": kind.limit}
    (folder / "tokenizer_config.json").write_text(json.dumps(stated))
    torch.manual_seed(0)
    kind.model(tokenizer).save_pretrained(folder)
    if config:
        path = folder / "config.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **config}))
    return folder


def copied(folder: Path, to: Path) -> Path:
    """Copy a folder for a test that changes it."""
    shutil.copytree(folder, to)
    return to


def edit(path: Path, **changes: Any) -> None:
    """Change a JSON file."""
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
