"""A web server on this machine, for the time of a block."""

import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self


class LocalServer:
    """A server that gives every request to one function of the subclass, ``reply``."""

    def reply(self, handler: BaseHTTPRequestHandler) -> None:
        raise NotImplementedError

    def start(self, version: str = "HTTP/1.1") -> None:
        """Open the port; the server answers inside the block only."""
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = version

            def do_GET(self) -> None:
                owner.reply(self)

            do_HEAD = do_POST = do_GET

            def log_message(self, format: str, *args: object) -> None:
                """Keep the test output clean."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        # A short poll interval, because leaving the block waits for one.
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def send(
    handler: BaseHTTPRequestHandler,
    status: int,
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
) -> None:
    """Send an answer with the length of its body."""
    handler.send_response(status)
    for key, value in (headers or {}).items():
        handler.send_header(key, value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    if handler.command != "HEAD":
        handler.wfile.write(body)
