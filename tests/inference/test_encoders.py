"""Models by a short name, and the encoder that words were fitted with."""

import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml
from checkout import REPOSITORY
from tiny import tiny_bert

from wsd.encoder import model_files
from wsd.errors import ConfigError, ModelError
from wsd.inference import encoders
from wsd.inference.encoders import find_model, fitted_encoder, source_named


@pytest.mark.parametrize("file", ["config.yaml", "minilm.yaml"])
def test_the_known_models_match_the_configs(file: str) -> None:
    (entry,) = yaml.safe_load((REPOSITORY / "config" / file).read_text())["models"]
    source = encoders.known_sources()[entry["name"]]
    assert entry["sha256"] == source.sha256
    where = {key: entry[key] for key in ("hub", "revision", "package") if key in entry}
    assert where == source.where


def test_the_default_is_the_packaged_model_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for there, name in ((find_spec("json"), "all-MiniLM-L6-v2"), (None, "bert-base-uncased")):
        monkeypatch.setattr(encoders, "find_spec", lambda package, there=there: there)
        assert source_named().name == name


def test_sources() -> None:
    for model, where in (
        ("hub:a/b@c", {"hub": "a/b", "revision": "c"}),
        ("package:gt_x", {"package": "gt_x"}),
        ("path:/m/bert", {"path": "/m/bert"}),
        (Path("/m/bert"), {"path": "/m/bert"}),
    ):
        assert source_named(model).where == where
    for wrong in ("bert", "hub:a/b", "path:", "zip:x", "", 3):
        with pytest.raises(ConfigError, match="is known"):
            source_named(wrong)  # type: ignore[arg-type]


def test_an_encoder_is_loaded_once_and_a_changed_file_is_refused(tmp_path: Path) -> None:
    folder = tiny_bert(tmp_path / "tiny", blocks=3)
    record = find_model(source_named(folder))
    assert (record["blocks"], record["width"]) == (3, 32)
    loaded = encoders.load_encoder(record, device="cpu")
    assert encoders.load_encoder(record, input="plain", pooling="mean", device="cpu") is loaded
    with (folder / "model.safetensors").open("ab") as file:
        file.write(b" ")
    with pytest.raises(ModelError, match="expected SHA-256"):
        encoders.load_encoder(record, pooling="last", device="cpu")


@pytest.fixture
def fitted(tmp_path: Path) -> dict[str, Any]:
    record = find_model(source_named(tiny_bert(tmp_path / "tiny")))
    return {"model": record, "pooling": "mean", "input": "plain", "precision": "float32"}


def test_the_fitted_encoder_reads_as_it_did(fitted: dict[str, Any], tmp_path: Path) -> None:
    prompt = {"template": "{sentence} of {word}", "read": "last"}
    shutil.move(tmp_path / "tiny", tmp_path / "moved")
    with pytest.raises(ModelError, match="there is no folder") as error:
        fitted_encoder(fitted, device="cpu")
    assert "--encoder" in str(error.value)
    asked = {**fitted, "input": prompt, "pooling": "first", "precision": "bfloat16"}
    encoder = fitted_encoder(asked, tmp_path / "moved", device="cpu")
    assert (encoder.aligner.input.value, encoder.pooling) == (prompt, "first")
    assert "bfloat16" in str(encoder.model.dtype)


def test_another_encoder_is_refused_and_stays_where_it_is(
    fitted: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ModelError, match=r"config\.json of model tiny: expected SHA-256"):
        fitted_encoder(fitted, tiny_bert(tmp_path / "other", blocks=3))
    weights = tmp_path / "tiny/model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"x")
    # A model file may come from a stranger: it removes nothing from the cache.
    hub = {**fitted["model"], "source": {"hub": "a/b", "revision": "0" * 40}}
    monkeypatch.setattr(model_files, "cached", lambda *_: tmp_path / "tiny")
    for model in (fitted["model"], hub):
        with pytest.raises(ModelError, match=r"model\.safetensors of model tiny: expected SHA-256"):
            fitted_encoder({**fitted, "model": model})
    assert weights.exists()
    with pytest.raises(ConfigError, match="random weights"):
        fitted_encoder({**fitted, "model": {**fitted["model"], "random_weights": 0}})
