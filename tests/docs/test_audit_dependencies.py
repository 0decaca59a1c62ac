"""`make audit` never reports an all-clear if the advisory source does not answer properly."""

import json
import subprocess
import sys
from http.server import BaseHTTPRequestHandler
from types import ModuleType

import pytest
from checkout import REPOSITORY
from local_server import LocalServer, send


class Advisories(LocalServer):
    """A server that answers every question alike."""

    def __init__(self, status: int, body: bytes) -> None:
        self.answer = (status, {}, body)
        self.start()

    def reply(self, handler: BaseHTTPRequestHandler) -> None:
        handler.rfile.read(int(handler.headers["Content-Length"]))
        send(handler, *self.answer)


def assert_not_audited(url: str) -> None:
    call = [sys.executable, "tools/audit.py", "--url", url]
    done = subprocess.run(call, cwd=REPOSITORY, capture_output=True, text=True, timeout=60)
    text = done.stdout + done.stderr
    assert done.returncode == 3, text
    assert text.startswith("not audited") and "no known vulnerabilities" not in text
    assert "Traceback" not in text


def test_unreachable_endpoint_is_not_audited() -> None:
    assert_not_audited("http://127.0.0.1:9/v1/query")


@pytest.mark.parametrize(
    ("status", "body"), [(200, b'{"vulns": []}'), (200, b"<html>Log in</html>"), (403, b"{}")]
)
def test_unexpected_answer_is_not_audited(status: int, body: bytes) -> None:
    with Advisories(status, body) as server:
        assert_not_audited(f"{server.url}/v1/query")


@pytest.fixture
def audit(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(REPOSITORY / "tools"))
    import audit

    return audit


FINE = {"name": "a", "version": "1", "vulns": []}
BAD = {"name": "b", "version": "2", "vulns": [{"id": "PYSEC-1", "fix_versions": ["3"]}]}
LEFT_OUT = {"name": "c", "skip_reason": "not there"}


@pytest.mark.parametrize(
    ("packages", "count", "code", "says"),
    [
        ([FINE], 1, 0, "1 packages audited: no known vulnerabilities"),
        ([FINE, BAD, LEFT_OUT], 3, 1, "b 2: PYSEC-1, fixed in 3"),
        ([FINE, LEFT_OUT], 2, 3, "not audited"),
        ([FINE], 2, 3, "not audited"),
        ([], 1, 3, "not audited"),
        ([1], 1, 3, "not audited"),
    ],
)
def test_exit_code_and_text_of_a_report(
    audit: ModuleType, packages: list, count: int, code: int, says: str
) -> None:
    actual, text = audit.verdict(json.dumps({"dependencies": packages}), count)
    assert actual == code and says in text
    assert ("no known" in text) == (code == 0)


@pytest.mark.parametrize("report", ["", "x", "[]", "{}"])
def test_broken_report_is_not_audited(audit: ModuleType, report: str) -> None:
    assert audit.verdict(report, 1)[0] == 3
