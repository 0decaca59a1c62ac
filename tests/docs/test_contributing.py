"""CONTRIBUTING.md matches the code."""

import ast
import re

from checkout import REPOSITORY

from wsd.commands import COMMANDS

TEXT = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
ROOM = re.compile(r"^\| \d \| `(\w+)/` \| (.*?) \|$", re.MULTILINE)
STEP = re.compile(r"`([a-z][a-z-]+)`")
PATH = re.compile(r"`([\w/.-]+/[\w.-]*)`")


def test_it_fits_on_two_screens() -> None:
    assert len(TEXT.splitlines()) <= 120


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


def test_every_path_exists() -> None:
    for path in PATH.findall(TEXT):
        # The example of a study may be deleted.
        if path.startswith("studies/") and path.strip("/").count("/") == 1:
            continue
        assert (REPOSITORY / path).exists() or (REPOSITORY / "wsd" / path).exists(), path


def test_only_the_encoder_and_studies_import_torch() -> None:
    importing = set()
    for path in (REPOSITORY / "wsd").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(name.split(".")[0] == "torch" for name in names):
                importing.add(path.relative_to(REPOSITORY / "wsd").parts[0])
    assert importing <= {"encoder", "studies"}


def test_no_page_has_conflict_markers() -> None:
    marks = re.compile(r"^(<{7}|={7}|>{7})( |$)", re.MULTILINE)
    pages = [
        *REPOSITORY.glob("*.md"),
        *REPOSITORY.glob("docs/**/*.md"),
        *REPOSITORY.glob("config/*.*"),
    ]
    left = [page.name for page in pages if page.is_file() and marks.search(page.read_text("utf-8"))]
    assert not left
