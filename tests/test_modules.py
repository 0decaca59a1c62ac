"""The modules that a rule lists as inputs are those that its step really imports."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import REPOSITORY
from tiny import tiny_bert

EXCEPTED = {"cli", "errors"}


def listed() -> dict[str, list[str]]:
    """The table MODULES of the workflow, read without running it."""
    text = (REPOSITORY / "workflow/rules/common.smk").read_text()
    start = text.index("MODULES = {") + len("MODULES = ")
    return ast.literal_eval(text[start : text.index("\n}\n", start) + 2])


MODULES = listed()

PROBE = """
import json, sys
from pathlib import Path
from wsd import cli
code = cli.main(sys.argv[2:])
root = Path(cli.__file__).parent
found = {
    str(Path(m.__file__).relative_to(root).with_suffix("").as_posix())
    for n, m in sys.modules.items() if n.split(".")[0] == "wsd"
}
Path(sys.argv[1]).write_text(json.dumps([code, sorted(found)]))
"""


def imported(folder: Path, *arguments: str) -> set[str]:
    """The modules of wsd that a real run of a command has loaded."""
    found = folder / "found.json"
    subprocess.run(
        [sys.executable, "-c", PROBE, found, *arguments],
        check=True,
        cwd=folder,
        capture_output=True,
    )
    code, names = json.loads(found.read_text())
    assert code == 0
    return set(names) - EXCEPTED


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the steps run one after the other, each on the files of those before."""
    return tmp_path_factory.mktemp("steps")


DATA = REPOSITORY / "wsd/data/quickstart"
VECTORS = ["--corpus", "corpus", "--words", "crane", "--embeddings", "e", "--layers", "1"]
TABLES = ["--scores", "s.csv", "--summary", "m.csv", "--provenance", "p.json"]
REPORT = ["--dataset", "quickstart", "--corpus", "corpus", "--words", "crane"]
PAGES = ["--predictions", "1.logistic.parquet", "--projections", "1.parquet"]
STEPS = {
    "corpus": ["--source", str(DATA), "--word", "crane", "--out", "corpus/crane.parquet"],
    "model": ["--name", "tiny", "--path", "t", "--blocks", "2", "--width", "32", "--out", "t.json"],
    "embed": ["--model", "t.json", "--corpus", "corpus/crane.parquet", "--out", "e/crane"],
    "classify": [*VECTORS, "--estimator", "logistic", "--out", "1.logistic.parquet"],
    "project": [*VECTORS, "--out", "1.parquet"],
    "evaluate": ["--predictions", "1.logistic.parquet", "--dataset", "quickstart", *TABLES],
    "report": [*REPORT, *TABLES, *PAGES, "--out", "report", "--portable", "portable"],
}


@pytest.mark.slow
def test_every_step_lists_what_it_imports(folder: Path) -> None:
    tiny_bert(folder / "t")
    assert set(STEPS) | {"download"} == set(MODULES)
    for step, arguments in STEPS.items():
        assert imported(folder, step, *arguments) == set(MODULES[step]), step


def test_the_download_lists_what_it_imports(folder: Path, archive: Path, monkeypatch) -> None:
    monkeypatch.setenv("WSD_COARSEWSD20_ARCHIVE", str(archive))
    assert imported(folder, "download", "--out", "source") == set(MODULES["download"])
