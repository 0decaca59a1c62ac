"""Find the modules that a step runs: everything that its command's module imports.

Their code is part of a file's key (:mod:`wsd.run.keys`). The imports are read from the sources,
starting at the module of the command (:mod:`wsd.commands`).
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
# These modules do not count, since an edited message must not rebuild all results: every command
# runs them; or they write, lock, check and fetch files without changing their content.
STORAGE = ("atomic", "checksums", "file_lock", "result_files", "temporary_files")
APART = frozenset(
    f"wsd.{name}"
    for name in (
        *("arguments", "cli", "commands", "encoder.hub", "errors", "logs"),
        *(f"storage.{name}" for name in STORAGE),
    )
)


@cache
def _path(module: str) -> Path | None:
    path = PACKAGE.joinpath(*module.split(".")[1:])
    return next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.is_file()), None)


@cache
def _imported(module: str) -> frozenset[str]:
    """Return the imports of a module, also inside functions, but not under TYPE_CHECKING."""
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
    """Return a module and every module that it imports, directly or through others.

    Modules that every command runs are left out.
    """
    modules: set[str] = set()
    new = {module}
    while new:
        modules |= new
        new = {name for importer in new for name in _imported(importer)} - modules - APART
    return modules


def checksum(step: str) -> str:
    """Return a SHA-256 over the modules that a step runs."""
    return _combined(path for name in modules(step) if (path := _path(name)))


def modules(step: str) -> set[str]:
    """Return the modules that a step runs, and those of studies that extend it."""
    return set().union(*map(closure, (COMMANDS[step].module, *extensions(step))))


def package_checksum() -> str:
    """Return a SHA-256 over the current content of all modules."""
    _digest.cache_clear()
    return _combined(PACKAGE.rglob("*.py"))


def _combined(paths: Iterable[Path]) -> str:
    lines = [f"{_digest(path)}  {path.relative_to(PACKAGE)}\n" for path in sorted(paths)]
    return sha256("".join(lines).encode()).hexdigest()


@cache
def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()
