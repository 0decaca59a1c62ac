"""Build a tiny model folder per architecture: tokenizer.json, configs, safetensors.

Every tokenizer is trained on the spot, on the sentences of the built-in corpus, and laid out as the
architecture's own is on the hub: its normaliser, pre-tokenizer, special tokens and their numbers.
Models have random weights and are saved with the head they were trained with, as checkpoints are.
"""

import base64
import json
import shutil
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

QUICKSTART = Path(__file__).parents[2] / "wsd/data/quickstart-hard"
PIECES = 400
BLOCKS, WIDTH = 3, 32
LENGTH = 128

# SentencePiece's compiled form of seven rules (ﬁ to fi, ① to 1, a wide A to A, … to three dots,
# ½ to 1/2, ™ to TM, e with U+0301 to é); the real nmt_nfkc takes 300 kB.
CHARSMAP = zlib.decompress(
    base64.b85decode(
        "c-j@yWsp`?90%azOMGBpm|*}1fuTcU>Fx#zK~Y+1T%@~Ma&Slsq$EU!ZV-V5WocJHy1TnOeBKYw{oT3u#J%T#PDmO"
        ";nDRmBP(DdW43RJ*a|mfdh>K4ZLUOsVjLU+EMj>u~vJg_r(NiK}uJ^jeEgPVZ=c(P#lPP36jnncW>B+$N2O}Y){0L"
        "KoOk`opsz}Htvyy}C<RT||$j!&(B|rHnNC65FLlFv7jG~mFIHf3wUkIfsM_DRRo=Q}t3YDowRccV3TGXTtwW-S|)T"
        "bVw(tt)Z<a0jb3mVgeFKI?oTF{(UwB&2Pq7AKSM_W43o=$WmmT&l$&UB><-RVY8deEC*^ra8|>Bm3@FqlCMWeCF=#"
        ")xQf8O2D(Fq%siZLIu`ag68w+z=+p2~1{Ew6@VL#E<;I&-}zRrZSyhn8^%gGmAO=$~+7keq%nrvw-bBdZAp*B9^j*"
        "<t$?*D_G4c*0P56tm6+h@FyGD%qHTa`;KjF<!}BXAvz~J*}-mhv6nsk!#@5ckpt}KKMr!3LmcG@$2rDHPH>u2oaGG"
        "XImbmVa5=i>T;&SaxyDUyaGP7)<xaE~+~Xk+c+4Z7@`UF+<0UV6%`4vWhWEUSo}ri+XQ)V_qE15N`k`ZNNLU>H2eN"
        "3D<N"
    )
)


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
    static_width: int = WIDTH
    wide_embeddings: bool = False
    passing: bool = True


@cache
def sentences() -> list[str]:
    """Return the text for training tokenizers, with capitals and a few non-ASCII characters."""
    lines = [
        line.split("\t", 1)[1]
        for file in sorted(QUICKSTART.glob("*/*.data.txt"))
        for line in file.read_text().splitlines()
    ]
    lines = [line[0].upper() + line[1:] if i % 2 else line for i, line in enumerate(lines)]
    return [
        *lines,
        "Naïve café — “the crane\u2019s” £5 … don't, can't, I'll",
        "Über den Kran, ça va",
    ]


# Tokenizers


def wordpiece(cls: str = "BertTokenizer", *, lower: bool = True) -> Any:
    def build() -> tuple[Tokenizer, dict[str, Any]]:
        special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
        made = _wordpiece(special, "[UNK]", lower)
        made.post_processor = processors.TemplateProcessing(
            single="[CLS]:0 $A:0 [SEP]:0",
            pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
            special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
        )
        names = _names(pad="[PAD]", unk="[UNK]", cls="[CLS]", sep="[SEP]", mask="[MASK]")
        return made, {"tokenizer_class": cls, "do_lower_case": lower, **names}

    return build


def mpnet() -> tuple[Tokenizer, dict[str, Any]]:
    special = ["<s>", "<pad>", "</s>", "[UNK]", "<mask>"]
    made = _wordpiece(special, "[UNK]", True)
    made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), True, False)
    names = _names(pad="<pad>", unk="[UNK]", cls="<s>", sep="</s>", mask="<mask>")
    return made, {"tokenizer_class": "MPNetTokenizer", "do_lower_case": True, **names}


def _wordpiece(special: list[str], unknown: str, lower: bool) -> Tokenizer:
    made = Tokenizer(models.WordPiece(unk_token=unknown))
    made.normalizer = normalizers.BertNormalizer(lowercase=lower)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    made.model = models.WordPiece(_pieces(made, special), unk_token=unknown)
    made.add_special_tokens(special)
    return made


def _pieces(made: Tokenizer, special: list[str]) -> dict[str, int]:
    """Return every character, frequent endings and frequent words as pieces.

    The library's trainer resolves ties arbitrarily; these pieces are the same each time.
    """
    words = Counter(
        word
        for line in sentences()
        for word, _ in made.pre_tokenizer.pre_tokenize_str(made.normalizer.normalize_str(line))
    )
    endings = Counter(f"##{word[-n:]}" for word in words for n in (2, 3) if len(word) > n)
    characters = sorted({c for word in words for c in word})
    pieces = [*special, *characters, *(f"##{c}" for c in characters)]
    for counted, room in ((endings, 60), (words, PIECES)):
        common = sorted(counted, key=lambda piece: (-counted[piece], piece))
        pieces += [piece for piece in common if piece not in pieces][
            : min(room, PIECES - len(pieces))
        ]
    return {piece: i for i, piece in enumerate(pieces)}


def byte_level(kind: str, special: list[str], *, prefix: bool = False, **names: str) -> Any:
    """Build byte-level BPE: a space belongs to the next word."""

    def build() -> tuple[Tokenizer, dict[str, Any]]:
        made = Tokenizer(models.BPE())
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix)
        made.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=PIECES,
            special_tokens=special,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        made.train_from_iterator(sentences(), trainer)
        if "mask" in names:
            made.add_special_tokens([AddedToken(names["mask"], lstrip=True, special=True)])
        if "cls" not in names:
            made.post_processor = processors.ByteLevel(trim_offsets=False)
        elif kind in ("RobertaTokenizer", "BartTokenizer", "LongformerTokenizer"):
            sep = (names["sep"], made.token_to_id(names["sep"]))
            first = (names["cls"], made.token_to_id(names["cls"]))
            made.post_processor = processors.RobertaProcessing(sep, first, True, prefix)
        else:
            made.post_processor = _template(made, "{cls} $A {sep}", **names)
        if kind == "PreTrainedTokenizerFast":
            made.normalizer = normalizers.NFC()
        added = {} if kind == "PreTrainedTokenizerFast" else {"add_prefix_space": prefix}
        return made, {"tokenizer_class": kind, **added, **_names(**names)}

    return build


def unigram(
    kind: str,
    first: list[str],
    last: list[str],
    *,
    normalizer: Any,
    single: str,
    split: bool = True,
    charsmap: bool = True,
    config: dict[str, Any] | None = None,
    **names: str,
) -> Any:
    """Build SentencePiece: a space becomes ▁, and every word starts with ▁."""

    def build() -> tuple[Tokenizer, dict[str, Any]]:
        trained = Tokenizer(models.Unigram())
        trained.normalizer = normalizers.Sequence(normalizer)
        trained.pre_tokenizer = pre_tokenizers.Metaspace()
        trainer = trainers.UnigramTrainer(vocab_size=PIECES, show_progress=False)
        trained.train_from_iterator(sentences(), trainer)
        pieces = [tuple(pair) for pair in json.loads(trained.to_str())["model"]["vocab"]]
        vocabulary = [(s, 0.0) for s in first] + pieces + [(s, 0.0) for s in last]
        unknown = [piece for piece, _ in vocabulary].index(names["unk"])
        made = Tokenizer(models.Unigram(vocabulary, unk_id=unknown, byte_fallback=False))
        own = [*normalizer, *([normalizers.Precompiled(CHARSMAP)] if charsmap else [])]
        made.normalizer = normalizers.Sequence(own)
        space = pre_tokenizers.Metaspace(prepend_scheme="always")
        made.pre_tokenizer = (
            pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), space]) if split else space
        )
        made.decoder = decoders.Metaspace(prepend_scheme="always")
        lstrip = "mask" in names and kind != "DebertaV2Tokenizer"
        for special in [*first, *last]:
            is_mask = special == names.get("mask")
            made.add_special_tokens([AddedToken(special, lstrip=is_mask and lstrip, special=True)])
        made.post_processor = _template(made, single, **names)
        return made, {"tokenizer_class": kind, **(config or {}), **_names(**names)}

    return build


def llama() -> tuple[Tokenizer, dict[str, Any]]:
    """Build Llama's BPE: normalisation turns spaces into ▁, and there is no pre-tokenizer."""
    names = {"bos": "<s>", "eos": "</s>", "unk": "<unk>"}
    made = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.BpeTrainer(
        vocab_size=PIECES + 256,
        special_tokens=["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))],
        show_progress=False,
    )
    made.train_from_iterator(sentences(), trainer)
    # Bytes are ordinary pieces, not special tokens.
    written = json.loads(made.to_str())
    written["added_tokens"] = [token for token in written["added_tokens"] if token["id"] < 3]
    made = Tokenizer.from_str(json.dumps(written))
    made.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    made.pre_tokenizer = None
    made.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    made.post_processor = _template(made, "{bos} $A", **names)
    return made, {"tokenizer_class": "PreTrainedTokenizerFast", **_names(**names)}


def _template(made: Tokenizer, single: str, **names: str) -> Any:
    text = single.format(**names)
    used = dict.fromkeys(token for key, token in names.items() if f"{{{key}}}" in single)
    numbered = [(token, made.token_to_id(token)) for token in used]
    return processors.TemplateProcessing(single=text, special_tokens=numbered)


def _names(**names: str) -> dict[str, Any]:
    return {f"{key}_token": value for key, value in names.items()}


QUOTES = [normalizers.Replace("``", '"'), normalizers.Replace("''", '"')]
PLAIN = [normalizers.NFKD(), normalizers.StripAccents()]
ROBERTA = ["<s>", "<pad>", "</s>", "<unk>"]
ROBERTA_NAMES = {
    "bos": "<s>", "eos": "</s>", "cls": "<s>", "sep": "</s>", "pad": "<pad>", "unk": "<unk>",
    "mask": "<mask>",
}  # fmt: skip
BERT_NAMES = {"cls": "[CLS]", "sep": "[SEP]", "pad": "[PAD]", "unk": "[UNK]", "mask": "[MASK]"}

xlm_roberta = unigram(
    "XLMRobertaTokenizer", ROBERTA, ["<mask>"], normalizer=[], single="{cls} $A {sep}",
    **ROBERTA_NAMES,
)  # fmt: skip
camembert = unigram(
    "CamembertTokenizer", ["<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED", "<s>",
    "</s>"], ["<mask>"], normalizer=[], single="{cls} $A {sep}", **ROBERTA_NAMES,
)  # fmt: skip
albert = unigram(
    "AlbertTokenizer", ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"], [],
    normalizer=[*QUOTES, *PLAIN, normalizers.Lowercase()], single="{cls}:0 $A:0 {sep}:0",
    config={"do_lower_case": True, "keep_accents": False}, bos="[CLS]", eos="[SEP]",
    cls="[CLS]", sep="[SEP]", pad="<pad>", unk="<unk>", mask="[MASK]",
)  # fmt: skip
xlnet = unigram(
    "XLNetTokenizer", ["<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>", "<eod>",
    "<eop>"], [], normalizer=[*QUOTES, *PLAIN], single="$A:0 {sep}:0 {cls}:2", bos="<s>",
    eos="</s>", cls="<cls>", sep="<sep>", pad="<pad>", unk="<unk>", mask="<mask>",
)  # fmt: skip
deberta_v3 = unigram(
    "DebertaV2Tokenizer", ["[PAD]", "[CLS]", "[SEP]", "[UNK]"], ["[MASK]"],
    normalizer=[normalizers.Replace(Regex(r"\s{2,}|[\n\r\t]"), " "), normalizers.NFC(),
    normalizers.Strip(left=False, right=True)], single="{cls}:0 $A:0 {sep}:0", split=False,
    charsmap=False, config={"do_lower_case": False, "split_by_punct": False}, bos="[CLS]",
    eos="[SEP]", **BERT_NAMES,
)  # fmt: skip
t5 = unigram(
    "T5Tokenizer", ["<pad>", "</s>", "<unk>"], [f"<extra_id_{i}>" for i in (1, 0)], normalizer=[],
    single="$A {eos}", config={"extra_ids": 2, "additional_special_tokens": ["<extra_id_0>",
    "<extra_id_1>"]}, eos="</s>", pad="<pad>", unk="<unk>",
)  # fmt: skip
roberta = byte_level("RobertaTokenizer", ROBERTA, **ROBERTA_NAMES)
gpt2 = byte_level(
    "GPT2Tokenizer", ["<|endoftext|>"], bos="<|endoftext|>", eos="<|endoftext|>",
    unk="<|endoftext|>",
)  # fmt: skip
deberta = byte_level(
    "DebertaTokenizer", ["[PAD]", "[CLS]", "[SEP]", "[UNK]"], bos="[CLS]", eos="[SEP]", **BERT_NAMES
)
modernbert = byte_level(
    "PreTrainedTokenizerFast", ["[UNK]", "[CLS]", "[SEP]", "[PAD]"], **BERT_NAMES
)


# Models

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
        blocks=24, width=64, static_width=64,
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
        static_width=16,
    ),
    "mpnet": Kind(mpnet, network("MPNetConfig", "MPNetForMaskedLM", **BY_PADDING)),
    "roberta": Kind(
        roberta, network("RobertaConfig", "RobertaForMaskedLM", type_vocab_size=1, **BY_PADDING)
    ),
    "xlm-roberta": Kind(
        xlm_roberta,
        network("XLMRobertaConfig", "XLMRobertaForMaskedLM", type_vocab_size=1, **BY_PADDING),
    ),
    "camembert": Kind(
        camembert,
        network("CamembertConfig", "CamembertForMaskedLM", type_vocab_size=1, **BY_PADDING),
    ),
    "albert": Kind(
        albert, network("AlbertConfig", "AlbertForPreTraining", embedding_size=16), static_width=16
    ),
    "deberta": Kind(
        deberta,
        network("DebertaConfig", "DebertaForMaskedLM", relative_attention=True,
           pos_att_type=["c2p", "p2c"], position_biased_input=False),
    ),
    "deberta-v2": Kind(
        deberta_v3, network("DebertaV2Config", "DebertaV2ForMaskedLM", **DISENTANGLED)
    ),
    "modernbert": Kind(
        modernbert,
        network("ModernBertConfig", "ModernBertForMaskedLM", global_attn_every_n_layers=3,
           local_attention=16, pad_token_id=3, cls_token_id=1, sep_token_id=2, bos_token_id=1,
           eos_token_id=2),
        last_normed=True,
    ),
    "xlnet": Kind(
        xlnet,
        network("XLNetConfig", "XLNetLMHeadModel", **{
            **NONE, "d_model": WIDTH, "n_layer": BLOCKS, "n_head": 4, "d_inner": 64,
            "initializer_range": 0.5}),
        cls="last", limit=None, passing=False,
    ),
    "gpt2": Kind(
        gpt2,
        network("GPT2Config", "GPT2LMHeadModel", **{
            **NONE, "n_embd": WIDTH, "n_layer": BLOCKS, "n_head": 4, "n_positions": LENGTH,
            "initializer_range": 0.5, "bos_token_id": 0, "eos_token_id": 0}),
        causal=True, last_normed=True, cls=None,
    ),
    "bart": Kind(
        byte_level("BartTokenizer", ROBERTA, **ROBERTA_NAMES),
        network("BartConfig", "BartForConditionalGeneration", **{
            **NONE, "d_model": WIDTH, "encoder_layers": BLOCKS, "decoder_layers": 2,
            "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 64,
            "decoder_ffn_dim": 64, "max_position_embeddings": LENGTH, "init_std": 0.3}),
    ),
    "t5": Kind(
        t5,
        network("T5Config", "T5ForConditionalGeneration", **{
            **NONE, "d_model": WIDTH, "d_kv": 8, "d_ff": 64, "num_layers": BLOCKS,
            "num_decoder_layers": 2, "num_heads": 4, "initializer_factor": 1.0}),
        limit=None, last_normed=True, cls=None,
    ),
    "mobilebert": Kind(
        wordpiece("MobileBertTokenizer"),
        network("MobileBertConfig", "MobileBertForPreTraining", embedding_size=16,
           intra_bottleneck_size=16),
        static_width=16, wide_embeddings=True,
    ),
    "longformer": Kind(
        byte_level("LongformerTokenizer", ROBERTA, **ROBERTA_NAMES),
        network("LongformerConfig", "LongformerForMaskedLM", attention_window=8, pad_token_id=1,
           **BY_PADDING),
        passing=False,
    ),
    "llama": Kind(
        llama, network("LlamaConfig", "LlamaForCausalLM", num_key_value_heads=4),
        causal=True, last_normed=True, cls=None,
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
