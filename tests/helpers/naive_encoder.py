"""The oracle for any architecture: one sentence at a time, no padding, no import from wsd.

It tokenizes the sentence as running text and finds the focal word by its characters, without the
tokenizer's word ids. All outputs of the tokenizer go to the model, and an encoder-decoder runs as a
whole.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
import transformers


class Naive:
    """A folder's tokenizer and model, as AutoTokenizer and AutoModel load them."""

    def __init__(self, folder: str) -> None:
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        self.model = transformers.AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
        self.first: list[int] = []
        self.first = self.added_first()

    def added_first(self) -> list[int]:
        """The token before the text of a causal model whose tokenizer adds none there."""
        tokens = ["crane", "crane"]
        encoded, words = self.pieces(tokens)
        bos, eos = self.tokenizer.bos_token_id, self.tokenizer.eos_token_id
        token = eos if bos is None else bos
        line_break = self.tokenizer.encode("\n", add_special_tokens=False)
        if len(line_break) == 1 and self.tokenizer.decode(line_break) == "\n":
            (token,) = line_break
        if words[0] is None or token is None:
            return []
        other = {**encoded, "input_ids": [*encoded["input_ids"][:-1], 5]}
        first, same = (self.states(ids, tokens)[-1, 0] for ids in (encoded, other))
        return [token] if np.allclose(first, same, rtol=1e-4) else []

    def pieces(self, tokens: Sequence[str]) -> tuple[Any, list[int | None]]:
        """Return the tokenizer's output, and for each piece the word of its characters."""
        text, asked = " ".join(tokens), ("return_offsets_mapping", "return_special_tokens_mask")
        encoded = self.tokenizer(text, verbose=False, **dict.fromkeys(asked, True))
        word_of = [word for word, token in enumerate(tokens) for _ in f"{token} "]
        words: list[int | None] = []
        specials = inserted(encoded["special_tokens_mask"])
        for special, (start, end) in zip(specials, encoded["offset_mapping"], strict=True):
            # A piece that is only the space before a word belongs to the word.
            while start < end and text[start].isspace():
                start += 1
            within = {word_of[i] for i in range(start, max(end, start + 1))}
            assert special or len(within) == 1, (tokens, start, end)
            words.append(None if special else within.pop())
        return encoded, words

    def states(self, encoded: Any, tokens: Sequence[str]) -> np.ndarray:
        """Every hidden state of the tokenizer's pieces: (layers, pieces, width)."""
        ids = [*self.first, *encoded["input_ids"]]
        given = {"input_ids": ids, "attention_mask": [1] * len(ids)}
        config = self.model.config
        if getattr(config, "type_vocab_size", 0) > 1 or config.model_type == "xlnet":
            own = self.tokenizer(" ".join(tokens), return_token_type_ids=True)
            given["token_type_ids"] = own["token_type_ids"]
        if config.is_encoder_decoder:
            given["decoder_input_ids"] = [0]
        tensors = {key: torch.tensor([value]) for key, value in given.items()}
        with torch.no_grad():
            out = self.model(**tensors, output_hidden_states=True)
        states = out.encoder_hidden_states if "encoder_hidden_states" in out else out.hidden_states
        stack = torch.stack([state[0] for state in states]).double().numpy()
        return stack[:, len(self.first) :]

    def views(self, tokens: Sequence[str], position: int | range) -> dict[str, np.ndarray]:
        """View -> (layers, width); without ``cls`` where the tokenizer has none."""
        own = [position] if isinstance(position, int) else list(position)
        encoded, words = self.pieces(tokens)
        stack = self.states(encoded, tokens)
        sentence = [i for i, word in enumerate(words) if word is not None]
        places = {
            "focal": [i for i in sentence if words[i] in own],
            "context": [i for i in sentence if words[i] not in own],
            "sentence": sentence,
        }
        if self.tokenizer.cls_token_id is not None:
            places["cls"] = [encoded["input_ids"].index(self.tokenizer.cls_token_id)]
        return {view: stack[:, pieces].mean(axis=1) for view, pieces in places.items()}


def inserted(mask: Sequence[int]) -> list[bool]:
    """Which pieces the tokenizer put around the sentence: special ones at its two ends."""
    inner = [i for i, special in enumerate(mask) if not special]
    return [not inner or not inner[0] <= i <= inner[-1] for i in range(len(mask))]


def naive_vectors(
    folder: str, instances: Sequence[tuple[str, Sequence[str], int | range]]
) -> Iterator[dict[str, np.ndarray]]:
    """Per (name, tokens, positions of focal tokens) the views, as in :meth:`Naive.views`."""
    naive = Naive(folder)
    for _, tokens, position in instances:
        yield naive.views(tokens, position)
