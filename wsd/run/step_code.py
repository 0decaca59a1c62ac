"""Which modules of wsd a step runs: the closure of its command's imports.

They are part of a file's key (:mod:`wsd.run.keys`). Nobody keeps a list of them: they are read off
the sources, from the module of the command on (:mod:`wsd.commands`).
"""

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

import wsd
from wsd.commands import COMMANDS
from wsd.studies.registry import extensions

PACKAGE = Path(wsd.__file__).parent
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


def checksum(step: str) -> str:
    """SHA-256 over the modules that a step runs: other code may give other results."""
    return _of(path for name in modules(step) if (path := _path(name)))


def modules(step: str) -> set[str]:
    """Return the modules that a step runs, those of the studies that extend it included."""
    return set().union(*map(closure, (COMMANDS[step].module, *extensions(step))))


def of_package() -> str:
    """The same of all modules, as they are now."""
    _digest.cache_clear()
    return _of(PACKAGE.rglob("*.py"))


def _of(paths: Iterable[Path]) -> str:
    lines = [f"{_digest(path)}  {path.relative_to(PACKAGE)}\n" for path in sorted(paths)]
    return sha256("".join(lines).encode()).hexdigest()


@cache
def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()
