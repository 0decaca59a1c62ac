"""Tokenizers and encoders small enough to build in a test, and one with exact answers."""

import string
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from wsd.artifacts.corpus_table import Corpus

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WHOLE = ["the", "a", "crane", "bank", "river", "bird", "machine", "lifted", "flew", "of", "near"]


def tiny_tokenizer(max_length: int = 64) -> transformers.PreTrainedTokenizerFast:
    """Return BERT's tokenizer with a few words and all letters; it splits other words."""
    pieces = [*SPECIAL, *WHOLE, *string.ascii_lowercase, *string.digits, *string.punctuation]
    pieces += [f"##{c}" for c in string.ascii_lowercase + string.digits]
    vocabulary = {piece: i for i, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=max_length,
        **{f"{name.strip('[]').lower()}_token": name for name in SPECIAL},
    )


def tiny_bert(
    folder: Path, *, blocks: int = 2, width: int = 32, max_length: int = 64, head: bool = False
) -> Path:
    """Save a BERT with random weights and the tiny tokenizer, optionally with its mask head."""
    tokenizer = tiny_tokenizer(max_length)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        num_hidden_layers=blocks,
        num_attention_heads=4,
        intermediate_size=2 * width,
        max_position_embeddings=max_length,
        initializer_range=0.5,
    )
    kind = transformers.BertForMaskedLM if head else transformers.BertModel
    kind(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


class PositionModel:
    """A model whose hidden state is the token's position, its id, the layer, and the mask.

    Every pooled vector then has an exact expected value.
    """

    def __init__(self, blocks: int = 2, max_length: int = 64) -> None:
        self.config = SimpleNamespace(
            num_hidden_layers=blocks, hidden_size=4, max_position_embeddings=max_length
        )

    def __call__(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, output_hidden_states: bool
    ) -> Any:
        assert output_hidden_states
        positions = torch.arange(input_ids.shape[1]).expand_as(input_ids)
        states = [
            torch.stack([positions, input_ids, 0 * positions + layer, attention_mask], 2).float()
            for layer in range(self.config.num_hidden_layers + 1)
        ]
        return SimpleNamespace(hidden_states=tuple(states))


def corpus_of(*sentences: tuple[str, int], word: str = "crane", n_train: int = 1) -> Corpus:
    """Return a corpus of (sentence, position) pairs, the first ``n_train`` for training."""
    n = len(sentences)
    split = np.array(["train"] * n_train + ["test"] * (n - n_train))
    return Corpus(
        word=word,
        senses=("crane_bird", "crane_machine"),
        split=split,
        index=np.array([*range(n_train), *range(n - n_train)], dtype=np.int32),
        tokens=tuple(tuple(sentence.split()) for sentence, _ in sentences),
        position=np.array([position for _, position in sentences], dtype=np.int32),
        gold=np.arange(n, dtype=np.int32) % 2,
    )
