"""Pooling and views: exact answers from a model of positions, and a naive loop."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from encoding import close, encode, instances, marked
from naive_bert import naive
from tiny import PositionModel, corpus_of, tiny_bert, tiny_tokenizer

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import DATA
from wsd.artifacts.encoder_input import VIEWS, InputValue
from wsd.classification.estimators.vector_classifiers import NearestCentroid
from wsd.corpora.text_format import read_text
from wsd.encoder import alignment
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


def test_a_tokenizer_without_cls() -> None:
    tokenizer = tiny_tokenizer()
    tokenizer.cls_token = None
    encoder = Encoder(tokenizer, PositionModel(), device=CPU)
    with pytest.raises(ModelError, match=r"no \[CLS\]"):
        encode(encoder, SENTENCES, "cls")


def check_against_naive(folder: str, corpus: Corpus, rows: Sequence[int]) -> int:
    """Compare all layers and views; count the rows with a split word before the focal word."""
    encoder, split_before = Encoder.load(folder, device="cpu"), 0
    vectors = encode(encoder, corpus, *VIEWS)
    assert np.array_equal(vectors, encode(encoder, corpus, *VIEWS, threads=1))
    told = instances(corpus)
    for i, (expected, split) in zip(rows, naive(folder, [told[i] for i in rows]), strict=True):
        split_before += split
        for view, got in zip(VIEWS, vectors[:, :, i], strict=True):
            assert close(got, expected[view]), (corpus.tokens[i], view)
    return split_before


def test_tiny_bert_equals_the_naive_loop(tmp_path: Path) -> None:
    """With any number of threads, bit by bit; focal words of several tokens too."""
    folder = str(tiny_bert(tmp_path, max_length=256))
    corpus = read_text(DATA / "quickstart/bank", "bank")
    assert check_against_naive(folder, corpus, range(0, len(corpus), 3)) > 15
    spans = SENTENCES.take(np.arange(6) != 3)  # the oracle has no mean of nothing
    check_against_naive(folder, spans, range(5))


@pytest.mark.slow
def test_minilm_equals_the_naive_loop_on_the_real_corpus(
    minilm: str, real_corpora: dict[str, Corpus]
) -> None:
    split_before = 0
    for word in ("arm", "digit", "mole", "yard"):
        rows = np.linspace(0, len(real_corpora[word]) - 1, 50).astype(int)
        corpus = real_corpora[word].take(np.isin(np.arange(len(real_corpora[word])), rows))
        split_before += check_against_naive(minilm, corpus, range(len(corpus)))
    assert split_before > 50


# The first token of a decoder


class SinkModel(torch.nn.Module):
    """A decoder of one block: the mean of the pieces so far; the first piece is an attention sink.

    Its vector points in one direction, whatever the piece is, and is far longer than all others.
    """

    config = SimpleNamespace(num_hidden_layers=1, hidden_size=8, model_type="sink")

    def __init__(self, pieces: int) -> None:
        super().__init__()
        self.pieces = torch.nn.Embedding(pieces, 8)
        torch.nn.init.normal_(self.pieces.weight, generator=torch.Generator().manual_seed(1))
        self.get_input_embeddings = lambda: self.pieces

    def forward(self, input_ids: torch.Tensor, **_: Any) -> SimpleNamespace:
        first = self.pieces(input_ids)
        second = first.cumsum(dim=1) / torch.arange(1, 1 + input_ids.shape[1])[:, None]
        second[:, 0] = 1000
        return SimpleNamespace(hidden_states=(first, second))


# The word before tells the sense, but for one training instance that begins with the focal word.
SENSES = corpus_of(
    *[("the crane flew", 1), ("a crane flew", 1)] * 3,
    *[("crane of the machine", 0), ("a crane", 1)],
    *[("the crane", 1), ("a crane", 1)] * 2,
    n_train=8,
)


@pytest.mark.parametrize(
    ("input", "eos", "first", "rights", "long"),
    [
        ("plain", "[SEP]", "[SEP]", 4, []),
        ("echo", "[SEP]", "[SEP]", 4, []),
        ({"prefix": "none"}, "[SEP]", None, 2, [(1, 1)]),
        ("plain", None, None, 2, [(1, 1)]),
    ],
)
def test_a_decoder_gets_a_first_token(
    input: InputValue, eos: str | None, first: str | None, rights: int, long: list[Any]
) -> None:
    tokenizer = tiny_tokenizer()
    tokenizer.backend_tokenizer.post_processor = None
    tokenizer.eos_token = eos
    encoder = Encoder(tokenizer, SinkModel(len(tokenizer)).eval(), input=input, device=CPU)
    assert encoder.architecture.first_token == first
    focal, context = encode(encoder, SENSES, "focal", "context")
    train = np.asarray(SENSES.split) == "train"
    classifier = NearestCentroid().fit(focal[1, train], SENSES.gold[train])
    assert (classifier.predict(focal[1, ~train]) == SENSES.gold[~train]).sum() == rights
    rows = alignment.long_vectors("focal", [0, 1], np.linalg.norm(focal, axis=2))
    assert [(row["layer"], row["long"]) for row in rows] == long
    # The sink is in no context.
    assert np.abs(context).max() < 10
