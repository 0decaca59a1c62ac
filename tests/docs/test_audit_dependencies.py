"""`make audit` never takes silence for an all-clear."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
from checkout import REPOSITORY


def run_audit(url: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "tools/audit.py", "--url", url],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout + done.stderr


@contextmanager
def answering(status: int, body: bytes) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1/query"
    finally:
        server.shutdown()


def assert_not_audited(found: tuple[int, str]) -> None:
    code, text = found
    assert code == 3, text
    assert text.startswith("not audited") and "no known vulnerabilities" not in text
    assert "Traceback" not in text


def test_an_endpoint_that_is_not_there() -> None:
    assert_not_audited(run_audit("http://127.0.0.1:9/v1/query"))


@pytest.mark.parametrize(
    ("status", "body"),
    [(200, b"{}"), (200, b'{"vulns": []}'), (200, b"<html>Log in</html>"), (200, b"[]"), (500, b""),
     (403, b"{}"), (200, b"")],
)  # fmt: skip
def test_an_endpoint_that_answers_something_else(status: int, body: bytes) -> None:
    with answering(status, body) as url:
        assert_not_audited(run_audit(url))


def verdict(*found: dict, packages: int | None = None) -> tuple[int, str]:
    sys.path.insert(0, str(REPOSITORY / "tools"))
    try:
        import audit
    finally:
        sys.path.pop(0)
    report = json.dumps({"dependencies": found})
    return audit.verdict(report, len(found) if packages is None else packages)


def test_what_a_report_says() -> None:
    fine = {"name": "a", "version": "1", "vulns": []}
    bad = {"name": "b", "version": "2", "vulns": [{"id": "PYSEC-1", "fix_versions": ["3"]}]}
    left_out = {"name": "c", "skip_reason": "not there"}
    assert verdict(fine) == (0, "1 packages audited: no known vulnerabilities")
    code, text = verdict(fine, bad, left_out)
    assert code == 1 and "b 2: PYSEC-1, mended in 3" in text
    for found in (verdict(fine, left_out), verdict(fine, packages=2), verdict(packages=1)):
        assert found[0] == 3 and found[1].startswith("not audited")
        assert "no known" not in found[1]


def test_a_report_that_is_none() -> None:
    sys.path.insert(0, str(REPOSITORY / "tools"))
    try:
        import audit
    finally:
        sys.path.pop(0)
    for report in ("", "x", "[]", "{}", '{"dependencies": [1]}'):
        assert audit.verdict(report, 1)[0] == 3
