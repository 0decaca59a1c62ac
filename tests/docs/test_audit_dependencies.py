"""`make audit` never reports an all-clear if the advisory source does not answer properly."""

import json
import subprocess
import sys
from http.server import BaseHTTPRequestHandler
from types import ModuleType

import pytest
from checkout import REPOSITORY
from local_server import LocalServer, send


class Nothing(LocalServer):
    """A server that knows no vulnerability, as a proxy may."""

    def __init__(self) -> None:
        self.start()

    def reply(self, handler: BaseHTTPRequestHandler) -> None:
        send(handler, 200, {}, b'{"vulns": []}')


def test_a_source_that_does_not_know_a_known_vulnerability_is_not_believed() -> None:
    with Nothing() as server:
        call = [sys.executable, "tools/audit.py", "--url", server.url]
        done = subprocess.run(call, cwd=REPOSITORY, capture_output=True, text=True, timeout=60)
    assert done.returncode == 3 and done.stdout.startswith("not audited"), done.stderr


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
