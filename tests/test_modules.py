"""The modules that a rule lists as inputs are those that its step really imports."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import REPOSITORY
from steps import STEPS, prepare

# How any command is run: what they say or lock must not embed everything again.
EXCEPTED = {"cli", "errors", "logs", "running"}
# What no table of results depends on, and where each is tested.
WITHOUT_A_STEP = {
    *("answering", "checking", "config", "doctor", "focus", "forms", "inspection"),
    *("leaderboard", "opening", "plan", "predict", "streams", "transformer", "vectors"),
    *("importer/__init__", "importer/allwords", "importer/folder", "importer/rows"),
    *("importer/sentence", "importer/splits", "importer/tables", "importer/wic"),
}


def listed() -> dict[str, list[str]]:
    """The table MODULES of the workflow, with the lists that it is put together from."""
    text = (REPOSITORY / "workflow/rules/common.smk").read_text()
    start = text.index("# tests/test_modules.py holds these lists")
    end = text.index("\n}\n", text.index("MODULES = {")) + 2
    names: dict[str, dict[str, list[str]]] = {}
    exec(text[start:end], {}, names)  # the repository's own file, assignments of lists
    return names["MODULES"]


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
    done = subprocess.run(
        [sys.executable, "-c", PROBE, found, *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    code, names = json.loads(found.read_text())
    assert code == 0, done.stdout
    return set(names) - EXCEPTED


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the steps run one after the other, each on the files of those before."""
    return tmp_path_factory.mktemp("steps")


@pytest.mark.slow
def test_every_step_lists_what_it_imports(folder: Path) -> None:
    prepare(folder)
    loaded: dict[str, set[str]] = {}
    for step, command, arguments in STEPS:
        loaded.setdefault(step, set()).update(imported(folder, command, *arguments))
    wrong = {
        step: {"missing": sorted(found - set(names)), "too many": sorted(set(names) - found)}
        for step, found in loaded.items()
        for names in [MODULES.get(step, [])]
        if found != set(names)
    }
    assert not wrong, json.dumps(wrong, indent=1)
    assert {*loaded, "download", "reproduce"} >= set(MODULES) >= {*loaded, "download"}


def test_no_module_is_listed_twice_or_does_not_exist() -> None:
    for step, names in MODULES.items():
        assert len(set(names)) == len(names), step
        for name in names:
            assert (REPOSITORY / "wsd" / f"{name}.py").is_file(), (step, name)


def test_every_module_is_one_of_a_step() -> None:
    package = REPOSITORY / "wsd"
    every = {p.relative_to(package).with_suffix("").as_posix() for p in package.rglob("*.py")}
    assert every - set().union(*MODULES.values()) == EXCEPTED | WITHOUT_A_STEP


def test_the_download_lists_what_it_imports(folder: Path, archive: Path, monkeypatch) -> None:
    monkeypatch.setenv("WSD_COARSEWSD20_ARCHIVE", str(archive))
    assert imported(folder, "download", "--out", "source-of-all") == set(MODULES["download"])
