"""`wsd inspect` on one sentence, and on two."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from encoding import encode
from tiny import PositionModel, tiny_bert, tiny_tokenizer

from wsd.cli import main
from wsd.encoder.encoder import Encoder
from wsd.inference.inspect import as_record, as_text, cosines, inspect
from wsd.inference.sentences import as_corpus, find

# The tiny vocabulary has no "driver": it is split into letters.
SENTENCE = "the driver of a crane"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_bert(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return Encoder(tiny_tokenizer(), PositionModel(), device=torch.device("cpu"))


def test_pieces_ids_and_states_have_exact_values(encoder: Encoder) -> None:
    actual = inspect(encoder, find(SENTENCE, "driver"))
    word = ("d", "##r", "##i", "##v", "##e", "##r")
    assert actual.pieces == ("[CLS]", "the", *word, "of", "a", "crane", "[SEP]")
    assert actual.focal == (2, 3, 4, 5, 6, 7)
    assert actual.segments == (0,) * 12
    assert actual.ids == tuple(encoder.tokenizer(SENTENCE)["input_ids"])
    # A hidden state of this model is position, id, layer and mask.
    for layer in range(3):
        expected = [[i, number, layer, 1] for i, number in enumerate(actual.ids)]
        assert (actual.states[layer] == np.array(expected)).all()
    assert np.allclose(actual.vectors[:, 0], 4.5)
    assert np.allclose(actual.norms, np.sqrt((actual.vectors**2).sum(axis=1)))
    assert len(actual.steps) == 2


@pytest.mark.parametrize("pooling", ["mean", "first"])
def test_the_focal_vector_is_the_workflows(folder: Path, pooling: str) -> None:
    encoder = Encoder.load(str(folder), pooling=pooling, device="cpu")
    focus = find(SENTENCE, "driver")
    vectors = encode(encoder, as_corpus([focus]))
    np.testing.assert_allclose(inspect(encoder, focus).vectors, vectors[0, :, 0], rtol=1e-5)


def test_two_sentences_are_compared_layer_by_layer(encoder: Encoder) -> None:
    actual = [inspect(encoder, find(text, "crane")) for text in ("a crane flew", "near the crane")]
    record = as_record("toy", actual)
    a, b = ([2.0, actual[0].ids[2], 1, 1], [3.0, actual[1].ids[3], 1, 1])
    expected = np.dot(a, b) / np.linalg.norm(a) / np.linalg.norm(b)
    assert record["similarity"][1] == pytest.approx(expected, abs=1e-6)
    assert json.loads(json.dumps(record)) == record
    assert "'crane' and 'crane' of the two sentences" in as_text(record)
    assert np.isnan(cosines(np.zeros((1, 2)), np.ones((1, 2)))).all()


def test_the_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = ["--word", "crane", "--model", f"path:{folder}", "--device", "cpu"]
    assert main(["inspect", "a crane flew", "a crane by a [[crane]]", *common, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["model"] == folder.name
    first, second = record["sentences"]
    assert (first["position"], second["position"]) == (1, 4)
    assert first["hidden_states"] == {"number": 3, "shape": [5, 32]}
    assert main(["inspect", "a crane flew", *common]) == 0
    text = capsys.readouterr().out
    assert "2         crane" in text and "3 hidden states of shape 5 pieces x 32" in text
