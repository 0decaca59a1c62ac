"""Models by a short name."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from checkout import REPOSITORY
from tiny import tiny_bert

from wsd.errors import ConfigError, ModelError, WsdError
from wsd.inference import encoders
from wsd.inference.encoders import ModelSource, find_model


@pytest.mark.parametrize("file", ["config.yaml", "minilm.yaml"])
def test_the_known_models_match_the_configs(file: str) -> None:
    (entry,) = yaml.safe_load((REPOSITORY / "config" / file).read_text())["models"]
    source = encoders.known_sources()[entry["name"]]
    assert entry["sha256"] == source.sha256
    assert {key: entry[key] for key in ("hub", "revision", "package") if key in entry} == (
        source.where
    )


def test_the_default_is_the_packaged_model_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for there, name in ((object(), "all-MiniLM-L6-v2"), (None, "bert-base-uncased")):
        monkeypatch.setattr(encoders, "find_spec", lambda package, there=there: there)
        assert encoders.source_named().name == name


@pytest.mark.parametrize(
    ("model", "where"),
    [
        ("hub:a/b@c", {"hub": "a/b", "revision": "c"}),
        ("package:gt_x", {"package": "gt_x"}),
        ("path:/m/bert", {"path": "/m/bert"}),
        (Path("/m/bert"), {"path": "/m/bert"}),
    ],
)
def test_sources(model, where) -> None:
    assert encoders.source_named(model).where == where


@pytest.mark.parametrize("model", ["bert", "hub:a/b", "path:", "zip:x", "", 3])
def test_no_source(model: Any) -> None:
    with pytest.raises(ConfigError, match="is known"):
        encoders.source_named(model)


def test_blocks_and_width_are_the_models_own_and_a_changed_file_is_refused(tmp_path: Path) -> None:
    folder = tiny_bert(tmp_path / "tiny", blocks=3)
    record = encoders.find_model(encoders.source_named(folder))
    assert (record["blocks"], record["width"]) == (3, 32)
    loaded = encoders.load_encoder(record, device="cpu")
    assert encoders.load_encoder(record, device="cpu") is loaded
    assert encoders.load_encoder(record, input="plain", pooling="mean", device="cpu") is loaded
    with (folder / "model.safetensors").open("ab") as file:
        file.write(b" ")
    with pytest.raises(ModelError, match="expected SHA-256"):
        encoders.load_encoder(record, pooling="last", device="cpu")


@pytest.mark.parametrize(
    "where",
    [
        {"path": "nowhere"},
        {"package": "no_such_package"},
        {"package": "json"},
        {"hub": "owner/name", "revision": "main"},
    ],
)
def test_errors_of_a_source_do_not_mention_a_config(where: dict[str, str]) -> None:
    """A command and the library have none: what is named is a key and an argument alike."""
    with pytest.raises(WsdError) as error:
        find_model(ModelSource("mine", where))
    assert "config," not in str(error.value) and "the config" not in str(error.value)
