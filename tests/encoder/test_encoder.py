"""Pooling and views: exact answers from a model of positions, and a naive loop."""

from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from encoding import close, encode, instances, marked
from naive_encoder import naive_vectors
from tiny import PositionModel, tiny_bert, tiny_tokenizer

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import DATA
from wsd.artifacts.encoder_input import VIEWS
from wsd.corpora.text_format import read_text
from wsd.encoder.encoder import Encoder
from wsd.errors import ModelError

CPU = torch.device("cpu")
# `xyz` has three pieces, `cranes` two, all others one.
SENTENCES = marked(
    "the |crane| flew",
    "xyz xyz the |crane| flew near xyz",
    "a bird , |cranes| lifted",
    "|crane|",
    "xyz the |crane xyz| near xyz",
    "|xyz cranes lifted| , a bird",
)


def position_encoder(pooling: str = "mean") -> Encoder:
    return Encoder(tiny_tokenizer(), PositionModel(), pooling=pooling, device=CPU)


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [
        ("mean", [2, 8, 4.5, 1, 6.5, 3.5]),
        ("first", [2, 8, 4, 1, 5, 1]),
        ("last", [2, 8, 5, 1, 8, 6]),
    ],
)
def test_pooling_of_the_pieces_of_the_focal_word(pooling: str, expected: list[float]) -> None:
    vectors = encode(position_encoder(pooling), SENTENCES)
    assert vectors[0, 0, :, 0].tolist() == expected


def test_every_view_in_the_order_asked_for_and_every_layer_in_its_place() -> None:
    """A state is position, number of the piece, layer and mask; padding would lower the mask."""
    vectors = encode(position_encoder(), SENTENCES, "sentence", "cls", "context")
    sentence, cls, context = vectors[:, 0, :, 0]
    assert sentence == pytest.approx([np.mean(range(1, end + 1)) for end in (3, 13, 6, 1, 12, 9)])
    assert cls.tolist() == [0] * 6 and (vectors[1, :, :, 1] == 2).all()
    others = [*range(1, 8), *range(9, 14)], [1, 2, 3, 6], [1, 2, 3, 4, 9, 10, 11, 12]
    means = [2, *map(np.mean, others), 8]
    assert np.delete(context, 3) == pytest.approx(means)  # a word alone has no context
    assert (vectors[2, :, 3] == 0).all()
    assert np.delete(vectors, 3, axis=2)[..., 3] == pytest.approx(1)
    assert [set(layer[:, 2]) for layer in vectors[1]] == [{0.0}, {1.0}, {2.0}]


def test_a_vector_that_is_not_finite_names_the_instance(tmp_path: Path) -> None:
    model = transformers.AutoModel.from_pretrained(tiny_bert(tmp_path))
    with torch.no_grad():
        bird = tiny_tokenizer().convert_tokens_to_ids("bird")
        model.embeddings.word_embeddings.weight[bird] = torch.nan
    encoder = Encoder(tiny_tokenizer(), model.eval(), device=CPU)
    with pytest.raises(ModelError, match="not finite") as error:
        encode(encoder, marked("a |crane|", "a bird near the |crane|"))
    assert "crane test 0" in str(error.value)


def check_against_naive(folder: str, corpus: Corpus) -> None:
    encoder = Encoder.load(folder, device="cpu")
    vectors = encode(encoder, corpus, *VIEWS)
    assert np.array_equal(vectors, encode(encoder, corpus, *VIEWS, threads=1))
    for i, expected in enumerate(naive_vectors(folder, instances(corpus))):
        for view, got in zip(VIEWS, vectors[:, :, i], strict=True):
            assert close(got, expected[view]), (corpus.tokens[i], view)


def test_tiny_bert_equals_the_naive_loop(tmp_path: Path) -> None:
    """With any number of threads, bit by bit; focal words of several tokens too."""
    folder = str(tiny_bert(tmp_path, max_length=256))
    corpus = read_text(DATA / "quickstart/bank", "bank")
    check_against_naive(folder, corpus.take(np.arange(len(corpus)) % 3 == 0))
    # The oracle has no mean of nothing.
    check_against_naive(folder, SENTENCES.take(np.arange(6) != 3))


@pytest.mark.slow
def test_minilm_equals_the_naive_loop_on_the_real_corpus(
    minilm: str, real_corpora: dict[str, Corpus]
) -> None:
    for word in ("arm", "digit", "mole", "yard"):
        corpus = real_corpora[word]
        rows = np.linspace(0, len(corpus) - 1, 50).astype(int)
        check_against_naive(minilm, corpus.take(np.isin(np.arange(len(corpus)), rows)))
