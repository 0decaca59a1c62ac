"""A local server that replaces the host of the dataset's archive, and a builder of archives."""

import gzip
import io
import tarfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler

from local_server import LocalServer

TOP = "bert-disambiguation-0123456789"


def build_archive(
    files: Mapping[str, bytes], *, extra: Sequence[tuple[tarfile.TarInfo, bytes]] = ()
) -> bytes:
    """Build a source archive as the host does: one top folder, the commit in a global header.

    The paths of the files are below the top folder; ``extra`` members follow exactly as given.
    """
    packed = io.BytesIO()
    comment = {"comment": "0123456789"}
    with tarfile.open(None, "w", packed, format=tarfile.PAX_FORMAT, pax_headers=comment) as tar:
        top = tarfile.TarInfo(TOP)
        top.type = tarfile.DIRTYPE
        tar.addfile(top)
        members = [(tarfile.TarInfo(f"{TOP}/{name}"), files[name]) for name in files]
        for member, content in members:
            member.size = len(content)
        for member, content in [*members, *extra]:
            tar.addfile(member, io.BytesIO(content))
    return gzip.compress(packed.getvalue(), mtime=0)


@dataclass(frozen=True)
class Answer:
    """One answer of the server."""

    body: bytes = b""
    status: int = 200
    # The content length: -1 announces the body's own, None sends no header.
    announced: int | None = -1
    # Send the body, then keep the connection open and silent.
    stalls: bool = False


class ArchiveServer(LocalServer):
    """A server that gives the answers in turn, then repeats the last one, and notes requests."""

    def __init__(self, *answers: Answer) -> None:
        self.requests: list[str] = []
        self._answers = list(answers)
        self._closing = threading.Event()
        # HTTP/1.0 closes the connection, which ends an answer without a length.
        self.start(version="HTTP/1.0")
        self.url += "/archive.tar.gz"

    def __exit__(self, *error: object) -> None:
        self._closing.set()
        super().__exit__(*error)

    def reply(self, handler: BaseHTTPRequestHandler) -> None:
        self.requests.append(handler.path)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        handler.send_response(answer.status)
        if answer.announced is not None:
            length = len(answer.body) if answer.announced == -1 else answer.announced
            handler.send_header("Content-Length", str(length))
        handler.end_headers()
        handler.wfile.write(answer.body)
        handler.wfile.flush()
        if answer.stalls:
            self._closing.wait(timeout=30)
