"""`lint-imports`, part of `make lint`, checks the imports between rooms."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from checkout import REPOSITORY
from require import missing

from wsd.studies.registry import NAMES

# A module, and an import against the rooms.
PLANTED = [
    ("storage/atomic.py", "wsd.artifacts.encoder_input"),
    ("artifacts/corpus_table.py", "wsd.run.plan"),
    ("corpora/copy_corpus.py", "wsd.encoder.load_model"),
    ("evaluation/evaluate.py", "wsd.report.leaderboard"),
    *((f"studies/{name}/study.py", "wsd.run.plan") for name in NAMES[:1]),
    *((f"studies/{NAMES[0]}/study.py", f"wsd.studies.{name}.study") for name in NAMES[1:2]),
    *(("evaluation/evaluate.py", f"wsd.studies.{name}.study") for name in NAMES[:1]),
    ("run/plan.py", "wsd.metrics.scores"),
]


def test_imports_against_the_rooms_are_refused(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("lint-imports")
    if not program.exists():
        missing("import-linter", "import-linter is not installed")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(REPOSITORY / "wsd", tmp_path / "wsd", ignore=ignored)
    shutil.copy2(REPOSITORY / "pyproject.toml", tmp_path)
    for i, (module, planted) in enumerate(PLANTED):
        path = tmp_path / "wsd" / module
        # A hidden import inside a function counts too.
        path.write_text(f"{path.read_text()}\n\ndef _planted{i}() -> None:\n    import {planted}\n")
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    call = [program, "--no-cache"]
    refused = subprocess.run(call, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert refused.returncode == 1, refused.stdout + refused.stderr
    for module, planted in PLANTED:
        name = "wsd." + module.removesuffix(".py").replace("/", ".")
        assert f"{name} -> {planted}" in refused.stdout
