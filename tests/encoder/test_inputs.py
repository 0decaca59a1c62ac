"""Inputs with a second copy, a template or markers equal a naive loop in every architecture."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import transformers
import zoo
from naive_encoder import Naive
from naive_inputs import naive_input
from tiny import PositionModel, corpus_of, tiny_tokenizer
from transformers import AutoTokenizer

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.encoder_input import InputValue
from wsd.classification.estimators.vector_classifiers import NearestCentroid
from wsd.encoder import alignment
from wsd.encoder.encoder import Encoder
from wsd.encoder.match_word_pieces import Aligner
from wsd.errors import ModelError

Built = Callable[..., Path]
CPU = torch.device("cpu")
VIEWS = ("focal", "context", "sentence")
PROMPT = 'In the sentence "{sentence}", the word "{word}" means'
# The input, and what the oracle is told.
INPUTS: dict[str, tuple[InputValue, dict[str, Any]]] = {
    "echo": ("echo", {"template": "{sentence} {sentence}"}),
    "prompt-word": ({"template": PROMPT}, {"template": PROMPT}),
    "prompt-last": (
        {"template": PROMPT, "read": "last"}, {"template": PROMPT, "read": "last"}
    ),
    "word-first": ({"template": "{word}: {sentence}"}, {"template": "{word}: {sentence}"}),
    "mark": ({"mark": ['"', ";"]}, {"template": "{sentence}", "mark": ('"', ";")}),
    "mark-in-copies": (
        {"template": "{sentence} , {sentence} .", "mark": ['"', ";"], "read": "mark"},
        {"template": "{sentence} , {sentence} .", "mark": ('"', ";"), "read": "mark"},
    ),
}  # fmt: skip
# Focal words first, last, capital, alone, repeated, of many pieces, and of letters beyond ASCII.
SENTENCES = corpus_of(
    ("the crane flew over the river", 1),
    ("crane after crane , the crane 's shadow", 5),
    ("Cranes don't sing", 0),
    ("it was , she said , the ( crane ) .", 8),
    ("a misunderestimated crane", 1),
    ("they see the naïve", 3),
    n_train=3,
)


def encode(encoder: Encoder, corpus: Corpus, views: tuple[str, ...] = ("focal",)) -> np.ndarray:
    """All vectors: (views, layers, instances, width)."""
    out = np.full((len(views), encoder.blocks + 1, len(corpus), encoder.width), np.nan)
    aligned = encoder.align(corpus)
    for rows, vectors in encoder.encode(corpus, aligned, views=views, threads=2):
        out[:, :, rows] = vectors
    return out


def close(got: np.ndarray, expected: np.ndarray) -> bool:
    error = np.linalg.norm(got - expected, axis=-1) / np.linalg.norm(expected, axis=-1)
    return bool((error <= 1e-5).all())


def check_against_naive(folder: str, value: InputValue, told: dict[str, Any]) -> None:
    naive, encoder = Naive(folder), Encoder.load(folder, device="cpu", input=value)
    aligned = encoder.align(SENTENCES)
    assert not any(sentence.windowed for sentence in aligned)
    vectors = dict(zip(VIEWS, encode(encoder, SENTENCES, VIEWS), strict=True))
    for i, tokens in enumerate(SENTENCES.tokens):
        expected = naive_input(naive, tokens=tokens, position=int(SENTENCES.position[i]), **told)
        for view in VIEWS:
            assert close(vectors[view][:, i], expected[view]), (view, tokens)


@pytest.mark.slow
@pytest.mark.parametrize("input", INPUTS)
@pytest.mark.parametrize("name", zoo.KINDS)
def test_every_input_equals_the_naive_loop(built: Built, name: str, input: str) -> None:
    check_against_naive(str(built(name)), *INPUTS[input])


@pytest.mark.slow
@pytest.mark.parametrize("special", [True, False])
@pytest.mark.parametrize("name", ["bert", "roberta", "xlm-roberta", "modernbert", "gpt2"])
def test_markers_that_were_added_to_the_tokenizer(
    built: Built, tmp_path: Path, name: str, special: bool
) -> None:
    marks = ["<t>", "</t>"]
    with pytest.raises(ModelError, match=r"has no token '<t>'"):
        Encoder.load(str(built(name)), device="cpu", input={"mark": marks})
    tokenizer = AutoTokenizer.from_pretrained(built(name))
    tokenizer.add_tokens(marks, special_tokens=special)
    model = transformers.AutoModel.from_pretrained(built(name))
    model.resize_token_embeddings(len(tokenizer))
    tokenizer.save_pretrained(tmp_path)
    model.save_pretrained(tmp_path)
    for read in ("word", "mark"):
        told = {"template": "{sentence}", "mark": marks, "read": read}
        check_against_naive(str(tmp_path), {"mark": marks, "read": read}, told)
    (sentence, *_) = Aligner(tokenizer, None, input={"mark": marks}).align(SENTENCES)
    assert sentence.special == 0


# What a decoder sees


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, kind in zoo.KINDS.items() if kind.causal])
def test_only_a_second_copy_lets_a_decoder_see_the_right_context(built: Built, name: str) -> None:
    pair = corpus_of(("near the old crane a bird sang", 3), ("near the old crane sang a bird", 3))
    differs = {}
    for input in ("plain", "echo"):
        encoder = Encoder.load(str(built(name)), device="cpu", input=input)
        (vectors,) = encode(encoder, pair)
        differs[input] = [not np.array_equal(layer[0], layer[1]) for layer in vectors]
    assert not any(differs["plain"])
    # Both sentences have the same pieces in another order, so that layer 0 is the same. The first
    # block of LFM2 is a convolution over three pieces, and the right context is further away.
    near = 2 if name == "lfm2" else 1
    assert differs["echo"] == [False] * near + [True] * (zoo.KINDS[name].blocks + 1 - near)


# Positions


def position_encoder(input: InputValue, *, pooling: str = "mean", length: int = 64) -> Encoder:
    model = PositionModel(max_length=length)
    return Encoder(tiny_tokenizer(length), model, input=input, pooling=pooling, device=CPU)


def read(input: InputValue, pooling: str = "mean") -> list[float]:
    """Return the position that each view reads, in `[CLS] the crane ##s flew [SEP]`."""
    encoder = position_encoder(input, pooling=pooling)
    vectors = encode(encoder, corpus_of(("the cranes flew", 1)), VIEWS)
    return vectors[:, 0, 0, 0].tolist()


def test_the_copy_that_is_read() -> None:
    assert read("plain") == [2.5, 2.5, 2.5]
    assert read("echo") == [6.5, 6.5, 6.5]
    assert read("echo", "last") == [7, 6.5, 6.5]
    # [CLS] near the crane ##s flew : crane ##s a [SEP]
    prompt = "near {sentence} : {word} a"
    assert read({"template": prompt}) == [7.5, 3.5, 3.5]
    assert read({"template": prompt, "read": "last"}) == [9, 3.5, 3.5]
    # The word comes before the sentence.
    assert read({"template": "{word} : {sentence}"}) == [5.5, 5.5, 5.5]
    # [CLS] the < crane ##s > flew [SEP]
    assert read({"mark": ["<", ">"]}) == [3.5, 3.5, 3.5]
    for pooling, position in (("mean", 3.5), ("first", 2), ("last", 5)):
        assert read({"mark": ["<", ">"], "read": "mark"}, pooling) == [position, 3.5, 3.5]


def test_a_span_of_several_tokens_in_every_place() -> None:
    corpus = corpus_of(("a bird flew", 1))
    corpus = Corpus(**{**vars(corpus), "tokens": (("a", "river bank", "flew"),)})
    template = '{sentence} "{sentence}" {word}.'
    (sentence,) = position_encoder({"template": template, "read": "last"}).align(corpus)
    text = '[CLS] a river bank flew " a river bank flew " river bank . [SEP]'
    assert sentence.ids == tiny_tokenizer().convert_tokens_to_ids(text.split())
    assert (sentence.focal, sentence.others, sentence.within) == ([13], [6, 9], [7, 8])
    assert sentence.pieces == ("river", "bank")


# Lengths


@pytest.mark.parametrize(
    ("input", "text"),
    [
        ("echo", "{sentence} {sentence}"),
        ({"template": "the {sentence} of : {sentence} near {word} a"},
         "the {sentence} of : {sentence} near crane a"),
        ({"template": '"{sentence}", "{sentence}"'}, '" {sentence} " , " {sentence} "'),
    ],
)  # fmt: skip
def test_a_long_sentence_is_cut_alike_in_both_copies(input: InputValue, text: str) -> None:
    """`xyz` has three pieces. No further word fits, and the template stays whole."""
    words = ["a"] * 20 + ["xyz", "bird", "crane", "river"] + ["bank"] * 20
    encoder = position_encoder(input, length=32)
    (sentence,) = encoder.align(corpus_of((" ".join(words), 22)))
    ids = tiny_tokenizer().convert_ids_to_tokens(sentence.ids)
    own = [ids[i] for i in sentence.sentence]
    expected = text.replace("{sentence}", " ".join(own))
    assert ids == ["[CLS]", *expected.split(), "[SEP]"]
    assert sentence.windowed and 30 <= len(ids) <= 32
    assert "".join(own).replace("##", "").count("xyzbirdcraneriver") == 1


def test_without_room_for_the_template() -> None:
    encoder = position_encoder({"template": "the river of the {sentence} {sentence}"}, length=7)
    with pytest.raises(ModelError, match="1 pieces, the limit is 7 with the template") as error:
        encoder.align(corpus_of(("the crane flew", 1)))
    assert "crane train 0" in str(error.value)


# What is refused or counted


def test_a_word_that_the_template_grows_into() -> None:
    """The letters `ban` and `k` are one piece, which is not the focal word's alone."""
    encoder = position_encoder({"template": "{sentence} : {word}k"})
    with pytest.raises(ModelError, match=r"put a space on both sides of \{word\}") as error:
        encoder.align(corpus_of(("a ban flew", 1)))
    assert "the pieces 'bank' do not spell the focal word 'ban'" in str(error.value)


def test_an_unknown_marker_is_refused() -> None:
    for mark in (["<t>", "</t>"], ["<", "\U0001f9a9"]):
        with pytest.raises(ModelError, match="has no token") as error:
            position_encoder({"mark": mark})
        assert "`mark`" in str(error.value)


def test_the_report_counts_a_sentence_once() -> None:
    corpus = corpus_of(("a cranes \u0300 [SEP]", 1), ("the crane \U0001f9a9", 2))
    for input in ("plain", "echo", {"template": "{sentence} of", "read": "last"}):
        aligned = position_encoder(input).align(corpus)
        report = alignment.alignment_report(corpus, aligned)["instances"]
        first = [report[key][0] for key in ("pieces", "vanished_words", "special_words")]
        assert first == ["crane ##s", 1, 1], input
        assert report["unknown"] == [0, 1]


class SinkModel(torch.nn.Module):
    """A decoder of one block: the mean of the pieces so far; the first piece is an attention sink.

    Its vector points in one direction, whatever the piece is, and is far longer than all others.
    """

    config = SimpleNamespace(num_hidden_layers=1, hidden_size=8, model_type="sink")

    def __init__(self, pieces: int) -> None:
        super().__init__()
        self.pieces = torch.nn.Embedding(pieces, 8)
        torch.nn.init.normal_(self.pieces.weight, generator=torch.Generator().manual_seed(1))

    def get_input_embeddings(self) -> torch.nn.Embedding:
        return self.pieces

    def forward(self, input_ids: torch.Tensor, **_: Any) -> SimpleNamespace:
        first = self.pieces(input_ids)
        count = torch.arange(1, 1 + input_ids.shape[1])[:, None]
        second = first.cumsum(dim=1) / count
        second[:, 0] = 1000
        return SimpleNamespace(hidden_states=(first, second))


# The word before tells the sense, but for one training instance that begins with the focal word.
SENSES = corpus_of(
    *[("the crane flew", 1), ("a crane flew", 1)] * 3,
    *[("crane of the machine", 0), ("a crane", 1)],
    *[("the crane", 1), ("a crane", 1)] * 2,
    n_train=8,
)


def sink_encoder(input: InputValue, eos: str | None = "[SEP]") -> Encoder:
    tokenizer = tiny_tokenizer()
    tokenizer.backend_tokenizer.post_processor = None
    tokenizer.eos_token = eos
    return Encoder(tokenizer, SinkModel(len(tokenizer)).eval(), input=input, device=CPU)


@pytest.mark.parametrize(
    ("encoder", "first", "rights", "long"),
    [
        (sink_encoder("plain"), "[SEP]", 4, []),
        (sink_encoder("echo"), "[SEP]", 4, []),
        (sink_encoder({"prefix": "none"}), None, 2, [(1, 1)]),
        (sink_encoder("plain", eos=None), None, 2, [(1, 1)]),
    ],
    ids=["plain", "echo", "none", "no token"],
)
def test_a_decoder_gets_a_first_token(
    encoder: Encoder, first: str | None, rights: int, long: list[tuple[int, int]]
) -> None:
    assert encoder.architecture.first_token == first
    focal, context = encode(encoder, SENSES, ("focal", "context"))
    train = np.asarray(SENSES.split) == "train"
    classifier = NearestCentroid().fit(focal[1, train], SENSES.gold[train])
    predicted = classifier.predict(focal[1, ~train])
    assert (predicted == SENSES.gold[~train]).sum() == rights
    rows = alignment.long_vectors("focal", [0, 1], np.linalg.norm(focal, axis=2))
    assert [(row["layer"], row["long"]) for row in rows] == long
    # The sink is in no context.
    assert np.abs(context).max() < 10
