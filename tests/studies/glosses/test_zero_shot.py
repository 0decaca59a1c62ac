"""Zero-shot senses on known vectors: the right layer and the right gloss."""

from pathlib import Path

import numpy as np
import pytest
from builders import make_corpus, write_vectors
from call_step import call_step

from wsd.artifacts import corpus_table as corpus_files
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.predictions import WordPredictions, read_predictions
from wsd.errors import ResultError
from wsd.studies.glosses import zero_shot
from wsd.studies.glosses.gloss_names import KINDS

ROWS = [("train", 0), ("train", 1), *(("test", i % 2) for i in range(6)), ("outofdomain", 1)]
CORPUS = make_corpus(ROWS)
# Two of the first sense, one of the other.
GLOSSES = make_corpus([("gloss", 0), ("gloss", 0), ("gloss", 1)])
AXES = np.eye(4, dtype=np.float32)


def sentences() -> np.ndarray:
    """Each sense is an axis, which differs between layers 1 and 2; in layer 0 all are equal."""
    gold = CORPUS.gold
    return np.stack([np.ones((len(gold), 4), dtype=np.float32), AXES[gold], AXES[3 - gold]])


def of_glosses(view: str) -> np.ndarray:
    """The focal word's are where the senses are. The means point the other way in layer 1."""
    gold = GLOSSES.gold if view == "focal" else 1 - GLOSSES.gold
    vectors = np.stack([np.ones((3, 4), dtype=np.float32), AXES[gold], AXES[3 - GLOSSES.gold]])
    # Of two glosses of a sense neither is the sense's direction: their mean is.
    vectors[1:, 0, 2] += 5 * (np.arange(2) == 0)
    vectors[1:, 1, 2] -= 5 * (np.arange(2) == 0)
    return vectors


def prepared(tmp_path: Path, glosses: Corpus = GLOSSES, **changes: str) -> Path:
    corpus_files.write(tmp_path / "glosses/mint.parquet", glosses)
    write_vectors(tmp_path / "e/mint/focal.safetensors", CORPUS, sentences())
    for view in KINDS.values():
        path = tmp_path / f"g/mint/{view}.safetensors"
        write_vectors(path, glosses, of_glosses(view), **changes)
    return tmp_path


def predicted(folder: Path, layers: str) -> dict[str, list[WordPredictions]]:
    outs = {kind: folder / f"{layers}.{kind}.parquet" for kind in KINDS}
    files = {"embeddings": "e", "glosses": "glosses", "gloss_vectors": "g"}
    paths = {name: folder / path for name, path in files.items()}
    call_step(zero_shot, {"mint": CORPUS}, layers=layers, out=list(outs.values()), **paths)
    return {kind: read_predictions(path)[0] for kind, path in outs.items()}


def right(predictions: list[WordPredictions]) -> list[float]:
    return [float((prediction.predicted == prediction.gold).mean()) for prediction in predictions]


def test_the_nearest_gloss_of_the_same_layer_is_the_sense(tmp_path: Path) -> None:
    folder = prepared(tmp_path)
    of_one, of_two = predicted(folder, "1"), predicted(folder, "2")
    # Glosses of layer 2 would all be orthogonal to what is in layer 1, and the other way round.
    assert right(of_one["gloss"]) == right(of_two["gloss"]) == [1.0, 1.0]
    # The other kind is the other vectors: in layer 1 they are of the other sense.
    assert right(of_one["gloss-mean"]) == [0.0, 0.0]
    assert right(of_two["gloss-mean"]) == [1.0, 1.0]
    # Of both sides the same combination: here the sense's axis and its mirror.
    assert right(predicted(folder, "mean-1-2")["gloss"]) == [1.0, 1.0]
    assert [entry.split for entry in of_one["gloss"]] == ["test", "outofdomain"]
    scores = of_one["gloss"][0].scores
    assert scores[np.arange(6), of_one["gloss"][0].gold] == pytest.approx(np.ones(6))
    assert np.isfinite(scores).all()


def test_it_uses_no_training_instance(tmp_path: Path) -> None:
    folder = prepared(tmp_path)
    before = predicted(folder, "1")["gloss"][0]
    _, source = read_predictions(folder / "1.gloss.parquet")
    assert (source["train"], source["view"], source["layers"]) == ("none", "focal", "1")
    assert source["classifier"] == "gloss" and source["encoder"]["model"]["name"] == "toy"
    assert source["glosses"] == {"mint": GLOSSES.digest}
    assert before.n_train == 0
    # Other training vectors give the same predictions.
    vectors = sentences()
    vectors[:, CORPUS.split == "train"] *= -9
    write_vectors(folder / "e/mint/focal.safetensors", CORPUS, vectors)
    after = predicted(folder, "1")["gloss"][0]
    assert np.array_equal(before.scores, after.scores)


def test_glosses_of_other_senses_or_another_encoder_are_refused(tmp_path: Path) -> None:
    other = make_corpus([("gloss", 0), ("gloss", 0), ("gloss", 1)], senses=("b", "a"))
    lacking = make_corpus([("gloss", 0), ("gloss", 0), ("gloss", 0)])
    for glosses in (other, lacking):
        with pytest.raises(ResultError, match="of other senses"):
            predicted(prepared(tmp_path, glosses), "1")
    with pytest.raises(ResultError, match="another pooling"):
        predicted(prepared(tmp_path, pooling="last"), "1")
