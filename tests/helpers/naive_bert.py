"""The oracle for extraction with BERT: one sentence at a time, no padding, no import from wsd.

It tokenizes each word by itself, so that the focal word's position does not depend on the
tokenizer's word ids.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
import transformers


def naive(
    folder: str, instances: Sequence[tuple[str, Sequence[str], int | range]]
) -> Iterator[tuple[dict[str, np.ndarray], bool]]:
    """Yield for each (name, tokens, position) the views, arrays of shape (layers, width), and
    whether a word before the focal word is split. The position may be a range of tokens.
    """
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
    for _, tokens, position in instances:
        position = range(position, position + 1) if isinstance(position, int) else position
        words = [tokenizer(token, add_special_tokens=False)["input_ids"] for token in tokens]
        pieces = [piece for word in words for piece in word]
        ids = [tokenizer.cls_token_id, *pieces, tokenizer.sep_token_id]
        ends = [1 + sum(len(word) for word in words[:i]) for i in range(len(words) + 1)]
        focal = list(range(ends[position.start], ends[position.stop]))
        others = [i for i in range(1, len(ids) - 1) if i not in focal]
        with torch.no_grad():
            given = torch.tensor([ids]), None, torch.zeros(1, len(ids), dtype=torch.long)
            states = model(*given, output_hidden_states=True).hidden_states
        stack = torch.stack([state[0] for state in states]).double().numpy()
        places = {"focal": focal, "context": others, "sentence": slice(1, -1), "cls": [0]}
        vectors = {view: stack[:, own].mean(axis=1) for view, own in places.items()}
        yield vectors, any(len(word) > 1 for word in words[: position.start])
