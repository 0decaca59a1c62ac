"""What CONTRIBUTING says of the code is so."""

import ast
import re

from checkout import REPOSITORY

from wsd.commands import COMMANDS

TEXT = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
ROOM = re.compile(r"^\| (\d) \| `(\w+)/` \| (.*?) \| (.*?) \|$", re.MULTILINE)
STEP = re.compile(r"`([a-z][a-z-]+)`")


def test_the_map_has_every_room() -> None:
    rooms = {path.parent.name for path in (REPOSITORY / "wsd").glob("*/__init__.py")}
    assert {room for _, room, _, _ in ROOM.findall(TEXT)} == rooms


def test_the_map_has_every_command_in_its_room() -> None:
    for _, room, text, _ in ROOM.findall(TEXT):
        named = set(STEP.findall(text)) & set(COMMANDS)
        there = {name for name, command in COMMANDS.items() if f".{room}." in command.module}
        assert named == there, room


def test_what_imports_torch() -> None:
    found = set()
    for path in (REPOSITORY / "wsd").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(name.split(".")[0] == "torch" for name in names):
                found.add(path.relative_to(REPOSITORY / "wsd").with_suffix("").as_posix())
    passage = TEXT[TEXT.index("alone imports\ntorch") :]
    listed = re.findall(r"`(\w+)`", passage[passage.index("(") : passage.index(")")])
    assert found == {f"encoder/{name}" for name in listed}


def test_no_page_was_left_in_the_middle_of_a_merge() -> None:
    marks = re.compile(r"^(<{7}|={7}|>{7})( |$)", re.MULTILINE)
    pages = [
        *REPOSITORY.glob("*.md"),
        *REPOSITORY.glob("docs/**/*.md"),
        *REPOSITORY.glob("config/*.*"),
    ]
    left = [page.name for page in pages if page.is_file() and marks.search(page.read_text("utf-8"))]
    assert not left
