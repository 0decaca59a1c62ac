"""Begin and end a run of the workflow: its lock, its map, repairs, and publishing.

Publishing makes copies of tables, figures and pages, and links to the rest. A run is published only
when all its files exist, so that people always find the last complete state.
"""

import hashlib
import os
import shutil
import socket
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, TextIO

from wsd.artifacts import run_json
from wsd.artifacts.find_runs import PROVENANCE
from wsd.artifacts.run_json import RunMap, bare, write_map
from wsd.errors import WsdError, visible
from wsd.run.check import checksum_or_problem, damaged_files
from wsd.run.digests import MAP, PROGRAM, SEEN, Digests, Seen, package_checksum
from wsd.run.files import Files
from wsd.run.keys import Keys
from wsd.run.schema import Config, Model
from wsd.storage.atomic import PART, lock_file, remove_abandoned, replacing, write_errors
from wsd.storage.checksums import STORE, SUMMED, SUMS, checksum, noted_checksum, set_aside
from wsd.storage.json import read_json, write_json

LOCK = ".lock"
# Files for programs are linked.
LINKED = (".parquet", ".safetensors")
# The inputs of the scores; published as the provenance, with config and command.
SOURCES = "sources.json"


class Session:
    """A run, or a dry run.

    Parameters
    ----------
    config : Config
    settings : mapping
        The config as read from its files.
    command : str
        The command that computes the same results again.
    results : Path
        The folder of all results.

    Attributes
    ----------
    files : Files
    published : dict of str to bool
        The published paths, relative to the folder of the tables, and whether each is new; empty
        before the run is complete.

    Raises
    ------
    WsdError, OSError
        If a file that decides keys cannot be read.
    """

    def __init__(
        self,
        config: Config,
        settings: Mapping[str, Any],
        command: str,
        results: Path,
        *,
        main: bool,
    ) -> None:
        self.config, self.results, self.command = config, results, command
        self._settings = dict(settings)
        self.tables = config.tables(results)
        self.folder = results / config.dataset.name
        self._begun = False
        self.published: dict[str, bool] = {}
        self._seen = Seen(results / SEEN)
        # A job uses the keys of its run: code and files may have changed since its start.
        named = None if main else os.environ.get(MAP)
        self._digests = Digests(self._seen, RunMap(Path(named)).digests if named else None)
        self.files = Files(config, Keys(config, settings, self._digests, results), command)

    @cached_property
    def made(self) -> list[str]:
        """Return the files of a full run."""
        return self.files.made()

    @cached_property
    def all_files(self) -> list[str]:
        """Return the files of a full run, and those that are written only by name."""
        return list(dict.fromkeys([*self.made, *self.files.by_name()]))

    @cached_property
    def map(self) -> Path:
        """Return the path of the run's map in the store."""
        key = hashlib.sha256("".join(self.all_files).encode()).hexdigest()[: run_json.DIGITS]
        return self.folder / STORE / run_json.MAPS / f"{self.config.run}@{key}.json"

    @cached_property
    def names(self) -> dict[str, str]:
        """Return the files by their published paths, relative to the folder of the tables."""
        return {bare(path.removeprefix(f"{self.files.store}/")): path for path in self.all_files}

    def begin(self, asked: Iterable[str] = ()) -> None:
        """Take the lock, put the folder in order, and write the map.

        Parameters
        ----------
        asked : iterable of str
            Published paths that the user asks for; files of another run there are removed.

        Raises
        ------
        BusyError
            If another run uses the results of this dataset.
        StorageError
        """
        self._lock = begin(self.folder)
        self._begun = True
        for path in remove_abandoned(self.folder):
            say(f"removed the half-written file of a killed run: {path}")
        for path in map(Path, self.all_files):
            if os.path.lexists(path):
                _date_now(path)
                for damaged, problem in damaged_files(path, self.look):
                    self._put_away(damaged, path, problem)
        for model in self.config.finetuned.values():
            self._forget_trained(model)
        for path in map(Path, asked):
            kept = self.names[str(path.relative_to(self.tables))]
            if os.path.lexists(path) and not (Path(kept).exists() and path.samefile(kept)):
                path.unlink()
        self._seen.keep()
        write_map(self.map, self.all_files, str(self.folder), self._about)

    @cached_property
    def _about(self) -> dict[str, Any]:
        digests = {**self._digests.used, PROGRAM: package_checksum()}
        return {"config": self._settings, "command": self.command, "digests": digests}

    def _forget_trained(self, model: Model) -> None:
        """Remove the vectors of an encoder that is trained again: on a GPU its weights differ."""
        trained = Path(self.files.weights_of(model)[0]).parents[1]
        if all(os.path.lexists(path) for path in self.made if trained in Path(path).parents):
            return
        folder = Path(self.files.store, self.files.keyed["model"][model.name])
        shutil.rmtree(folder / "embeddings", ignore_errors=True)
        Path(self.files.path(self.files.record, record=model.name)).unlink(missing_ok=True)

    def look(self, path: Path) -> str:
        """Return a file's checksum or problem, from the cache if the file has not changed."""
        return self._seen.find(path, checksum_or_problem)

    def _put_away(self, damaged: Path, listing: Path, problem: str) -> None:
        """Set a damaged file aside and remove its listing, so that the run rebuilds the file."""
        if os.path.lexists(damaged) and not damaged.is_dir():
            aside = set_aside(damaged)
            say(f"damaged: {damaged}: {problem}. Kept as {aside.name}; it will be rebuilt")
        elif damaged != listing:
            say(f"{damaged}: {problem}. It will be rebuilt")
        if damaged != listing:
            listing.unlink(missing_ok=True)

    def share(self) -> None:
        """Set the environment variables that tell jobs their run."""
        if self._begun:
            os.environ[MAP] = str(self.map.absolute())

    def publish(self) -> None:
        """Publish the run, if all its files exist."""
        if not self._begun or not all(Path(path).exists() for path in self.made):
            return
        by_name = [path for path in self.files.by_name() if Path(path).exists()]
        write_map(self.map, [*self.made, *by_name], str(self.folder), self._about)
        self.published = publish(RunMap(self.map), self.tables, self._about)
        # The maps of unfinished runs, and of runs whose tables are now replaced.
        for other in self.map.parent.glob(f"{self.config.run}@*.json"):
            if other != self.map:
                delete(other)

    def end(self, show: Callable[[Mapping[str, bool]], object]) -> None:
        """Publish the run, however it ends, and call ``show`` with the published paths.

        This is not a rule, which would have to run every time, since users and other runs add and
        remove files. Nor is it a hook of Snakemake, which does not run if there is nothing to do.
        """
        try:
            self.publish()
            show(self.published)
            self._seen.keep()
        except (WsdError, OSError) as error:
            print(f"publishing: {error}", file=sys.stderr, flush=True)
            os._exit(1)  # Snakemake's exit code for any error


def _date_now(path: Path) -> None:
    """Give a file from the future the current date: Snakemake refuses outputs older than inputs."""
    with suppress(OSError):
        if path.stat().st_mtime > time.time():
            os.utime(path)


class BusyError(WsdError):
    """Another run is computing results of this dataset."""


def begin(dataset: Path) -> TextIO:
    """Create and lock the folder of a dataset's results; the caller keeps the file open.

    Raises
    ------
    BusyError
        If another run uses the folder; names its process, host and command.
    StorageError
        If the folder cannot be written, or its disk is full.
    """
    path = dataset / LOCK
    with write_errors(path):
        dataset.mkdir(parents=True, exist_ok=True)
        file = path.open("a+", encoding="utf-8")
        if (locked := lock_file(file)) is False:
            problem = f"another run is using these results: {path.read_text('utf-8').strip()}"
            fix = "wait until it has finished, or end it; there is nothing to unlock, and -n works"
            raise BusyError(problem, where=str(dataset.absolute()), fix=fix)
        if locked is None:
            say(f"{dataset.absolute()}: no locks here: start no second run in this folder")
        file.truncate(0)
        since, command = time.strftime("%F %T"), " ".join(sys.argv)
        file.write(f"process {os.getpid()} on {socket.gethostname()}, {since}: {command}\n")
        file.flush()
    return file


def say(text: str) -> None:
    """Print a message on the standard error of the run."""
    print(visible(text), file=sys.stderr, flush=True)


def publish(run: RunMap, tables: Path, about: Mapping[str, Any]) -> dict[str, bool]:
    """Publish a run.

    Parameters
    ----------
    run : RunMap
        All its files exist.
    tables : Path
        The folder of its tables.
    about : mapping
        Config, command and digests of the run, for its map.

    Returns
    -------
    dict of str to bool
        The published paths, relative to ``tables``, and whether each is new.
    """
    former: set[str] = set()
    with suppress(WsdError):
        former = set(RunMap(tables / run_json.RUN_MAP).published)
    published: dict[str, str | None] = {}
    new = {}
    for name in run.files:
        for file, target, linked in readable(name, run.file(name)):
            published[target] = None if linked else noted_checksum(file) or checksum(file)
            new[target] = _put(file, tables / target, published[target])
    if SOURCES in run.files:
        settings = {key: about[key] for key in ("config", "command")}
        write_json(tables / PROVENANCE, {**read_json(run.file(SOURCES)), **settings})
        published[PROVENANCE] = noted_checksum(tables / PROVENANCE)
    for target in sorted(former - {*published}):
        delete(tables / target)
    write_json(tables / run_json.RUN_MAP, {**about, "files": run.files, "published": published})
    return new


def readable(name: str, path: Path) -> Iterator[tuple[Path, str, bool]]:
    """Yield the files of an entry of the map, their published paths, and whether they are linked.

    Raises
    ------
    ResultError
        If the entry is a listing that cannot be read.
    """
    folder = Path(name).parent
    if name == SOURCES:  # its content is in provenance.json
        return
    if name == run_json.SOURCE:
        yield path.with_suffix(""), "source", True
    elif run_json.is_listing(path):
        if Path(name).name == run_json.TABLES:
            yield path, name, True
        for file in run_json.read_listing(path):
            linked = name not in run_json.PAGES
            yield path.parent / file, (folder / bare(file)).as_posix(), linked
    else:
        yield path, name, path.suffix in LINKED or path.name == "model.json"


def _put(file: Path, target: Path, sums: str | None) -> bool:
    """Link a file, or copy it if a checksum is given; return whether the target was replaced."""
    link = os.path.relpath(file, target.parent)
    if sums is None and target.is_symlink() and str(target.readlink()) == link:
        return False
    is_copy = sums and target.is_file() and not target.is_symlink() and checksum(target) == sums
    if is_copy and (target.suffix not in SUMMED or noted_checksum(target) == sums):
        return False
    if sums:
        with replacing(target) as temporary:
            shutil.copyfile(file, temporary)
        return True
    with write_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{target.name[:200]}.{os.getpid()}{PART}")
        temporary.symlink_to(link)
        temporary.replace(target)
    return True


def delete(path: Path) -> None:
    """Delete a file or a link, its checksum, and its folders if they are empty now."""
    with write_errors(path):
        if path.is_symlink() or path.is_file():
            path.unlink()
            (path.parent / SUMS / path.name).unlink(missing_ok=True)
    for folder in (path.parent / SUMS, *path.parents):
        with suppress(OSError):
            folder.rmdir()
