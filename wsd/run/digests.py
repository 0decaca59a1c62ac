"""Compute the checksums of code and of foreign files, which are part of the keys of results.

The code of a step is everything that its command's module imports; the imports are read from the
sources, starting at the module of the command (:mod:`wsd.commands`). ``KINDS`` lists the kinds of
files, each with its step and its settings.

A checksum depends only on the content of a file, not on its date. It is cached under the file's
size, inode and both times, so that not every run reads large weights. Nobody can change a file
without changing its time of change (ctime).
"""

import ast
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

import wsd
from wsd.commands import COMMANDS
from wsd.storage.atomic import write_text
from wsd.storage.checksums import sha256
from wsd.studies.base import Kind
from wsd.studies.registry import STUDIES, extensions

SEEN = ".seen.json"
# The environment variable with the map of a job's run; the entry in the map for the whole program.
MAP, PROGRAM = "WSD_RUN_MAP", "program"
SEED = {"seed": "seed"}
TUNED = {"objective": "tuning.objective"}

# No flag here changes speed alone: part, threads and cores are in no key.
KINDS = {
    # The dataset decides which command writes it.
    "source": Kind("copy-corpus"),
    "corpus": Kind("corpus"),
    "trains": Kind("training-sets"),
    "folds": Kind("folds", {"k": "tuning.folds", "repeats": "tuning.repeats", **SEED}),
    "record": Kind("model"),
    # The path of a word's own vectors depends on its sentences: see wsd.encoder.embed.
    "vectors": Kind("embed", {"device": "device"}),
    "views": Kind("embed"),
    "predictions": Kind("classify", TUNED),
    "baselines": Kind("classify", TUNED),
    "projections": Kind("project", SEED),
    "neighbours": Kind("neighbours"),
    "selection": Kind("select", SEED),
    "per-word": Kind("classify-selected"),
    "calibration": Kind("calibration", SEED),
    "scores": Kind("evaluate"),
    "comparison": Kind("compare", SEED),
    "layers": Kind("layerwise", SEED),
    "figures": Kind("figures"),
    "alignment": Kind("alignment"),
    "selected": Kind("fit"),
    "report": Kind("report", {"view": "page_view"}),
}
for study in STUDIES.values():
    KINDS |= study.kinds


PACKAGE = Path(wsd.__file__).parent
# These modules do not count, since an edited message must not rebuild all results: every command
# runs them; or they write, lock, check and fetch files without changing their content.
STORAGE = ("atomic", "checksums", "result_files")
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


def modules(step: str) -> set[str]:
    """Return the modules that a step runs, and those of studies that extend it."""
    return set().union(*map(closure, (COMMANDS[step].module, *extensions(step))))


def checksum(step: str) -> str:
    """Return a SHA-256 over the modules that a step runs."""
    return _combined(path for name in modules(step) if (path := _path(name)))


def package_checksum() -> str:
    """Return a SHA-256 over the current content of all modules."""
    _digest.cache_clear()
    return _combined(PACKAGE.rglob("*.py"))


def _combined(paths: Iterable[Path]) -> str:
    lines = [f"{_digest(path)}  {path.relative_to(PACKAGE)}\n" for path in sorted(paths)]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


_digest = cache(sha256)


class Seen:
    """A cache of results about files, valid while their size, inode and times do not change.

    Parameters
    ----------
    cache : Path
        The file of the cache; a file that cannot be read counts as empty.
    """

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self._known: dict[str, list[object]] = {}
        with suppress(OSError, ValueError, AttributeError):
            self._known = dict(json.loads(cache.read_text(encoding="utf-8")))
        self._read = dict(self._known)

    def find(self, path: Path, look: Callable[[Path], str]) -> str:
        """Return ``look(path)``, from the cache if the file has not changed."""
        status, name = path.stat(), str(path.absolute())
        signs = [status.st_size, status.st_ino, status.st_mtime_ns, status.st_ctime_ns]
        known = self._known.get(name)
        if isinstance(known, list) and known[:-1] == signs and isinstance(known[-1], str):
            return known[-1]
        result = look(path)
        self._known[name] = [*signs, result]
        return result

    def keep(self) -> None:
        """Write the cache without missing files, if anything is new."""
        self._known = {name: entry for name, entry in self._known.items() if os.path.lexists(name)}
        if self._known != self._read:
            write_text(self._cache, json.dumps(self._known, sort_keys=True))
            self._read = dict(self._known)


class Digests:
    """The SHA-256 of code and of foreign files.

    Parameters
    ----------
    seen : Seen
    known : mapping, optional
        The digests of the run that this job belongs to; they are not computed again.

    Attributes
    ----------
    used : dict of str to str
        All digests that this object has returned.
    """

    def __init__(self, seen: Seen, known: Mapping[str, str] | None = None) -> None:
        self._seen, self._known = seen, known or {}
        self.used: dict[str, str] = {}

    def code(self, step: str) -> str:
        """Return the digest of the modules that a step runs."""
        return self._get(f"step {step}", lambda: checksum(step))

    def file(self, path: Path) -> str:
        """Return the digest of a file's content.

        Raises
        ------
        OSError
            If the file cannot be read.
        """
        return self._get(f"file {path}", lambda: self._seen.find(path, sha256))

    def files(self, folder: Path, names: Iterable[str]) -> str:
        """Return one digest of several files in a folder; a missing file counts too."""

        def compute() -> str:
            paths = [folder / name for name in names]
            sums = [self._seen.find(path, sha256) if path.is_file() else "" for path in paths]
            return hashlib.sha256(json.dumps([*names, *sums]).encode()).hexdigest()

        return self._get(f"folder {folder}", compute)

    def _get(self, name: str, compute: Callable[[], str]) -> str:
        if name not in self.used:
            self.used[name] = self._known.get(name) or compute()
        return self.used[name]
