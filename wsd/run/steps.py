"""Which modules of wsd a step runs: the closure of its command's imports.

A result is made again when a module that its step runs is another. Nobody keeps a list of them:
they are read off the sources, from the module of the command on (:mod:`wsd.commands`). A rule of
the workflow has one small file as input, which names its step's modules with their checksums, and
is written again only when one of them is another.
"""

import ast
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

import wsd
from wsd.commands import COMMANDS
from wsd.storage.atomic import write_text

PACKAGE = Path(wsd.__file__).parent
# Of the files of all steps, in the folder of all results.
FOLDER = ".steps"
# How any command is run and what it says: an edited message must not embed everything again.
APART = frozenset(f"wsd.{name}" for name in ("arguments", "cli", "commands", "errors", "logs"))


@cache
def _path(module: str) -> Path | None:
    """The file of a module of wsd; None for what is no module."""
    path = PACKAGE.joinpath(*module.split(".")[1:])
    return next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.is_file()), None)


@cache
def _imported(module: str) -> frozenset[str]:
    """The modules of wsd that a module imports, also inside functions; not for types alone."""
    path = _path(module)
    tree = ast.parse(path.read_bytes()) if path else ast.Module([], [])

    def names(node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if _path(inner) else str(node.module)
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for statement in node.orelse:
                yield from names(statement)
        else:
            for child in ast.iter_child_nodes(node):
                yield from names(child)

    return frozenset(name for name in names(tree) if name.split(".")[0] == "wsd" and _path(name))


def closure(module: str) -> set[str]:
    """A module and every module of wsd that it imports, directly or through others.

    Parameters
    ----------
    module : str
        Its dotted name.

    Returns
    -------
    set of str
        Without those that say how any command is run.
    """
    found: set[str] = set()
    todo = {module}
    while todo:
        found |= todo
        todo = {name for one in todo for name in _imported(one)} - found - APART
    return found


def write(step: str, folder: Path) -> Path:
    """Write the file that stands for a step's modules, if it is not there as it should be.

    Parameters
    ----------
    step : str
        A command.
    folder : Path
        For the files of all steps.

    Returns
    -------
    Path
        The file: a line per module, its checksum and its place in the package.
    """
    text = _text(step)
    file = folder / f"{step}.sha256"
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        write_text(file, text)
    return file


def checksum(step: str) -> str:
    """The SHA-256 of what :func:`write` writes."""
    return sha256(_text(step).encode()).hexdigest()


def _text(step: str) -> str:
    paths = sorted(path for name in closure(COMMANDS[step].module) if (path := _path(name)))
    lines = [f"{_digest(path)}  {path.relative_to(PACKAGE.parent).as_posix()}" for path in paths]
    return "\n".join(lines) + "\n"


@cache
def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()
