"""`make audit` never reports an all-clear if the advisory source does not answer properly."""

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
def advisory_server(status: int, body: bytes) -> Iterator[str]:
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


def assert_not_audited(verdict: tuple[int, str]) -> None:
    code, text = verdict
    assert code == 3, text
    assert text.startswith("not audited") and "no known vulnerabilities" not in text
    assert "Traceback" not in text


def test_unreachable_endpoint_is_not_audited() -> None:
    assert_not_audited(run_audit("http://127.0.0.1:9/v1/query"))


@pytest.mark.parametrize(
    ("status", "body"),
    [(200, b"{}"), (200, b'{"vulns": []}'), (200, b"<html>Log in</html>"), (200, b"[]"), (500, b""),
     (403, b"{}"), (200, b"")],
)  # fmt: skip
def test_unexpected_answer_is_not_audited(status: int, body: bytes) -> None:
    with advisory_server(status, body) as url:
        assert_not_audited(run_audit(url))


def verdict(*dependencies: dict, package_count: int | None = None) -> tuple[int, str]:
    sys.path.insert(0, str(REPOSITORY / "tools"))
    try:
        import audit
    finally:
        sys.path.pop(0)
    report = json.dumps({"dependencies": dependencies})
    return audit.verdict(report, len(dependencies) if package_count is None else package_count)


def test_exit_code_and_text_of_a_report() -> None:
    fine = {"name": "a", "version": "1", "vulns": []}
    bad = {"name": "b", "version": "2", "vulns": [{"id": "PYSEC-1", "fix_versions": ["3"]}]}
    left_out = {"name": "c", "skip_reason": "not there"}
    assert verdict(fine) == (0, "1 packages audited: no known vulnerabilities")
    code, text = verdict(fine, bad, left_out)
    assert code == 1 and "b 2: PYSEC-1, fixed in 3" in text
    for failed in (
        verdict(fine, left_out),
        verdict(fine, package_count=2),
        verdict(package_count=1),
    ):
        assert failed[0] == 3 and failed[1].startswith("not audited")
        assert "no known" not in failed[1]


def test_broken_report_is_not_audited() -> None:
    sys.path.insert(0, str(REPOSITORY / "tools"))
    try:
        import audit
    finally:
        sys.path.pop(0)
    for report in ("", "x", "[]", "{}", '{"dependencies": [1]}'):
        assert audit.verdict(report, 1)[0] == 3
