"""`wsd run` and `wsd quickstart` start Snakemake with the program's own workflow."""

import os
import sys
from pathlib import Path

import pytest
from checkout import REPOSITORY

from wsd.cli import main
from wsd.run import config_files
from wsd.run.config_files import command


class Started(BaseException):
    """Snakemake would now have taken the place of this process."""


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def execv(program: str, arguments: list[str]) -> None:
        assert program == sys.executable and arguments[1:4] == ["-P", "-m", "snakemake"]
        raise Started(*arguments[4:])

    monkeypatch.setattr(os, "execv", execv)
    monkeypatch.chdir(tmp_path)


def arguments_of(*typed: str) -> list[str]:
    """Return the arguments that Snakemake gets, without those of the workflow."""
    with pytest.raises(Started) as ended:
        main(typed)
    snakefile, profile, *rest = ended.value.args[1:4:2] + ended.value.args[4:]
    assert snakefile == str(REPOSITORY / "workflow/Snakefile")
    assert profile == str(REPOSITORY / "profiles/default")
    return rest


def test_all_arguments_are_passed_on_in_order() -> None:
    typed = ["-n", "results/x.csv", "--configfile", "my.yaml", "--cores=2", "-kF", "--", "all"]
    assert arguments_of("run", *typed) == typed
    assert arguments_of("run") == []


def test_a_config_that_is_not_here_is_the_programs_own(tmp_path: Path) -> None:
    own = str(REPOSITORY / "config/minilm.yaml")
    typed = ["--configfile", "config/minilm.yaml", "config/mine.yaml"]
    assert arguments_of("run", *typed) == ["--configfile", own, "config/mine.yaml"]
    (tmp_path / "config").mkdir()
    (tmp_path / "config/minilm.yaml").touch()
    assert arguments_of("run", *typed) == typed


def test_the_quickstart_runs_in_a_folder(tmp_path: Path, minilm: str) -> None:
    config = str(REPOSITORY / "config/quickstart.yaml")
    typed = ("quickstart", "--folder", "new/folder", "--cores", "3")
    assert arguments_of(*typed) == ["--cores", "3", "--configfile", config]
    assert Path.cwd() == tmp_path / "new/folder"
    assert not [*Path.cwd().iterdir()]


def test_the_command_of_a_run_can_be_typed_in_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [REPOSITORY / "config/minilm.yaml", tmp_path / "my.yaml"]
    typed = "--cores all --configfile config/minilm.yaml my.yaml --config seed=2"
    assert command(files, {"seed": 2}) == f"snakemake {typed}"
    monkeypatch.setattr(config_files, "INSTALLED", True)
    assert command(files, {"seed": 2}) == f"wsd run {typed}"
