"""Whether a run can start here, and what is at hand: what to look at first when something is wrong.

Nothing is fetched, and no result is touched.
"""

import argparse
import importlib.metadata
import os
import platform
import shlex
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import wsd
from wsd import logs
from wsd.arguments import add_configfiles, add_run, processors
from wsd.artifacts.dataset import Dataset
from wsd.artifacts.manifest import of_results
from wsd.artifacts.noad import NOAD
from wsd.artifacts.runs import described_runs
from wsd.corpora import coarsewsd20, fetch, noad_archive, own
from wsd.corpora.archive import changed_files, check_archive
from wsd.corpora.source_archive import SourceArchive
from wsd.encoder import hub
from wsd.encoder.model import resolve
from wsd.encoder.resume import JOURNAL, UNFINISHED
from wsd.errors import ConfigError, CorpusError, ModelError, WsdError
from wsd.run import check, lock, plan, sharing
from wsd.run.config_files import read_configs
from wsd.run.demands import RENAME, without_braces
from wsd.run.other_code import made_by_other_code
from wsd.run.settings import Config, Model
from wsd.storage.partial import PART

PACKAGES = ("wsd", "torch", "transformers", "snakemake", "scikit-learn", "numpy", "pyarrow")
# Where snakemake looks for a workflow.
SNAKEFILES = ("Snakefile", "workflow/Snakefile")
PROGRAM = "the folder of the program"
OK, NOTE, BAD = "ok", "note", "BAD"


@dataclass(frozen=True)
class Finding:
    """One line of what was found.

    Attributes
    ----------
    state : {"ok", "note", "BAD"}
        ``BAD`` is what keeps a run from starting, or from ending well.
    topic, text : str
    fix : str, optional
        What to do about it.
    """

    state: str
    topic: str
    text: str
    fix: str | None = None

    def __str__(self) -> str:
        line = f"{self.state:4}  {self.topic}: {self.text}"
        return f"{line}\n        what to do: {self.fix}" if self.fix else line


def examine(config: Config, said: Mapping[str, Any], results: Path) -> list[Finding]:
    """Look at everything that a run of ``config`` needs.

    Parameters
    ----------
    config : Config
    said : mapping
        The same as it was read.
    results : Path
        The folder of all results.
    """
    if blocked := list(_blocked(results)):
        return [_versions(), _machine(config), *blocked]
    return [
        _versions(),
        _machine(config),
        _other_run(results),
        *_disk(config, results),
        _corpus(config.dataset, results),
        *map(_model, config.models.values()),
        *(
            Finding(NOTE, "substitutes", why, "nothing: the model is left out of them")
            for why in plan.without_head(config).values()
        ),
        *_runs(config, said, results),
        *_other_code(results),
        *_left_behind(results),
    ]


def _versions() -> Finding:
    found = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in PACKAGES)
    return Finding(OK, "versions", f"python {platform.python_version()}, {found}")


def _machine(config: Config) -> Finding:
    from wsd.encoder.loading import choose_device

    text = f"{platform.system()} {platform.machine()}, {processors()} cores for this process"
    try:
        device = choose_device(config.device)
    except ConfigError as error:
        return Finding(BAD, "device", error.what, error.fix)
    return Finding(OK, "machine", f"{text}; device {config.device}: {device}")


def _blocked(results: Path) -> Iterator[Finding]:
    """What keeps a run from starting before it has looked at anything else."""
    here = [Path.cwd()] if any(map(Path.exists, map(Path, SNAKEFILES))) else []
    try:
        for folder in (*here, Path(wsd.__file__).parent):
            without_braces(str(folder), PROGRAM, RENAME)
        lock.check_places(results)
    except WsdError as error:
        yield Finding(BAD, error.where or "folders", error.what, error.fix)


def _other_run(results: Path) -> Finding:
    if busy := lock.busy(results):
        return Finding(BAD, "runs", busy.what, busy.fix)
    return Finding(OK, "runs", "no other run is at work in this folder")


def _disk(config: Config, results: Path) -> Iterator[Finding]:
    there = next(folder for folder in [results, *results.absolute().parents] if folder.exists())
    count = config.dataset.sizes
    needed = sum(
        plan.embedding_bytes(model, sum(count[word] for word in words), views)
        for model, words, views in plan.to_embed(config, results)
    )
    free = shutil.disk_usage(there).free
    text = f"{free / 1e9:.1f} GB free in {there}, {needed / 1e9:.2f} GB of vectors still to come"
    if not os.access(there, os.W_OK) or os.statvfs(there).f_flag & os.ST_RDONLY:
        yield Finding(BAD, "results", f"{there} cannot be written", "make it writable for you")
    elif free < needed:
        yield Finding(BAD, "results", text, "make room, or name fewer words, models or views.store")
    else:
        yield Finding(OK, "results", text)
    caches = {"cache of archives": fetch.cache_folder(), "cache of the hub": hub.hub_cache()}
    for topic, folder in caches.items():
        text = "nothing there yet"
        if folder.is_dir():
            free = shutil.disk_usage(folder).free
            text = f"{_size(folder) / 1e6:.0f} MB, {free / 1e9:.1f} GB free"
        yield Finding(OK, topic, f"{folder}: {text}")


def _size(folder: Path) -> int:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in files)


def _corpus(dataset: Dataset, results: Path) -> Finding:
    if dataset.folder is not None:
        return _imported(dataset, dataset.folder)
    if dataset.name in NOAD:
        return _of_noad(dataset, results)
    if dataset.name != "coarsewsd20":
        return Finding(OK, "corpus", f"{dataset.title}: it comes with the program")
    source, files = results / check.SOURCE, coarsewsd20.downloaded_files()
    if all((source / file).is_file() for file in files) and not any(changed_files(source)):
        text = f"{dataset.title}: all {len(files)} files are here, verified"
        return Finding(OK, "corpus", text)
    return _archive(coarsewsd20.ARCHIVE)


def _of_noad(dataset: Dataset, results: Path) -> Finding:
    """Whether its folder was made as it should be, or its archive is at hand."""
    with suppress(CorpusError):
        made = of_results(results / dataset.name)
        if made.folder and made.words == dataset.words:
            found = _imported(made, made.folder)
            if found.state == OK:
                return found
    return _archive(noad_archive.ARCHIVE)


def _imported(dataset: Dataset, folder: Path) -> Finding:
    """Of a corpus of the user's own: whether it is what was imported."""
    missing = [folder / file for file in dataset.digests if not (folder / file).is_file()]
    changed = list(own.changed_copies(folder, dataset.digests))
    for paths, what in ((missing, "missing"), (changed, "not what was imported")):
        if paths:
            text = f"{dataset.title}: {len(paths)} files are {what}, such as {paths[0]}"
            return Finding(BAD, "corpus", text, "import again")
    text = f"{dataset.title}: all {len(dataset.digests)} files are as they were made: {folder}"
    return Finding(OK, "corpus", text)


def _archive(source: SourceArchive) -> Finding:
    """Of a corpus that is downloaded: whether its archive is at hand."""
    named = os.environ.get(source.variable)
    archive = Path(named) if named else fetch.cache_folder() / source.file
    if not named and not archive.is_file():
        text = f"{source.title} will be downloaded"
        return Finding(NOTE, "corpus", text, f"without a network {source.ways_on}")
    try:
        check_archive(archive, source)
    except WsdError as error:
        if named:
            fix = error.fix or "see to that file"
            return Finding(BAD, "corpus", f"{error.what}: {archive}", fix)
        text = f"the archive in the cache is damaged ({error.what}): {archive}"
        return Finding(NOTE, "corpus", f"{text}; it will be fetched again")
    text = f"{source.title}: the archive is at hand, verified: {archive}"
    return Finding(OK, "corpus", text)


def _model(model: Model) -> Finding:
    topic = f"model {model.name}"
    source: dict[str, Any] = model.source
    where = ", ".join(f"{key} {value}" for key, value in source.items() if key != "revision")
    if "hub" in source and hub.cached(source["hub"], source["revision"]) is None:
        ways = f"without a network {hub.WAYS_ON}"
        return Finding(NOTE, topic, f"{where}: not in the cache, will be fetched", ways)
    try:
        record = resolve(
            model.name, sha256=model.sha256, blocks=model.blocks, width=model.width, **source
        )
    except (ModelError, ConfigError) as error:
        return Finding(BAD, topic, error.what, error.fix)
    text = f"{where}: {len(record['files'])} files, {len(model.sha256)} of them against the"
    return Finding(OK, topic, f"{text} config's SHA-256")


def _runs(config: Config, said: Mapping[str, Any], results: Path) -> Iterator[Finding]:
    """The runs that have tables, and which keys of the config are not those of its own tables."""
    for line in described_runs(results):
        yield Finding(OK, "tables", line)
    folder = config.tables(results)
    made = sharing.made_with(folder) or said
    if keys := sorted(k for k in {*said, *made} if said.get(k) != made.get(k)):
        text = f"{folder} was made with another config: {', '.join(keys)}"
        fix = "nothing: the next run makes again what these keys decide"
        yield Finding(NOTE, "settings", text, fix)
    for text in sharing.clashes(config, said, results):
        fix = "nothing, if you can wait; otherwise give them the same settings"
        yield Finding(NOTE, "shared", text, fix)


def _other_code(results: Path) -> Iterator[Finding]:
    """What an update of the program makes again, and has not yet."""
    if made := made_by_other_code(results):
        text = ", ".join(f"{step} ({count})" for step, count in sorted(made.items()))
        fix = "nothing: the next run makes what it asks for again; until then do not read those "
        fix += "files beside newer ones"
        yield Finding(NOTE, "code", f"files made by another version of wsd, by step: {text}", fix)


def _left_behind(results: Path) -> Iterator[Finding]:
    if parts := list(results.rglob(f".*{PART}")):
        text = f"{len(parts)} files, such as {parts[0]}"
        fix = "nothing: the next run removes what no live process writes"
        yield Finding(NOTE, "left half-written", text, fix)
    for journal in results.rglob(f"{UNFINISHED}/{JOURNAL}"):
        text = f"{journal.parent}: {_size(journal.parent) / 1e6:.0f} MB of vectors"
        fix = "nothing, if that word is still to be embedded: the next run goes on from there; "
        yield Finding(NOTE, "unfinished", text, f"{fix}else delete the folder")
    for path, what in check.damaged(results, quick=True):
        yield Finding(NOTE, "damaged", f"{path}: {what}", "nothing: the next run makes it again")
    for path in sorted(results.rglob("*.damaged")):
        yield Finding(NOTE, "set aside", f"{path}", "delete it once you have seen it")


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    text = "as of snakemake: over config/config.yaml"
    add_configfiles(parser, "--configfile", text, nargs="+")
    add_run(parser, "the config is of this run, as with `snakemake --config run=NAME`")
    parser.add_argument("--results", type=Path, default=Path("results"))


def run(args: argparse.Namespace) -> int:
    """Run the command; the exit code is 1 where a run cannot start."""
    said = read_configs([*args.under, *args.configfile], args.of_run)
    findings = examine(args.config, said, args.results)
    for finding in findings:
        logs.show(str(finding))
    if bad := sum(finding.state == BAD for finding in findings):
        logs.show(f"{bad} thing{'s' if bad > 1 else ''} to put right first, marked {BAD}.")
        return 1
    over = ["--configfile", *map(str, args.configfile)] if args.configfile else []
    over += ["--config", f"run={args.of_run}"] if args.of_run else []
    logs.show(f"A run can start: {shlex.join(['snakemake', '--cores', 'all', *over])}")
    return 0
