"""The installed program: built as a wheel, installed, and used outside of any checkout."""

import contextlib
import json
import shutil
import zipfile
from pathlib import Path

import nbformat
import notebooks
import pytest
import small_results
from checkout import REPOSITORY
from installed_wheel import Installed, install
from log_state import logs_as_before

from wsd.cli import main
from wsd.commands import COMMANDS

pytestmark = pytest.mark.slow

# Every command prints its help and comes from the installed package.
EVERY_HELP = """
import sys, wsd
from wsd import cli
for name in sys.argv[1:]:
    try:
        cli.main([name, "--help"])
    except SystemExit as ended:
        assert not ended.code, name
print(wsd.__file__)
"""
# Folders of the repository, and where the wheel has them.
PLACES = {
    "wsd": Path("wsd"),
    **{name: Path("wsd/data", name) for name in ("config", "profiles", "workflow")},
}


def changed(wheel: Path) -> set[str]:
    """Return the files that a wheel lacks, has in addition, or has with another content."""
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
        held = {name: archive.read(name) for name in names}
    here = {
        (place / path.relative_to(REPOSITORY / folder)).as_posix(): path.read_bytes()
        for folder, place in PLACES.items()
        for path in (REPOSITORY / folder).rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    }
    return {name for name in {*held, *here} if held.get(name) != here.get(name)}


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Install the wheel in a new environment, with the dependencies of this one."""
    folder = tmp_path_factory.mktemp("installed")
    program = install(wheel, folder)
    away = program.folder
    with logs_as_before():
        small_results.build(away)
        with contextlib.chdir(away):
            chosen = ["--view", "focal", "--layers", "2"]
            results = "results/quickstart"
            assert main(["fit", "--results", results, *chosen, "--out", "model.wsd"]) == 0
    shutil.rmtree(away / "results")
    shutil.copy2(REPOSITORY / "docs/own-corpus.tsv", away)
    return program


def test_the_wheel_holds_the_package_and_the_workflow(wheel: Path) -> None:
    """Does the package that I install have the workflow of the repository?"""
    assert changed(wheel) == set()


def test_every_command_prints_its_help(installed: Installed) -> None:
    """I installed the package: does every command work without a checkout?"""
    assert "COMMAND" in installed.run("wsd", "--help")
    *usages, where = installed.run("python", "-c", EVERY_HELP, *COMMANDS).splitlines()
    assert Path(where).is_relative_to(installed.environment)
    assert sum(line.startswith("usage: ") for line in usages) == len(COMMANDS)


def test_a_corpus_is_imported_and_its_cost_is_planned(installed: Installed) -> None:
    """Can I import a corpus and plan a run without a checkout?"""
    installed.run("wsd", "import", "own-corpus.tsv", "--name", "mine", "--out", "data/mine")
    config = installed.folder / "mine.yaml"
    config.write_text("dataset: {name: mine, path: data/mine}\n")
    assert " of 2 words to embed" in installed.run("wsd", "plan", "config/config.yaml", config)
    assert "20 words" in installed.run("wsd", "plan")


def test_an_encoder_is_inspected(installed: Installed) -> None:
    """Can I inspect an encoder without a checkout?"""
    sentence = "The crane flew over the lake."
    out = installed.run(
        "wsd", "inspect", sentence, "--word", "crane", "--model", "path:tiny", "--json"
    )
    assert json.loads(out)


def test_a_model_file_predicts(installed: Installed) -> None:
    """Can I predict from a model file without a checkout?"""
    out = installed.run(
        "wsd", "predict", "The cranes flew.", "--model-file", "model.wsd", "--format", "jsonl"
    )
    assert json.loads(out)["word"] == "crane"


def test_the_notebook_runs(
    installed: Installed, minilm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Does the notebook run with the installed package?"""
    monkeypatch.delenv("PYTHONPATH", raising=False)
    notebook = nbformat.read(REPOSITORY / "docs/library.ipynb", as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell("import wsd; wsd.__file__"))
    ran = notebooks.execute(notebook, installed.folder, installed.python)
    (last,) = ran.cells[-1].outputs
    assert str(installed.environment) in last.data["text/plain"]
