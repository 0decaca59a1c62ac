"""The installed program: built as a wheel, installed, and used outside of any checkout."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import nbformat
import pytest
import small_results
from checkout import REPOSITORY
from log_state import logs_as_before
from nbclient import NotebookClient
from require import missing

from wsd.cli import main
from wsd.commands import COMMANDS

pytestmark = pytest.mark.slow

# The sources of the package.
SOURCES = ("pyproject.toml", "README.md", "LICENSE", "wsd")
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
KERNEL = "installed-wsd"


def sources(folder: Path) -> Path:
    """Copy the sources of the package, because building writes files into their folder."""
    folder.mkdir(parents=True)
    for name in SOURCES:
        if (REPOSITORY / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(REPOSITORY / name, folder / name, ignore=ignored)
        else:
            shutil.copy2(REPOSITORY / name, folder / name)
    return folder


def wheel_of(folder: Path) -> Path:
    """Build the wheel from a copy of the sources, with this environment's setuptools."""
    if find_spec("setuptools") is None:
        missing("setuptools", "setuptools, which builds the wheel, is not installed")
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--quiet", "--wheel-dir", folder / "dist", folder], check=True)
    (wheel_file,) = (folder / "dist").glob("*.whl")
    return wheel_file


def left_out(wheel: Path) -> set[str]:
    """Return the files of the package that are missing in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
    files = (path for path in (REPOSITORY / "wsd").rglob("*") if path.is_file())
    here = {path.relative_to(REPOSITORY) for path in files if path.parent.name != "__pycache__"}
    return {path.as_posix() for path in here} - held


@dataclass
class Installed:
    """An environment with the wheel, and a folder without files of the repository."""

    environment: Path
    folder: Path

    @property
    def python(self) -> Path:
        return self.environment / "bin" / "python"

    def run(self, *arguments: object, code: int = 0) -> str:
        """Call a program of the environment and return its output."""
        program, *others = map(str, arguments)
        clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run(
            [self.environment / "bin" / program, *others],
            cwd=self.folder,
            env={**clean, "HF_HUB_OFFLINE": "1"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == code, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheel_of(sources(tmp_path_factory.mktemp("wheel") / "wsd"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Install the wheel in a new environment, with the dependencies of this one."""
    folder = tmp_path_factory.mktemp("installed")
    environment = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    python = environment / "bin" / "python"
    command = [sys.executable, "-m", "pip", "--python", python, "install", "--no-deps"]
    subprocess.run([*command, "--no-index", "--quiet", wheel], check=True)
    # Add only the packages' folder: a .pth line does not process the .pth files in that folder,
    # such as the file that makes a checkout importable.
    (packages,) = environment.glob("lib/python*/site-packages")
    dependencies = sysconfig.get_path("purelib")
    (packages / "dependencies.pth").write_text(f"{dependencies}\n", encoding="utf-8")
    away = folder / "away"
    with logs_as_before():
        away.mkdir()
        small_results.build(away)
        with contextlib.chdir(away):
            chosen = ["--view", "focal", "--layers", "2"]
            results = "results/quickstart"
            assert main(["fit", "--results", results, *chosen, "--out", "model.wsd"]) == 0
    shutil.rmtree(away / "results")
    shutil.copy2(REPOSITORY / "docs/own-corpus.tsv", away)
    return Installed(environment, away)


def test_the_wheel_holds_the_whole_package(wheel: Path) -> None:
    """The wheel has every file that commands read: schema, configs, templates, scripts."""
    assert left_out(wheel) == set()


def test_a_missing_package_is_noticed(tmp_path: Path) -> None:
    copy = sources(tmp_path / "wsd")
    project = copy / "pyproject.toml"
    text = project.read_text()
    include = 'include = ["wsd*"]\n'
    assert text.count(include) == 1
    project.write_text(text.replace(include, f'{include}exclude = ["wsd.corpora.importer"]\n'))
    (rooms,) = {Path(file).parent.as_posix() for file in left_out(wheel_of(copy))}
    assert rooms == "wsd/corpora/importer"


def test_every_command_prints_its_help(installed: Installed) -> None:
    assert "COMMAND" in installed.run("wsd", "--help")
    *usages, where = installed.run("python", "-c", EVERY_HELP, *COMMANDS).splitlines()
    assert Path(where).is_relative_to(installed.environment)
    assert sum(line.startswith("usage: ") for line in usages) == len(COMMANDS)


def test_a_corpus_is_imported_and_its_cost_is_planned(installed: Installed) -> None:
    installed.run("wsd", "import", "own-corpus.tsv", "--name", "mine", "--out", "data/mine")
    config = installed.folder / "mine.yaml"
    config.write_text("dataset: {name: mine, path: data/mine}\n")
    assert " on mine: " in installed.run("wsd", "plan", "config/config.yaml", config)
    assert "20 words" in installed.run("wsd", "plan")


def test_the_doctor_checks_the_corpus(installed: Installed) -> None:
    config = installed.folder / "tiny.yaml"
    model = {"name": "tiny", "path": "tiny", "blocks": 2, "width": 32}
    config.write_text(json.dumps({"dataset": "quickstart", "models": [model], "layers": ["all"]}))
    assert "A run can start: " in installed.run("wsd", "doctor", "--configfile", config)


def test_an_encoder_is_inspected(installed: Installed) -> None:
    sentence = "The crane flew over the lake."
    out = installed.run(
        "wsd", "inspect", sentence, "--word", "crane", "--model", "path:tiny", "--json"
    )
    assert json.loads(out)


def test_a_model_file_predicts(installed: Installed) -> None:
    out = installed.run(
        "wsd", "predict", "The cranes flew.", "--model-file", "model.wsd", "--format", "jsonl"
    )
    assert json.loads(out)["word"] == "crane"


def test_the_notebook_runs(
    installed: Installed, minilm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The notebook runs in that environment; tests/docs/test_tutorial.py checks its outputs."""
    kernel = tmp_path / "kernels" / KERNEL / "kernel.json"
    kernel.parent.mkdir(parents=True)
    argv = [str(installed.python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    kernel.write_text(json.dumps({"argv": argv, "display_name": KERNEL, "language": "python"}))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    notebook = nbformat.read(REPOSITORY / "docs/library.ipynb", as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell("import wsd; wsd.__file__"))
    where = {"metadata": {"path": str(installed.folder)}}
    NotebookClient(notebook, timeout=600, kernel_name=KERNEL, resources=where).execute()
    (last,) = notebook.cells[-1].outputs
    assert str(installed.environment) in last.data["text/plain"]
