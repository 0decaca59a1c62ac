"""The scikit-learn transformer; its vectors equal the workflow's."""

import copy
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import huggingface_hub
import numpy as np
import pytest
import torch
import transformers
from builders import plain
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_is_fitted, validate_data
from tiny import tiny_bert

import wsd
from wsd.artifacts import feature_set
from wsd.encoder import embed
from wsd.errors import ConfigError
from wsd.inference import encoders
from wsd.inference.focal_embedder import FocalEmbedder
from wsd.inference.sentences import Focus, labelled, quickstart

TINY = "tiny-bert"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a folder with a model."""
    folder = tmp_path_factory.mktemp("root")
    tiny_bert(folder / TINY)
    return folder


@pytest.fixture
def embedder(root: Path) -> FocalEmbedder:
    return FocalEmbedder(f"path:{root / TINY}", "mean-last-2", device="cpu")


# scikit-learn's checks feed matrices of numbers, which is no input here, and skip an estimator that
# says so. Through this one they get at all the rest: state, parameters, order, copies.
class OfNumbers(FocalEmbedder):
    def fit(self, X: Any, y: Any = None) -> "OfNumbers":
        return super().fit(validate_data(self, X))

    def transform(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return super().transform(validate_data(self, X, reset=False))

    def _read(self, X: Any) -> list[Focus]:
        rows = [tuple(f"n{round(10 * value)}" for value in row[:4]) for row in X.astype(float)]
        return [Focus((*row, "crane"), len(row)) for row in rows]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        tags.input_tags.string = False
        return tags


EXPECTED_FAILURES = {
    "check_methods_subset_invariance": "asks for 1e-7; the products of a batch of another shape "
    "round otherwise in float32. test_a_vector_does_not_depend_on_what_else_is_embedded has 1e-5",
}


@parametrize_with_checks(
    [
        OfNumbers(f"path:{TINY}", "mean-last-2", device="cpu"),
        OfNumbers(f"path:{TINY}", "all", device="cpu"),
    ],
    expected_failed_checks=lambda _: EXPECTED_FAILURES,
)
def test_scikit_learns_own_checks(estimator, check, root, monkeypatch) -> None:
    monkeypatch.chdir(root)
    check(estimator)


@pytest.mark.parametrize(
    ("view", "layers"),
    [
        ("focal", "1"),
        ("focal", "mean-last-2"),
        ("context", "concat-0-2"),
        ("sentence", "0"),
        ("focal+cls", "-1+mean-all"),
    ],
)
def test_the_vectors_are_the_workflows(root, tmp_path, view, layers) -> None:
    corpus = quickstart("crane")
    record = encoders.find_model(encoders.source_named(root / TINY))
    embed.embed(
        [embed.Word(corpus, tmp_path / "crane", plain(*view.split("+")))], record,
        embed.Options(device="cpu"),
    )  # fmt: skip
    _, stored, _ = feature_set.read_features(tmp_path, corpus, view, layers)
    X, _ = labelled(corpus, "test")
    made = FocalEmbedder(root / TINY, layers, view, device="cpu").fit_transform(X)
    np.testing.assert_allclose(made, stored[corpus.split == "test"], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("input", ["echo", {"template": "{sentence} of {word}", "read": "last"}])
def test_an_input_is_read_as_in_the_workflow(root, tmp_path, input) -> None:
    corpus = quickstart("crane")
    record = encoders.find_model(encoders.source_named(root / TINY))
    embed.embed(
        [embed.Word(corpus, tmp_path / "crane", plain("focal"))], record,
        embed.Options(device="cpu", input=input),
    )  # fmt: skip
    _, stored, _ = feature_set.read_features(tmp_path, corpus, "focal", "2")
    X, _ = labelled(corpus, "test")
    embedder = FocalEmbedder(root / TINY, 2, input=input, device="cpu")
    np.testing.assert_allclose(
        clone(embedder).fit_transform(X), stored[corpus.split == "test"], rtol=1e-4, atol=1e-5
    )


def test_a_pipeline_cross_validates_and_searches_layers(embedder: FocalEmbedder) -> None:
    X, y = labelled(quickstart("crane"), "train")
    pipeline = make_pipeline(embedder, wsd.NearestCentroid())
    scores = cross_val_score(pipeline, X, y, cv=3, error_score="raise")
    assert len(scores) == 3
    # Nothing is learned from sentences: stored vectors with the same folds give the same scores.
    ready = cross_val_predict(wsd.NearestCentroid(), embedder.fit_transform(X), y, cv=3)
    assert (cross_val_predict(pipeline, X, y, cv=3) == ready).all()
    search = GridSearchCV(pipeline, {"focalembedder__layers": ["0", "mean-last-2"]}, cv=2)
    assert set(search.fit(X, y).cv_results_["param_focalembedder__layers"]) == {"0", "mean-last-2"}


def test_names_copies_and_frames(embedder: FocalEmbedder) -> None:
    X = [("a crane flew", "crane"), ("the bank of the river", (4, 8))]
    vectors = embedder.fit(X).transform(X)
    assert vectors.shape == (2, 32) and vectors.dtype == np.float32
    # Two layers of two blocks are all layers.
    assert embedder.layers_ == "mean-all"
    assert embedder.get_feature_names_out()[[0, 31]].tolist() == [
        "focal_mean-all_0", "focal_mean-all_31",
    ]  # fmt: skip
    # Use the protocol that copies objects to other processes.
    again = copy.deepcopy(embedder)
    encoders._load.cache_clear()
    np.testing.assert_array_equal(again.transform(X), vectors)
    assert not hasattr(clone(embedder), "record_")
    frame = embedder.set_output(transform="pandas").transform(X)
    assert list(frame.columns) == list(embedder.get_feature_names_out())


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"view": "static"}, "view 'static'"),
        ({"view": "all"}, "view 'all'"),
        ({"view": None}, "view 'None'"),
        ({"layers": "mix-all"}, "there is no such layer choice"),
        ({"layers": 9}, r"with op mean, sum, concat$"),
        ({"device": "mps"}, "device 'mps'"),
        ({"threads": -1}, "threads -1"),
        ({"layers": "3"}, "layer choice '3'"),
        ({"pooling": "max"}, "pooling 'max'"),
        ({"model": "bert"}, "no model 'bert'"),
        ({"input": "twice"}, "no input 'twice'"),
        ({"input": {"template": "{word}"}}, "give text with {sentence}"),
    ],
)
def test_fit_reports_invalid_parameters(embedder: FocalEmbedder, changes, says) -> None:
    with pytest.raises(ConfigError, match=says):
        embedder.set_params(**changes).fit([("a crane flew", "crane")])


def test_a_vector_does_not_depend_on_what_else_is_embedded(embedder: FocalEmbedder) -> None:
    X, _ = labelled(quickstart("crane"), "test")
    together = embedder.fit_transform(X)
    order = np.random.default_rng(0).permutation(len(X))
    shuffled = embedder.transform([X[i] for i in order])
    np.testing.assert_allclose(shuffled, together[order], rtol=1e-4, atol=1e-5)
    alone = np.concatenate([embedder.transform([entry]) for entry in X[:5]])
    np.testing.assert_allclose(alone, together[:5], rtol=1e-4, atol=1e-5)


def test_an_iterator_is_read_once(embedder: FocalEmbedder) -> None:
    X, _ = labelled(quickstart("crane"), "test")
    np.testing.assert_array_equal(embedder.fit_transform(iter(X)), embedder.fit_transform(X))
    frame = embedder.set_output(transform="pandas").fit_transform(iter(X))
    assert frame.shape == (len(X), len(embedder.get_feature_names_out()))


def test_no_instances(embedder: FocalEmbedder) -> None:
    with pytest.raises(ConfigError, match="X is empty"):
        embedder.fit([])
    with pytest.raises(ConfigError, match="X is empty"):
        embedder.fit([("a crane flew", "crane")]).transform([])


def test_the_package_is_light_until_something_is_asked_of_it() -> None:
    probe = (
        "import sys, wsd; before = set(sys.modules); wsd.WsdError; "
        "print(sorted(m for m in sys.modules if m.partition('.')[0] in "
        "{'numpy', 'sklearn', 'torch', 'transformers', 'pandas'} or m.startswith('wsd.')))"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True)
    assert done.stdout.strip() == "['wsd.errors']", done.stderr


def test_every_public_name_is_there_and_no_other() -> None:
    assert set(wsd.__all__) <= set(dir(wsd))
    for name in wsd.__all__:
        assert getattr(wsd, name).__name__ == name
    assert {name for names in wsd._MODULES.values() for name in names} == set(wsd.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = wsd.nothing


def test_a_call_leaves_the_settings_of_the_libraries(embedder: FocalEmbedder) -> None:
    def settings() -> tuple[object, ...]:
        logging = transformers.logging
        hub = huggingface_hub.constants.HF_HUB_OFFLINE, os.environ.get("HF_HUB_OFFLINE")
        shown = logging.get_verbosity(), logging.is_progress_bar_enabled()
        return torch.get_num_threads(), *shown, *hub

    threads, verbosity = torch.get_num_threads(), transformers.logging.get_verbosity()
    torch.set_num_threads(3)
    transformers.logging.set_verbosity_info()
    transformers.logging.enable_progress_bar()
    try:
        before = settings()
        encoders._load.cache_clear()
        embedder.fit_transform([("a crane flew", "crane")])
        assert settings() == before
    finally:
        torch.set_num_threads(threads)
        transformers.logging.set_verbosity(verbosity)
