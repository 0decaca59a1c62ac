"""`lint-imports`, part of `make lint`, checks the imports between rooms."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import REPOSITORY
from require import missing

from wsd.studies.registry import NAMES


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(REPOSITORY / "wsd", tmp_path / "wsd", ignore=ignored)
    shutil.copy2(REPOSITORY / "pyproject.toml", tmp_path)
    return tmp_path


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("lint-imports")
    if not program.exists():
        missing("import-linter", "import-linter is not installed")
    return subprocess.run(
        [program, "--no-cache"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(
    ("module", "planted"),
    [
        ("storage/atomic.py", "wsd.artifacts.encoder_input"),
        ("artifacts/corpus_table.py", "wsd.run.plan"),
        ("corpora/copy_corpus.py", "wsd.encoder.load_model"),
        ("evaluation/evaluate.py", "wsd.report.leaderboard"),
        *((f"studies/{name}/study.py", "wsd.run.plan") for name in NAMES[:1]),
        *((f"studies/{NAMES[0]}/study.py", f"wsd.studies.{name}.study") for name in NAMES[1:2]),
        *(("evaluation/evaluate.py", f"wsd.studies.{name}.study") for name in NAMES[:1]),
        ("run/plan.py", "wsd.metrics.scores"),
    ],
)
def test_an_import_against_the_rooms_is_refused(copy: Path, module: str, planted: str) -> None:
    path = copy / "wsd" / module
    # A hidden import inside a function counts too.
    path.write_text(f"{path.read_text()}\n\ndef _planted() -> None:\n    import {planted}\n")
    done = lint_imports(copy)
    assert done.returncode == 1, done.stdout + done.stderr
    name = "wsd." + module.removesuffix(".py").replace("/", ".")
    assert f"{name} -> {planted}" in done.stdout


def test_the_rooms_follow_the_contracts(copy: Path) -> None:
    done = lint_imports(copy)
    assert done.returncode == 0, done.stdout + done.stderr
