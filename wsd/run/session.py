"""One run of the workflow: the lock, the map, putting the folder in order, and publishing."""

import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from wsd.artifacts.run_map import DIGITS, MAPS, RunMap, bare, write_map
from wsd.errors import WsdError
from wsd.run import clean, lock, step_code
from wsd.run.adopt import EMBEDDINGS, adopt
from wsd.run.digests import MAP, PROGRAM, SEEN, Digests, Seen
from wsd.run.keys import Keys
from wsd.run.publish import publish
from wsd.run.run_files import Files
from wsd.run.settings import Config, Model
from wsd.run.verify_file import content, wrong
from wsd.storage.checksums import STORE, SUMS, set_aside
from wsd.storage.temporary_files import remove_abandoned

MUCH = 1e9


class Session:
    """A run, or a dry run.

    Parameters
    ----------
    config : Config
    settings : mapping
        The config as it was read from its files.
    command : str
        The command that makes the same results again.
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
        self._seen = Seen(results / lock.STATE / SEEN)
        # A job takes the keys of its run: code and files may have changed meanwhile.
        known = None if main else _digests_of_run()
        self._digests = Digests(self._seen, known)
        self.files = Files(config, Keys(config, settings, self._digests, results), command)

    @cached_property
    def made(self) -> list[str]:
        """Return all files of the run."""
        return self.files.made()

    @cached_property
    def map(self) -> Path:
        """Return the path of the run's map in the store."""
        key = hashlib.sha256("".join(self.further).encode()).hexdigest()[:DIGITS]
        return self.folder / STORE / MAPS / f"{self.config.run}@{key}.json"

    @cached_property
    def names(self) -> dict[str, str]:
        """Return the files by their published paths, relative to the folder of the tables."""
        return {bare(path.removeprefix(f"{self.files.store}/")): path for path in self.further}

    def begin(self, asked: Iterable[str] = (), forced: bool = False) -> None:
        """Take the lock, put the folder in order, and write the map.

        Parameters
        ----------
        asked : iterable of str
            Published paths that the user asks for; those of another run are removed.
        forced : bool
            Whether existing files may be rebuilt.

        Raises
        ------
        BusyError
            If another run is computing one of the same files.
        StorageError
        """
        lock.prepare(self.results)
        with lock.alone(self.results):
            self._put_in_order()
        # Damaged files are gone now, so that they are planned too.
        planned = [path for path in self.made if forced or not os.path.lexists(path)]
        self._lock = lock.begin(self.results, planned)
        self._begun = True
        for path in map(Path, asked):
            kept = self.names[str(path.relative_to(self.tables))]
            if os.path.lexists(path) and not (Path(kept).exists() and path.samefile(kept)):
                path.unlink()
        self._seen.keep()
        write_map(self.map, self.further, str(self.folder), self._about)

    def _put_in_order(self) -> None:
        """Remove half-written and damaged files; adopt vectors of an earlier version."""
        for path in remove_abandoned(self.results):
            lock.say(f"removed the half-written file of a killed run: {path}")
        moved, former = adopt(self.files, self.folder)
        if former:
            lock.say(
                f"{self.folder} has results of an earlier version: {moved} of {former} files of "
                "vectors fit this run and are kept; everything else is rebuilt"
            )
        for path in map(Path, self.further):
            if os.path.lexists(path):
                _date_now(path)
                for damaged, problem in wrong(path, self.look):
                    self._put_away(damaged, path, problem)
        for model in self.config.finetuned.values():
            self._forget_trained(model)

    @cached_property
    def _about(self) -> dict[str, Any]:
        digests = {**self._digests.used, PROGRAM: step_code.package_checksum()}
        return {"config": self._settings, "command": self.command, "digests": digests}

    @cached_property
    def further(self) -> list[str]:
        """Return all files of the run, and those that are made only when asked for by name."""
        return list(dict.fromkeys([*self.made, *self.files.by_name()]))

    def _forget_trained(self, model: Model) -> None:
        """Remove the vectors of an encoder that is trained again; a GPU is not repeatable."""
        trained = Path(self.files.weights_of(model)[0]).parents[1]
        if all(os.path.lexists(path) for path in self.made if trained in Path(path).parents):
            return
        folder = Path(self.files.store, self.files.keyed["model"][model.name])
        shutil.rmtree(folder / EMBEDDINGS, ignore_errors=True)
        Path(self.files.path(self.files.record, record=model.name)).unlink(missing_ok=True)

    def look(self, path: Path) -> str:
        """Return what :func:`wsd.run.verify_file.content` says of a file, cached while it stays."""
        return self._seen.find(path, content)

    def _put_away(self, damaged: Path, listing: Path, problem: str) -> None:
        """Have a file rebuilt: set the damaged file aside, and remove its listing."""
        if os.path.lexists(damaged) and not damaged.is_dir():
            aside = set_aside(damaged)
            lock.say(f"damaged: {damaged}: {problem}. Kept as {aside.name}; it will be rebuilt")
        elif damaged != listing:
            lock.say(f"{damaged}: {problem}. It will be rebuilt")
        if damaged != listing:
            listing.unlink(missing_ok=True)

    def share(self) -> None:
        """Tell jobs which run they belong to."""
        if self._begun:
            os.environ[lock.VARIABLE] = str(lock.jobs_lock(self.results))
            os.environ[MAP] = str(self.map.absolute())

    def publish(self) -> None:
        """Publish the run, if all its files are there."""
        there = [path for path in self.made if Path(path).exists()]
        by_name = [path for path in self.files.by_name() if Path(path).exists()]
        if not self._begun or len(there) < len(self.made):
            return
        with lock.alone(self.results):
            write_map(self.map, [*there, *by_name], str(self.folder), self._about)
            run = RunMap(self.map)
            self.published = publish(run, self.tables, self._about)
            if not list(lock.other_runs(self.results)):
                # Maps of runs that were never finished, or whose tables are replaced now.
                for other in self.map.parent.glob(f"{self.config.run}@*.json"):
                    if other != self.map:
                        other.unlink()
                        (other.parent / SUMS / other.name).unlink(missing_ok=True)

    def end(self, show: Callable[[Mapping[str, bool]], object]) -> None:
        """Publish at the end of every run, however it ends, and show what is published.

        A rule would have to run every time, since users and other runs add and remove files. Hooks
        of Snakemake are left out where there is nothing to do, and by --no-hooks.
        """
        try:
            self.publish()
            show(self.published)
            self._seen.forget_missing()
            self._seen.keep()
            if self.published and (much := clean.unused_bytes(self.results)) > MUCH:
                lock.say(f"{much / 1e9:.1f} GB in {self.results} belong to no run: see `wsd clean`")
        except (WsdError, OSError) as error:
            print(f"publishing: {error}", file=sys.stderr, flush=True)
            sys.stderr.flush()
            os._exit(1)  # as Snakemake, whatever has gone wrong


def _date_now(path: Path) -> None:
    """Date a file from the future as of now: Snakemake refuses outputs older than inputs."""
    with suppress(OSError):
        if path.stat().st_mtime > time.time():
            os.utime(path)


def _digests_of_run() -> Mapping[str, str] | None:
    named = os.environ.get(MAP)
    return RunMap(Path(named)).digests if named else None
