"""The tokenizers of tests/helpers/zoo.py, small and trained on the spot.

They are trained on the sentences of the built-in corpus. Each is laid out as the architecture's own
is on the hub: its normaliser, pre-tokenizer, special tokens and their numbers.
"""

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from tokenizers.trainers import BpeTrainer, UnigramTrainer
from transformers import AddedToken

QUICKSTART = Path(__file__).parents[2] / "wsd/data/quickstart-hard"
PIECES = 400
FAST = "PreTrainedTokenizerFast"


@cache
def sentences() -> list[str]:
    """Return the text for training tokenizers, with capitals and a few non-ASCII characters."""
    files = sorted(QUICKSTART.glob("*/*.data.txt"))
    rows = (line for file in files for line in file.read_text().splitlines())
    lines = [row.split("\t", 1)[1] for row in rows]
    lines[1::2] = [line[0].upper() + line[1:] for line in lines[1::2]]
    further = "Naïve café — “the crane\u2019s” £5 … don't, can't, I'll"
    return [*lines, further, "Über den Kran, ça va"]


def wordpiece(cls: str = "BertTokenizer", *, lower: bool = True) -> Any:
    def build() -> tuple[Tokenizer, dict[str, Any]]:
        made = _wordpiece(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], lower)
        made.post_processor = processors.TemplateProcessing(
            single="[CLS]:0 $A:0 [SEP]:0",
            pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
            special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
        )
        return made, {"tokenizer_class": cls, "do_lower_case": lower, **_names(**BERT_NAMES)}

    return build


def mpnet() -> tuple[Tokenizer, dict[str, Any]]:
    made = _wordpiece(["<s>", "<pad>", "</s>", "[UNK]", "<mask>"], True)
    made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), True, False)
    names = _names(pad="<pad>", unk="[UNK]", cls="<s>", sep="</s>", mask="<mask>")
    return made, {"tokenizer_class": "MPNetTokenizer", "do_lower_case": True, **names}


def _wordpiece(special: list[str], lower: bool) -> Tokenizer:
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=lower)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    made.model = models.WordPiece(_pieces(made, special), unk_token="[UNK]")
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
        common = sorted({*counted} - {*pieces}, key=lambda piece: (-counted[piece], piece))
        pieces += common[: min(room, PIECES - len(pieces))]
    return {piece: i for i, piece in enumerate(pieces)}


def _trained_bpe(pre_tokenizer: Any, special: list[str], names: dict[str, str]) -> Tokenizer:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizer
    made.decoder = decoders.ByteLevel()
    options: Any = {"special_tokens": special, "show_progress": False}
    letters = pre_tokenizers.ByteLevel.alphabet()
    trainer = BpeTrainer(vocab_size=PIECES, initial_alphabet=letters, **options)
    made.train_from_iterator(sentences(), trainer)
    _eat_space_before_mask(made, names)
    return made


def byte_level(kind: str, special: list[str], **names: str) -> Any:
    """Build byte-level BPE: a space belongs to the next word."""

    def build() -> tuple[Tokenizer, dict[str, Any]]:
        made = _trained_bpe(pre_tokenizers.ByteLevel(add_prefix_space=False), special, names)
        if "cls" not in names:
            made.post_processor = processors.ByteLevel(trim_offsets=False)
        elif special == ROBERTA:
            sep, first = ((names[name], made.token_to_id(names[name])) for name in ("sep", "cls"))
            made.post_processor = processors.RobertaProcessing(sep, first, True, False)
        else:
            made.post_processor = _template(made, "{cls} $A {sep}", **names)
        if kind == FAST:
            made.normalizer = normalizers.NFC()
            return made, {"tokenizer_class": kind, **_names(**names)}
        return made, {"tokenizer_class": kind, "add_prefix_space": False, **_names(**names)}

    return build


def split_bytes(
    kind: str, pattern: str, special: list[str], *, single: str = "$A", **names: str
) -> Any:
    """Build byte-level BPE that cuts a sentence with a regular expression first."""

    def build() -> tuple[Tokenizer, dict[str, Any]]:
        split = pre_tokenizers.Split(Regex(pattern), "isolated")
        as_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        made = _trained_bpe(pre_tokenizers.Sequence([split, as_bytes]), special, names)
        if kind == "Qwen2Tokenizer":
            made.normalizer = normalizers.NFC()
        made.post_processor = processors.Sequence(
            [processors.ByteLevel(trim_offsets=False), _template(made, single, **names)]
        )
        return made, {"tokenizer_class": kind, **_names(**names)}

    return build


def unigram(
    kind: str,
    first: list[str],
    last: list[str],
    *,
    normalizer: Any,
    single: str,
    split: bool = True,
    config: dict[str, Any] | None = None,
    **names: str,
) -> Any:
    """Build SentencePiece: a space becomes ▁, and every word starts with ▁."""

    def build() -> tuple[Tokenizer, dict[str, Any]]:
        trained = Tokenizer(models.Unigram())
        trained.normalizer = normalizers.Sequence(normalizer)
        trained.pre_tokenizer = pre_tokenizers.Metaspace()
        trainer = UnigramTrainer(vocab_size=PIECES, show_progress=False)
        trained.train_from_iterator(sentences(), trainer)
        pieces = [tuple(pair) for pair in json.loads(trained.to_str())["model"]["vocab"]]
        vocabulary = [(s, 0.0) for s in first] + pieces + [(s, 0.0) for s in last]
        unknown = [piece for piece, _ in vocabulary].index(names["unk"])
        made = Tokenizer(models.Unigram(vocabulary, unk_id=unknown, byte_fallback=False))
        made.normalizer = normalizers.Sequence(normalizer)
        space = pre_tokenizers.Metaspace(prepend_scheme="always")
        first_split = [pre_tokenizers.WhitespaceSplit()] if split else []
        made.pre_tokenizer = pre_tokenizers.Sequence([*first_split, space])
        made.decoder = decoders.Metaspace(prepend_scheme="always")
        lstrip = "mask" in names and kind != "DebertaV2Tokenizer"
        for special in [*first, *last]:
            is_mask = special == names.get("mask")
            made.add_special_tokens([AddedToken(special, lstrip=is_mask and lstrip, special=True)])
        made.post_processor = _template(made, single, **names)
        return made, {"tokenizer_class": kind, **(config or {}), **_names(**names)}

    return build


def sentencepiece_bpe(kind: str, special: list[str], *, prepend: bool = True, **names: str) -> Any:
    """Build SentencePiece's BPE: normalisation turns spaces into ▁, and nothing cuts the text.

    ``prepend`` puts a ▁ before the first word too.
    """

    def build() -> tuple[Tokenizer, dict[str, Any]]:
        made = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
        made.pre_tokenizer = pre_tokenizers.Metaspace()
        tokens = [*special, *(f"<0x{byte:02X}>" for byte in range(256))]
        trainer = BpeTrainer(vocab_size=PIECES + 256, special_tokens=tokens, show_progress=False)
        made.train_from_iterator(sentences(), trainer)
        # Bytes are ordinary pieces, not special tokens.
        written = json.loads(made.to_str())
        added = [token for token in written["added_tokens"] if token["content"] in special]
        made = Tokenizer.from_str(json.dumps({**written, "added_tokens": added}))
        _eat_space_before_mask(made, names)
        first = [normalizers.Prepend("▁")] if prepend else []
        made.normalizer = normalizers.Sequence([*first, normalizers.Replace(" ", "▁")])
        made.pre_tokenizer = None
        last = [decoders.Strip(" ", 1, 0)] if prepend else []
        made.decoder = decoders.Sequence(
            [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), *last]
        )
        made.post_processor = _template(made, "{bos} $A", **names)
        return made, {"tokenizer_class": kind, **_names(**names)}

    return build


def _eat_space_before_mask(made: Tokenizer, names: dict[str, str]) -> None:
    """Let the mask token take the space before it, so that a mask can be written in a text.

    Released files of these kinds do not: there a space before a written mask is a piece of its own,
    which ``input: masked`` does not have.
    """
    if "mask" in names:
        made.add_special_tokens([AddedToken(names["mask"], lstrip=True, special=True)])


def _template(made: Tokenizer, single: str, **names: str) -> Any:
    text = single.format(**names)
    used = dict.fromkeys(token for key, token in names.items() if f"{{{key}}}" in single)
    numbered = [(token, made.token_to_id(token)) for token in used]
    return processors.TemplateProcessing(single=text, special_tokens=numbered)


def _names(**names: str) -> dict[str, Any]:
    return {f"{key}_token": value for key, value in names.items()}


QUOTES = [normalizers.Replace("``", '"'), normalizers.Replace("''", '"')]
PLAIN = [normalizers.NFKD(), normalizers.StripAccents()]
NFKC = [normalizers.NFKC()]  # in place of the compiled rules of SentencePiece
ROBERTA = ["<s>", "<pad>", "</s>", "<unk>"]
ROBERTA_NAMES = {
    "bos": "<s>", "eos": "</s>", "cls": "<s>", "sep": "</s>", "pad": "<pad>", "unk": "<unk>",
    "mask": "<mask>",
}  # fmt: skip
BERT_NAMES = {"cls": "[CLS]", "sep": "[SEP]", "pad": "[PAD]", "unk": "[UNK]", "mask": "[MASK]"}

END, DEBERTA = "<|endoftext|>", ["[PAD]", "[CLS]", "[SEP]", "[UNK]"]
DEBERTA_NAMES = {"bos": "[CLS]", "eos": "[SEP]", **BERT_NAMES}

xlm_roberta = unigram(
    "XLMRobertaTokenizer", ROBERTA, ["<mask>"], normalizer=NFKC, single="{cls} $A {sep}",
    **ROBERTA_NAMES,
)  # fmt: skip
albert = unigram(
    "AlbertTokenizer", ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"], [],
    normalizer=[*QUOTES, *PLAIN, normalizers.Lowercase(), *NFKC], single="{cls}:0 $A:0 {sep}:0",
    config={"do_lower_case": True, "keep_accents": False},
    **{**DEBERTA_NAMES, "pad": "<pad>", "unk": "<unk>"},
)  # fmt: skip
xlnet = unigram(
    "XLNetTokenizer", ["<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>", "<eod>",
    "<eop>"], [], normalizer=[*QUOTES, *PLAIN, *NFKC], single="$A:0 {sep}:0 {cls}:2",
    **{**ROBERTA_NAMES, "cls": "<cls>", "sep": "<sep>"},
)  # fmt: skip
deberta_v3 = unigram(
    "DebertaV2Tokenizer", DEBERTA, ["[MASK]"],
    normalizer=[normalizers.Replace(Regex(r"\s{2,}|[\n\r\t]"), " "), normalizers.NFC(),
    normalizers.Strip(left=False, right=True)], single="{cls}:0 $A:0 {sep}:0", split=False,
    config={"do_lower_case": False, "split_by_punct": False}, **DEBERTA_NAMES,
)  # fmt: skip
t5 = unigram(
    "T5Tokenizer", ["<pad>", "</s>", "<unk>"], [f"<extra_id_{i}>" for i in (1, 0)], normalizer=NFKC,
    single="$A {eos}", config={"extra_ids": 2, "additional_special_tokens": ["<extra_id_0>",
    "<extra_id_1>"]}, eos="</s>", pad="<pad>", unk="<unk>",
)  # fmt: skip
roberta = byte_level("RobertaTokenizer", ROBERTA, **ROBERTA_NAMES)
gpt2 = byte_level("GPT2Tokenizer", [END], bos=END, eos=END, unk=END)
deberta = byte_level("DebertaTokenizer", DEBERTA, **DEBERTA_NAMES)
modernbert = byte_level(FAST, ["[UNK]", "[CLS]", "[SEP]", "[PAD]"], **BERT_NAMES)
llama = sentencepiece_bpe(FAST, ["<unk>", "<s>", "</s>"], bos="<s>", eos="</s>", unk="<unk>")
gemma = sentencepiece_bpe(
    "GemmaTokenizer", ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>"], prepend=False, bos="<bos>",
    eos="<eos>", pad="<pad>", unk="<unk>", mask="<mask>",
)  # fmt: skip
# The patterns of the released tokenizers: Qwen2 cuts numbers into digits, Llama 3 into threes.
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN2 = LLAMA3.replace("{1,3}", "")
qwen2 = split_bytes("Qwen2Tokenizer", QWEN2, [END], eos=END, pad=END)
eurobert = split_bytes(
    FAST, LLAMA3, ["<|begin_of_text|>", "<|end_of_text|>", "<|mask|>"],
    single="{bos} $A {eos}", bos="<|begin_of_text|>", eos="<|end_of_text|>",
    pad="<|end_of_text|>", mask="<|mask|>",
)  # fmt: skip
