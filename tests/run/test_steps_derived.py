"""The modules that decide whether a step runs again, compared with the modules that runs load."""

import json
from pathlib import Path

import pytest
from loaded_modules import loaded, loaded_by_each, of_every_command, without_rooms
from steps import STEPS, prepare

from wsd.commands import COMMANDS
from wsd.run import digests

# Commands of rules; people call the others.
RULES = {*(command for command, _ in STEPS), "download", "dwug-en", "noad"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the steps in order, each on the files of those before."""
    return tmp_path_factory.mktemp("steps")


@pytest.mark.slow
def test_a_step_loads_the_derived_modules(folder: Path) -> None:
    prepare(folder)
    actual: dict[str, set[str]] = {}
    each = loaded_by_each(folder, [[command, *arguments] for command, arguments in STEPS])
    for (command, _), names in zip(STEPS, each, strict=True):
        actual.setdefault(command, set()).update(names)
    of_all = without_rooms(of_every_command())
    missing, idle = {}, {}
    for command, names in actual.items():
        derived = without_rooms(digests.modules(command))
        missing[command] = sorted(names - derived - of_all)
        idle[command] = sorted(derived - names)
    assert not any(missing.values()), json.dumps(missing, indent=1)
    # Imports inside functions that none of these runs comes to: few, or results are made again
    # for nothing.
    assert sum(map(len, idle.values())) <= MOST_IDLE, json.dumps(idle, indent=1)


MOST_IDLE = 2


@pytest.mark.slow
def test_the_download_loads_the_derived_modules(folder: Path, archive: Path, monkeypatch) -> None:
    monkeypatch.setenv("WSD_COARSEWSD20_ARCHIVE", str(archive))
    derived = digests.modules("download") | of_every_command()
    assert loaded(folder, "download", "--out", "source-of-all") <= derived


@pytest.mark.slow
def test_noad_loads_the_derived_modules(folder: Path, noad_real: Path, monkeypatch) -> None:
    monkeypatch.setenv("WSD_NOAD_ARCHIVE", str(noad_real))
    derived = digests.modules("noad") | of_every_command()
    # The rarest training set: it has few words.
    assert loaded(folder, "noad", "--at-least", "400", "--out", "source-of-noad") <= derived


@pytest.mark.slow
def test_dwug_en_loads_the_derived_modules(folder: Path, dwug_archive: Path, monkeypatch) -> None:
    monkeypatch.setenv("WSD_DWUG_EN_ARCHIVE", str(dwug_archive))
    derived = digests.modules("dwug-en") | of_every_command()
    assert loaded(folder, "dwug-en", "--out", "source-of-dwug") <= derived


def test_a_step_is_its_command_its_module_and_its_rule() -> None:
    for name, command in COMMANDS.items():
        expected = "import_corpus" if name == "import" else name.replace("-", "_")
        assert command.module.rpartition(".")[2] == expected


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Replace wsd by a package of a few modules."""
    root = tmp_path / "wsd"
    for name, text in {
        "__init__": "",
        "logs": "from wsd.room import never",
        "room/__init__": "",
        "room/step": "from wsd import logs\nfrom wsd.room.helper import f\n",
        "room/helper": "def f():\n    from wsd.room import lazy\n    import wsd.room.deep\n",
        "room/lazy": "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from wsd.room import typed\nelse:\n    import wsd.room.other\n",
        "room/deep": "import json",
        "room/other": "from wsd.room.step import g",
        "room/typed": "",
        "room/never": "",
    }.items():
        file = root / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    monkeypatch.setattr(digests, "PACKAGE", root)
    for function in (digests._path, digests._imported, digests._digest):
        function.cache_clear()
    monkeypatch.setattr(digests, "COMMANDS", {"step": SimpleCommand("wsd.room.step")})
    yield root
    for function in (digests._path, digests._imported, digests._digest):
        function.cache_clear()


class SimpleCommand:
    def __init__(self, module: str) -> None:
        self.module = module


def test_the_closure_of_imports(package: Path) -> None:
    inside = {"step", "helper", "lazy", "deep", "other"}
    assert digests.closure("wsd.room.step") == {f"wsd.room.{name}" for name in inside}


def test_a_changed_module_changes_the_step(package: Path) -> None:
    def checksum() -> str:
        digests._digest.cache_clear()
        return digests.checksum("step")

    before, of_all = checksum(), digests.package_checksum()
    (package / "room/typed.py").write_text("x = 1")
    (package / "logs.py").write_text("x = 1")
    assert checksum() == before and digests.package_checksum() != of_all
    (package / "room/deep.py").write_text("import csv")
    assert checksum() != before


def test_messages_and_writing_are_in_no_digest() -> None:
    """An edited error text in storage must not embed everything again."""
    for step in ("embed", "classify", "corpus"):
        modules = digests.modules(step)
        assert "wsd.storage.parquet" in modules
        apart = ("atomic", "checksums", "result_files")
        assert not modules & {"wsd.errors", "wsd.logs", *(f"wsd.storage.{name}" for name in apart)}
