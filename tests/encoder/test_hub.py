"""Models from a local server that speaks the hub's protocol, with the real client."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from checkout import REPOSITORY
from hub_server import HubServer, hub_environment
from tiny import tiny_bert

from wsd.storage.checksums import sha256

REVISION = "0123456789abcdef0123456789abcdef01234567"
REPO = "owner/tiny"
CLOSED = "http://127.0.0.1:9"  # nothing listens at this port
# The client reads its settings once, so that each request gets a process of its own, by a fork.
WORKER = """
import json, os, sys
import filelock, huggingface_hub.errors, tqdm, yaml
from wsd.errors import WsdError
from wsd.encoder.model import resolve
from wsd.encoder.model_files import verify

for line in sys.stdin:
    asked = json.loads(line)
    if os.fork():
        os.wait()
        continue
    os.environ.clear()
    os.environ.update(asked["environment"])
    try:
        answer = resolve(**asked["entry"])
        assert str(verify(answer)) == answer["folder"]
    except WsdError as error:
        fields = {key: getattr(error, key) for key in ("problem", "where", "fix")}
        answer = {"error": type(error).__name__} | fields
    assert "torch" not in sys.modules
    print(json.dumps(answer), flush=True)
    os._exit(0)
"""


@pytest.fixture(scope="module")
def worker() -> Iterator[Callable[..., dict[str, Any]]]:
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", WORKER], cwd=REPOSITORY, **pipes) as process:

        def call(**asked: Any) -> dict[str, Any]:
            print(json.dumps(asked), file=process.stdin, flush=True)
            return json.loads(process.stdout.readline())  # type: ignore[union-attr]

        yield call


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tiny_bert(tmp_path_factory.mktemp("tiny"))
    (folder / "pytorch_model.bin").write_bytes(b"must not be fetched")
    (folder / "README.md").write_text("must not be fetched")
    return folder


@pytest.fixture
def hub(tiny: Path) -> Iterator[HubServer]:
    with HubServer({REPO: {REVISION: tiny}}) as server:
        yield server


Client = Callable[..., dict[str, Any]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def client(worker: Client, tiny: Path, hub: HubServer, home: Path) -> Client:
    """Resolve the tiny model in another process, with changes to its config entry."""
    entry = {"name": "tiny", "hub": REPO, "revision": REVISION, "blocks": 2, "width": 32}
    entry["sha256"] = {"model.safetensors": sha256(tiny / "model.safetensors")}

    def call(url: str = hub.url, variables: Any = (), **changes: Any) -> dict[str, Any]:
        environment = hub_environment(url, home) | dict(variables)
        return worker(entry=entry | changes, environment=environment)

    return call


def test_from_the_hub_then_from_the_cache(
    client: Client, hub: HubServer, tiny: Path, home: Path
) -> None:
    record = client()
    assert record["source"] == {"hub": REPO, "revision": REVISION}
    used = {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}
    assert record["files"] == {file: sha256(tiny / file) for file in sorted(used)}
    folder = Path(record["folder"])
    assert {path.name for path in folder.iterdir()} == used and folder.is_relative_to(home)
    asked = len(hub.requests)
    assert client() == record
    assert len(hub.requests) == asked
    assert client(url=CLOSED) == record
    # A snapshot that lacks a file is completed.
    shutil.rmtree(next(home.rglob("trees")))
    (folder / "tokenizer.json").unlink()
    assert client() == record
    # A changed file in the cache is refused without a request. Whoever removes the file, and not
    # only the link to it, gets it again.
    weights = folder / "model.safetensors"
    weights.write_bytes(bytes(weights.stat().st_size))
    hub.requests.clear()
    assert client()["error"] == "ModelError" and hub.requests == []
    weights.resolve().unlink()
    weights.unlink(missing_ok=True)
    assert client() == record


def refuses(name: str, status: int, **headers: str) -> Callable[..., None]:
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    return lambda hub: hub.refuse.update({name: (status, named)})


def nothing(*_: Any) -> None: ...


@pytest.mark.parametrize(
    ("change", "changes", "problem", "fix"),
    [
        (nothing, {"revision": "f" * 40}, f"no revision {'f' * 40}", "`revision`"),
        (nothing, {"hub": "owner/none"}, "no such repository", "`hub`"),
        (nothing, {"hub": "a/b/c"}, "'a/b/c'", "hf auth"),
        (nothing, {"variables": {"HF_HUB_OFFLINE": "1"}}, "HF_HUB_OFFLINE", "unset"),
        (refuses(REPO, 401, X_Error_Code="GatedRepo"), {}, "on request", "hf auth login"),
        (refuses(REPO, 401, X_Error_Message="Invalid credentials in Authorization header"), {},
         "401", "token"),
        (refuses(REPO, 410), {}, "410", "config/minilm.yaml"),
        (refuses("model.safetensors", 403, X_Error_Code="GatedRepo"), {}, "on request", "log in"),
        (refuses(REPO, 200, Content_Type="text/html"), {}, "could not be fetched", "`path`"),
        (lambda hub: setattr(hub, "tag", "../../../../../evil"), {}, "is a path", "ENDPOINT"),
    ],
)  # fmt: skip
def test_what_cannot_be_fetched_is_one_error(
    client: Client, hub: HubServer, home: Path, change: Callable[..., None],
    changes: dict[str, Any], problem: str, fix: str,
) -> None:  # fmt: skip
    change(hub)
    answer = client(**changes)
    assert answer["error"] == "ModelError" and fix in answer["fix"]
    assert problem in answer["problem"] and "\n" not in answer["problem"]
    assert not list(home.parent.rglob("*evil*"))
    assert not any(request.endswith(".bin") for request in hub.requests)
    assert hub.requests == [] or "variables" not in changes


@pytest.mark.slow
def test_an_unreachable_hub_is_an_error(client: Client) -> None:
    answer = client(url=CLOSED)
    assert answer["error"] == "ModelError" and CLOSED in answer["where"]
    assert "ConnectError" in answer["problem"] and REPO in answer["problem"]


@pytest.mark.slow
def test_a_file_that_arrives_damaged_leaves_nothing(
    client: Client, hub: HubServer, tiny: Path, home: Path
) -> None:
    for damage, problem in (
        (lambda content: content[: len(content) // 2], "Consistency check"),
        (lambda content: content[:-1] + b"x", "model.safetensors of model tiny: expected SHA-256"),
    ):
        hub.tamper["model.safetensors"] = damage
        answer = client()
        assert answer["error"] == "ModelError" and problem in answer["problem"]
        assert not list(home.rglob("*.incomplete"))
    hub.tamper.clear()
    shutil.rmtree(home)
    hub.fail_next = [503]  # an error that passes
    assert client()["files"]["model.safetensors"] == sha256(tiny / "model.safetensors")
