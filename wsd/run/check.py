"""Check that every result is undamaged; the command ``wsd check``.

It reads all files that the maps of the runs name (:mod:`wsd.artifacts.run_json`), their published
copies, and everything else in the stores. :mod:`wsd.run.verify_checksums` compares each file with
its checksum. The command also counts the test sentences in which ``wsd predict`` would find the
focal word.
"""

import argparse
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from wsd import logs
from wsd.arguments import add_configfiles, add_run
from wsd.artifacts.find_runs import (
    FIND_RESULTS,
    LOST,
    PROVENANCE,
    REMOVED,
    UNFINISHED,
    described_runs,
    is_dataset,
    run_state,
    started_runs,
    tables_of,
    tables_of_runs,
)
from wsd.artifacts.run_json import MAPS, RUN_MAP, RunMap, is_listing
from wsd.artifacts.vectors import VECTORS
from wsd.corpora.focal_word_recall import found_words
from wsd.errors import ConfigError, ResultError, WsdError
from wsd.run.config_files import command, over_defaults, read_configs
from wsd.run.publish import SOURCES, readable
from wsd.run.run_session import Session
from wsd.run.verify_checksums import (
    GONE,
    UNREAD,
    UNSUMMED,
    checksum_or_problem,
    damaged_files,
    problem_of,
)
from wsd.storage.checksums import DAMAGED, STORE, set_aside

NOWHERE = "is a link that leads nowhere"
# What to do about a file of a run, a file of no run, and a file that cannot be read.
RERUN = "run `{}` again: it rebuilds what is damaged or missing"
SNAKEMAKE = "snakemake with the same config"
STRAY = (
    "for files that belong to no run, `wsd check --set-aside` renames the damaged ones, and "
    "`wsd clean` lists them all"
)
READABLE = "change the permissions, so that you can read it"


class Check:
    """Collects the problems of files; it reads each file once.

    Attributes
    ----------
    problems : dict of Path to (str, str)
        The problem of a file, and what to do.
    read : set of Path
        The files that were read.
    """

    def __init__(self) -> None:
        self.problems: dict[Path, tuple[str, str]] = {}
        self.read: set[Path] = set()
        self._content: Callable[[Path], str] = cache(checksum_or_problem)

    def _look(self, path: Path) -> str:
        self.read.add(path)
        return self._content(path)

    def add(self, path: Path, problem: str, fix: str) -> None:
        """Note the problem of a file, if it has one; the first problem of a file is kept."""
        if problem:
            fix = READABLE if problem.startswith(UNREAD) else fix
            self.problems.setdefault(path, (problem, fix))

    def files(self, paths: Iterable[Path], fix: str) -> None:
        """Check files of a store, and the files that they list."""
        for path in paths:
            for file, problem in damaged_files(path, self._look):
                self.add(file, problem, fix)

    def config(self, session: Session) -> None:
        """Check that all files of a config's run exist and are published."""
        fix, made = RERUN.format(session.command), {*session.made}
        self.files(map(Path, session.made), fix)
        run_map = session.tables / RUN_MAP
        try:
            if {*RunMap(run_map)} >= {path.removeprefix(f"{session.folder}/") for path in made}:
                return
            self.add(run_map, "belongs to another config", fix)
        except WsdError as error:
            self.add(run_map, error.problem if os.path.lexists(run_map) else GONE, fix)
        for name, path in session.names.items():
            for target in _places(name, Path(path)):
                if path in made and not os.path.lexists(session.tables / target):
                    self.add(session.tables / target, GONE, fix)

    def run(self, dataset: Path, tables: Path) -> None:
        """Check the files of a run that has tables, and what people read: copies and links."""
        path = tables / RUN_MAP
        try:
            run_map = RunMap(path)
        except WsdError as error:
            self.add(path, error.problem, RERUN.format(SNAKEMAKE))
            return
        fix = RERUN.format(run_map.command)
        self.add(path, problem_of(path, self._look), fix)
        files = {name: dataset / file for name, file in run_map.files.items()}
        self.files(files.values(), fix)
        places: dict[str, Path] = {}
        for name, file in files.items():
            places |= _places(name, file)
        for target in {**places, **run_map.published}:
            expected = run_map.published.get(target)
            problem = self._unpublished(tables / target, places.get(target), expected)
            self.add(tables / target, problem, fix)
        if SOURCES in files:
            path = tables / PROVENANCE
            self.add(path, problem_of(path, self._look), fix)

    def _unpublished(self, target: Path, file: Path | None, expected: str | None) -> str:
        """Return the problem of a copy, whose checksum is known, or of a link."""
        if not os.path.lexists(target):
            return GONE
        if expected is not None:
            if target.is_symlink():
                return "is a link, and should be a file"
            return problem_of(target, self._look, expected)
        try:
            if not target.exists():
                return NOWHERE
            elsewhere = file is not None and file.exists() and not target.samefile(file)
        except OSError as error:
            return f"{UNREAD}: {error.strerror}"
        return f"does not lead to {file}" if elsewhere else ""

    def started_runs(self, dataset: Path, path: Path, tables: Path) -> str:
        """Check the files of a run that was started; return a remark about it, or an empty text."""
        try:
            run_map = RunMap(path)
        except WsdError as error:
            self.add(path, error.problem, STRAY)
            return ""
        fix = RERUN.format(run_map.command)
        files = (dataset / name for name in run_map)
        self.files((file for file in files if os.path.lexists(file)), fix)
        published = tables / RUN_MAP
        try:
            state = run_state(run_map, tables)
        except WsdError as error:
            self.add(published, error.problem, fix)
            return ""
        if state == LOST:
            self.add(published, GONE, fix)
        remarks = {
            UNFINISHED: f"a run was started, and is not finished: `{run_map.command}`",
            REMOVED: "the tables of a run were removed: `wsd clean` lists its other files",
        }
        return f"{tables}: {remarks[state]}" if state in remarks else ""

    def others(self, store: Path) -> None:
        """Check the other files in a store."""
        for path in self._walk(store):
            if path in self.read or path in self.problems or path.name.endswith(DAMAGED):
                continue
            if is_listing(path) and path.parent != store / MAPS:
                self.files([path], STRAY)
            else:
                problem = problem_of(path, self._look)
                # Files of vectors contain their checksums.
                if problem != UNSUMMED or path.suffix != VECTORS:
                    self.add(path, problem, STRAY)

    def _walk(self, folder: Path) -> Iterator[Path]:
        seen = set()

        def unreadable(error: OSError) -> None:
            self.add(Path(error.filename), f"{UNREAD}: {error.strerror}", STRAY)

        for root, folders, files in os.walk(folder, onerror=unreadable, followlinks=True):
            seen.add(os.path.realpath(root))
            folders[:] = sorted(
                name
                for name in folders
                if name[0] != "." and os.path.realpath(Path(root, name)) not in seen
            )
            yield from (Path(root, name) for name in sorted(files) if name[0] != ".")


def _places(name: str, path: Path) -> dict[str, Path]:
    """Return the published paths of an entry of a map; none for a damaged listing."""
    try:
        return {target: file for file, target, _ in readable(name, path)}
    except WsdError:
        return {}


def check(results: Path, config: Session | None = None) -> tuple[Check, list[str]]:
    """Check all results.

    Parameters
    ----------
    results : Path
        The folder of all results, or of the results of a dataset.
    config : Session, optional
        The session of a config whose files must all exist.

    Returns
    -------
    check : Check
    remarks : list of str
        Lines about the runs.
    """
    checked, remarks = Check(), []
    if config:
        checked.config(config)
    for dataset in [results] if is_dataset(results) else sorted(results.glob("[!.]*")):
        try:
            if not dataset.exists():
                checked.add(dataset, NOWHERE, "remove the link, or create what it leads to")
            if not dataset.is_dir() or not is_dataset(dataset):
                continue
            folders = tables_of_runs(dataset)
        except OSError as error:
            checked.add(Path(error.filename), f"{UNREAD}: {error.strerror}", READABLE)
            continue
        for run, path in started_runs(dataset)[0].items():
            remarks.append(checked.started_runs(dataset, path, tables_of(dataset, run)))
        for tables in folders:
            checked.run(dataset, tables)
        checked.others(dataset / STORE)
        remarks += described_runs(dataset)
        remarks += found_words(folders, checked.problems)
    return checked, [line for line in remarks if line]


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("results", type=Path, nargs="?", default=Path("results"))
    text = "as for snakemake: every file that these configs ask for must exist"
    add_configfiles(parser, "--configfile", text, nargs="+", default=None)
    add_run(parser, "the name of the run, as with `snakemake --config run=NAME`")
    text = "rename damaged files in the stores, so that snakemake rebuilds them"
    parser.add_argument("--set-aside", action="store_true", help=text)


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    if not args.results.is_dir():
        problem = "not a folder" if args.results.exists() else "there is no such folder"
        raise ConfigError(problem, where=str(args.results), fix=FIND_RESULTS)
    if args.of_run is not None and args.config is None:
        fix = "name the config too, with --configfile"
        raise ConfigError("a run without its config", where="--run", fix=fix)
    checked, remarks = check(args.results, _session(args) if args.config else None)
    for path, (problem, _) in checked.problems.items():
        renamed = ""
        if args.set_aside and STORE in path.parts and path.is_file():
            renamed = f"; kept as {set_aside(path).name}"
        logs.show(f"{path}: {problem}{renamed}")
    for line in remarks:
        logs.show(line)
    if checked.problems:
        gone = sum(problem == GONE for problem, _ in checked.problems.values())
        counts = {"damaged": len(checked.problems) - gone, "missing": gone}
        problem = ", ".join(f"{kind} files: {count}" for kind, count in counts.items() if count)
        fix = "; ".join(dict.fromkeys(fix for _, fix in checked.problems.values()))
        raise ResultError(problem, where=str(args.results), fix=fix)
    if not checked.read:
        raise ResultError("nothing to check", where=str(args.results), fix="run snakemake")
    logs.show(f"{args.results}: {len(checked.read)} files read, all match their checksums")


def _session(args: argparse.Namespace) -> Session:
    """Return the session of the config; if a run has the same config, with that run's command."""
    config = over_defaults(read_configs([*args.under, *args.configfile], args.of_run))
    results = args.results.parent if is_dataset(args.results) else args.results
    typed = command(args.configfile, {"run": args.of_run} if args.of_run else {})
    with suppress(WsdError):
        run_map = RunMap(args.config.tables(results) / RUN_MAP)
        typed = run_map.command if run_map.config == config else typed
    return Session(args.config, config, typed, results, main=True)
