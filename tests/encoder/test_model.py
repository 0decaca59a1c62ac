"""The record of a model, from a folder or a package: what it covers, and what is refused."""

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from log_state import logs_as_before

from wsd.cli import main
from wsd.encoder.model import resolve
from wsd.encoder.model_files import verify
from wsd.errors import ConfigError, ModelError
from wsd.storage.checksums import sha256

WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"


@pytest.fixture
def fake(tmp_path: Path) -> Path:
    """Write a complete folder with meaningless weights."""
    folder = tmp_path / "fake model"
    folder.mkdir()
    shape = {"model_type": "bert", "num_hidden_layers": 2, "hidden_size": 32}
    (folder / "config.json").write_text(json.dumps(shape))
    (folder / WEIGHTS).write_bytes(b"weights")
    (folder / "vocab.txt").write_text("[PAD]\n")
    (folder / "tokenizer_config.json").write_text("{}")
    for other in ("README.md", "pytorch_model.bin"):
        (folder / other).write_text("not part of the model")
    return folder


def resolve_path(folder: Path, **changes: Any) -> dict[str, Any]:
    return resolve("fake", **{"path": str(folder), "sha256": {}} | changes)


def test_the_record_of_a_folder(fake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    used = ["config.json", WEIGHTS, "tokenizer_config.json", "vocab.txt"]
    shape = {"blocks": 2, "width": 32}
    record = resolve_path(fake, sha256={WEIGHTS: sha256(fake / WEIGHTS).upper()}, **shape)
    files = {file: sha256(fake / file) for file in used}
    about = {"name": "fake", "files": files, **shape, "model_type": "bert"}
    assert record == {**about, "source": {"path": str(fake)}, "folder": str(fake)}
    assert json.loads(json.dumps(record)) == record == resolve_path(fake)
    assert verify(record) == fake
    further = {"random_weights": 0, "finetuned_from": "base"}
    assert resolve_path(fake, **further) == {**record, **further}
    assert resolve_path(fake, random_weights=None) == record  # results stay cached
    monkeypatch.chdir(fake.parent)
    # The command writes the record without the folder on this machine.
    asked = ["model", "--name", "fake", "--path", "fake model", "--out", "fake.json"]
    with logs_as_before():
        assert main([*asked, "--blocks", "2", "--width", "32", "--random-weights", "0"]) == 0
    expected = {**about, "source": {"path": "fake model"}, "random_weights": 0}
    assert json.loads(Path("fake.json").read_text()) == expected


def test_weights_in_parts(fake: Path) -> None:
    (fake / WEIGHTS).unlink()
    parts = [f"model-0000{i}-of-00002.safetensors" for i in (1, 2)]
    for part in parts:
        (fake / part).write_bytes(part.encode())
    index = {"weight_map": dict(zip("abc", [*parts, parts[0]], strict=True))}
    (fake / INDEX).write_text(json.dumps(index))
    assert set(resolve_path(fake)["files"]) >= {INDEX, *parts}
    (fake / parts[1]).unlink()
    with pytest.raises(ModelError, match="no whole model fake here"):
        resolve_path(fake)


@pytest.mark.parametrize("weights", [[], {}, {"a": "../model.bin"}, {"a": "part.bin"}, None])
def test_without_whole_weights_there_is_no_model(fake: Path, weights: Any) -> None:
    (fake / WEIGHTS).rename(fake.parent / "model.bin")
    (fake / "part.bin").write_bytes(b"pickle")
    if weights is None:
        os.mkfifo(fake / WEIGHTS)  # no end
    else:
        (fake / INDEX).write_text(json.dumps({"weight_map": weights}))
    with pytest.raises(ModelError, match="no whole model") as caught:
        resolve_path(fake)
    assert caught.value.where == str(fake) and "pickled" in str(caught.value.fix)


@pytest.mark.parametrize("file", ["config.json", "tokenizer_config.json", "adapter_config.json"])
@pytest.mark.parametrize("key", ["transformers_weights", "fast_tokenizer_files"])
def test_files_that_no_checksum_covers_are_refused(fake: Path, file: str, key: str) -> None:
    content = json.loads((fake / file).read_text()) if (fake / file).exists() else {}
    (fake / file).write_text(json.dumps({**content, key: "other"}))
    with pytest.raises(ModelError, match="no checksum covers"):
        resolve_path(fake)


@pytest.mark.parametrize(
    "shape",
    [
        {"n_layer": 3, "n_embed": 8},  # BLOOM
        {"n_layers": 3, "dim": 8},
        {"num_layers": 3, "num_decoder_layers": 5, "d_model": 8},
        # If both names exist, the encoder's counts: the general one may be a sum.
        {"encoder_layers": 3, "num_hidden_layers": 8, "hidden_size": 8},
        {"num_encoder_layers": 3, "num_hidden_layers": 8, "hidden_size": 8},
    ],
)
def test_the_shape_has_several_names_and_is_that_of_the_config(
    fake: Path, shape: dict[str, int]
) -> None:
    (fake / "config.json").write_text(json.dumps({"model_type": "other", **shape}))
    record = resolve_path(fake, blocks=3, width=8)
    assert (record["blocks"], record["width"], record["model_type"]) == (3, 8, "other")
    with pytest.raises(ConfigError, match="`blocks` is 5, but model fake has 3"):
        resolve_path(fake, blocks=5)
    for config in ({"text_config": shape}, [shape]):  # text and images
        (fake / "config.json").write_text(json.dumps(config))
        with pytest.raises(ModelError):
            resolve_path(fake)


@pytest.mark.parametrize(
    ("entry", "error", "problem"),
    [
        ({}, ConfigError, "one source"),
        ({"path": "a", "package": "b"}, ConfigError, "one source"),
        *(({"path": path}, ModelError, "there is no folder")
          for path in ("nowhere", "x" * 300, "~nobody-of-this-name/model")),
        *(({"hub": "a/b", "revision": revision}, ConfigError, "not a full commit")
          for revision in (None, "main", "A" * 40, "0" * 41)),
        ({"package": "no_such_carrier"}, ModelError, "is not installed"),
        ({"package": "this"}, ModelError, "with a model, not 0"),
        # A dotted name would import the parent.
        ({"package": "tiny_carrier.files"}, ConfigError, "not the import name"),
    ],
)  # fmt: skip
def test_a_source_that_is_none(entry: dict[str, Any], error: type[Exception], problem: str) -> None:
    with pytest.raises(error, match=problem):
        resolve("fake", sha256={}, **entry)


# A record, later


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda f: (f / WEIGHTS).write_bytes(b"others"), rf"{WEIGHTS} .* expected SHA-256"),
        (lambda f: (f / "tokenizer_config.json").unlink(), "found None"),
        (lambda f: (f / "tokenizer.json").write_text("{}"), r"tokenizer\.json .* not in its rec"),
    ],
)
def test_verify_sees_a_change_a_loss_and_an_addition(
    fake: Path, change: Callable[[Path], Any], problem: str
) -> None:
    """Of a random control too, whose own weights are not used."""
    records = [resolve_path(fake, random_weights=seed) for seed in (None, 0)]
    change(fake)
    for record in records:
        with pytest.raises(ModelError, match=problem):
            verify(record)


def test_a_checksum_of_the_config_that_does_not_fit(fake: Path) -> None:
    with pytest.raises(ModelError) as caught:
        resolve_path(fake, sha256={WEIGHTS: "0" * 64})
    assert "0" * 64 in caught.value.problem and sha256(fake / WEIGHTS) in caught.value.problem
    with pytest.raises(ModelError, match=r"merges\.txt of model fake: .* found None"):
        resolve_path(fake, sha256={"merges.txt": "0" * 64})


# An installed package


def test_a_package_is_found_without_being_imported(
    fake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, about = (tmp_path / "site" / f"tiny_carrier{end}" for end in ("", "-1.2.dist-info"))
    shutil.copytree(fake, package / "files/model")
    (package / "__init__.py").write_text("raise RuntimeError('was imported')")
    (package / "config.json").write_text("{}")
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny-carrier\nVersion: 1.2\n")
    (about / "top_level.txt").write_text("tiny_carrier\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    record = resolve("fake", package="tiny_carrier", sha256={})
    assert record["source"] == {"package": "tiny_carrier", "version": "1.2"}
    assert record["folder"] == str(package / "files/model") and WEIGHTS in record["files"]
    assert "tiny_carrier" not in sys.modules
    shutil.copytree(package / "files/model", package / "second")
    with pytest.raises(ModelError, match="one folder with a model, not 2"):
        verify(record)
