"""CONTRIBUTING.md matches the code."""

import re

from checkout import REPOSITORY

from wsd.commands import COMMANDS

TEXT = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
ROOM = re.compile(r"^\| \d \| `(\w+)/` \| (.*?) \|$", re.MULTILINE)
STEP = re.compile(r"`([a-z][a-z-]+)`")


def test_the_map_has_every_room_and_command() -> None:
    rooms = {path.parent.name for path in (REPOSITORY / "wsd").glob("*/__init__.py")}
    assert {room for room, _ in ROOM.findall(TEXT)} == rooms
    for room, text in ROOM.findall(TEXT):
        named = set(STEP.findall(text)) & set(COMMANDS)
        existing = {
            name for name, command in COMMANDS.items() if command.module.split(".")[1] == room
        }
        assert named == (set() if room == "studies" else existing), room
