"""One run of the workflow, from the lock to what people read."""

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
from wsd.storage.partial import sweep

MUCH = 1e9


class Session:
    """A run, or a look at what one would do.

    Parameters
    ----------
    config : Config
    said : mapping
        The same as it was read.
    command : str
        What makes the same again.
    results : Path
        Folder of all results.

    Attributes
    ----------
    files : Files
    published : dict of str to bool
        What people read of it, from the folder of the tables, and whether that was not there yet.
        Before it is whole, nothing.

    Raises
    ------
    WsdError, OSError
        If something that decides the files cannot be read.
    """

    def __init__(
        self, config: Config, said: Mapping[str, Any], command: str, results: Path, *, main: bool
    ) -> None:
        self.config, self.results, self._said, self.command = config, results, dict(said), command
        self.tables = config.tables(results)
        self.folder = results / config.dataset.name
        self._begun = False
        self.published: dict[str, bool] = {}
        self._seen = Seen(results / lock.STATE / SEEN)
        # A process of a job takes the keys of its run: code and files may be others by now.
        known = None if main else _digests_of_run()
        self._digests = Digests(self._seen, known)
        self.files = Files(config, Keys(config, said, self._digests, results), command)

    @cached_property
    def made(self) -> list[str]:
        """All files of the run."""
        return self.files.made()

    @cached_property
    def map(self) -> Path:
        """The map of this run, in the store."""
        key = hashlib.sha256("".join(self.further).encode()).hexdigest()[:DIGITS]
        return self.folder / STORE / MAPS / f"{self.config.run}@{key}.json"

    @cached_property
    def names(self) -> dict[str, str]:
        """The files by the paths that people read, in the folder of the tables."""
        return {bare(path.removeprefix(f"{self.files.store}/")): path for path in self.further}

    def begin(self, asked: Iterable[str] = (), forced: bool = False) -> None:
        """Take the lock, put the folder in order, and write the map.

        Parameters
        ----------
        asked : iterable of str
            What is asked for by the paths that people read: of another run it goes.
        forced : bool
            Whether files that are there may be made again.

        Raises
        ------
        BusyError
            If another run is at work on one of the same files.
        StorageError
        """
        lock.prepare(self.results)
        with lock.alone(self.results):
            self._put_in_order()
        # After that: what is damaged is planned too.
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
        """Nothing half-written, damaged or dated in the future; vectors of an earlier version."""
        for path in sweep(self.results):
            lock.say(f"removed the half-written file of a killed run: {path}")
        taken, found = adopt(self.files, self.folder)
        if found:
            lock.say(
                f"{self.folder} has results of an earlier version: of {found} files of vectors "
                f"{taken} are taken over, the others are not what this run asks for; all else is "
                "made again"
            )
        for path in map(Path, self.further):
            if os.path.lexists(path):
                _date_now(path)
                for damaged, what in wrong(path, self.look):
                    self._put_away(damaged, path, what)
        for model in self.config.finetuned.values():
            self._forget_trained(model)

    @cached_property
    def _about(self) -> dict[str, Any]:
        digests = {**self._digests.used, PROGRAM: step_code.of_package()}
        return {"config": self._said, "command": self.command, "digests": digests}

    @cached_property
    def further(self) -> list[str]:
        """All files of the run, and those that are made by their names alone."""
        return list(dict.fromkeys([*self.made, *self.files.by_name()]))

    def _forget_trained(self, model: Model) -> None:
        """Have all vectors of an encoder made again that is trained again: on a GPU it is another
        one by a little.
        """
        trained = Path(self.files.weights_of(model)[0]).parents[1]
        if all(os.path.lexists(path) for path in self.made if trained in Path(path).parents):
            return
        folder = Path(self.files.store, self.files.keyed["model"][model.name])
        shutil.rmtree(folder / EMBEDDINGS, ignore_errors=True)
        Path(self.files.path(self.files.record, record=model.name)).unlink(missing_ok=True)

    def look(self, path: Path) -> str:
        """What :func:`wsd.run.verify_file.content` says of a file, now or when it was last like this."""
        return self._seen.find(path, content)

    def _put_away(self, damaged: Path, listing: Path, what: str) -> None:
        """Have a file made again: what is damaged is set aside, and what lists it goes."""
        if os.path.lexists(damaged) and not damaged.is_dir():
            aside = set_aside(damaged)
            lock.say(f"damaged: {damaged}: {what}. Kept as {aside.name}; it is made again")
        elif damaged != listing:
            lock.say(f"{damaged}: {what}. It is made again")
        if damaged != listing:
            listing.unlink(missing_ok=True)

    def share(self) -> None:
        """Tell jobs what they work for."""
        if self._begun:
            os.environ[lock.VARIABLE] = str(lock.jobs_lock(self.results))
            os.environ[MAP] = str(self.map.absolute())

    def publish(self) -> None:
        """Put what people read in its place, if all is there."""
        there = [path for path in self.made if Path(path).exists()]
        by_name = [path for path in self.files.by_name() if Path(path).exists()]
        if not self._begun or len(there) < len(self.made):
            return
        with lock.alone(self.results):
            write_map(self.map, [*there, *by_name], str(self.folder), self._about)
            run = RunMap(self.map)
            self.published = publish(run, self.tables, self._about)
            if not list(lock.other_runs(self.results)):
                # A run that was never finished, or whose tables these replace.
                for other in self.map.parent.glob(f"{self.config.run}@*.json"):
                    if other != self.map:
                        other.unlink()
                        (other.parent / SUMS / other.name).unlink(missing_ok=True)

    def end(self, show: Callable[[Mapping[str, bool]], object]) -> None:
        """At the end of every run, however that ends: publish, and show what is published.

        It is no rule, which would have to run each time, for what another run or the user has
        added or removed; and no hook, since those are left out where there is nothing to do, and
        by --no-hooks.
        """
        try:
            self.publish()
            show(self.published)
            self._seen.forget_missing()
            self._seen.keep()
            if self.published and (much := clean.unused_bytes(self.results)) > MUCH:
                lock.say(f"{much / 1e9:.1f} GB in {self.results} are of no run: see `wsd clean`")
        except (WsdError, OSError) as error:
            print(f"publishing: {error}", file=sys.stderr, flush=True)
            sys.stderr.flush()
            os._exit(1)  # as Snakemake, whatever has gone wrong


def _date_now(path: Path) -> None:
    """Date a file from the future as of now: Snakemake refuses outputs older than their inputs."""
    with suppress(OSError):
        if path.stat().st_mtime > time.time():
            os.utime(path)


def _digests_of_run() -> Mapping[str, str] | None:
    named = os.environ.get(MAP)
    return RunMap(Path(named)).digests if named else None
