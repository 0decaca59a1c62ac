"""The scikit-learn transformer: its vectors equal the workflow's, for one layer choice or all."""

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
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_is_fitted, validate_data
from tiny import tiny_bert

import wsd
from wsd.artifacts.feature_set import read_features
from wsd.corpora.find_word import Sentence
from wsd.encoder import embed
from wsd.encoder.encoder import Encoder
from wsd.errors import ConfigError
from wsd.inference import encoders, focal_embedder
from wsd.inference.focal_embedder import FocalEmbedder
from wsd.inference.sentences import labelled, quickstart

TINY = "tiny-bert"
CRANE = quickstart("crane")
X, Y = labelled(CRANE, "test")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a folder with a model."""
    return tiny_bert(tmp_path_factory.mktemp("root") / TINY).parent


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

    def _read(self, X: Any) -> list[Sentence]:
        rows = [tuple(f"n{round(10 * value)}" for value in row[:4]) for row in X.astype(float)]
        return [Sentence(len(row), (*row, "crane")) for row in rows]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        tags.input_tags.string = False
        return tags


@parametrize_with_checks(
    [OfNumbers(f"path:{TINY}", "mean-last-2", device="cpu")],
    # It asks for 1e-7; the products of a batch of another shape round otherwise in float32.
    expected_failed_checks=lambda _: {"check_methods_subset_invariance": "rounding of batches"},
)
def test_scikit_learns_own_checks(
    estimator: Any, check: Any, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    check(estimator)


PROMPT = {"template": "{sentence} of {word}", "read": "last"}


@pytest.mark.parametrize(
    ("view", "layers", "input"),
    [
        ("focal", "mean-last-2", "plain"),
        ("context", "concat-0-2", "plain"),
        ("sentence", "0", "plain"),
        ("focal+cls", "-1+mean-all", "plain"),
        ("focal", "2", "echo"),
        ("focal", "2", PROMPT),
    ],
)
def test_the_vectors_are_the_workflows(
    root: Path, tmp_path: Path, view: str, layers: str, input: Any
) -> None:
    record = encoders.find_model(encoders.source_named(root / TINY))
    word = embed.Word(CRANE, tmp_path / "crane", plain(*view.split("+")))
    embed.embed([word], record, embed.Options(device="cpu", input=input))
    _, stored, _ = read_features(tmp_path, CRANE, view, layers)
    made = clone(FocalEmbedder(root / TINY, layers, view, input=input, device="cpu"))
    expected = stored[CRANE.split == "test"]
    assert_allclose(made.fit_transform(X), expected, rtol=1e-4, atol=1e-5)


def test_a_pipeline_cross_validates_and_searches_layers(embedder: FocalEmbedder) -> None:
    X, y = labelled(CRANE, "train")
    pipeline = make_pipeline(embedder, wsd.NearestCentroid())
    # Nothing is learned from sentences: stored vectors with the same folds give the same scores.
    ready = cross_val_predict(wsd.NearestCentroid(), embedder.fit_transform(X), y, cv=2)
    assert (cross_val_predict(pipeline, X, y, cv=2) == ready).all()
    embedder.set_output(transform="pandas")
    space = {"focalembedder__layers": ["0", "all"]}
    search = GridSearchCV(pipeline, space, cv=2, error_score="raise").fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_all_layers_are_the_single_layers(embedder: FocalEmbedder) -> None:
    embedder.set_params(layers="all")
    vectors = embedder.fit_transform(X)
    assert vectors.shape == (len(X), 3, 32) and vectors.dtype == np.float32
    for layer in range(3):
        single = clone(embedder).set_params(layers=layer).fit_transform(X)
        assert_array_equal(vectors[:, layer], single)
    names = embedder.get_feature_names_out()
    assert names[[0, 32, 95]].tolist() == ["focal_0_0", "focal_1_0", "focal_2_31"]
    frame = clone(embedder).set_output(transform="pandas").fit_transform(iter(X))
    assert_array_equal(frame, vectors.reshape(len(X), -1))
    assert list(frame.columns) == list(names)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        *(({name: value}, f"{name} '?{value}") for name, value in (
            ("view", None), ("device", "mps"), ("threads", -1), ("pooling", "max"),
            ("input", "twice"))),
        ({"layers": 9}, "layer choice '9'"),
        ({"view": "focal+cls", "layers": "all"}, "layers 'all' of several views"),
        ({"layers": "mix-all"}, "there is no such layer choice"),
        ({"model": "bert"}, "no model 'bert'"),
        ({}, "X is empty"),
    ],
)  # fmt: skip
def test_fit_reports_invalid_parameters(
    embedder: FocalEmbedder, changes: dict[str, Any], says: str
) -> None:
    with pytest.raises(ConfigError, match=says):
        embedder.set_params(**changes).fit(X if changes else [])


def test_a_vector_does_not_depend_on_what_else_is_embedded(embedder: FocalEmbedder) -> None:
    together = embedder.fit_transform(X)
    order = np.random.default_rng(0).permutation(len(X))[:9]
    for rows in (order, order[:1]):
        some = embedder.transform([X[i] for i in rows])
        assert_allclose(some, together[rows], rtol=1e-4, atol=1e-5)


def test_the_package_is_light_and_has_every_public_name() -> None:
    probe = "import sys, wsd; wsd.WsdError; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True).stdout
    assert not {"numpy", "sklearn", "torch", "transformers", "pandas"} & {*loaded.split()}
    assert [name for name in loaded.split() if name.startswith("wsd.")] == ["wsd.errors"]
    assert set(wsd.__all__) <= set(dir(wsd))
    for name in wsd.__all__:
        assert getattr(wsd, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = wsd.nothing


def test_a_call_leaves_the_settings_of_the_libraries(
    embedder: FocalEmbedder,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    logging, constants = transformers.logging, huggingface_hub.constants
    threads = torch.get_num_threads()
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    torch.set_num_threads(3)
    logging.enable_progress_bar()
    try:
        model = tiny_bert(tmp_path / "other", blocks=1)  # not in memory
        embedder.set_params(model=model, layers="0").fit_transform(X)
        assert torch.get_num_threads() == 3 and logging.is_progress_bar_enabled()
        assert not constants.HF_HUB_OFFLINE
    finally:
        torch.set_num_threads(threads)
    assert f"{len(X)}/{len(X)}" not in capsys.readouterr().err
    embedder.set_params(progress=True).transform(X)
    assert f"{len(X)}/{len(X)}" in capsys.readouterr().err


# Memory


def test_an_array_that_does_not_fit_is_refused_before_it_is_made(
    embedder: FocalEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder.set_params(layers="all").fit(X)
    needed = 4 * len(X) * 3 * 32
    monkeypatch.setattr(focal_embedder, "available_memory", lambda: needed)
    embedder.transform(X)
    monkeypatch.setattr(focal_embedder, "available_memory", lambda: needed - 1)
    monkeypatch.setattr(Encoder, "encode", None)
    with pytest.raises(ConfigError, match="GB of memory are free"):
        embedder.transform(X)
