"""Focal words of several tokens are pooled, masked and windowed like the pieces of one word."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
import zoo
from naive_bert import naive
from naive_encoder import naive_vectors
from tiny import PositionModel, corpus_of, tiny_bert, tiny_tokenizer

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.encoder_input import INPUTS, VIEWS
from wsd.encoder.alignment import alignment_report
from wsd.encoder.encoder import Encoder
from wsd.encoder.match_word_pieces import Aligner
from wsd.errors import ModelError

CPU = torch.device("cpu")
# Bars mark the focal word. `xyz` has three pieces, `cranes` two, all others one.
MARKED = (
    "the |river bank| flew",
    "xyz the |crane xyz| near xyz",
    "|xyz cranes lifted| , a bird",
    "a bird |the machine|",
    "|near the river|",
    "the |bank| of the bank",
)


def corpus_with_spans(*marked: str) -> tuple[Corpus, list[range]]:
    """Return the sentences with the focal word as one token, and the positions of its tokens."""
    corpus = corpus_of(*((text.replace("|", ""), 0) for text in marked))
    tokens, spans = [], []
    for text in marked:
        left, focal, right = (part.split() for part in text.split("|"))
        spans.append(range(len(left), len(left) + len(focal)))
        tokens.append((*left, " ".join(focal), *right))
    position = np.array([span.start for span in spans], dtype=np.int32)
    return Corpus(**{**vars(corpus), "tokens": tuple(tokens), "position": position}), spans


def encode(encoder: Encoder, corpus: Corpus, views: tuple[str, ...] = VIEWS) -> np.ndarray:
    """All vectors: (views, layers, instances, width)."""
    out = np.full((len(views), encoder.blocks + 1, len(corpus), encoder.width), np.nan)
    aligned = encoder.align(corpus)
    for rows, vectors in encoder.encode(corpus, aligned, views=views, threads=2):
        out[:, :, rows] = vectors
    return out


def instances(corpus: Corpus, spans: list[range]) -> list[tuple[str, list[str], range]]:
    name = "{0.word} {0.split[{1}]} {0.index[{1}]}"
    names = [name.replace("{1}", str(i)).format(corpus) for i in range(len(corpus))]
    return [
        (words, " ".join(tokens).split(), span)
        for words, tokens, span in zip(names, corpus.tokens, spans, strict=True)
    ]


def close(got: np.ndarray, expected: np.ndarray) -> bool:
    error = np.linalg.norm(got - expected, axis=-1) / np.linalg.norm(expected, axis=-1)
    return bool((error <= 1e-5).all())


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [
        ("mean", [2.5, 6.5, 3.5, 3.5, 2, 2]),
        ("first", [2, 5, 1, 3, 1, 2]),
        ("last", [3, 8, 6, 4, 3, 2]),
    ],
)
def test_every_piece_of_the_span_is_pooled(pooling: str, expected: list[float]) -> None:
    encoder = Encoder(tiny_tokenizer(), PositionModel(), pooling=pooling, device=CPU)
    corpus, _ = corpus_with_spans(*MARKED)
    vectors = encode(encoder, corpus, ("focal",))
    assert vectors[0, 0, :, 0].tolist() == expected


def test_the_context_is_all_but_the_span() -> None:
    corpus, _ = corpus_with_spans(*MARKED)
    aligned = Aligner(tiny_tokenizer(), None).align(corpus)
    for aligned_sentence in aligned:
        inner = set(range(1, len(aligned_sentence.ids) - 1))
        assert set(aligned_sentence.others) == inner - set(aligned_sentence.focal)
        assert not aligned_sentence.vanished
    report = alignment_report(corpus, aligned)
    forms = dict(zip(report["instances"]["form"], report["instances"]["pieces"], strict=True))
    assert forms["crane xyz"] == "crane x ##y ##z"


def test_one_mask_replaces_the_whole_span() -> None:
    corpus, _ = corpus_with_spans(*MARKED)
    tokenizer = tiny_tokenizer()
    plain, masked = (Aligner(tokenizer, None, input=i).align(corpus) for i in INPUTS[:2])
    for own, actual in zip(plain, masked, strict=True):
        first, last = own.focal[0], own.focal[-1]
        assert actual.ids == [*own.ids[:first], tokenizer.mask_token_id, *own.ids[last + 1 :]]
        assert actual.focal == [first]


def test_a_window_keeps_the_whole_span() -> None:
    corpus, _ = corpus_with_spans("a bird of the |crane xyz| near the river")
    (aligned,) = Aligner(tiny_tokenizer(8), 8).align(corpus)
    assert aligned.windowed and len(aligned.focal) == 4 and len(aligned.ids) == 8
    with pytest.raises(ModelError, match="the focal word has 4 pieces, the limit is 5"):
        Aligner(tiny_tokenizer(5), 5).align(corpus)


def test_a_special_token_in_a_span_is_refused() -> None:
    corpus, _ = corpus_with_spans("the |crane [SEP]| flew")
    with pytest.raises(ModelError, match="is a special token"):
        Aligner(tiny_tokenizer(), None).align(corpus)


def test_spans_equal_the_naive_loop(tmp_path: Path) -> None:
    folder = str(tiny_bert(tmp_path))
    corpus, spans = corpus_with_spans(*(text for text in MARKED if text[0] + text[-1] != "||"))
    vectors = encode(Encoder.load(folder, device="cpu"), corpus)
    for i, (expected, _) in enumerate(naive(folder, instances(corpus, spans))):
        for view, got in zip(VIEWS, vectors, strict=True):
            assert close(got[:, i], expected[view]), (view, corpus.tokens[i])


REAL = (
    "he ate a |hot dog| by the river",
    "|New York| , New York",
    "near the old |quixotically-misunderestimated crane| .",
    "they don't see “ the |crane\u2019s naïve wings| ” now",
    "it |took off| !",
)


@pytest.mark.slow
@pytest.mark.parametrize("name", zoo.KINDS)
def test_spans_equal_the_naive_loop_in_every_architecture(
    built: Callable[..., Path], name: str
) -> None:
    kind, folder = zoo.KINDS[name], str(built(name))
    corpus, spans = corpus_with_spans(*REAL)
    encoder = Encoder.load(folder, device="cpu")
    views = tuple(view for view in VIEWS if kind.cls or view != "cls")
    vectors = encode(encoder, corpus, views)
    for i, expected in enumerate(naive_vectors(folder, instances(corpus, spans))):
        for view, got in zip(views, vectors, strict=True):
            assert close(got[:, i], expected[view]), (name, view, corpus.tokens[i])
