"""Any study can be deleted, and everything else still passes.

A study is its folder, its rule file, its tests, its page, and its line in the registry.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from checkout import REPOSITORY
from require import missing

from wsd.studies.registry import STUDIES

OF_A_STUDY = "wsd/studies/{} tests/studies/{} workflow/rules/{}.smk docs/how-to/{}.md"
REGISTRY = "wsd/studies/registry.py"
# The fast tests of the core, except those that need a browser.
FAST = ("-m", "not slow", "--ignore=tests/studies", "--ignore=tests/pages", "tests")
# The rooms whose modules can reach the registry: lint-imports shows that the others cannot.
REGISTRY_ROOMS = ("corpora", "docs", "inference", "report", "run", "slurm", "workflow")
WITH_REGISTRY = (*REGISTRY_ROOMS, "test_cli.py", "test_rooms.py")
FAST_OF_REGISTRY = ("-m", "not slow", *(f"tests/{name}" for name in WITH_REGISTRY))
EVERY_STUDY = "WSD_TEST_EVERY_STUDY"


def copy_without(studies: Iterable[str], folder: Path) -> None:
    """Copy the tracked files without those of some studies."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True)
    if listed.returncode:
        missing("git", "the files are not those of a repository of git")
    deleted = [path for study in studies for path in OF_A_STUDY.replace("{}", study).split()]
    for name in listed.stdout.decode().rstrip("\0").split("\0"):
        gone = any(name == path or name.startswith(f"{path}/") for path in deleted)
        if not gone and (REPOSITORY / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPOSITORY / name, folder / name)
    registry = (folder / REGISTRY).read_text()
    for study in studies:
        registry, lines = re.subn(rf'^    "{study}",\n', "", registry, flags=re.MULTILINE)
        assert lines == 1, f"{REGISTRY} has no line of its own for {study}"
    (folder / REGISTRY).write_text(registry)


def run(folder: Path, *command: str) -> str:
    """Run a command on the copy and return what it prints; it must succeed.

    The copy has no archive next to it, so its tests may skip.
    """
    left_out = ("PYTEST_", "WSD_TESTS_REQUIRE")
    usual = {key: value for key, value in os.environ.items() if not key.startswith(left_out)}
    done = subprocess.run(
        command,
        cwd=folder,
        env={**usual, "PYTHONPATH": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-6000:]}"
    return done.stdout


def run_tests(folder: Path, *arguments: str) -> None:
    own = ("-q", "-p", "no:cacheprovider", f"--basetemp={folder.parent / 'temporary'}")
    run(folder, sys.executable, "-m", "pytest", *own, *arguments)


def assert_complete(folder: Path, *tests: str) -> None:
    """Check imports, the command line, a dry run, and that the tests can be collected."""
    run(folder, str(Path(sys.executable).parent / "lint-imports"))
    shown = run(folder, sys.executable, "-m", "wsd.cli", "--help")
    for study in STUDIES.values():
        for command in study.commands:
            there = (folder / "wsd/studies" / study.name).is_dir()
            assert bool(re.search(rf"^ +{command} ", shown, re.MULTILINE)) == there, command
    quickstart = ("--configfile", "config/quickstart.yaml")
    run(folder, sys.executable, "-m", "snakemake", "-n", *quickstart)
    run_tests(folder, "--collect-only", *tests)


def test_every_link_to_a_page_resolves() -> None:
    """The site turns a link to a deleted page into text, and so cannot report a wrong name."""
    pages = [file for at in ("*.md", "*/README.md", "docs/**/*.md") for file in REPOSITORY.glob(at)]
    wrong = [
        f"{page.relative_to(REPOSITORY)}: {link}"
        for page in pages
        for link in re.findall(r"\]\(([^)\s#:]+\.md)[)#]", page.read_text(encoding="utf-8"))
        if not (page.parent / link).is_file()
    ]
    assert len(pages) > 30 and not wrong, wrong


@pytest.mark.slow
@pytest.mark.skipif(os.environ.get(EVERY_STUDY) != "1", reason="`make studies` runs it: minutes")
@pytest.mark.parametrize("study", STUDIES)
def test_a_study_can_be_deleted(tmp_path: Path, minilm: str, study: str) -> None:
    copy_without([study], tmp_path / "wsd")
    assert_complete(tmp_path / "wsd", "tests/studies")
    run_tests(tmp_path / "wsd", *FAST)


@pytest.mark.slow
def test_all_studies_can_be_deleted_at_once(tmp_path: Path, minilm: str) -> None:
    copy_without(STUDIES, tmp_path / "wsd")
    assert_complete(tmp_path / "wsd", "tests")
    every = os.environ.get(EVERY_STUDY) == "1"
    run_tests(tmp_path / "wsd", *(FAST if every else FAST_OF_REGISTRY))
