"""The oracle for inputs with a template: one text at a time, written and read by its characters."""

import re
from collections.abc import Sequence

import numpy as np
from naive_encoder import Naive, inserted


def naive_input(
    naive: Naive,
    template: str,
    tokens: Sequence[str],
    position: int,
    *,
    read: str = "word",
    mark: Sequence[str] = ("", ""),
) -> dict[str, np.ndarray]:
    """View -> (layers, width), without ``cls``.

    ``mark`` are two empty texts where the input has no markers.
    """
    before, focal, after = tokens[:position], tokens[position], tokens[position + 1 :]
    parts = [" ".join(before), f"{mark[0]}{focal}{mark[1]}", " ".join(after)]
    text, spans = "", {}
    for piece in re.split(r"(\{sentence\}|\{word\})", template):
        if piece == "{word}":
            spans["focal"] = (len(text), len(text) + len(focal))
            text += focal
        elif piece == "{sentence}":
            first = len(text) + len(f"{parts[0]} " if parts[0] else "")
            start = first + len(mark[0])
            end = start + len(focal)
            spans["focal"] = spans["own"] = (start, end)
            spans["marks"] = (first, start, end, end + len(mark[1]))
            spans["before"] = (len(text), first)
            text += " ".join(part for part in parts if part)
            spans["after"] = (end + len(mark[1]), len(text))
        else:
            text += piece
    encoded = naive.tokenizer(
        text, return_offsets_mapping=True, return_special_tokens_mask=True, verbose=False
    )
    around = inserted(encoded["special_tokens_mask"])
    starts = []
    for special, (start, end) in zip(around, encoded["offset_mapping"], strict=True):
        # A piece that is only a space belongs to what follows.
        while start < end and text[start].isspace():
            start += 1
        starts.append(-1 if special else start)

    def inside(*ends: int) -> list[int]:
        return [i for i, start in enumerate(starts) if ends[0] <= start < ends[1]]

    stack = naive.states(encoded, text.split(" "))
    if read == "last":
        focal_pieces = [max(i for i, start in enumerate(starts) if start >= 0)]
    elif read == "mark":
        first, start, end, last = spans["marks"]
        focal_pieces = [inside(first, start)[-1], inside(end, last)[-1]]
    else:
        focal_pieces = inside(*spans["focal"])
    context = [*inside(*spans["before"]), *inside(*spans["after"])]
    sentence = [*context, *inside(*spans["own"])]
    return {
        "focal": stack[:, focal_pieces].mean(axis=1),
        "context": stack[:, context].mean(axis=1),
        "sentence": stack[:, sentence].mean(axis=1),
    }
