"""Every layer in one call, frames and a progress bar of the scikit-learn transformer."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from tiny import tiny_bert

import wsd
from wsd.encoder.encoder import Encoder
from wsd.errors import ConfigError
from wsd.inference import focal_embedder
from wsd.inference.focal_embedder import FocalEmbedder
from wsd.inference.sentences import Span, labelled, quickstart

Instances = list[tuple[str, Span]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model") / "tiny-bert"
    tiny_bert(folder)
    return folder


@pytest.fixture
def embedder(folder: Path) -> FocalEmbedder:
    return FocalEmbedder(folder, "all", device="cpu")


@pytest.fixture(scope="module")
def X() -> Instances:
    return labelled(quickstart("crane"), "test")[0]


@pytest.fixture(scope="module")
def y() -> np.ndarray:
    return labelled(quickstart("crane"), "test")[1]


def test_all_layers_are_the_single_layers_from_one_pass(
    embedder: FocalEmbedder, X: Instances, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes = []
    encode = Encoder.encode

    def counted(*arguments: Any, **options: Any) -> Iterator[Any]:
        passes.append(options["views"])
        return encode(*arguments, **options)

    monkeypatch.setattr(Encoder, "encode", counted)
    embedder.fit(X)
    passes.clear()
    vectors = embedder.transform(X)
    assert passes == [["focal"]]
    assert vectors.shape == (len(X), 3, 32) and vectors.dtype == np.float32
    for layer in range(3):
        single = clone(embedder).set_params(layers=layer).fit_transform(X)
        assert_array_equal(vectors[:, layer], single)
    assert embedder.layers_ == "all"
    assert embedder.get_feature_names_out()[[0, 32, 95]].tolist() == [
        "focal_0_0", "focal_1_0", "focal_2_31",
    ]  # fmt: skip


def test_set_output_of_scikit_learn_gives_frames(embedder: FocalEmbedder, X: Instances) -> None:
    flat = embedder.fit_transform(X).reshape(len(X), -1)
    with config_context(transform_output="pandas"):
        frame = embedder.transform(X)
    assert list(frame.columns) == list(embedder.get_feature_names_out())
    assert_array_equal(frame.to_numpy(), flat)
    again = clone(embedder.set_output(transform="pandas")).fit_transform(X)
    pd.testing.assert_frame_equal(again, frame)
    table = pd.DataFrame({"sentence": ["a crane flew"], "word": "crane"}, index=["b"])
    assert embedder.transform(table).index.tolist() == ["b"]


def test_all_layers_work_in_pipelines_and_searches(
    embedder: FocalEmbedder, X: Instances, y: np.ndarray
) -> None:
    embedder.set_output(transform="pandas")
    pipeline = make_pipeline(embedder, wsd.NearestCentroid())
    assert len(cross_val_score(pipeline, X, y, cv=2, error_score="raise")) == 2
    space = {"focalembedder__layers": ["0", "all"]}
    search = GridSearchCV(pipeline, space, cv=2, error_score="raise").fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_all_layers_are_of_one_view(embedder: FocalEmbedder, X: Instances) -> None:
    with pytest.raises(ConfigError, match="layers 'all' of several views"):
        embedder.set_params(view="focal+cls").fit(X)


@pytest.mark.parametrize("layers", ["all", "2"])
def test_a_progress_bar_is_shown_if_asked_for(
    embedder: FocalEmbedder, X: Instances, layers: str, capsys: pytest.CaptureFixture[str]
) -> None:
    embedder.set_params(layers=layers).fit(X).transform(X)
    assert not capsys.readouterr().err
    embedder.set_params(progress=True).transform(X)
    assert f"{len(X)}/{len(X)}" in capsys.readouterr().err


# Memory


def test_an_array_that_does_not_fit_is_refused_before_it_is_made(
    embedder: FocalEmbedder, X: Instances, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder.fit(X)
    needed = 4 * len(X) * 3 * 32
    monkeypatch.setattr(focal_embedder, "available_memory", lambda: needed - 1)
    with monkeypatch.context() as patched:
        patched.setattr(Encoder, "encode", None)
        with pytest.raises(ConfigError, match="GB of memory are free"):
            embedder.transform(X)
    monkeypatch.setattr(focal_embedder, "available_memory", lambda: needed)
    embedder.transform(X)


def test_the_limit_of_a_container_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(focal_embedder, "CGROUP", tmp_path)
    unlimited = focal_embedder.available_memory()
    assert unlimited > 0
    files = {"max": "3000", "current": "2500", "stat": "anon 1\nfile 400\n"}
    for name, text in files.items():
        (tmp_path / f"memory.{name}").write_text(text)
    assert focal_embedder.available_memory() == 900
    (tmp_path / "memory.max").write_text("max\n")
    assert focal_embedder.available_memory() > 10**6
