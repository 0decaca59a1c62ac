"""The modules that decide whether a step runs again, compared with the modules that runs load."""

import importlib.util
import os
from pathlib import Path
from types import ModuleType, SimpleNamespace
from unittest.mock import Mock

import pytest
from loaded_modules import loaded_by_each, of_every_command, without_rooms
from steps import STEPS, prepare

from wsd.run import digests


@pytest.mark.slow
def test_a_step_loads_the_derived_modules(tmp_path: Path) -> None:
    prepare(tmp_path)
    actual: dict[str, set[str]] = {}
    each = loaded_by_each(tmp_path, [[command, *arguments] for command, arguments in STEPS])
    for (command, _), names in zip(STEPS, each, strict=True):
        actual.setdefault(command, set()).update(names)
    of_all, idle = without_rooms(of_every_command()), 0
    for command, names in actual.items():
        derived = without_rooms(digests.modules(command))
        assert names - derived - of_all == set(), command
        idle += len(derived - names)
    # Few: otherwise results are made again for nothing.
    assert idle <= 2


@pytest.fixture
def package(tmp_path: Path) -> ModuleType:
    """Return a copy of the module that reads a package of a few modules instead of wsd."""
    modules = {
        "__init__": "",
        "logs": "from wsd.room import never",
        "room/step": "from wsd import logs\nfrom wsd.room.helper import f\n",
        "room/helper": "def f():\n    from wsd.room import lazy\n    import wsd.room.deep\n",
        "room/lazy": "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from wsd.room import typed\nelse:\n    import wsd.room.other\n",
        "room/deep": "import json",
        "room/other": "from wsd.room.step import g",
        **dict.fromkeys(("room/typed", "room/never"), ""),
    }
    (tmp_path / "room").mkdir()
    for name, text in modules.items():
        (tmp_path / f"{name}.py").write_text(text)
    spec = importlib.util.spec_from_file_location("digests_of_a_test", digests.__file__)
    assert spec and spec.loader
    copy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    vars(copy).update(PACKAGE=tmp_path, COMMANDS={"step": SimpleNamespace(module="wsd.room.step")})
    return copy


def test_a_changed_module_changes_the_steps_that_import_it(package: ModuleType) -> None:
    inside = {"step", "helper", "lazy", "deep", "other"}
    assert package.closure("wsd.room.step") == {f"wsd.room.{name}" for name in inside}
    of_all, before = package.package_checksum(), package.checksum("step")
    (package.PACKAGE / "room/typed.py").write_text("x = 1")
    (package.PACKAGE / "logs.py").write_text("x = 1")
    assert package.package_checksum() != of_all and package.checksum("step") == before
    (package.PACKAGE / "room/deep.py").write_text("import csv")
    assert package.package_checksum() != of_all and package.checksum("step") != before


def test_a_file_is_read_again_if_it_has_changed_in_any_way(tmp_path: Path) -> None:
    """A disk error or `cp -p` keeps size and date."""
    file, cache = tmp_path / "file", tmp_path / "seen.json"
    file.write_text("first")
    look = Mock(side_effect=Path.read_text)

    def found() -> str:
        seen = digests.Seen(cache)
        result = seen.find(file, look)
        seen.keep()
        return result

    assert [found(), found()] == ["first"] * 2 and look.call_count == 1
    times = file.stat().st_atime_ns, file.stat().st_mtime_ns
    file.write_text("other")
    os.utime(file, ns=times)
    assert [found(), found()] == ["other"] * 2 and look.call_count == 2
    cache.write_text("no cache")
    assert found() == "other"


def test_messages_and_writing_are_in_no_digest() -> None:
    """An edited error text in storage must not embed everything again."""
    for step in ("embed", "classify", "corpus"):
        modules = digests.modules(step)
        assert "wsd.storage.parquet" in modules
        apart = ("atomic", "checksums", "result_files")
        assert not modules & {"wsd.errors", "wsd.logs", *(f"wsd.storage.{name}" for name in apart)}
