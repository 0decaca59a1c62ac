"""CONTRIBUTING.md matches the code."""

import re

from checkout import REPOSITORY

from wsd.commands import COMMANDS

TEXT = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
ROOM = re.compile(r"^\| \d \| `(\w+)/` \| (.*?) \|$", re.MULTILINE)
STEP = re.compile(r"`([a-z][a-z-]+)`")


def test_the_map_has_every_room() -> None:
    rooms = {path.parent.name for path in (REPOSITORY / "wsd").glob("*/__init__.py")}
    assert {room for room, _ in ROOM.findall(TEXT)} == rooms


def test_the_map_has_every_command_of_the_core_in_its_room() -> None:
    for room, text in ROOM.findall(TEXT):
        named = set(STEP.findall(text)) & set(COMMANDS)
        existing = {
            name for name, command in COMMANDS.items() if command.module.split(".")[1] == room
        }
        assert named == (set() if room == "studies" else existing), room


def test_only_the_encoder_and_studies_import_torch() -> None:
    imports = re.compile(r"^\s*(?:import|from) torch\b", re.MULTILINE)
    modules = (REPOSITORY / "wsd").rglob("*.py")
    importing = {path for path in modules if imports.search(path.read_text(encoding="utf-8"))}
    rooms = {path.relative_to(REPOSITORY / "wsd").parts[0] for path in importing}
    assert "encoder" in rooms and rooms <= {"encoder", "studies"}
