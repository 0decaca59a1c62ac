"""Every layer in one call, frames, batches and a progress bar of the scikit-learn transformer."""

import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
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


def test_a_frame_of_all_layers_has_layer_and_dimension(
    embedder: FocalEmbedder, X: Instances
) -> None:
    vectors = embedder.fit_transform(X)
    frame = embedder.set_params(output="frame").transform(X)
    assert frame.columns.names == ["layer", "dimension"] and frame.shape == (len(X), 96)
    for layer in range(3):
        assert_array_equal(frame[layer].to_numpy(), vectors[:, layer])
    single = embedder.set_params(layers="mean-last-2").fit_transform(X)
    assert list(single.columns) == list(embedder.get_feature_names_out())
    assert single.dtypes.unique().tolist() == [np.float32]


def test_a_frame_keeps_the_index_of_a_frame(embedder: FocalEmbedder) -> None:
    X = pd.DataFrame(
        {"sentence": ["a crane flew", "cranes came"], "word": "crane"}, index=["b", "b"]
    )
    frame = embedder.set_params(output="frame").fit_transform(X)
    assert frame.index.tolist() == ["b", "b"]
    assert_array_equal(frame, embedder.transform(list(X.itertuples(index=False, name=None))))


@pytest.mark.parametrize("output", ["array", "frame"])
def test_set_output_of_scikit_learn_comes_first(
    embedder: FocalEmbedder, X: Instances, output: str
) -> None:
    flat = embedder.fit_transform(X).reshape(len(X), -1)
    embedder.set_params(output=output)
    with config_context(transform_output="pandas"):
        frame = embedder.transform(X)
    assert list(frame.columns) == list(embedder.get_feature_names_out())
    assert_array_equal(frame.to_numpy(), flat)
    again = clone(embedder.set_output(transform="pandas")).fit_transform(X)
    pd.testing.assert_frame_equal(again, frame)


def test_all_layers_work_in_pipelines_and_searches(
    embedder: FocalEmbedder, X: Instances, y: np.ndarray
) -> None:
    pipeline = make_pipeline(embedder.set_params(output="frame"), wsd.NearestCentroid())
    assert len(cross_val_score(pipeline, X, y, cv=2, error_score="raise")) == 2
    space = {"focalembedder__layers": ["0", "all"], "focalembedder__output": ["frame"]}
    search = GridSearchCV(pipeline, space, cv=2, error_score="raise").fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"output": "table"}, "output 'table'"),
        ({"view": "focal+cls"}, "layers 'all' of several views"),
    ],
)
def test_invalid_parameters(embedder: FocalEmbedder, X: Instances, changes: Any, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        embedder.set_params(**changes).fit(X)


# Batches


def test_batches_join_to_the_whole(embedder: FocalEmbedder, X: Instances) -> None:
    vectors = embedder.fit_transform(X)
    batches = list(embedder.transform_batches(iter(X), batch_size=7))
    assert [len(batch) for batch in batches[:-1]] == [7] * (len(X) // 7)
    assert_allclose(np.concatenate(batches), vectors, rtol=1e-4, atol=1e-5)
    frame = pd.DataFrame(X, columns=["sentence", "span"], index=range(100, 100 + len(X)))
    embedder.set_params(output="frame")
    joined = pd.concat(embedder.transform_batches(frame, batch_size=7))
    assert joined.index.equals(frame.index)
    assert_allclose(joined, vectors.reshape(len(X), -1), rtol=1e-4, atol=1e-5)


def test_batches_of_tables(embedder: FocalEmbedder, X: Instances, tmp_path: Path) -> None:
    rows = [{"id": 7, "sentence": text, "start": a, "end": b} for text, (a, b) in X[:9]]
    pd.DataFrame(rows).to_csv(tmp_path / "x.csv", index=False)
    expected = embedder.fit_transform(X[:9])
    for table in (rows, iter(rows), pd.DataFrame(rows), str(tmp_path / "x.csv")):
        batches = list(embedder.transform_batches(table, batch_size=4))
        assert [len(batch) for batch in batches] == [4, 4, 1]
        assert_allclose(np.concatenate(batches), expected, rtol=1e-4, atol=1e-5)


def test_one_batch_is_held_at_a_time(embedder: FocalEmbedder, X: Instances) -> None:
    read, held = [], []

    def instances() -> Iterator[Any]:
        for entry in X[:12]:
            read.append(entry)
            yield entry

    batches = embedder.fit(X[:1]).transform_batches(instances(), batch_size=4)
    assert not read
    for number in (1, 2, 3):
        held.append(weakref.ref(next(batches)))
        assert len(read) == 4 * number
        assert all(reference() is None for reference in held)
    assert next(batches, None) is None


def test_a_wrong_instance_of_a_batch_is_found(embedder: FocalEmbedder) -> None:
    X = [("a crane flew", "crane")] * 5 + [("a bird flew", "crane")]
    batches = embedder.fit(X[:1]).transform_batches(X, batch_size=4)
    next(batches)
    with pytest.raises(ConfigError, match="batch from instance 4: instance 1: no form of 'crane'"):
        next(batches)
    with pytest.raises(ConfigError, match="batch_size 0"):
        embedder.transform_batches(X, batch_size=0)


@pytest.mark.parametrize("layers", ["all", "2"])
def test_a_progress_bar_is_shown_if_asked_for(
    embedder: FocalEmbedder, X: Instances, layers: str, capsys: pytest.CaptureFixture[str]
) -> None:
    embedder.set_params(layers=layers).fit(X).transform(X)
    assert not capsys.readouterr().err
    embedder.set_params(progress=True).transform(X)
    assert f"{len(X)}/{len(X)}" in capsys.readouterr().err
    list(embedder.transform_batches(X, batch_size=10))
    (bar,) = capsys.readouterr().err.splitlines()[-1:]
    assert f"{len(X)}/{len(X)}" in bar


# Memory


def test_an_array_that_does_not_fit_is_refused_before_it_is_made(
    embedder: FocalEmbedder, X: Instances, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder.fit(X)
    needed = 4 * len(X) * 3 * 32
    monkeypatch.setattr(focal_embedder, "available_memory", lambda: needed - 1)
    with monkeypatch.context() as patched:
        patched.setattr(Encoder, "encode", None)
        with pytest.raises(ConfigError, match=r"GB of memory are free\n.*transform_batches"):
            embedder.transform(X)
    assert sum(map(len, embedder.transform_batches(X, batch_size=5))) == len(X)
    monkeypatch.setattr(focal_embedder, "available_memory", lambda: needed)
    embedder.transform(X)
    # A mean of two layers holds both, and the result.
    mean = clone(embedder).set_params(layers="mean-last-2").fit(X)
    monkeypatch.setattr(focal_embedder, "available_memory", lambda: needed - 1)
    with pytest.raises(ConfigError, match="of memory are free"):
        mean.transform(X)


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
