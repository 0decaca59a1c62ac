"""Examine whether a run can start here; the command ``wsd doctor``.

It downloads nothing and changes no results.
"""

import argparse
import importlib.metadata
import os
import platform
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import wsd
from wsd import logs
from wsd.arguments import add_configfiles, add_run, processors
from wsd.artifacts.dataset import DOWNLOADS, Dataset
from wsd.artifacts.find_runs import described_runs
from wsd.artifacts.run_json import read_listing
from wsd.artifacts.vectors import VECTORS
from wsd.corpora import coarsewsd20, copy_corpus, dwug_en, get_archive, noad_checksums
from wsd.corpora.archive_checksums import SourceArchive
from wsd.corpora.unpack_archive import check_archive
from wsd.encoder import hub
from wsd.encoder.model import resolve
from wsd.errors import ConfigError, ModelError, WsdError
from wsd.run import lock, plan
from wsd.run.checked_config import Config, Model
from wsd.run.config_files import command, over_defaults, read_configs
from wsd.run.key_checks import check_program_folder
from wsd.run.memory_size import embedding_bytes
from wsd.run.run_session import Session
from wsd.run.verify_checksums import damaged_files
from wsd.storage.checksums import DAMAGED
from wsd.storage.temporary_files import PART
from wsd.studies.registry import studies_of

PACKAGES = ("wsd", "torch", "transformers", "snakemake", "scikit-learn", "numpy", "pyarrow")
# The paths where snakemake looks for a workflow.
SNAKEFILES = ("Snakefile", "workflow/Snakefile")
OK, NOTE, BAD = "ok", "note", "BAD"


@dataclass(frozen=True)
class Finding:
    """A line of the command's output.

    Attributes
    ----------
    state : {"ok", "note", "BAD"}
        ``BAD`` keeps a run from starting or from finishing.
    topic, text : str
    fix : str, optional
        What to do.
    """

    state: str
    topic: str
    text: str
    fix: str | None = None

    def __str__(self) -> str:
        line = f"{self.state:4}  {self.topic}: {self.text}"
        return f"{line}\n        what to do: {self.fix}" if self.fix else line


def examine(
    config: Config, settings: Mapping[str, Any], typed: str, results: Path
) -> list[Finding]:
    """Examine everything that a run needs.

    Parameters
    ----------
    config : Config
    settings : mapping
        The config as read from its files.
    typed : str
        The command that starts the run.
    results : Path
        The folder of all results.
    """
    if blocked := list(_blocked(results)):
        return [_versions(), _machine(config), *blocked]
    try:
        session = Session(config, settings, typed, results, main=True)
    except (WsdError, OSError):  # the findings on models and corpus name the problem
        session = None
    return [
        _versions(),
        _machine(config),
        _other_run(session, results),
        *_disk(config, session, results),
        _corpus(config.dataset, session),
        *map(_model, config.models.values()),
        *(
            Finding(NOTE, study.name, reason, f"nothing: the model is left out of {study.name}")
            for study in studies_of(config)
            for reason in study.left_out(config)
        ),
        *(Finding(OK, "tables", line) for line in described_runs(results)),
        *_files(session),
        *_left_behind(results),
    ]


def _versions() -> Finding:
    packages = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in PACKAGES)
    return Finding(OK, "versions", f"python {platform.python_version()}, {packages}")


def _machine(config: Config) -> Finding:
    from wsd.encoder.load_model import choose_device

    text = f"{platform.system()} {platform.machine()}, {processors()} cores for this process"
    try:
        device = choose_device(config.device)
    except ConfigError as error:
        return Finding(BAD, "device", error.problem, error.fix)
    return Finding(OK, "machine", f"{text}; device {config.device}: {device}")


def _blocked(results: Path) -> Iterator[Finding]:
    """Yield the problems that keep every run from starting, whatever its config."""
    here = [Path.cwd()] if any(map(Path.exists, map(Path, SNAKEFILES))) else []
    try:
        for folder in (*here, Path(wsd.__file__).parent):
            check_program_folder(str(folder))
        lock.check_places(results)
    except WsdError as error:
        yield Finding(BAD, error.where or "folders", error.problem, error.fix)


def _other_run(session: Session | None, results: Path) -> Finding:
    planned = [path for path in session.made if not Path(path).exists()] if session else []
    if busy := lock.conflict(results, planned):
        return Finding(BAD, "runs", busy.problem, busy.fix)
    if others := list(lock.other_runs(results)):
        who = ", ".join(str(plan.get("command", "one has only just started")) for plan in others)
        return Finding(OK, "runs", f"others are computing other files: {who}")
    return Finding(OK, "runs", "no other run is using this folder")


def _disk(config: Config, session: Session | None, results: Path) -> Iterator[Finding]:
    there = next(folder for folder in [results, *results.absolute().parents] if folder.exists())
    count = config.dataset.sizes
    needed = sum(
        embedding_bytes(model, sum(count[word] for word in words), views)
        for model, words, views in plan.to_embed(config, session.files if session else None)
    )
    free = shutil.disk_usage(there).free
    space = f"{free / 1e9:.1f} GB free in {there}, {needed / 1e9:.2f} GB of vectors to compute"
    if not os.access(there, os.W_OK) or os.statvfs(there).f_flag & os.ST_RDONLY:
        fix = "change its permissions, so that you can write there"
        yield Finding(BAD, "results", f"{there} cannot be written", fix)
    elif free < needed:
        fix = "make room, or name fewer words, models or views.store"
        yield Finding(BAD, "results", space, fix)
    else:
        yield Finding(OK, "results", space)
    caches = {"cache of archives": get_archive.cache_folder(), "cache of the hub": hub.hub_cache()}
    for topic, folder in caches.items():
        text = "nothing there yet"
        if folder.is_dir():
            free = shutil.disk_usage(folder).free
            text = f"{_size(folder) / 1e6:.0f} MB, {free / 1e9:.1f} GB free"
        yield Finding(OK, topic, f"{folder}: {text}")


def _size(folder: Path) -> int:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in files)


def _corpus(dataset: Dataset, session: Session | None) -> Finding:
    if dataset.folder is not None:
        return _imported(dataset, dataset.folder)
    if dataset.name not in DOWNLOADS:
        return Finding(OK, "corpus", f"{dataset.title}: it comes with the program")
    if (
        session
        and (listing := Path(session.files.source)).exists()
        and not any(damaged_files(listing))
    ):
        text = f"{dataset.title}: all {len(read_listing(listing))} files are here, verified"
        return Finding(OK, "corpus", text)
    archives = {
        "download": coarsewsd20.ARCHIVE,
        "noad": noad_checksums.ARCHIVE,
        "dwug-en": dwug_en.ARCHIVE,
    }
    return _archive(archives[DOWNLOADS[dataset.name][0]])


def _imported(dataset: Dataset, folder: Path) -> Finding:
    """Report whether an imported corpus is unchanged."""
    missing = [folder / file for file in dataset.digests if not (folder / file).is_file()]
    changed = list(copy_corpus.changed_copies(folder, dataset.digests))
    for paths, state in ((missing, "missing"), (changed, "not what was imported")):
        if paths:
            text = f"{dataset.title}: {len(paths)} files are {state}, such as {paths[0]}"
            return Finding(BAD, "corpus", text, "import again")
    text = f"{dataset.title}: all {len(dataset.digests)} files are unchanged: {folder}"
    return Finding(OK, "corpus", text)


def _archive(source: SourceArchive) -> Finding:
    """Report whether the archive of a corpus that is downloaded is available."""
    named = os.environ.get(source.variable)
    archive = Path(named) if named else get_archive.cache_folder() / source.file
    if not named and not archive.is_file():
        text = f"{source.title} will be downloaded"
        return Finding(NOTE, "corpus", text, f"without a network {source.alternatives}")
    try:
        check_archive(archive, source)
    except WsdError as error:
        if named:
            fix = error.fix or "fix that file"
            return Finding(BAD, "corpus", f"{error.problem}: {archive}", fix)
        text = f"the archive in the cache is damaged ({error.problem}): {archive}"
        return Finding(NOTE, "corpus", f"{text}; it will be downloaded again")
    text = f"{source.title}: the archive is available, verified: {archive}"
    return Finding(OK, "corpus", text)


def _model(model: Model) -> Finding:
    topic = f"model {model.name}"
    source: dict[str, Any] = model.source
    where = ", ".join(f"{key} {value}" for key, value in source.items() if key != "revision")
    if "hub" in source and hub.cached(source["hub"], source["revision"]) is None:
        ways = f"without a network {hub.WAYS_ON}"
        return Finding(NOTE, topic, f"{where}: not in the cache, will be downloaded", ways)
    try:
        record = resolve(
            model.name, sha256=model.sha256, blocks=model.blocks, width=model.width, **source
        )
    except (ModelError, ConfigError) as error:
        return Finding(BAD, topic, error.problem, error.fix)
    text = f"{where}: {len(record['files'])} files, {len(model.sha256)} of them checked"
    return Finding(OK, topic, f"{text} against the config's SHA-256")


def _files(session: Session | None) -> Iterator[Finding]:
    """Report how many files of this config's run exist, and which are damaged."""
    if session is None:
        return
    there = [path for path in map(Path, session.all_files) if os.path.lexists(path)]
    count = len({*map(str, there)} & {*session.made})
    text = f"{count} of the {len(session.made)} files that this config asks for are there"
    yield Finding(OK, "files", text)
    for listing in there:
        for path, problem in damaged_files(listing, session.look):
            fix = "nothing: the next run renames and rebuilds it"
            yield Finding(NOTE, "damaged", f"{path}: {problem}", fix)
    old = session.folder.glob(f"*/embeddings/*/*{VECTORS}")
    if count := sum(not path.is_symlink() for path in old):
        text = f"{session.folder} has {count} files of vectors without a store"
        fix = (
            "nothing: the next run keeps vectors whose provenance matches, replaces tables and "
            "pages, and leaves all other files"
        )
        yield Finding(NOTE, "earlier version", text, fix)


def _left_behind(results: Path) -> Iterator[Finding]:
    if parts := list(results.rglob(f".*{PART}")):
        text = f"{len(parts)} files, such as {parts[0]}"
        fix = "nothing: the next run removes files that no live process writes"
        yield Finding(NOTE, "left half-written", text, fix)
    if aside := sorted(results.rglob(f"*{DAMAGED}")):
        text = f"{len(aside)} damaged files, such as {aside[0]}"
        fix = "`wsd clean` lists them, and deletes them with --yes"
        yield Finding(NOTE, "set aside", text, fix)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    text = "as for snakemake, merged over config/config.yaml"
    add_configfiles(parser, "--configfile", text, nargs="+")
    add_run(parser, "the name of the run, as with `snakemake --config run=NAME`")
    parser.add_argument("--results", type=Path, default=Path("results"))


def run(args: argparse.Namespace) -> int:
    """Run the command; the exit code is 1 where a run cannot start."""
    settings = over_defaults(read_configs([*args.under, *args.configfile], args.of_run))
    typed = command(args.configfile, {"run": args.of_run} if args.of_run else {})
    findings = examine(args.config, settings, typed, args.results)
    for finding in findings:
        logs.show(str(finding))
    if bad := sum(finding.state == BAD for finding in findings):
        logs.show(f"{bad} thing{'s' if bad > 1 else ''} to fix first, marked {BAD}.")
        return 1
    logs.show(f"A run can start: {typed}")
    return 0
