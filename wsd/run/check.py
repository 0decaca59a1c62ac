"""Which results are no longer what was written, and the command that says so. It also says in how
many test sentences `wsd predict` would find the focal word.

Read are all files of all runs, as their maps name them (:mod:`wsd.artifacts.run_map`): in the
store, and where people read them; and what else lies in the stores. What a file should be says
:mod:`wsd.run.verify_file`.
"""

import argparse
import os
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

from wsd import logs
from wsd.arguments import add_configfiles, add_run
from wsd.artifacts.named_runs import (
    FIND_RESULTS,
    LOST,
    PROVENANCE,
    REMOVED,
    UNFINISHED,
    begun,
    described_runs,
    is_dataset,
    state_of,
    tables_of,
    tables_of_runs,
)
from wsd.artifacts.run_map import MAPS, RUN_MAP, RunMap, is_listing
from wsd.artifacts.vectors import VECTORS
from wsd.corpora.focal_word_recall import found_words
from wsd.errors import ConfigError, ResultError, WsdError
from wsd.run.config_files import command, read_configs
from wsd.run.publish import MADE_FROM, readable
from wsd.run.session import Session
from wsd.run.verify_file import GONE, UNREAD, UNSUMMED, content, noted, unlike, unlike_note, wrong
from wsd.storage.checksums import DAMAGED, STORE, set_aside

NOWHERE = "is a link that leads nowhere"
# What to do: about a run's file, by what makes it; one of no run; and what cannot be read.
AGAIN = "run `{}` again: it makes anew what is damaged or missing"
SNAKEMAKE = "snakemake with the same config"
STRAY = "of files that no run has yet, or any more, `wsd check --set-aside` renames those that are "
STRAY += "damaged, and `wsd clean` lists them"
READ = "make what cannot be read readable for you"


class Check:
    """What is found while files are read, each once.

    Attributes
    ----------
    faults : dict of Path to (str, str)
        What is wrong with a file, and what to do about it.
    read : set of Path
        All that were looked at.
    """

    def __init__(self) -> None:
        self.faults: dict[Path, tuple[str, str]] = {}
        self.read: set[Path] = set()
        self._content: Callable[[Path], str] = cache(content)

    def _look(self, path: Path) -> str:
        self.read.add(path)
        return self._content(path)

    def add(self, path: Path, what: str, fix: str) -> None:
        """Note what is wrong with a file, if anything is; what was said first is kept."""
        if what:
            self.faults.setdefault(path, (what, READ if what.startswith(UNREAD) else fix))

    def files(self, paths: Iterable[Path], fix: str) -> None:
        """Read files of a store, and what they list."""
        for path in paths:
            for file, what in wrong(path, self._look):
                self.add(file, what, fix)

    def config(self, of: Session) -> None:
        """Look for all that a config asks for."""
        fix, made = AGAIN.format(of.command), {*of.made}
        self.files(map(Path, of.made), fix)
        here = of.tables / RUN_MAP
        try:
            published = {*RunMap(here)} >= {path.removeprefix(f"{of.folder}/") for path in made}
        except WsdError as error:
            self.add(here, error.what if os.path.lexists(here) else GONE, fix)
            published = False
        if published:
            return
        self.add(here, "is of another config", fix)
        for name, path in of.names.items():
            for target in _places(name, Path(path)):
                if path in made and not os.path.lexists(of.tables / target):
                    self.add(of.tables / target, GONE, fix)

    def run(self, dataset: Path, tables: Path) -> None:
        """Read the files of a run that has tables, and what people read of it."""
        here = tables / RUN_MAP
        try:
            of = RunMap(here)
        except WsdError as error:
            self.add(here, error.what, AGAIN.format(SNAKEMAKE))
            return
        fix = AGAIN.format(of.command)
        self.add(here, unlike(here, noted(here), self._look), fix)
        files = {name: dataset / path for name, path in of.files.items()}
        self.files(files.values(), fix)
        places: dict[str, Path] = {}
        for name, path in files.items():
            places |= _places(name, path)
        for target in {**places, **of.published}:
            what = self._unpublished(tables / target, places.get(target), of.published.get(target))
            self.add(tables / target, what, fix)
        if MADE_FROM in files:
            path = tables / PROVENANCE
            self.add(path, unlike(path, noted(path), self._look), fix)

    def _unpublished(self, target: Path, file: Path | None, expected: str | None) -> str:
        """What is wrong with a copy, of which a checksum is known, or with a link."""
        if not os.path.lexists(target):
            return GONE
        if expected is not None:
            if target.is_symlink():
                return "is a link, and should be a file"
            return unlike(target, expected, self._look) or unlike_note(target, expected)
        try:
            if not target.exists():
                return NOWHERE
            wrong = file is not None and file.exists() and not target.samefile(file)
        except OSError as error:
            return f"{UNREAD}: {error.strerror}"
        return f"does not lead to {file}" if wrong else ""

    def begun(self, dataset: Path, path: Path, tables: Path) -> str:
        """Read the files that there are of a run that has begun; what to say of it, if anything."""
        try:
            of = RunMap(path)
        except WsdError as error:
            self.add(path, error.what, STRAY)
            return ""
        fix = AGAIN.format(of.command)
        self.files((dataset / one for one in of if os.path.lexists(dataset / one)), fix)
        here = tables / RUN_MAP
        try:
            state = state_of(of, tables)
        except WsdError as error:
            self.add(here, error.what, fix)
            return ""
        if state == LOST:
            self.add(here, GONE, fix)
        said = {
            UNFINISHED: f"a run was begun, and is not finished: `{of.command}`",
            REMOVED: "the tables of a run were removed: `wsd clean` lists what it alone had",
        }
        return f"{tables}: {said[state]}" if state in said else ""

    def others(self, store: Path) -> None:
        """Read what else lies in a store."""
        for path in self._walk(store, STRAY):
            if path in self.read or path in self.faults or path.name.endswith(DAMAGED):
                continue
            if is_listing(path) and path.parent != store / MAPS:
                self.files([path], STRAY)
            else:
                what = unlike(path, noted(path), self._look)
                # That of vectors stands in themselves.
                self.add(path, "" if what == UNSUMMED and path.suffix == VECTORS else what, STRAY)

    def _walk(self, folder: Path, fix: str) -> Iterator[Path]:
        seen = set()

        def unreadable(error: OSError) -> None:
            self.add(Path(error.filename), f"{UNREAD}: {error.strerror}", fix)

        for root, folders, files in os.walk(folder, onerror=unreadable, followlinks=True):
            seen.add(os.path.realpath(root))
            folders[:] = sorted(
                name
                for name in folders
                if name[0] != "." and os.path.realpath(Path(root, name)) not in seen
            )
            yield from (Path(root, name) for name in sorted(files) if name[0] != ".")


def _places(name: str, path: Path) -> dict[str, Path]:
    """Where people read an entry of a map; of a damaged listing, nothing."""
    try:
        return {target: file for file, target, _ in readable(name, path)}
    except WsdError:
        return {}


def check(results: Path, config: Session | None = None) -> tuple[Check, list[str]]:
    """Read all results.

    Parameters
    ----------
    results : Path
        Folder of all results, or of a dataset's.
    config : Session, optional
        Of a config of which everything must be there.

    Returns
    -------
    check : Check
    said : list of str
        What is to be known of the runs.
    """
    found, said = Check(), []
    if config:
        found.config(config)
    for dataset in [results] if is_dataset(results) else sorted(results.glob("[!.]*")):
        try:
            if not dataset.exists():
                found.add(dataset, NOWHERE, "remove the link, or make what it leads to")
            if not dataset.is_dir() or not is_dataset(dataset):
                continue
            beside = tables_of_runs(dataset)
        except OSError as error:
            found.add(Path(error.filename), f"{UNREAD}: {error.strerror}", READ)
            continue
        for run, path in begun(dataset)[0].items():
            said.append(found.begun(dataset, path, tables_of(dataset, run)))
        for tables in beside:
            found.run(dataset, tables)
        found.others(dataset / STORE)
        said += described_runs(dataset)
        said += found_words(beside, found.faults)
    return found, [line for line in said if line]


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("results", type=Path, nargs="?", default=Path("results"))
    text = "as of snakemake: what these ask for must be there"
    add_configfiles(parser, "--configfile", text, nargs="+", default=None)
    add_run(parser, "of those configs, what this run asks for")
    text = "rename what is damaged in the stores, so that snakemake makes it again"
    parser.add_argument("--set-aside", action="store_true", help=text)


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    if not args.results.is_dir():
        what = "no folder of results" if args.results.exists() else "there is no such folder"
        raise ConfigError(what, where=str(args.results), fix=FIND_RESULTS)
    if args.of_run is not None and args.config is None:
        fix = "name the config too, with --configfile"
        raise ConfigError("a run without its config", where="--run", fix=fix)
    found, said = check(args.results, _session(args) if args.config else None)
    for path, (what, _) in found.faults.items():
        aside = ""
        if args.set_aside and STORE in path.parts and path.is_file():
            aside = f"; kept as {set_aside(path).name}"
        logs.show(f"{path}: {what}{aside}")
    for line in said:
        logs.show(line)
    if found.faults:
        gone = sum(what == GONE for what, _ in found.faults.values())
        counts = ((len(found.faults) - gone, "are not what was written"), (gone, "are missing"))
        what = ", ".join(f"{count} {of}" for count, of in counts if count)
        fix = "; ".join(dict.fromkeys(fix for _, fix in found.faults.values()))
        raise ResultError(f"of the files, {what}", where=str(args.results), fix=fix)
    if not found.read:
        raise ResultError("nothing to check", where=str(args.results), fix="run snakemake")
    logs.show(f"{args.results}: {len(found.read)} files read, each is what was written")


def _session(args: argparse.Namespace) -> Session:
    """The files of the config, by the command that a run with the same settings was begun with."""
    said = read_configs([*args.under, *args.configfile], args.of_run)
    results = args.results.parent if is_dataset(args.results) else args.results
    typed = command(args.configfile, {"run": args.of_run} if args.of_run else {})
    try:
        run = RunMap(args.config.tables(results) / RUN_MAP)
        typed = run.command if run.config == said else typed
    except WsdError:
        pass
    return Session(args.config, said, typed, results, main=True)
