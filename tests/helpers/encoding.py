"""Sentences with a marked focal word, their vectors, and the comparison with an oracle's."""

from dataclasses import replace

import numpy as np
from tiny import corpus_of

from wsd.artifacts.corpus_table import Corpus
from wsd.encoder.encoder import Encoder

# What an oracle gets of a sentence: a name, its words, and the positions of the focal ones.
Instances = list[tuple[str, list[str], range]]


def marked(*texts: str, n_train: int = 1) -> Corpus:
    """Return sentences whose focal word stands between bars; several words are one token."""
    rows = [tuple(part.split() for part in text.split("|")) for text in texts]
    tokens = tuple((*left, " ".join(focal), *right) for left, focal, right in rows)
    corpus = corpus_of(*((" ".join(row), len(left)) for row, (left, _, _) in
                         zip(tokens, rows, strict=True)), n_train=n_train)  # fmt: skip
    return replace(corpus, tokens=tokens)


def instances(corpus: Corpus) -> Instances:
    """Return what the oracle of naive_encoder.py gets."""
    spans = [
        range(at, at + len(tokens[at].split()))
        for tokens, at in zip(corpus.tokens, corpus.position.tolist(), strict=True)
    ]
    words = [" ".join(tokens).split() for tokens in corpus.tokens]
    return [("", row, span) for row, span in zip(words, spans, strict=True)]


def encode(encoder: Encoder, corpus: Corpus, *views: str, threads: int = 2) -> np.ndarray:
    """Return all vectors, by default of the focal word: (views, layers, instances, width)."""
    views = views or ("focal",)
    out = np.full((len(views), encoder.blocks + 1, len(corpus), encoder.width), np.nan)
    aligned = encoder.align(corpus)
    for rows, vectors in encoder.encode(corpus, aligned, views=views, threads=threads):
        out[:, :, rows] = vectors
    assert not np.isnan(out).any(), "a row was never given"
    return out


def close(got: np.ndarray, expected: np.ndarray) -> bool:
    """Return whether vectors are equal up to rounding."""
    error = np.linalg.norm(got - expected, axis=-1) / np.linalg.norm(expected, axis=-1)
    return bool((error <= 1e-5).all())
