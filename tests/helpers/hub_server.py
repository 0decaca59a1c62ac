"""A local model hub that implements as much of the protocol as the hub client uses.

    with HubServer({"owner/tiny": {REVISION: folder}}) as hub:
        subprocess.run([...], env=hub.environment(tmp_path / "home"))

The client reads ``HF_ENDPOINT`` when it is imported, so it has to run in a process of its own.
"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import unquote

from local_server import LocalServer, send

API = re.compile(r"/api/(?:models/)?(?P<repo>.+?)/(?P<kind>tree|revision)/(?P<revision>[^/?]+)")
FILE = re.compile(r"/(?P<repo>.+?)/resolve/(?P<revision>[^/]+)/(?P<file>[^?]+)")
LARGE = (".safetensors", ".bin")


@dataclass
class HubServer(LocalServer):
    """Serves folders as repositories: name -> full commit -> folder with its files.

    ``tamper`` changes the bytes of a file, by its name; ``refuse`` has the status and headers for
    any request for a repository or file; ``fail_next`` are the statuses of the next answers;
    ``tag`` takes the place of every file's true one.
    """

    repositories: Mapping[str, Mapping[str, Path]]
    tamper: dict[str, Callable[[bytes], bytes]] = field(default_factory=dict)
    refuse: dict[str, tuple[int, dict[str, str]]] = field(default_factory=dict)
    fail_next: list[int] = field(default_factory=list)
    tag: str | None = None
    requests: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.start()

    def environment(self, home: Path) -> dict[str, str]:
        """Variables for a process that is to know this hub only, with its cache below ``home``."""
        return hub_environment(self.url, home)

    def reply(self, handler: BaseHTTPRequestHandler) -> None:
        self.requests.append(f"{handler.command} {handler.path}")
        if self.fail_next:
            return send(handler, self.fail_next.pop(0))
        api, file = API.match(handler.path), FILE.match(handler.path)
        match = api or file
        if match is None:
            return send(handler, 404)
        repo, revision = match["repo"], unquote(match["revision"])
        for name in (repo, file["file"] if file else repo):
            if name in self.refuse:
                status, headers = self.refuse[name]
                return send(handler, status, headers)
        if repo not in self.repositories:
            # Without a token, the hub gives one answer for private and missing repositories.
            return send(handler, 401, {"X-Error-Code": "RepoNotFound"})
        folder = self.repositories[repo].get(revision)
        if folder is None:
            return send(handler, 404, {"X-Error-Code": "RevisionNotFound"})
        if api and api["kind"] == "tree":
            return _send_json(handler, [_tree_entry(path, folder) for path in _files(folder)])
        if api:
            siblings = [_sibling(path, folder) for path in _files(folder)]
            return _send_json(handler, {"id": repo, "sha": revision, "siblings": siblings})
        assert file is not None
        return self._send_file(handler, folder / unquote(file["file"]), revision)

    def _send_file(self, handler: BaseHTTPRequestHandler, path: Path, revision: str) -> None:
        commit = {"X-Repo-Commit": revision}
        if not path.is_file():
            return send(handler, 404, {"X-Error-Code": "EntryNotFound"} | commit)
        content = path.read_bytes()
        headers = commit | {"ETag": f'"{self.tag or _etag(path)}"'}
        if path.name.endswith(LARGE):
            headers |= {"X-Linked-Etag": headers["ETag"], "X-Linked-Size": str(len(content))}
        return send(handler, 200, headers, self.tamper.get(path.name, bytes)(content))


def hub_environment(url: str, home: Path) -> dict[str, str]:
    """Return variables for a process whose hub is at ``url``, without the user's settings."""
    own = ("HF_", "HUGGINGFACE_", "TRANSFORMERS_")
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(own)}
    off = {f"HF_HUB_DISABLE_{name}": "1" for name in ("XET", "TELEMETRY", "UPDATE_CHECK")}
    direct = {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    return inherited | off | direct | {"HF_ENDPOINT": url, "HF_HOME": str(home)}


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _etag(path: Path) -> str:
    """Return the SHA-256 of a large file, and git's hash of a small one."""
    content = path.read_bytes()
    if path.name.endswith(LARGE):
        return hashlib.sha256(content).hexdigest()
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _sibling(path: Path, folder: Path) -> dict[str, object]:
    entry = _tree_entry(path, folder)
    lfs = {"lfs": {"sha256": _etag(path), **entry["lfs"]}} if "lfs" in entry else {}  # type: ignore
    return {"rfilename": entry["path"], "size": entry["size"], "blobId": entry["oid"], **lfs}


def _tree_entry(path: Path, folder: Path) -> dict[str, object]:
    name, size = path.relative_to(folder).as_posix(), path.stat().st_size
    entry: dict[str, object] = {"type": "file", "path": name, "size": size, "oid": _etag(path)}
    if path.name.endswith(LARGE):
        entry |= {"oid": "0" * 40, "lfs": {"oid": _etag(path), "size": size, "pointerSize": 134}}
    return entry


def _send_json(handler: BaseHTTPRequestHandler, value: object) -> None:
    send(handler, 200, {"Content-Type": "application/json"}, json.dumps(value).encode())
