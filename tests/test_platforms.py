"""Native Windows is refused with one sentence at any first import."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("asked", ["import wsd", "from wsd.cli import main; main()"])
def test_windows_is_refused_with_a_sentence(asked: str) -> None:
    code = f"import sys; sys.platform = 'win32'; sys.modules['fcntl'] = None; {asked}"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "WSL" in run.stderr and len(run.stderr.splitlines()) == 1
